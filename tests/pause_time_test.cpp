// SPDX-License-Identifier: Apache-2.0
// The time for which pauses block links is measured where they are blocked.
#include <gtest/gtest.h>

#include <string>

#include "whole_network.h"

namespace weir::whole::pause_time_test {
namespace {

const LinkRecord& link_of(const RunRecord& record, const std::string& from, const std::string& to) {
  for (const LinkRecord& link : record.links) {
    if (link.from == from && link.to == to) return link;
  }
  throw std::invalid_argument(from + " -> " + to);
}

/// Two hosts behind one switch send to one behind another, over a link that is paused most of the time.
Settings two_switches(LinkSpec host_link) {
  Topology topology;
  const NodeId near = topology.add_switch("near", 1, 0, 0);
  const NodeId far = topology.add_switch("far", 1, 0, 1);
  for (const char* name : {"h0", "h1"}) topology.connect(topology.add_host(name, 0, 0), near, host_link);
  topology.connect(topology.add_host("sink", 0, 1), far, {10_Gbps, 1_us, 0});
  topology.connect(near, far, {100_Gbps, 1_us, 0});
  Settings settings = lossless_network(std::move(topology), 5_ms);
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 40'000_B}, {"resume_offset", 20'000_B}});
  offer(settings, {flow(0, 2, 4_MB), flow(1, 2, 4_MB)});
  return settings;
}

/// Observes one gate of a switch instead of Measurement.
class GateWatch final : public SwitchObserver {
 public:
  explicit GateWatch(Switch& at) : at_(at) { at_.observe(this); }
  ~GateWatch() override { at_.observe(nullptr); }
  void on_priority_gate(const SwitchContext& context, PortId port, Priority, bool open) override {
    if (context.port(port).peer.is_host()) return;
    if (open) {
      total_ += context.now() - since_;
    } else {
      since_ = context.now();
    }
    open_ = open;
  }
  [[nodiscard]] Duration total(Time now) const { return open_ ? total_ : total_ + (now - since_); }

 private:
  Switch& at_;
  bool open_ = true;
  Time since_;
  Duration total_;
};

