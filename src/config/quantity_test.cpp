// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace weir::quantity_test {
namespace {

using namespace weir::literals;

TEST(Quantity, ReadsDecimalsExactly) {
  EXPECT_EQ(parse_duration("0.1 us").value, 100_ns);
  EXPECT_EQ(parse_duration("600 ns").value, 600_ns);
  EXPECT_EQ(parse_duration("0.000001 s").value, 1_us);
  EXPECT_EQ(parse_duration("2.000000000001 s").value, 2_s + 1_ps);
  EXPECT_EQ(parse_duration("1.10 ns").value, 1'100_ps);
  EXPECT_EQ(parse_bytes("12 MB").value, 12_MB);
  EXPECT_EQ(parse_bytes("32 MiB").value, 32_MiB);
  EXPECT_EQ(parse_bytes("0.5 KiB").value, 512_B);
  EXPECT_EQ(parse_bytes("0 B").value, 0_B);
  EXPECT_EQ(parse_bytes("10 TB").value, Bytes(10'000'000'000'000));
  EXPECT_EQ(parse_bit_rate("100 Gbit/s").value, 100_Gbps);
  EXPECT_EQ(parse_bit_rate("2.5 Gbit/s").value, 2'500_Mbps);
  EXPECT_EQ(parse_bit_rate("0.4 Tbit/s").value, 400_Gbps);
  EXPECT_EQ(parse_bit_rate("40kbit/s").value, 40_Kbps);  // the space is optional
}

template <class Amount>
std::string error(const Quantity<Amount>& quantity) {
  return quantity.wrong + (quantity.suggestion.empty() ? "" : " | " + quantity.suggestion);
}

TEST(Quantity, SaysWhatIsWrong) {
  EXPECT_EQ(error(parse_bit_rate("100 Gbps")),
            "\"100 Gbps\" has an unknown unit \"Gbps\", expected one of bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s"
            " | 100 Gbit/s");
  EXPECT_EQ(error(parse_bit_rate("2.5 Gbits/s")),
            "\"2.5 Gbits/s\" has an unknown unit \"Gbits/s\", expected one of bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s"
            " | 2.5 Gbit/s");
  EXPECT_EQ(error(parse_bit_rate("100 Gibps")),
            "\"100 Gibps\" has an unknown unit \"Gibps\", expected one of bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s"
            " | 100 Gbit/s");
  EXPECT_EQ(parse_bit_rate("3 Mibit/s").suggestion, "3 Mbit/s");
  EXPECT_EQ(parse_bit_rate("3 MiB/s").suggestion, "");
  EXPECT_EQ(error(parse_bytes("12")), "\"12\" has no unit, expected one of B, KB, KiB, MB, MiB, GB, GiB, TB, TiB");
  EXPECT_EQ(error(parse_bytes("60 kB")),
            "\"60 kB\" has an unknown unit \"kB\", expected one of B, KB, KiB, MB, MiB, GB, GiB, TB, TiB | 60 KB");
  EXPECT_EQ(error(parse_bytes("60 parsec")),
            "\"60 parsec\" has an unknown unit \"parsec\", expected one of B, KB, KiB, MB, MiB, GB, GiB, TB, TiB");
  EXPECT_EQ(error(parse_duration("1 \xC2\xB5s")),
            "\"1 \xC2\xB5s\" has an unknown unit \"\xC2\xB5s\", expected one of ps, ns, us, ms, s | 1 us");
  EXPECT_EQ(error(parse_duration("0.5 ps")),
            "\"0.5 ps\" is not a whole number of picoseconds, expected a multiple of 1 ps");
  EXPECT_EQ(error(parse_duration("0.0000000000000000001 s")),
            "\"0.0000000000000000001 s\" is not a whole number of picoseconds, expected a multiple of 1 ps");
  EXPECT_EQ(error(parse_duration("-1 us")), "\"-1 us\" is below zero, expected at least 0 ps");
  EXPECT_EQ(error(parse_duration("1. us")), "\"1. us\" has no digit after the decimal point");
  EXPECT_EQ(error(parse_duration("soon")), "\"soon\" is not a duration, such as \"600 ns\"");
  EXPECT_EQ(error(parse_duration("")), "\"\" is not a duration, such as \"600 ns\"");
  EXPECT_EQ(error(parse_duration("10000000 s")), "\"10000000 s\" is too large, at most 2^61-1 picoseconds");
  EXPECT_EQ(error(parse_bytes("99999999999999999999999999999999999999999 B")),
            "\"99999999999999999999999999999999999999999 B\" is too large, at most 2^61-1 bytes");
  EXPECT_EQ(parse_bytes("2305843009213693951 B").value.count(), kLargestQuantity);
  EXPECT_EQ(error(parse_bytes("2305843009213693952 B")),
            "\"2305843009213693952 B\" is too large, at most 2^61-1 bytes");
  EXPECT_EQ(error(parse_bit_rate("2305843009213.693952 Mbit/s")),
            "\"2305843009213.693952 Mbit/s\" is too large, at most 2^61-1 bits per second");
}

TEST(Quantity, SuggestsNothingOfAnotherAmount) {
  EXPECT_EQ(parse_bit_rate("100 GB/s").suggestion, "");
  EXPECT_EQ(parse_bit_rate("100 GBps").suggestion, "");
  EXPECT_EQ(parse_bit_rate("100 GB").suggestion, "");
  EXPECT_EQ(parse_bytes("1 ms").suggestion, "");
  EXPECT_EQ(parse_bytes("1 Gbit/s").suggestion, "");
  EXPECT_EQ(parse_duration("1 MB").suggestion, "");
  EXPECT_EQ(parse_duration("1 Ms").suggestion, "1 ms");
}

TEST(Quantity, WritesTheLargestUnitThatFits) {
  EXPECT_EQ(to_text(600_ns), "600 ns");
  EXPECT_EQ(to_text(1'500_ns), "1.5 us");
  EXPECT_EQ(to_text(1'000'001_ps), "1000.001 ns");
  EXPECT_EQ(to_text(Duration()), "0 ps");
  EXPECT_EQ(to_text(12_MB), "12 MB");
  EXPECT_EQ(to_text(32_MiB), "32 MiB");
  EXPECT_EQ(to_text(4'096_B), "4 KiB");
  EXPECT_EQ(to_text(1'066_B), "1.066 KB");
  EXPECT_EQ(to_text(64_KB), "64 KB");
  EXPECT_EQ(to_text(100_Gbps), "100 Gbit/s");
  EXPECT_EQ(to_text(2'500_Mbps), "2.5 Gbit/s");
}

RC_GTEST_PROP(Quantity, ComesBackAsItWas, ()) {
  const std::int64_t n = *rc::gen::inRange<std::int64_t>(0, kLargestQuantity + 1);
  const std::int64_t value = n >> *rc::gen::inRange(0, 61);
  RC_ASSERT(parse_duration(to_text(Duration::picoseconds(value))).value == Duration::picoseconds(value));
  RC_ASSERT(parse_bytes(to_text(Bytes(value))).value == Bytes(value));
  RC_ASSERT(parse_bit_rate(to_text(BitRate(value))).value == BitRate(value));
}

}  // namespace
}  // namespace weir::quantity_test
