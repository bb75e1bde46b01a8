// SPDX-License-Identifier: Apache-2.0
#include "policy/testing/fake_nic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace weir {
namespace {

using namespace literals;
using testing::ElementsAre;

Time at(Duration since_start) {
  return Time() + since_start;
}

TEST(FakeNic, FindsOpenSenders) {
  FakeNic nic;
  SendState& first = nic.open_sender(HostId(4));
  SendState& second = nic.open_sender(HostId(4));
  EXPECT_EQ(nic.sender(first.number), &first);
  EXPECT_EQ(nic.sender_to(HostId(4), second.remote_number), &second);
  EXPECT_EQ(nic.sender_to(HostId(5), second.remote_number), nullptr);
  nic.close_sender(first);
  EXPECT_EQ(nic.sender(first.number), nullptr);
  EXPECT_EQ(nic.sender(QueuePairId(99)), nullptr);
  std::vector<QueuePairId> visited;
  nic.for_each_sender(
      [](void* context, SendState& sender) {
        static_cast<std::vector<QueuePairId>*>(context)->push_back(sender.number);
      },
      &visited);
  EXPECT_THAT(visited, ElementsAre(second.number));
}

TEST(FakeNic, KeepsThePoliciesStateApart) {
  FakeNic nic;
  SendState& sender = nic.open_sender();
  sender.congestion.emplace<std::uint64_t>() = 1;
  sender.recovery.emplace<std::uint64_t>() = 2;
  nic.open_sender().congestion.emplace<std::uint64_t>() = 3;
  EXPECT_EQ(sender.congestion.as<std::uint64_t>(), 1u);
  EXPECT_EQ(sender.recovery.as<std::uint64_t>(), 2u);
}

TEST(FakeNic, RecordsWhatIsSent) {
  FakeNic nic;
  const FrameId id = nic.frames().allocate();
  nic.frames()[id].sequence = 5;
  nic.set_now(at(3_us));
  nic.send_to_host(id);
  ASSERT_EQ(nic.sent().size(), 1u);
  EXPECT_EQ(nic.sent()[0].frame.sequence, 5u);
  EXPECT_TRUE(nic.sent()[0].to_host);
  EXPECT_EQ(nic.sent()[0].at, at(3_us));
  nic.release_sent();
  EXPECT_EQ(nic.frames().in_use(), 0u);
}

TEST(FakeNic, KeepsGatesByOwner) {
  FakeNic nic;
  SendState& sender = nic.open_sender();
  const GateOwner first = nic.new_gate_owner();
  const GateOwner second = nic.new_gate_owner();
  nic.set_gate(sender, first, false);
  EXPECT_FALSE(nic.gate_open(sender, first));
  EXPECT_TRUE(nic.gate_open(sender, second));
  nic.set_priority_gate(3, first, false);
  nic.set_priority_gate(3, second, false);
  nic.set_priority_gate(3, first, true);
  EXPECT_FALSE(nic.priority_gate_open(3));
  nic.set_priority_gate(3, second, true);
  EXPECT_TRUE(nic.priority_gate_open(3));
  nic.close_priority_gate_until(3, first, at(2_us));
  EXPECT_FALSE(nic.priority_gate_open(3));
  nic.set_now(at(2_us));
  EXPECT_TRUE(nic.priority_gate_open(3));
  nic.close_priority_gate_until(3, first, at(9_us));
  nic.set_priority_gate(3, second, true);
  EXPECT_FALSE(nic.priority_gate_open(3));
  nic.set_priority_gate(3, first, true);
  EXPECT_TRUE(nic.priority_gate_open(3));
  nic.close_priority_gate_until(3, first, at(20_us));
  nic.set_priority_gate(3, first, false);  // for good
  nic.set_now(at(30_us));
  EXPECT_FALSE(nic.priority_gate_open(3));
  nic.close_priority_gate_until(3, first, at(40_us));  // for a time again
  nic.set_now(at(40_us));
  EXPECT_TRUE(nic.priority_gate_open(3));
  const GateId gate = nic.new_gate();
  nic.set_gate(gate, false);
  EXPECT_FALSE(nic.gate_open(gate));
}

class NoFlowControl final : public NicFlowControl {};

TEST(FakeNic, KeepsWhereQueuePairsWereMoved) {
  FakeNic nic;
  const NoFlowControl one;
  const NoFlowControl other;
  const GateId gate = nic.new_gate();
  SendState& sender = nic.open_sender();
  EXPECT_EQ(nic.moved_to(sender, one), std::nullopt);
  nic.move_to_gate(sender, one, gate);
  EXPECT_EQ(nic.moved_to(sender, one), gate);
  EXPECT_EQ(nic.moved_to(sender, other), std::nullopt);
  nic.move_to_gate(sender, one, GateId::none());
  EXPECT_EQ(nic.moved_to(sender, one), GateId::none());
}

/// Notes who fired and when.
class Recorder final : public CongestionControl {
 public:
  void on_timer(NicContext& context, TimerId timer) override { fired.emplace_back(context.now(), timer.value); }
  void on_sender_timer(NicContext& context, SendState&) override { fired.emplace_back(context.now(), 1000); }
  std::vector<std::pair<Time, std::uint32_t>> fired;
};

TEST(FakeNic, FiresTimersInOrderAtTheirDeadlines) {
  FakeNic nic;
  Recorder policy;
  nic.set_congestion_control(policy);
  SendState& sender = nic.open_sender();
  const TimerId first = nic.new_timer(policy);
  const TimerId second = nic.new_timer(policy);
  const TimerId third = nic.new_timer(policy);
  nic.arm(sender, at(2_us));
  nic.arm(second, at(2_us));
  nic.arm(first, at(9_us));
  nic.arm(first, at(1_us));
  nic.arm(third, at(1_us));
  nic.cancel(third);
  EXPECT_EQ(nic.deadline(first), at(1_us));
  EXPECT_EQ(nic.deadline(third), Time::never());
  nic.run_until(at(5_us));
  EXPECT_THAT(policy.fired, ElementsAre(std::pair(at(1_us), 0u), std::pair(at(2_us), 1u), std::pair(at(2_us), 1000u)));
  EXPECT_EQ(nic.now(), at(5_us));
  EXPECT_EQ(nic.deadline(sender), Time::never());
}

}  // namespace
}  // namespace weir
