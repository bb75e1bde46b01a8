#include "wire/framing.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Framing, AddsTheHeadersToThePayload) {
  EXPECT_EQ(Framing::rocev2().data(1000), 1066);
  EXPECT_EQ(Framing::hpcc_simulator().data(1000), 1048);
  EXPECT_EQ(Framing::pyrrha_simulator().data(1000), 1076);
}

TEST(Framing, PadsShortFrames) {
  Framing framing = Framing::rocev2();
  framing.data_overhead = 46;
  EXPECT_EQ(framing.data(0), 64);
  EXPECT_EQ(framing.data(17), 64);
  EXPECT_EQ(framing.data(18), 64);
  EXPECT_EQ(framing.data(19), 65);
  EXPECT_EQ(Framing::hpcc_simulator().data(1), 49);  // which pads nothing
}

TEST(Framing, CountsPreambleAndGapWhereThePeersDo) {
  EXPECT_EQ(Framing::rocev2().wire_overhead, 20);
  EXPECT_EQ(Framing::hpcc_simulator().wire_overhead, 0);
  EXPECT_EQ(Framing::pyrrha_simulator().wire_overhead, 0);
}

}  // namespace
}  // namespace weir
