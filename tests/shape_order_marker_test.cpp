// SPDX-License-Identifier: Apache-2.0
// Pyrrha without a hierarchy: isolation queues beside the output queue, one per set of roots, and order markers that
// keep a flow in order when it moves between queues (pyrrha C.1).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shape_isolation.h"
#include "shape_lab.h"

namespace weir::shape::shape_order_marker_test {
namespace {

using namespace literals;
using testing::IsEmpty;

/// A queue of frames that meet the root `near` at the next switch, `far` at the one after, or both. It opens when
/// neither is paused and all earlier frames of its flows in other queues have departed, which an order marker in each
/// of these reports.
class SingleTier : public RootControl {
 public:
  explicit SingleTier(bool uses_marks = true) : uses_marks_(uses_marks) {}

  void attach(SwitchContext& context) override {
    RootControl::attach(context);
    order_ = context.new_gate_owner();
    roots_.resize(context.ports() * kRoots);
    queues_.resize(context.ports() * kQueues);
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const PortId port(i / kQueues);
      if (context.port(port).peer.is_host()) continue;  // no root lies beyond
      queues_[i].queue = queue_context(context).new_queue({.port = port, .priority = 3});
    }
    waiting_.resize(context.queues());
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    const QueueId output = context.default_queue(frame.egress, frame.priority);
    std::array<Hop, kDistances> hops;
    const std::size_t count = frame.priority == 3 ? onward(context, frame, hops) : 0;
    std::array<Root, kDistances> met{kNoRoot, kNoRoot};
    bool near_goes = false;
    for (std::size_t i = 0; i < count; ++i) {
      const State* state = find(frame.egress, root_of(hops[i]));
      if (state == nullptr) continue;
      met[i] = state->root;
      near_goes = near_goes || (i == 0 && state->merging);
    }
    // Only later frames of a flow that enter a non-empty queue still meet a merged root.
    if (near_goes && find(frame.egress, {met[0], kNoRoot}) == nullptr && find(frame.egress, met) == nullptr) {
      met[0] = kNoRoot;
    }
    if (met[0] == kNoRoot && met[1] == kNoRoot) return output;
    const Isolation* found = find(frame.egress, met);
    if (found == nullptr) found = assign(context, frame.egress, met);
    return found == nullptr ? output : found->queue;
  }
  void on_marker(QueueContext& context, QueueId, std::uint32_t token) override {
    ++markers;
    if (--waiting_[token] == 0) context.set_gate(QueueId(token), order_, true);
  }
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override {
    shrank(context, queue);
    if (queue.index() < context.ports() * kPriorities) return;
    ++isolated;
    dissolve(context, frame.egress);
  }

  std::uint64_t markers = 0;
  std::uint64_t both = 0;  ///< queues for two roots at once

 private:
  static constexpr std::size_t kQueues = 8;  // per port
  static constexpr std::size_t kRoots = 8;   // per port
  struct State {
    Root root = kNoRoot;
    bool paused = false;
    bool merging = false;
  };
  struct Isolation {
    std::array<Root, kDistances> roots{kNoRoot, kNoRoot};
    QueueId queue;
    bool used = false;
    [[nodiscard]] bool meets(Root root) const { return used && (roots[0] == root || roots[1] == root); }
  };

  void on_root(SwitchContext& context, PortId port, Root root, bool paused) override {
    State* state = find(port, root);
    if (state == nullptr && paused) state = find(port, kNoRoot);
    if (state == nullptr || state->merging) return;  // merging: it is about to end
    *state = {root, paused, false};
    set_gates(context, port, root);
    dissolve(context, port);
  }
  void on_merge(SwitchContext& context, PortId port, Root root, Root successor) override {
    State* state = find(port, root);
    if (state == nullptr) return;
    *state = {root, false, true};
    set_gates(context, port, root);
    for (const Isolation& old : of(port)) {
      if (!old.meets(root)) continue;
      pass_merge(context, old.queue, root, successor);
      forget(old.queue, root);
    }
    dissolve(context, port);
  }
  std::span<State> states(PortId port) { return std::span(roots_).subspan(port.index() * kRoots, kRoots); }
  std::span<Isolation> of(PortId port) { return std::span(queues_).subspan(port.index() * kQueues, kQueues); }
  State* find(PortId port, Root root) {
    for (State& state : states(port)) {
      if (state.root == root) return &state;
    }
    return nullptr;
  }
  Isolation* find(PortId port, std::array<Root, kDistances> roots) {
    for (Isolation& isolation : of(port)) {
      if (isolation.used && isolation.roots == roots) return &isolation;
    }
    return nullptr;
  }
  Isolation* assign(QueueContext& context, PortId port, std::array<Root, kDistances> roots) {
    for (Isolation& isolation : of(port)) {
      if (isolation.used) continue;
      isolation = {roots, isolation.queue, true};
      ++assigned;
      both += roots[0] != kNoRoot && roots[1] != kNoRoot ? 1 : 0;
      track(context, isolation.queue, roots);
      for (const Root root : roots) {
        if (const State* state = find(port, root); state != nullptr && state->merging) forget(isolation.queue, root);
      }
      set_gate(context, port, isolation);
      // Its flows were in the output queue, or in a queue for fewer roots.
      come_after(context, isolation.queue, context.default_queue(port, 3));
      for (const Isolation& other : of(port)) {
        const bool near = other.roots[0] == roots[0] || other.roots[0] == kNoRoot;
        const bool far = other.roots[1] == roots[1] || other.roots[1] == kNoRoot;
        if (other.used && &other != &isolation && near && far) come_after(context, isolation.queue, other.queue);
      }
      return &isolation;
    }
    return nullptr;
  }
  void come_after(QueueContext& context, QueueId later, QueueId earlier) {
    if (!uses_marks_ || context.queue(earlier).empty()) return;
    if (waiting_[later.index()]++ == 0) context.set_gate(later, order_, false);
    if (!context.insert_marker(earlier, later.value)) on_marker(context, earlier, later.value);
  }
  void set_gate(SwitchContext& context, PortId port, const Isolation& isolation) {
    bool open = true;
    for (const Root root : isolation.roots) {
      if (root == kNoRoot) continue;
      const State* state = find(port, root);
      open = open && (state == nullptr || !state->paused);
    }
    context.set_gate(isolation.queue, owner_, open);
  }
  void set_gates(SwitchContext& context, PortId port, Root root) {
    for (const Isolation& isolation : of(port)) {
      if (isolation.meets(root)) set_gate(context, port, isolation);
    }
  }
  /// A root that is not paused is removed, together with its queues, when all queues that meet it are empty.
  void dissolve(SwitchContext& context, PortId port) {
    for (State& state : states(port)) {
      if (state.root == kNoRoot || state.paused) continue;
      const auto meets = [&](const Isolation& isolation) { return isolation.meets(state.root); };
      const std::span<Isolation> all = of(port);
      if (std::any_of(all.begin(), all.end(), [&](const Isolation& isolation) {
            return meets(isolation) && !context.queue(isolation.queue).empty();
          })) {
        continue;
      }
      for (Isolation& isolation : all) {
        if (!meets(isolation)) continue;
        isolation.used = false;
        --assigned;
      }
      state = {};
    }
  }

