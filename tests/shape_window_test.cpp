// SPDX-License-Identifier: Apache-2.0
// The shape of Floodgate: windows per destination between switches, credits in batches, queues of the whole switch, in
// groups, for frames without a window, and a NIC that pauses by destination (floodgate 4).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "shape_lab.h"

namespace weir::shape::shape_window_test {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr std::uint8_t kWindowProtocol = 202;
enum class WindowMessage : std::uint16_t { credit, pause, resume };

/// A frame from a switch to its neighbour about a destination.
FrameId make_message(SwitchContext& context, WindowMessage message, HostId destination, std::uint32_t credits) {
  const FrameId id = context.frames().allocate();
  if (!id.exists()) return id;
  Frame& frame = context.frames()[id];
  frame.kind = FrameKind::hop_control;
  frame.protocol = kWindowProtocol;
  frame.frame_bytes = context.framing().minimum_frame;
  frame.tag = static_cast<std::uint16_t>(message);
  frame.tag_value = destination.value;
  frame.sequence = credits;
  return id;
}

class WindowSwitch : public Classifier {
 public:
  explicit WindowSwitch(const Parameters& parameters)
      : queues_in_group_(static_cast<std::size_t>(parameters.get<std::int64_t>("queues"))),
        grouped_(parameters.get<bool>("grouped")) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.enter = true;
    hooks.depart = true;
    hooks.drop = true;
    return hooks;
  }
  void attach(SwitchContext& context) override {
    hosts_ = context.hosts();
    window_.assign(hosts_, kUnset);
    full_window_.assign(hosts_, kUnset);
    queue_of_.assign(hosts_, kNone);
    held_.assign(hosts_, 0);
    paused_.assign(hosts_, 0);
    owed_.assign(context.ports() * hosts_, 0);
    for (std::size_t port = 0; port < context.ports(); ++port) {
      timers_.push_back(context.new_timer(*this));
      timer_runs_.push_back(false);
    }
    for (std::size_t i = 0; i < kGroups * queues_in_group_; ++i) {
      queues_.push_back(
          queue_context(context).new_queue({.port = PortId::none(), .priority = 3, .service = Service::released}));
    }
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    const QueueId output = context.default_queue(frame.egress, frame.priority);
    if (!is_controlled(frame) || context.port(frame.egress).peer.is_host()) return output;
    const std::size_t destination = frame.destination.index();
    if (window_[destination] == kUnset) {
      const PortState& port = context.port(frame.egress);
      const Bytes in_flight = bytes_in(context.hop_round_trip(frame.egress) + kCreditInterval, port.rate);
      window_[destination] = full_window_[destination] = in_flight.count() / context.maximum_frame();
    }
    if (queue_of_[destination] == kNone) {
      if (window_[destination] > 0) {
        --window_[destination];
        return output;
      }
      queue_of_[destination] = free_queue(context, frame);
    }
    ++held_[destination];
    return queues_[queue_of_[destination]];
  }
  QueueId on_leave(QueueContext& context, QueueId, Frame& frame) override {
    const std::size_t destination = frame.destination.index();
    --window_[destination];
    if (--held_[destination] == 0) queue_of_[destination] = kNone;
    return context.default_queue(frame.egress, frame.priority);
  }
  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override {
    if (context.queue(queue).service != Service::released) return;
    ++buffered;
    // 4.3: hosts of this switch pause the destination.
    if (context.queue(queue).bytes <= kPauseAbove || !context.port(frame.ingress).peer.is_host()) return;
    std::uint64_t& paused = paused_[frame.destination.index()];
    const std::uint64_t bit = std::uint64_t{1} << frame.ingress.value;
    if ((paused & bit) != 0) return;
    paused |= bit;
    context.send(frame.ingress, make_message(context, WindowMessage::pause, frame.destination, 0));
    context.note_hop_pause(frame.ingress, frame.destination.value, true);
  }
  void on_depart(SwitchContext& context, QueueId, Frame& frame) override {
    owe(context, frame);
    resume_if_short(context, frame.destination);
  }
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason) override { owe(context, frame); }
  void on_timer(SwitchContext& context, TimerId timer) override {
    const auto found = std::find(timers_.begin(), timers_.end(), timer);
    const PortId port(static_cast<std::size_t>(found - timers_.begin()));
    timer_runs_[port.index()] = false;
    for (std::size_t destination = 0; destination < hosts_; ++destination) {
      std::uint32_t& owed = owed_[port.index() * hosts_ + destination];
      if (owed == 0) continue;
      run_timer(context, port);
      const std::size_t queue = queue_of_[destination];
      if (queue != kNone && context.queue(queues_[queue]).bytes > kDelayAbove) continue;  // 4.1, delayed credit
      const FrameId id = make_message(context, WindowMessage::credit, HostId(destination), owed);
      if (!id.exists()) continue;
      context.send(port, id);
      ++messages;
      credits += owed;
      owed = 0;
    }
  }
  bool on_control(SwitchContext& context, PortId, const Frame& frame) override {
    if (frame.protocol != kWindowProtocol) return false;
    window_[frame.tag_value] += frame.sequence;
    if (const std::size_t queue = queue_of_[frame.tag_value]; queue != kNone) serve(context, queues_[queue]);
    return true;
  }

  /// Destinations whose window is not complete.
  [[nodiscard]] std::size_t open_windows() const {
    std::size_t open = 0;
    for (std::size_t i = 0; i < hosts_; ++i) open += window_[i] != full_window_[i] ? 1 : 0;
    return open;
  }

  std::uint64_t buffered = 0;  ///< frames that waited for a window
  std::uint64_t messages = 0;  ///< credit frames sent
  std::uint64_t credits = 0;   ///< in these
  std::uint64_t shared = 0;    ///< times a destination had to share a queue
  std::array<std::uint64_t, 2> in_group{};

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::int64_t kUnset = -1;
  static constexpr std::size_t kGroups = 2;
  static constexpr Duration kCreditInterval = 3_us;
  static constexpr std::int64_t kPauseAbove = 50'000;
  static constexpr std::int64_t kResumeBelow = 25'000;
  static constexpr std::int64_t kDelayAbove = 200'000;

  static bool is_controlled(const Frame& frame) { return frame.kind == FrameKind::data && frame.priority == 3; }
  void owe(SwitchContext& context, const Frame& frame) {
    if (!is_controlled(frame) || context.port(frame.ingress).peer.is_host()) return;
    ++owed_[frame.ingress.index() * hosts_ + frame.destination.index()];
    run_timer(context, frame.ingress);
  }
  void run_timer(SwitchContext& context, PortId port) {
    if (timer_runs_[port.index()]) return;
    timer_runs_[port.index()] = true;
    context.arm(timers_[port.index()], context.now() + kCreditInterval);
  }
  void serve(SwitchContext& context, QueueId queue) {
    for (const Frame* head = context.peek(queue); head != nullptr; head = context.peek(queue)) {
      if (window_[head->destination.index()] == 0 || !queue_context(context).release(queue)) return;
    }
  }
  void resume_if_short(SwitchContext& context, HostId destination) {
    std::uint64_t& paused = paused_[destination.index()];
    const std::size_t queue = queue_of_[destination.index()];
    if (paused == 0 || (queue != kNone && context.queue(queues_[queue]).bytes > kResumeBelow)) return;
    for (std::size_t port = 0; port < context.ports(); ++port) {
      if ((paused >> port & 1) == 0) continue;
      context.send(PortId(port), make_message(context, WindowMessage::resume, destination, 0));
      context.note_hop_pause(PortId(port), destination.value, false);
    }
    paused = 0;
  }
  /// A queue of the frame's group: an empty one if there is one, or by hash (4.2). Frames that go down to their last
  /// switch and frames that go up never share a queue, because they could wait for each other in a cycle.
  std::size_t free_queue(const SwitchContext& context, const Frame& frame) {
    std::array<Hop, kMaximumHops> hops;
    const std::size_t left = context.paths()->beyond(context.id(), frame.egress, FlowKey::of(frame), hops);
    const std::size_t group = grouped_ && left > 1 ? 1 : 0;
    ++in_group[group];
    for (std::size_t i = group * queues_in_group_; i < (group + 1) * queues_in_group_; ++i) {
      if (context.queue(queues_[i]).empty()) return i;
    }
    ++shared;
    return group * queues_in_group_ + mix(frame.destination.value) % queues_in_group_;
  }

  std::size_t hosts_ = 0;
  std::size_t queues_in_group_;
  bool grouped_;
  std::vector<std::int64_t> window_;       // packets, by destination
  std::vector<std::int64_t> full_window_;  // by destination
  std::vector<std::size_t> queue_of_;      // by destination
  std::vector<std::uint32_t> held_;        // frames in queue_of_, by destination
  std::vector<std::uint64_t> paused_;      // ports of hosts, by destination
  std::vector<std::uint32_t> owed_;        // credits, by ingress and destination
  std::vector<QueueId> queues_;            // by group
  std::vector<TimerId> timers_;            // by port
  std::vector<bool> timer_runs_;           // by port
};

