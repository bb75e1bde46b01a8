// SPDX-License-Identifier: Apache-2.0
#include "check/wire_cost.h"

#include <gtest/gtest.h>

#include "traffic/built_in_sizes.h"

namespace weir::wire_cost_test {
namespace {

HostSettings hosts(std::int64_t payload, std::uint32_t acknowledge_every = 1) {
  HostSettings settings;
  settings.payload = payload;
  settings.acknowledge_every = acknowledge_every;
  return settings;
}

TEST(WireCost, OfFullPackets) {
  const WireCost cost = wire_cost(FlowSize::fixed(Bytes(64'000)), hosts(1000), Framing::rocev2());
  EXPECT_DOUBLE_EQ(cost.data, 1.086);
  EXPECT_DOUBLE_EQ(cost.acknowledgements, 0.090);
}

TEST(WireCost, CountsTheLastPacketWhole) {
  const WireCost cost = wire_cost(FlowSize::fixed(Bytes(2'001)), hosts(1000), Framing::rocev2());
  EXPECT_DOUBLE_EQ(cost.data, (2001 + 3 * 86) / 2001.0);
  EXPECT_DOUBLE_EQ(cost.acknowledgements, 3 * 90 / 2001.0);
}

TEST(WireCost, CountsOneAcknowledgementForSeveralPackets) {
  // 9 packets: the fourth, the eighth and the last are acknowledged.
  const FlowSize size = FlowSize::fixed(Bytes(9'000));
  EXPECT_DOUBLE_EQ(wire_cost(size, hosts(1000, 4), Framing::hpcc_simulator()).acknowledgements, 3 * 60 / 9000.0);
}

TEST(WireCost, OfSmallMessagesIsMoreThanTheirPayload) {
  // As drawn from the distribution: nearly all of memcached's messages, 181 B on average, fit into one packet.
  const FlowSize size = FlowSize::of(built_in_size_table("memcached"));
  RandomStream random(1, 2, 3);
  double payload = 0;
  double data = 0;
  double acknowledgements = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t bytes = size.draw(random).count();
    const std::int64_t packets = (bytes + 999) / 1000;
    payload += static_cast<double>(bytes);
    data += static_cast<double>(bytes + packets * 86);
    acknowledgements += static_cast<double>(packets * 90);
  }
  const WireCost cost = wire_cost(size, hosts(1000), Framing::rocev2());
  EXPECT_NEAR(cost.data, data / payload, 0.01);
  EXPECT_NEAR(cost.acknowledgements, acknowledgements / payload, 0.01);
  EXPECT_GT(cost.data + cost.acknowledgements, 1.9);
}

}  // namespace
}  // namespace weir::wire_cost_test
