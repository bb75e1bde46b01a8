// SPDX-License-Identifier: Apache-2.0
// The mark of first round trips (policy/first_round_trip.h): NICs of any scheme mark such packets for switches that
// treat them differently. Floodgate, Aeolus and Homa all need it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "policy/first_round_trip.h"
#include "shape_lab.h"

namespace weir::shape::shape_first_round_trip_test {
namespace {

using namespace literals;
using testing::IsEmpty;

/// Records which packets are marked.
class MarkReader : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override { return {.depart = true}; }
  void attach(SwitchContext& context) override { mark_ = FirstRoundTrip(context.headers()); }
  void on_depart(SwitchContext&, QueueId, Frame& frame) override {
    if (frame.kind == FrameKind::data) seen.push_back({frame.sequence, frame.retransmitted(), mark_.marks(frame)});
  }
  struct Seen {
    std::uint32_t sequence;
    bool again;
    bool marked;
  };
  std::vector<Seen> seen;

 private:
  FirstRoundTrip mark_;
};

/// Drops packet 0 the first time.
class FirstPacketLost : public Classifier {
 public:
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext&, const Frame& frame) const override {
    return frame.kind != FrameKind::data || frame.sequence != 0 || frame.retransmitted();
  }
};

const Scheme reader = {
    .name = "reader",
    .summary = "",
    .traits = {},
    .fields = {&kFirstRoundTrip},
    .congestion_point = make<CongestionPoint, MarkReader>,
};
const Scheme loser = {
    .name = "loser",
    .summary = "",
    .traits = {},
    .flow_control = make<FlowControl, FirstPacketLost>,
};

/// A round trip is 2.3 us: 26 packets of 86.88 ns.
Settings two_hosts() {
  Settings settings = bare(built(build_single_switch({{{2, {100_Gbps, 500_ns}}}})));
  settings.switches.congestion_point = {choose(reader)};
  return settings;
}

class FirstRoundTripShape : public BothDrivers {
 protected:
  /// A poll loop takes packets from a NIC some time ahead of the wire.
  [[nodiscard]] static std::uint32_t most_of_a_round_trip() { return GetParam() == Driver::event_loop ? 30 : 70; }
};

TEST_P(FirstRoundTripShape, ItsPacketsAreMarkedAndNoOthers) {
  Settings settings = two_hosts();
  offer(settings, {flow(0, 1, 200_KB), flow(1, 0, 3_KB)});
  Lab lab(settings, GetParam());
  lab.record(HostId(0));
  expect_clean(lab.run(), 2);
  std::uint32_t marked = 0;
  std::uint32_t short_ones = 0;
  for (const MarkReader::Seen& packet : Made<MarkReader>::at(0).seen)
    (packet.sequence < 3 ? short_ones : marked) += packet.marked ? 1 : 0;
  EXPECT_EQ(short_ones, 6u) << "of both flows";
  marked += 3;
  EXPECT_GT(marked, 22u);
  EXPECT_LT(marked, most_of_a_round_trip());
  for (const MarkReader::Seen& packet : Made<MarkReader>::at(0).seen) {
    EXPECT_EQ(packet.marked, packet.sequence < marked) << packet.sequence;
  }
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

/// A NACK ends it, too.
TEST_P(FirstRoundTripShape, EndsWithTheNewsOfALoss) {
  Settings settings = two_hosts();
  settings.switches.flow_control = {choose(loser)};
  offer(settings, {flow(0, 1, 200_KB)});
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.flows.size(), 1u);
  EXPECT_GT(outcome.retransmitted, 20u);
  bool again = false;
  std::uint32_t before = 0;
  for (const MarkReader::Seen& packet : Made<MarkReader>::at(0).seen) {
    again = again || packet.again;
    EXPECT_EQ(packet.marked, !again) << packet.sequence;
    before += again ? 0 : 1;
  }
  EXPECT_TRUE(again);
  EXPECT_GT(before, 22u);
}

/// Messages of one connection, one after the other.
TEST_P(FirstRoundTripShape, EachMessageHasOne) {
  Settings settings = two_hosts();
  std::vector<FlowSpec> flows = {flow(0, 1, 100_KB), flow(0, 1, 100_KB, at(100_us))};
  for (FlowSpec& spec : flows) spec.connection = ConnectionId(0);
  offer(settings, flows);
  Lab lab(settings, GetParam());
  expect_clean(lab.run(), 2);
  const std::vector<MarkReader::Seen>& seen = Made<MarkReader>::at(0).seen;
  ASSERT_EQ(seen.size(), 200u);
  EXPECT_TRUE(seen[0].marked);
  EXPECT_FALSE(seen[99].marked);
  EXPECT_EQ(seen[100].sequence, 100u) << "the same queue pair";
  EXPECT_TRUE(seen[100].marked);
  EXPECT_TRUE(seen[120].marked);
  EXPECT_FALSE(seen[199].marked);
}

WEIR_BOTH_DRIVERS(FirstRoundTripShape);

}  // namespace
}  // namespace weir::shape::shape_first_round_trip_test