/// Blocks queue pairs by their destination.
class DestinationNic : public NicFlowControl {
 public:
  void attach(NicContext& context) override {
    for (std::size_t host = 0; host < context.hosts(); ++host) gates_.push_back(context.new_gate());
  }
  bool on_control(NicContext& context, const Frame& frame) override {
    if (frame.protocol != kWindowProtocol) return false;
    const bool pause = static_cast<WindowMessage>(frame.tag) == WindowMessage::pause;
    pauses += pause ? 1 : 0;
    context.set_gate(gates_[frame.tag_value], !pause);
    return true;
  }
  GateId gate_of(NicContext&, SendState& sender) override { return gates_[sender.remote.index()]; }

  std::uint64_t pauses = 0;

 private:
  std::vector<GateId> gates_;  // by host
};

const Scheme kWindows = {
    .name = "windows",
    .summary = "windows for each destination",
    .traits = {.protocol = kWindowProtocol},
    .parameters = {{.name = "grouped", .default_value = true, .meaning = "down and up apart", .source = "4.2"},
                   {.name = "queues", .default_value = std::int64_t{4}, .meaning = "in a group", .source = "-"}},
    .flow_control = make<FlowControl, WindowSwitch>,
    .nic_flow_control = make<NicFlowControl, DestinationNic>};

