// SPDX-License-Identifier: Apache-2.0
#include "wire/internet_checksum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <vector>

#include "wire/testing/byte_source.h"
#include "wire/testing/hex.h"

namespace weir::internet_checksum_test {
namespace {

using testing::from_hex;
using testing::to_bytes;

TEST(InternetChecksum, OfTheExampleOfRfc1071) {
  InternetChecksum sum;
  sum.update(from_hex("0001 f203 f4f5 f6f7"));
  EXPECT_EQ(sum.value(), 0x220d);  // the complement of 0xddf2
}

TEST(InternetChecksum, CountsALastOddByteAsAHighByte) {
  InternetChecksum sum;
  sum.update(from_hex("0001 f2"));
  EXPECT_EQ(sum.value(), 0xffff - 0xf201);
}

RC_GTEST_PROP(InternetChecksum, IsTheSumOfItsNumbers, (const std::vector<std::uint8_t>& octets)) {
  InternetChecksum of_bytes;
  of_bytes.update(to_bytes(octets));
  InternetChecksum of_numbers;
  for (std::size_t i = 0; i < octets.size(); i += 2) {
    const std::uint32_t low = i + 1 < octets.size() ? octets[i + 1] : 0;
    of_numbers.update(static_cast<std::uint16_t>(octets[i] << 8 | low));
  }
  RC_ASSERT(of_bytes.value() == of_numbers.value());
}

RC_GTEST_PROP(InternetChecksum, VerifiesWithItsOwnValueAndNoOther,
              (const std::vector<std::uint8_t>& octets, std::uint16_t other)) {
  const auto bytes = to_bytes(octets);
  InternetChecksum sum;
  sum.update(bytes);
  InternetChecksum with_value = sum;
  with_value.update(sum.value());
  RC_ASSERT(with_value.verifies());
  // 0x0000 and 0xffff are the same number in ones' complement.
  RC_PRE(other % 0xffff != sum.value() % 0xffff);
  InternetChecksum with_other = sum;
  with_other.update(other);
  RC_ASSERT(!with_other.verifies());
}

}  // namespace
}  // namespace weir::internet_checksum_test
