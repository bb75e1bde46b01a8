// SPDX-License-Identifier: Apache-2.0
#include "policy/testing/fake_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace weir::fake_switch_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::SizeIs;

Time at(Duration since_start) {
  return Time() + since_start;
}

/// Records the timers that fire, and re-arms the first one once.
class Notes final : public FlowControl {
 public:
  void attach(SwitchContext& context) override {
    for (TimerId& timer : timers) timer = context.new_timer(*this);
    owner = context.new_gate_owner();
  }
  void on_timer(SwitchContext& context, TimerId timer) override {
    fired.emplace_back(timer, context.now());
    if (fired.size() == 1) context.arm(timers[0], context.now() + 5_ns);
  }
  void on_more(SwitchContext&) override { ++more; }

  TimerId timers[3];
  GateOwner owner = 0;
  std::vector<std::pair<TimerId, Time>> fired;
  int more = 0;
};

TEST(FakeSwitch, FiresTimersAtTheirDeadlines) {
  FakeSwitch context(2);
  Notes policy;
  policy.attach(context);
  context.arm(policy.timers[2], at(20_ns));
  context.arm(policy.timers[1], at(20_ns));
  context.arm(policy.timers[0], at(99_ns));
  context.arm(policy.timers[0], at(10_ns));
  context.run_until(at(9_ns));
  EXPECT_THAT(policy.fired, SizeIs(0));
  context.cancel(policy.timers[1]);
  EXPECT_EQ(context.deadline(policy.timers[1]), Time::never());
  context.run_until(at(30_ns));
  EXPECT_THAT(policy.fired, ElementsAre(std::pair(policy.timers[0], at(10_ns)), std::pair(policy.timers[0], at(15_ns)),
                                        std::pair(policy.timers[2], at(20_ns))));
  EXPECT_EQ(context.now(), at(30_ns));
}

TEST(FakeSwitch, KeepsGates) {
  FakeSwitch context(2);
  const QueueId queue = context.default_queue(PortId(1), 3);
  context.set_gate(queue, 0, false);
  context.close_gate_until(queue, 1, at(10_ns));
  EXPECT_EQ(context.queue(queue).closed_by, 3);
  context.run_until(at(10_ns));
  EXPECT_FALSE(context.gate_open(queue));
  context.set_gate(queue, 0, true);
  EXPECT_TRUE(context.gate_open(queue));

  context.close_priority_gate_until(PortId(1), 3, 1, at(20_ns));
  context.set_priority_gate(PortId(1), 3, 0, false);
  EXPECT_EQ(context.priority_closed_until(PortId(1), 3), at(20_ns));
  context.set_priority_gate(PortId(1), 3, 0, true);
  EXPECT_FALSE(context.priority_gate_open(PortId(1), 3));
  EXPECT_EQ(context.priority_closed_until(PortId(1), 3), at(20_ns));
  context.set_priority_gate(PortId(1), 3, 1, true);
  EXPECT_TRUE(context.priority_gate_open(PortId(1), 3));
  EXPECT_EQ(context.priority_closed_until(PortId(1), 3), Time::never());
  EXPECT_TRUE(context.priority_gate_open(PortId(0), 3));
}

TEST(FakeSwitch, RecordsWhatIsDone) {
  FakeSwitch context(2);
  Notes policy;
  policy.attach(context);
  const std::size_t before = context.frames().in_use();
  context.send(PortId(1), context.frames().id_of(context.new_frame(PortId(0), PortId(1), 3)));
  context.send_to_host(context.frames().id_of(context.new_frame(PortId(0), PortId(1), 3)));
  ASSERT_THAT(context.sent(), SizeIs(2));
  EXPECT_EQ(context.sent()[0].port, PortId(1));
  EXPECT_FALSE(context.sent()[1].port.exists());
  context.release_sent();
  EXPECT_EQ(context.frames().in_use(), before);

  context.note_pause(PortId(0), 3, true);
  context.note_pause(PortId(0), 3, true);
  EXPECT_TRUE(context.ingress(PortId(0), 3).paused);
  EXPECT_THAT(context.pauses(), SizeIs(1));

  context.more(policy);
  context.more(policy);
  EXPECT_TRUE(context.asked_for_more(policy));
  context.run_more();
  EXPECT_EQ(policy.more, 1);
  EXPECT_FALSE(context.asked_for_more(policy));
}

TEST(FakeSwitch, KeepsWhoseThresholdsHaveChanged) {
  FakeSwitch context(4);
  SwitchContext& base = context;
  base.note_threshold(PortId(2));
  base.note_threshold(PortId(0));
  EXPECT_EQ(context.threshold_notes(), (std::vector<PortId>{PortId(2), PortId(0)}));
}

}  // namespace
}  // namespace weir::fake_switch_test
