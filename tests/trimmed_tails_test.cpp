// SPDX-License-Identifier: Apache-2.0
// Measurement of a queued frame that is trimmed and returned to its sender: from then on it waits for another port, and
// no longer counts where it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "sim/measurement.h"
#include "whole_network.h"

namespace weir::whole::trimmed_tails_test {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
constexpr Priority kData = 3;
constexpr Priority kHeaders = 2;
constexpr std::size_t kMost = 2;  // data frames in a queue

/// A queue stores two data frames. A further one causes the last of them to be trimmed and returned.
class TailsGoBack final : public Classifier {
 public:
  [[nodiscard]] Hooks hooks() const override { return {.rescue = true}; }
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext& context, const Frame& frame) const override {
    if (frame.trimmed()) return frame.returned();
    return context.queue(context.default_queue(frame.egress, frame.priority)).frames < kMost;
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    return context.default_queue(frame.egress, frame.priority);
  }
  Rescue rescue(SwitchContext& context, const Frame& frame, DropReason) override {
    if (frame.trimmed()) {
      return {.kind = frame.returned() ? Rescue::Kind::none : Rescue::Kind::to_sender, .priority = kHeaders};
    }
    return {.kind = Rescue::Kind::trim_tail,
            .priority = kHeaders,
            .bytes = 64,
            .queue = context.default_queue(frame.egress, kData)};
  }
};

const Scheme kTailsGoBack = {
    .name = "tails_go_back",
    .summary = "sends tails back",
    .traits = {},
    .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<TailsGoBack>(); },
};

/// Three hosts at a switch whose frames and gates a test moves.
class TrimmedTails : public testing::Test {
 protected:
  TrimmedTails()
      : settings_(settings()),
        fabric_(settings_),
        traffic_(settings_.traffic(1)),
        connections_(fabric_, settings_, traffic_, [](const FlowSpec&, const FlowRecord&, Time) {}),
        measurement_(std::in_place, fabric_, settings_) {
    measurement_->set_connections(connections_);
  }
  static Settings settings() {
    Settings settings = lossless_network(star(3, kLink), 1_ms);
    settings.switches.flow_control = {{&kTailsGoBack, Parameters(kTailsGoBack.parameters)}};
    settings.measurement.hops = settings.measurement.held_links = settings.measurement.innocent_pause = true;
    offer(settings, {});
    return settings;
  }

  [[nodiscard]] Switch& node() { return fabric_.switch_by(SwitchId(0)); }
  [[nodiscard]] PortId port(std::size_t host) {
    for (std::size_t i = 0; i < node().ports(); ++i) {
      if (node().port(PortId(i)).peer.host == HostId(host)) return PortId(i);
    }
    throw std::logic_error("no such host");
  }
  /// A data frame of host 0 for host `to` arrives.
  void put(std::size_t to, std::uint16_t bytes = 1'066) {
    const FrameId id = fabric_.frames().allocate();
    Frame& frame = fabric_.frames()[id];
    frame.kind = FrameKind::data;
    frame.frame_bytes = bytes;
    frame.payload_bytes = 1;
    frame.priority = kData;
    frame.source = HostId(0);
    frame.destination = HostId(to);
    node().receive(now, port(0), id);
    measurement_->end_window();
  }
  /// All frames of the switch for a host depart; returns their number.
  std::size_t drain(std::size_t to) {
    std::size_t frames = 0;
    for (FrameId id = node().transmit(now, port(to)); id.exists(); id = node().transmit(now, port(to))) {
      fabric_.frames().release(id);
      ++frames;
    }
    measurement_->end_window();
    return frames;
  }
  void gate(std::size_t to, Priority priority, bool open) {
    node().advance(now);
    node().set_priority_gate(port(to), priority, 0, open);
    measurement_->end_window();
  }
  void gate_of_host(bool open) {
    Nic& nic = fabric_.nic(HostId(0));
    nic.advance(now);
    nic.set_priority_gate(kData, 0, open);
    measurement_->end_window();
  }
  RunRecord finish() {
    RunRecord record;
    measurement_->finish(now, record);
    return record;
  }
  static Duration held(const RunRecord& record, const std::string& to) {
    return std::find_if(record.links.begin(), record.links.end(),
                        [&](const LinkRecord& link) { return link.from == "s0" && link.to == to; })
        ->held;
  }

  Time now = at(1_us);
  Settings settings_;
  Fabric fabric_;
  MergedTraffic traffic_;
  Connections connections_;
  std::optional<Measurement> measurement_;
};