  bool uses_marks_;
  GateOwner order_ = 0;
  std::vector<State> roots_;            // by port
  std::vector<Isolation> queues_;       // by port
  std::vector<std::uint32_t> waiting_;  // by queue: markers that have not reached the head
};

/// The same, but a queue opens at once.
class WithoutMarkers : public SingleTier {
 public:
  WithoutMarkers() : SingleTier(false) {}
};

template <class Fake>
const Scheme& scheme() {
  static const Scheme scheme = {.name = "single_tier",
                                .summary = "isolation queues with order markers",
                                .traits = {.protocol = kRootProtocol},
                                .parameters = {},
                                .flow_control = make<FlowControl, Fake>,
                                .nic_flow_control = make<NicFlowControl, RootNic>};
  return scheme;
}

class OrderMarkShape : public BothDrivers {
 protected:
  /// Uplinks that are roots themselves, and a target that its neighbours in the rack overload from time to time: the
  /// flows of the uplinks change queues while these are full.
  static Settings short_congestion() {
    LeafSpineSettings network;
    network.tors = 3;
    network.hosts_per_tor = 4;
    network.spines = 1;
    network.host_link = {100_Gbps, 1_us, 0};
    network.fabric_link = {100_Gbps, 1_us, 0};
    Settings settings = bare(built(build_leaf_spine(network)));
    std::vector<FlowSpec> flows;
    for (std::size_t source = 0; source < 8; ++source) flows.push_back(flow(source, 8 + source % 2, 500_KB));
    for (int burst = 0; burst < 20; ++burst) {
      flows.push_back(flow(10, 8, 60_KB, at(burst * 15_us)));
      flows.push_back(flow(11, 8, 60_KB, at(burst * 15_us)));
    }
    flows.push_back(flow(4, 5, 1_KB, at(4_ms)));
    offer(settings, flows);
    return settings;
  }
};

TEST_P(OrderMarkShape, KeepsFlowsInOrderAcrossQueues) {
  Settings settings = root_incast();
  settings.switches.flow_control = {choose(scheme<SingleTier>())};
  Lab lab(settings, GetParam());
  for (std::size_t i = 0; i <= kRacks; ++i) lab.record(SwitchId(i));
  lab.record(HostId(0));
  const Outcome outcome = lab.run();
  expect_clean(outcome, kFlows);

  const SingleTier& tor = Made<SingleTier>::at(0);
  EXPECT_GT(tor.isolated, 0u);
  EXPECT_GT(tor.markers, 0u);
  EXPECT_GT(tor.merges, 0u);
  for (std::size_t i = 0; i <= kRacks; ++i) EXPECT_EQ(Made<SingleTier>::at(i).assigned, 0) << "switch " << i;
  for (std::size_t i = 0; i < 4 * kRacks; ++i) EXPECT_EQ(Made<RootNic>::at(i).paused_roots(), 0u) << "host " << i;
  EXPECT_EQ(lab.closed_gates(), 0u);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
  EXPECT_LT(outcome.completion(kVictim), 80_us);
}

TEST_P(OrderMarkShape, OnlyMarksKeepTheOrder) {
  Settings settings = short_congestion();
  settings.switches.flow_control = {choose(scheme<SingleTier>())};
  Lab with(settings, GetParam());
  expect_clean(with.run(), 49);
  EXPECT_EQ(with.closed_gates(), 0u);

  settings.switches.flow_control = {choose(scheme<WithoutMarkers>())};
  Lab without(settings, GetParam());
  const Outcome outcome = without.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_GT(outcome.out_of_order, 0u);
}

WEIR_BOTH_DRIVERS(OrderMarkShape);

}  // namespace
}  // namespace weir::shape::shape_order_marker_test