/// The 38th frame of 1,066 bytes exceeds the threshold of 40,000.
TEST(HeldAtPauses, IsWhatThePausedLinkHadBroughtEachTime) {
  const RunRecord record = Simulation(two_switches({100_Gbps, 1_us, 0})).run();
  EXPECT_GT(link_of(record, "near", "far").pauses, 10u);
  for (const LinkRecord& link : record.links) {
    EXPECT_EQ(link.held_at_pauses, static_cast<std::int64_t>(link.pauses) * 38 * 1'066) << link.from;
  }
}

/// The bytes in the reserve of an ingress count as well: exactly 5 frames of 1,066 bytes more.
TEST(HeldAtPauses, CountsTheReserve) {
  Settings settings = two_switches({100_Gbps, 1_us, 0});
  settings.switches.reserve = 5'330_B;
  const RunRecord record = Simulation(settings).run();
  EXPECT_GT(link_of(record, "near", "far").pauses, 10u);
  for (const LinkRecord& link : record.links) {
    EXPECT_EQ(link.held_at_pauses, static_cast<std::int64_t>(link.pauses) * 43 * 1'066) << link.from;
  }
}

TEST(PauseTime, OfASwitchIsThatOfItsGate) {
  const Settings settings = two_switches({100_Gbps, 1_us, 0});
  const RunRecord record = Simulation(settings).run();
  Simulation watched(settings);
  const GateWatch gate(watched.fabric().switch_by(SwitchId(0)));
  const RunRecord same = watched.run();
  EXPECT_EQ(record.digest, same.digest);
  EXPECT_GT(gate.total(same.simulated), 1_ms);
  EXPECT_EQ(link_of(record, "near", "far").paused, gate.total(same.simulated));
}

/// A host is an endpoint: while it is not paused, it sends at the full rate of its wire.
TEST(PauseTime, OfAHostIsWhenItSendsNothing) {
  const RunRecord record = Simulation(two_switches({100_Gbps, 1_us, 0})).run();
  EXPECT_EQ(record.failure, "");
  for (const char* host : {"h0", "h1"}) {
    const LinkRecord& link = link_of(record, host, "near");
    const Duration sending = time_to_send(Bytes(link.bytes + 20 * static_cast<std::int64_t>(link.frames)), link.rate);
    EXPECT_GT(link.pauses, 10u);
    // Except for the frame on the wire when a PAUSE arrives, and for the lack of one when the gate opens.
    const double frame = time_to_send(1'086_B, link.rate).microseconds();
    EXPECT_NEAR((link.paused + sending).microseconds(), record.simulated.since_start().microseconds(),
                frame * static_cast<double>(link.pauses + 1));
  }
}

/// BFC pauses queues by their IDs: the link is paused while a queue is.
TEST(PauseTime, IsThatOfPausesByNameToo) {
  Settings settings = two_switches({100_Gbps, 1_us, 0});
  settings.switches.lossless = {};
  settings.switches.flow_control = {choose("bfc")};
  const RunRecord record = Simulation(settings).run();
  EXPECT_GT(link_of(record, "near", "far").pauses, 10u);
  EXPECT_GT(link_of(record, "near", "far").paused, 100_us);
}

/// BFC's pauses are recorded where they are sent, those of PFC where they are obeyed, and a link is paused by both.
/// With a tap every node reaches an instant before any passes it; otherwise one runs ahead of the other.
TEST(PauseTime, DoesNotDependOnWhichNodeRunsFirst) {
  Settings settings = two_switches({100_Gbps, 1_us, 0});
  settings.switches.flow_control = {choose("bfc"), choose("pfc")};
  settings.measurement.timeline = true;
  const RunRecord record = Simulation(settings).run();
  const RunRecord same = run_by_instants(settings);
  ASSERT_EQ(record.digest, same.digest);
  ASSERT_EQ(record.links.size(), same.links.size());
  for (std::size_t i = 0; i < record.links.size(); ++i) EXPECT_EQ(record.links[i].paused, same.links[i].paused) << i;
  EXPECT_GT(link_of(record, "near", "far").paused, 100_us);
  ASSERT_EQ(record.timeline.pauses.size(), same.timeline.pauses.size());
  for (std::size_t i = 0; i < record.timeline.pauses.size(); ++i) {
    const PauseSpan& span = record.timeline.pauses[i];
    EXPECT_LE(span.begin, span.end);
  }
}

/// Without quanta a lost RESUME leaves the host paused permanently, although its switch has resumed it long ago.
TEST(PauseTime, GoesOnWhenAResumeIsLost) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Settings settings = two_switches({100_Gbps, 1_us, 0.002});
    settings.switches.flow_control = {choose("pfc", {{"binary", true}})};
    settings.hosts.loss_recovery = choose("go_back_n", {{"timeout", 100_us}});
    settings.run.stop = at(20_ms);
    settings.run.seed = seed;
    offer(settings, {flow(0, 2, kLongRunning), flow(1, 2, kLongRunning)});
    Simulation simulation(settings);
    const RunRecord record = simulation.run();
    for (std::size_t host = 0; host < 2; ++host) {
      const NodeId near = simulation.fabric().topology().find("near");
      const bool closed = !simulation.fabric().nic(HostId(host)).priority_gate_open(3);
      const bool paused = simulation.fabric().switch_at(near)->ingress(PortId(host), 3).paused;
      if (!closed || paused) continue;
      ++held;
      EXPECT_GT(link_of(record, "h" + std::to_string(host), "near").paused, 5_ms);
    }
  }
  EXPECT_GE(held, 2);
}

/// A link that fails opens the gates at both its ends.
TEST(PauseTime, EndsWithTheLink) {
  Settings settings = two_switches({100_Gbps, 1_us, 0});
  settings.network.failures = {{LinkId(0), at(1_ms), Time::never()}};
  const RunRecord record = Simulation(settings).run();
  EXPECT_GT(link_of(record, "h0", "near").paused, 100_us);
  EXPECT_LT(link_of(record, "h0", "near").paused, 1_ms);
}

}  // namespace
}  // namespace weir::whole::pause_time_test
