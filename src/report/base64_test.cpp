// SPDX-License-Identifier: Apache-2.0
#include "report/base64.h"

#include <gtest/gtest.h>

#include <string_view>

namespace weir::base64_test {
namespace {

std::string encoded(std::string_view text) {
  return base64({text.begin(), text.end()});
}

TEST(Base64, IsThatOfTheStandard) {
  // RFC 4648, section 10.
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, HasAllDigits) {
  EXPECT_EQ(base64({0x00, 0x00, 0x3E, 0xFF, 0xFF, 0xFF, 0xFB, 0xEF}), "AAA+////++8=");
}

}  // namespace
}  // namespace weir::base64_test
