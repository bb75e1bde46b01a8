// SPDX-License-Identifier: Apache-2.0
#include "net/ns3_units.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace weir::ns3_units_test {
namespace {

using namespace literals;

TEST(Ns3Rate, IsReadExactly) {
  EXPECT_EQ(parse_ns3_rate("100Gbps"), 100_Gbps);
  EXPECT_EQ(parse_ns3_rate("2.5Gb/s"), 2500_Mbps);
  EXPECT_EQ(parse_ns3_rate("64kbps"), 64_Kbps);
  EXPECT_EQ(parse_ns3_rate("64Kbps"), 64_Kbps);
  EXPECT_EQ(parse_ns3_rate("3MB/s"), 24_Mbps);
  EXPECT_EQ(parse_ns3_rate("1.6Tbps"), 1600_Gbps);
  EXPECT_EQ(parse_ns3_rate("7bps"), 7_bps);
  EXPECT_EQ(parse_ns3_rate("25000000000"), 25_Gbps);
  EXPECT_EQ(parse_ns3_rate("25000000000.0"), 25_Gbps);
  EXPECT_EQ(parse_ns3_rate("400", 1'000'000'000), 400_Gbps);
  EXPECT_EQ(parse_ns3_rate("0.000000001Gbps"), 1_bps);
  EXPECT_EQ(parse_ns3_rate("9223372036854775807"), BitRate(9223372036854775807));
  EXPECT_EQ(parse_ns3_rate("0.00000000000000000000000000000Gbps"), 0_bps);
}

TEST(Ns3Rate, RefusesWhatIsNone) {
  for (const char* text : {"", "Gbps", "-1Gbps", "+1Gbps", "1 Gbps", "100Gbit", "100gbps", "1KiBps", "100Gibps",
                           "1Mib/s", "0.5bps", "1.5", "1e9bps", "1..5Gbps", "9223372036854775808",
                           "340282366920938463463374607431768211457bps" /* 2^128 + 1 */, "99999999999Tbps", "."}) {
    EXPECT_EQ(parse_ns3_rate(text), std::nullopt) << text;
  }
}

TEST(Ns3Rate, KnowsWhatPowersOfTwoWereMeantToBe) {
  EXPECT_EQ(ns3_rate_meant("100Gibps"), "100Gbps");
  EXPECT_EQ(ns3_rate_meant("1KiBps"), "1KBps");
  EXPECT_EQ(ns3_rate_meant("100Gbps"), "");
  EXPECT_EQ(ns3_rate_meant("100Gbit/s"), "");
  EXPECT_EQ(ns3_rate_meant("i"), "");
}

TEST(Ns3Time, IsReadExactly) {
  EXPECT_EQ(parse_ns3_time("1000ns"), 1_us);
  EXPECT_EQ(parse_ns3_time("1us"), 1_us);
  EXPECT_EQ(parse_ns3_time("0.001ms"), 1_us);
  EXPECT_EQ(parse_ns3_time("0.2ms"), 200_us);
  EXPECT_EQ(parse_ns3_time("0.000600ms"), 600_ns);
  EXPECT_EQ(parse_ns3_time("1.5ns"), 1500_ps);
  EXPECT_EQ(parse_ns3_time("2s"), 2_s);
  EXPECT_EQ(parse_ns3_time("0"), 0_ps);
  EXPECT_EQ(parse_ns3_time("600", 1_ns), 600_ns);
}

TEST(Ns3Time, RefusesWhatIsNone) {
  for (const char* text : {"", "ns", "600", "-1ns", "1m", "0.0001ns", "1e3ns", "0x10ns", "9223373s"}) {
    EXPECT_EQ(parse_ns3_time(text), std::nullopt) << text;
  }
}

TEST(Ns3Time, ReadsBackWhateverIsWrittenInAnyUnit) {
  EXPECT_TRUE(rc::check([](std::uint32_t picoseconds) {
    const Duration time = Duration::picoseconds(picoseconds);
    const std::string digits = std::to_string(picoseconds);
    const auto shifted = [&digits](std::size_t places) {
      const std::string padded = std::string(places + 1, '0') + digits;
      return padded.substr(0, padded.size() - places) + "." + padded.substr(padded.size() - places);
    };
    RC_ASSERT(parse_ns3_time(digits + "ps") == time);
    RC_ASSERT(parse_ns3_time(shifted(3) + "ns") == time);
    RC_ASSERT(parse_ns3_time(shifted(6) + "us") == time);
    RC_ASSERT(parse_ns3_time(shifted(9) + "ms") == time);
    RC_ASSERT(parse_ns3_time(shifted(12) + "s") == time);
  }));
}

}  // namespace
}  // namespace weir::ns3_units_test
