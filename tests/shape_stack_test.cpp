// SPDX-License-Identifier: Apache-2.0
// Two flow controls at once: a queue sends if the gates of both are open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shape_backpressure.h"

namespace weir::shape::shape_stack_test {
namespace {

using namespace literals;
using testing::IsEmpty;

/// Blocks nothing, and checks the gates of the others whenever a frame moves.
class Auditor : public FlowControl {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.enter = true;
    hooks.depart = true;
    return hooks;
  }
  void on_enter(SwitchContext& context, QueueId queue, Frame&) override {
    const QueueState& state = context.queue(queue);
    const bool priority_open = context.priority_gate_open(state.port, state.priority);
    held_by_queue += state.closed_by != 0 && priority_open ? 1 : 0;
    held_by_priority += state.closed_by == 0 && !priority_open ? 1 : 0;
    held_by_both += state.closed_by != 0 && !priority_open ? 1 : 0;
  }
  void on_depart(SwitchContext& context, QueueId queue, Frame&) override {
    const QueueState& state = context.queue(queue);
    escaped += state.closed_by != 0 || !context.priority_gate_open(state.port, state.priority) ? 1 : 0;
  }

  std::uint64_t held_by_queue = 0;  ///< frames that entered a queue blocked by its own gate only
  std::uint64_t held_by_priority = 0;
  std::uint64_t held_by_both = 0;
  std::uint64_t escaped = 0;  ///< frames that left a blocked queue
};

const Scheme kAuditor = {.name = "auditor",
                         .summary = "looks on",
                         .traits = {},
                         .parameters = {},
                         .flow_control = make<FlowControl, Auditor>};

class StackShape : public BothDrivers {};

TEST_P(StackShape, AQueueSendsWhenEveryGateIsOpen) {
  Settings settings = bare(backpressure_network());
  // So low that priorities are paused as well as queues.
  settings.switches.buffer_policy = choose("static_threshold");
  settings.switches.buffer_policy.parameters.set("xoff", 30_KB);
  settings.switches.flow_control = {choose(kAuditor), choose(backpressure<BackpressureSwitch>()), choose("pfc")};
  std::vector<FlowSpec> flows;
  for (std::size_t source = 0; source < 8; ++source) {
    flows.push_back(flow(source, 8, 1_MB));
    flows.push_back(flow(source, 9 + source % 2, 300_KB));
  }
  const std::size_t count = flows.size() + 1;
  flows.push_back(flow(4, 5, 1_KB, at(4_ms)));
  offer(settings, flows);

  Lab lab(settings, GetParam());
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) lab.record(SwitchId(i));
  for (std::size_t i = 0; i < 8; ++i) lab.record(HostId(i));
  expect_clean(lab.run(), count);
  Auditor all;
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) {
    const Auditor& node = Made<Auditor>::at(i);
    all.held_by_queue += node.held_by_queue;
    all.held_by_priority += node.held_by_priority;
    all.held_by_both += node.held_by_both;
    EXPECT_EQ(node.escaped, 0u) << "switch " << i;
    EXPECT_EQ(Made<BackpressureSwitch>::at(i).left_over(), 0u) << "switch " << i;
  }
  EXPECT_GT(all.held_by_queue, 0u);
  EXPECT_GT(all.held_by_priority, 0u);
  EXPECT_GT(all.held_by_both, 0u);
  EXPECT_EQ(lab.closed_gates(), 0u);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

WEIR_BOTH_DRIVERS(StackShape);

}  // namespace
}  // namespace weir::shape::shape_stack_test
