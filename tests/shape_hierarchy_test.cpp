// SPDX-License-Identifier: Apache-2.0
// Pyrrha's hierarchy of isolation queues: two stages before the output queue, served at the port's rate (pyrrha 4.3).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shape_isolation.h"
#include "shape_lab.h"

namespace weir::shape::shape_hierarchy_test {
namespace {

using namespace literals;
using testing::IsEmpty;

/// A frame waits behind every paused root of its path, the nearest first.
class Hierarchy : public RootControl {
 public:
  void attach(SwitchContext& context) override {
    RootControl::attach(context);
    isolations_.resize(context.ports() * kDistances * kQueues);
    for (std::size_t i = 0; i < isolations_.size(); ++i) {
      const PortId port(i / kQueues / kDistances);
      const std::size_t distance = i / kQueues % kDistances;
      if (context.port(port).peer.is_host()) continue;  // no root lies beyond
      isolations_[i].queue =
          queue_context(context).new_queue({.port = port,
                                            .priority = 3,
                                            .stage = static_cast<std::uint8_t>(kDistances - distance),
                                            .service = Service::at_rate});
      index_of_queue_.resize(context.queues());
      index_of_queue_.back() = i;
    }
  }
  QueueId classify(QueueContext& context, Frame& frame) override { return next(context, frame, 0); }
  QueueId on_leave(QueueContext& context, QueueId queue, Frame& frame) override {
    ++isolated;
    shrank(context, queue);
    const std::size_t index = index_of_queue_[queue.index()];
    unassign_if_done(context, isolations_[index]);
    const std::size_t distance = index / kQueues % kDistances;
    through[distance] += 1;
    return next(context, frame, distance + 1);
  }

  std::array<std::uint64_t, kDistances> through{};  ///< frames that left the queues for roots at this distance

 private:
  static constexpr std::size_t kQueues = 4;  // per distance and port
  struct Isolation {
    Root root = kNoRoot;
    bool paused = false;
    QueueId queue;
  };

  void on_root(SwitchContext& context, PortId port, Root root, bool paused) override {
    Isolation* isolation = find(context, port, root);
    if (isolation == nullptr && paused) isolation = assign(context, port, root);
    if (isolation == nullptr) return;
    isolation->paused = paused;
    if (paused) track(context, isolation->queue, {root, kNoRoot});
    context.set_gate(isolation->queue, owner_, !paused);
    unassign_if_done(context, *isolation);
  }
  void on_merge(SwitchContext& context, PortId port, Root root, Root successor) override {
    Isolation* isolation = find(context, port, root);
    if (isolation == nullptr) return;
    pass_merge(context, isolation->queue, root, successor);
    forget(isolation->queue, root);
    isolation->paused = false;  // merging: its frames, and those that follow until it is empty, leave one by one
    context.set_gate(isolation->queue, owner_, true);
    unassign_if_done(context, *isolation);
  }
  std::span<Isolation> at(PortId port, std::size_t distance) {
    return std::span(isolations_).subspan((port.index() * kDistances + distance) * kQueues, kQueues);
  }
  static std::size_t distance_of(const SwitchContext& context, PortId port, Root root) {
    return root >> 16 == context.port(port).peer.neighbour.value ? 0 : 1;
  }
  Isolation* find(const SwitchContext& context, PortId port, Root root) {
    for (Isolation& isolation : at(port, distance_of(context, port, root))) {
      if (isolation.root == root) return &isolation;
    }
    return nullptr;
  }
  Isolation* assign(const SwitchContext& context, PortId port, Root root) {
    for (Isolation& isolation : at(port, distance_of(context, port, root))) {
      if (isolation.root != kNoRoot) continue;
      isolation.root = root;
      ++assigned;
      return &isolation;
    }
    return nullptr;
  }
  void unassign_if_done(const SwitchContext& context, Isolation& isolation) {
    if (isolation.root == kNoRoot || isolation.paused || !context.queue(isolation.queue).empty()) return;
    isolation.root = kNoRoot;
    --assigned;
  }
  QueueId next(const SwitchContext& context, const Frame& frame, std::size_t distance) {
    std::array<Hop, kDistances> hops;
    const std::size_t count = frame.priority == 3 ? onward(context, frame, hops) : 0;
    for (; distance < count; ++distance) {
      if (const Isolation* isolation = find(context, frame.egress, root_of(hops[distance])); isolation != nullptr) {
        return isolation->queue;
      }
    }
    return context.default_queue(frame.egress, frame.priority);
  }

  std::vector<Isolation> isolations_;  // by port, distance, number
  std::vector<std::size_t> index_of_queue_;
};

const Scheme kHierarchy = {.name = "hierarchy",
                           .summary = "isolation queues in stages",
                           .traits = {.protocol = kRootProtocol},
                           .parameters = {},
                           .flow_control = make<FlowControl, Hierarchy>,
                           .nic_flow_control = make<NicFlowControl, RootNic>};

class HierarchyShape : public BothDrivers {};

TEST_P(HierarchyShape, HoldsWhatMeetsTheRootAndNothingElse) {
  Settings settings = root_incast();
  settings.switches.flow_control = {choose(kHierarchy)};
  Lab lab(settings, GetParam());
  for (std::size_t i = 0; i <= kRacks; ++i) lab.record(SwitchId(i));
  lab.record(HostId(0));
  const Outcome outcome = lab.run();
  expect_clean(outcome, kFlows);

  const Hierarchy& tor = Made<Hierarchy>::at(0);
  EXPECT_GT(tor.through[0], 0u) << "frames waited for the spine's downlink";
  EXPECT_GT(tor.through[1], 0u) << "and for the target's";
  EXPECT_GT(tor.merges, 0u) << "which took the spine's downlink over";
  EXPECT_GT(Made<RootNic>::at(0).pauses, 0u);
  for (std::size_t i = 0; i <= kRacks; ++i) EXPECT_EQ(Made<Hierarchy>::at(i).assigned, 0) << "switch " << i;
  for (std::size_t i = 0; i < 4 * kRacks; ++i) EXPECT_EQ(Made<RootNic>::at(i).paused_roots(), 0u) << "host " << i;
  EXPECT_EQ(lab.closed_gates(), 0u);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());

  // 500 KB take 42 us at line rate; host 0 shares its link with one queue pair of the incast.
  EXPECT_LT(outcome.completion(kVictim), 80_us);
}

TEST_P(HierarchyShape, PausesOfAPriorityHoldTheVictimToo) {
  Settings settings = root_incast();
  settings.switches.flow_control = {choose("pfc")};
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_clean(outcome, kFlows);
  EXPECT_GT(outcome.completion(kVictim), 240_us) << "or the scenario shows nothing";
}

WEIR_BOTH_DRIVERS(HierarchyShape);

}  // namespace
}  // namespace weir::shape::shape_hierarchy_test