class WindowShape : public BothDrivers {
 protected:
  static PolicyChoice windows(std::int64_t queues) {
    PolicyChoice choice = choose(kWindows);
    choice.parameters.set("queues", queues);
    return choice;
  }
  /// Four racks of four send to one host of a fifth; one of them also to its neighbour.
  static Settings incast() {
    LeafSpineSettings network;
    network.tors = 5;
    network.hosts_per_tor = 4;
    network.spines = 1;
    network.host_link = {100_Gbps, 1_us, 0};
    network.fabric_link = {400_Gbps, 1_us, 0};
    Settings settings = bare(built(build_leaf_spine(network)));
    std::vector<FlowSpec> flows;
    flows.push_back(flow(0, 17, 500_KB, at(20_us)));
    for (std::size_t source = 0; source < 16; ++source) flows.push_back(flow(source, 16, 1_MB));
    flows.push_back(flow(4, 5, 1_KB, at(4_ms)));  // by then the network is idle again
    offer(settings, flows);
    return settings;
  }
  /// Two pods of two racks of four. All hosts send to each of two hosts of the other pod, and to one of their own; a
  /// switch has one queue per group.
  static Settings crossing() {
    ClosSettings network;
    network.pods = 2;
    network.tors_per_pod = 2;
    network.hosts_per_tor = 4;
    network.aggs_per_pod = 1;
    network.cores = 1;
    network.host_link = {100_Gbps, 1_us, 0};
    network.tor_agg_link = {400_Gbps, 1_us, 0};
    network.agg_core_link = {400_Gbps, 1_us, 0};
    Settings settings = bare(built(build_clos(network)));
    settings.run.stop = at(5_ms);
    settings.switches.flow_control = {windows(1)};
    std::vector<FlowSpec> flows;
    for (std::size_t source = 0; source < 16; ++source) {
      const std::size_t other = source < 8 ? 8 : 0;
      for (const std::size_t destination : {other, other + 4, 9 - other}) {
        if (source != destination) flows.push_back(flow(source, destination, 300_KB));
      }
    }
    flows.push_back(flow(4, 5, 1_KB, at(4_ms)));
    offer(settings, flows);
    return settings;
  }
  static constexpr std::size_t kCrossingFlows = 47;
  static constexpr std::size_t kVictim = 16;  // flows are numbered by their start
  static constexpr std::size_t kFlows = 18;
};

TEST_P(WindowShape, KeepsAnIncastAtItsSources) {
  Settings settings = incast();
  settings.switches.flow_control = {choose("pfc")};
  EXPECT_GT(Lab(settings, GetParam()).run().completion(kVictim), 240_us) << "or the scenario shows nothing";

  settings.switches.flow_control = {windows(4)};
  Lab lab(settings, GetParam());
  for (std::size_t i = 0; i < 6; ++i) lab.record(SwitchId(i));
  lab.record(HostId(0));
  const Outcome outcome = lab.run();
  expect_clean(outcome, kFlows);
  EXPECT_LT(outcome.completion(kVictim), 120_us);
  EXPECT_GT(Made<WindowSwitch>::at(0).buffered, 0u);
  EXPECT_GT(Made<DestinationNic>::at(0).pauses, 0u);
  for (std::size_t i = 0; i < 6; ++i) {
    const WindowSwitch& node = Made<WindowSwitch>::at(i);
    EXPECT_EQ(node.open_windows(), 0u) << "switch " << i;
    EXPECT_LE(5 * node.messages, node.credits) << "credits go in batches";
  }
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(WindowShape, GroupsBreakTheCycleWhenQueuesRunOut) {
  Settings settings = crossing();
  Lab lab(settings, GetParam());
  for (std::size_t i = 0; i < settings.network.topology.switches(); ++i) lab.record(SwitchId(i));
  expect_clean(lab.run(), kCrossingFlows);
  std::uint64_t shared = 0;
  bool both = false;
  for (const WindowSwitch* node : Made<WindowSwitch>::all()) {
    EXPECT_EQ(node->open_windows(), 0u);
    shared += node->shared;
    both = both || (node->in_group[0] > 0 && node->in_group[1] > 0);
  }
  EXPECT_GT(shared, 0u);
  EXPECT_TRUE(both) << "no switch used both groups";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(WindowShape, WithoutGroupsQueuesWaitForEachOther) {
  Settings settings = crossing();
  settings.switches.flow_control.front().parameters.set("grouped", false);
  const Outcome outcome = Lab(settings, GetParam()).run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_LT(outcome.flows.size(), kCrossingFlows);
}

WEIR_BOTH_DRIVERS(WindowShape);

}  // namespace
}  // namespace weir::shape::shape_window_test
