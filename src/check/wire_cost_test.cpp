// SPDX-License-Identifier: Apache-2.0
#include "check/wire_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "schemes/declared_needs.h"
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

/// A transport whose senders send 100 bytes per message, and whose receivers 10, 20 per packet, and 40 in addition per
/// packet after the first two.
class Talkative final : public Transport, public DeclaresNeeds {
 public:
  ChosenPacket choose(TransportContext&, Priority) override { return {}; }
  void on_data(TransportContext&, ReceiveState&, const Frame&) override {}
  [[nodiscard]] bool has_control_cost() const override { return true; }
  [[nodiscard]] ControlCost control_cost(const Framing&, std::int64_t) const override {
    return {.by_sender = 100, .per_message = 10, .per_packet = 20, .per_late_packet = 40, .early_packets = 2};
  }
};
const Scheme kTalkative = {
    .name = "talkative", .summary = "", .traits = {}, .transport = [](const Parameters&) -> std::unique_ptr<Transport> {
      return std::make_unique<Talkative>();
    }};

WireCost talkative(const FlowSize& size) {
  HostSettings of = hosts(1000, 7);
  of.transport.scheme = &kTalkative;
  return wire_cost(size, of, Framing::rocev2());
}

TEST(WireCost, OfATransportIsWhatItSays) {
  const WireCost small = talkative(FlowSize::fixed(Bytes(1'500)));
  EXPECT_DOUBLE_EQ(small.data, (1'500 + 2 * 86 + 100) / 1'500.0);
  EXPECT_DOUBLE_EQ(small.acknowledgements, (10 + 2 * 20) / 1'500.0);
  EXPECT_DOUBLE_EQ(talkative(FlowSize::fixed(Bytes(2'000))).acknowledgements, 50 / 2'000.0);
  EXPECT_DOUBLE_EQ(talkative(FlowSize::fixed(Bytes(2'001))).acknowledgements, (10 + 3 * 20 + 40) / 2'001.0);
}

/// A transport whose receivers send a credit of 84 bytes per packet, and may use a twentieth of a link for credits.
class Credited final : public Transport, public DeclaresNeeds {
 public:
  ChosenPacket choose(TransportContext&, Priority) override { return {}; }
  void on_data(TransportContext&, ReceiveState&, const Frame&) override {}
  [[nodiscard]] bool has_control_cost() const override { return true; }
  [[nodiscard]] ControlCost control_cost(const Framing&, std::int64_t) const override {
    return {.per_packet = 84, .per_packet_share = 0.05};
  }
};
const Scheme kCredited = {
    .name = "credited", .summary = "", .traits = {}, .transport = [](const Parameters&) -> std::unique_ptr<Transport> {
      return std::make_unique<Credited>();
    }};

TEST(WireCost, OfCreditsIsRelativeToTheirShare) {
  EXPECT_EQ(talkative(FlowSize::fixed(Bytes(1'500))).credits, 0) << "20 bytes per packet have no limit";
  HostSettings of = hosts(1000);
  of.transport.scheme = &kCredited;
  EXPECT_DOUBLE_EQ(wire_cost(FlowSize::fixed(Bytes(2'001)), of, Framing::rocev2()).credits, 3 * 84 / 0.05 / 2'001.0);
}

TEST(WireCost, OfATransportCountsLatePacketsOverADistribution) {
  const FlowSize size = FlowSize::of(built_in_size_table("web_server"));
  RandomStream random(1, 2, 3);
  double payload = 0;
  double answers = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t bytes = size.draw(random).count();
    const std::int64_t packets = (bytes + 999) / 1000;
    payload += static_cast<double>(bytes);
    answers += static_cast<double>(10 + packets * 20 + std::max<std::int64_t>(packets - 2, 0) * 40);
  }
  EXPECT_NEAR(talkative(size).acknowledgements / (answers / payload), 1, 0.01);
}

}  // namespace
}  // namespace weir::wire_cost_test