/// Two frames for host 1 wait, the second is returned as a third arrives, and all depart. Then the switch has, of the
/// frames from host 0, only one for host 2, so a pause of host 0 has its only root there.
TEST_F(TrimmedTails, AreNoRootWhereTheyAreNoMore) {
  for (int i = 0; i < 3; ++i) put(1);
  ASSERT_EQ(node().frames_returned(), 1u);
  now = at(2_us);
  EXPECT_EQ(drain(0), 1u);
  EXPECT_EQ(drain(1), 2u);
  put(2);
  OpenSender spec;
  spec.remote = HostId(1);
  spec.priority = kData;
  Nic& nic = fabric_.nic(HostId(0));
  nic.post(now, nic.open_sender(now, spec), FlowId(0), 10_KB);
  now = at(10_us);
  gate_of_host(false);
  now = at(30_us);
  gate_of_host(true);
  const RunRecord record = finish();
  const PauseHold& hold = record.pause_hold[static_cast<std::size_t>(FlowClass::background)];
  EXPECT_EQ(hold.held, 20_us);
  EXPECT_EQ(hold.innocent, 20_us);
}

/// The same while the returned one waits: it came from host 0, and is a root of host 0's pause.
TEST_F(TrimmedTails, AreRootsWhereTheyWait) {
  for (int i = 0; i < 3; ++i) put(1);
  EXPECT_EQ(drain(1), 2u);
  OpenSender spec;
  spec.remote = HostId(1);
  spec.priority = kData;
  Nic& nic = fabric_.nic(HostId(0));
  nic.post(now, nic.open_sender(now, spec), FlowId(0), 10_KB);
  now = at(10_us);
  gate_of_host(false);
  now = at(30_us);
  gate_of_host(true);
  const RunRecord record = finish();
  const PauseHold& hold = record.pause_hold[static_cast<std::size_t>(FlowClass::background)];
  EXPECT_EQ(hold.held, 20_us);
  EXPECT_EQ(hold.innocent, 20_us) << "not on the way to host 1";
}

TEST_F(TrimmedTails, WaitForThePortThatTheyGoBackBy) {
  for (int i = 0; i < 3; ++i) put(1);
  drain(1);
  now = at(10_us);
  gate(0, kHeaders, false);
  now = at(30_us);
  gate(0, kHeaders, true);
  drain(0);
  now = at(40_us);
  const RunRecord record = finish();
  EXPECT_EQ(held(record, "h0"), 20_us);
  EXPECT_EQ(held(record, "h1"), Duration());
}

/// The queue whose only frame is returned blocks nothing any more.
TEST_F(TrimmedTails, LeaveAQueueThatIsHeld) {
  gate(1, kData, false);
  for (int i = 0; i < 3; ++i) put(1);
  now = at(10_us);
  gate(1, kData, true);
  drain(1);
  now = at(20_us);
  EXPECT_EQ(drain(0), 1u);
  put(1);
  now = at(30_us);
  const RunRecord record = finish();
  EXPECT_EQ(held(record, "h1"), 9_us);
  EXPECT_EQ(held(record, "h0"), Duration());
}

/// Frames so short that trimming removes nothing. Frames wait 9 us: of the first two one for host 1 and one that is
/// returned at 4 us, and the third for host 1 from then on.
TEST_F(TrimmedTails, CountForTheHopsOfTheOtherPort) {
  put(1, 64);
  put(1, 64);
  now = at(5_us);
  put(1, 64);
  ASSERT_EQ(node().frames_returned(), 1u);
  now = at(10_us);
  drain(0);
  drain(1);
  const RunRecord record = finish();
  const auto all = std::find_if(record.statistics.hops.begin(), record.statistics.hops.end(),
                                [](const HopRecord& row) { return row.flow_class == "all" && row.hop == 0; });
  ASSERT_NE(all, record.statistics.hops.end());
  EXPECT_EQ(all->port_most, 2 * 64);
  EXPECT_EQ(all->switch_most, 3 * 64);
  EXPECT_EQ(all->delay.count(), 3u);
  EXPECT_DOUBLE_EQ(all->mean, 64.0 * (9 + 9 + 5) / 10);
}

/// The removed bytes have waited until then.
TEST_F(TrimmedTails, CountWhatIsCutOffUntilThen) {
  put(1);
  put(1);
  now = at(5_us);
  put(1);
  now = at(10_us);
  drain(0);
  drain(1);
  const RunRecord record = finish();
  const auto all = std::find_if(record.statistics.hops.begin(), record.statistics.hops.end(),
                                [](const HopRecord& row) { return row.flow_class == "all" && row.hop == 0; });
  ASSERT_NE(all, record.statistics.hops.end());
  EXPECT_EQ(all->port_most, 2 * 1'066);
  EXPECT_EQ(all->switch_most, 2 * 1'066 + 64);
  EXPECT_DOUBLE_EQ(all->mean, (1'066.0 * (9 + 4 + 5) + 64.0 * 5) / 10);
}

}  // namespace
}  // namespace weir::whole::trimmed_tails_test
