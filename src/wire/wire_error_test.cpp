// SPDX-License-Identifier: Apache-2.0
#include "wire/wire_error.h"

#include <gtest/gtest.h>

#include <set>

namespace weir::wire_error_test {
namespace {

TEST(WireError, EachHasATextOfItsOwn) {
  std::set<std::string_view> texts;
  const int last = static_cast<int>(WireError::not_representable);
  for (int error = 0; error <= last; ++error) texts.insert(to_string(static_cast<WireError>(error)));
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(last) + 1);
  EXPECT_FALSE(texts.contains(to_string(static_cast<WireError>(255))));
}

TEST(WireResult, IsAValueOrAnError) {
  const WireResult<int> value = 7;
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, 7);
  const WireResult<int> error = WireError::runt;
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error(), WireError::runt);
}

}  // namespace
}  // namespace weir::wire_error_test
