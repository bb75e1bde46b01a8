// SPDX-License-Identifier: Apache-2.0
#include "wire/framing.h"

#include <gtest/gtest.h>

namespace weir::framing_test {
namespace {

TEST(Framing, AddsTheHeadersToThePayload) {
  EXPECT_EQ(Framing::rocev2().data(1000), 1066);
  EXPECT_EQ(Framing::hpcc_simulator().data(1000), 1048);
  EXPECT_EQ(Framing::pyrrha_simulator().data(1000), 1076);
}

TEST(Framing, PadsShortFrames) {
  Framing framing = Framing::hpcc_simulator();
  framing.data_overhead = 46;
  framing.minimum_frame = 64;
  EXPECT_EQ(framing.data(0), 64);
  EXPECT_EQ(framing.data(17), 64);
  EXPECT_EQ(framing.data(18), 64);
  EXPECT_EQ(framing.data(19), 65);
  EXPECT_EQ(Framing::hpcc_simulator().data(1), 49);  // no padding in this simulator
}

TEST(Framing, PadsThePayloadToWholeWordsWhereTheProtocolDoes) {
  const Framing framing = Framing::rocev2();
  EXPECT_EQ(framing.data(1), 70);
  EXPECT_EQ(framing.data(3), 70);
  EXPECT_EQ(framing.data(4), 70);
  EXPECT_EQ(framing.data(5), 74);
  EXPECT_EQ(framing.data(999), framing.data(1'000));
  EXPECT_EQ(Framing::hpcc_simulator().data(999), 1'047);
  EXPECT_EQ(Framing::pyrrha_simulator().data(999), 1'075);
}

TEST(Framing, PadsAcknowledgesWithWhatSchemesAdd) {
  EXPECT_EQ(Framing::rocev2().acknowledge(), 70);
  EXPECT_EQ(Framing::rocev2().acknowledge(42), 112);
  EXPECT_EQ(Framing::hpcc_simulator().acknowledge(), 60);
  EXPECT_EQ(Framing::hpcc_simulator().acknowledge(8), 60);
  EXPECT_EQ(Framing::hpcc_simulator().acknowledge(42), 88);
  EXPECT_EQ(Framing::pyrrha_simulator().acknowledge(), 84);
}

TEST(Framing, CountsPreambleAndGapWhereThePeersDo) {
  EXPECT_EQ(Framing::rocev2().wire_overhead, 20);
  EXPECT_EQ(Framing::hpcc_simulator().wire_overhead, 0);
  EXPECT_EQ(Framing::pyrrha_simulator().wire_overhead, 0);
}

}  // namespace
}  // namespace weir::framing_test
