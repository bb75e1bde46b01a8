// SPDX-License-Identifier: Apache-2.0
#include "policy/testing/fake_nic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace weir::fake_nic_test {
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
  nic.set_priority_gate(3, first, false);  // without time limit
  nic.set_now(at(30_us));
  EXPECT_FALSE(nic.priority_gate_open(3));
  nic.close_priority_gate_until(3, first, at(40_us));  // with a time limit again
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

/// Records which timers fire and when.
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

// ---- a transport ----

/// Sends each packet once, in order, and acknowledges received packets.
class InOrder final : public Transport {
 public:
  void on_post(TransportContext& context, SendState& sender, const MessageView&) override {
    context.offer(sender.priority, true);
    context.arm(sender, context.now() + 5_us);
  }
  ChosenPacket choose(TransportContext& context, Priority priority) override {
    SendState* sender = context.sender(QueuePairId(0));
    if (sender->next == sender->end || sender->priority != priority || context.is_held(*sender)) return {};
    return {sender, sender->next};
  }
  void on_sent(TransportContext&, SendState&, Frame& frame) override { frame.entropy = 42; }
  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    context.keep(receiver, data.payload_bytes);
    if (data.ends_message()) context.complete_message(receiver);
    context.arm(receiver, context.now() + 3_us);
  }
  void on_sender_timer(TransportContext&, SendState&) override { ++sender_timers; }
  void on_receiver_timer(TransportContext&, ReceiveState&) override { ++receiver_timers; }

  int sender_timers = 0;
  int receiver_timers = 0;
};

struct TransportLab {
  TransportLab() {
    nic.set_transport(transport);
    transport.on_post(nic, sender, nic.post(sender, 2'500));
  }
  FakeNic nic;
  InOrder transport;
  SendState& sender = nic.open_sender(HostId(4), 2);
};

TEST(FakeNicTransport, SendsWhatItChooses) {
  TransportLab lab;
  EXPECT_TRUE(lab.nic.offered(2));
  EXPECT_FALSE(lab.nic.offered(3));
  for (std::uint32_t sequence = 0; sequence < 3; ++sequence) {
    const auto chosen = lab.nic.send_chosen(2);
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->sequence, sequence);
  }
  EXPECT_FALSE(lab.nic.send_chosen(2));
  EXPECT_FALSE(lab.nic.offered(2)) << "it had none";
  ASSERT_EQ(lab.nic.sent().size(), 3U);
  const Frame& last = lab.nic.sent()[2].frame;
  EXPECT_EQ(last.kind, FrameKind::data);
  EXPECT_EQ(last.payload_bytes, 500);
  EXPECT_TRUE(last.ends_message());
  EXPECT_EQ(last.destination, HostId(4));
  EXPECT_EQ(last.queue_pair, lab.sender.remote_number);
  EXPECT_EQ(last.entropy, 42) << "on_sent has the last word";
  EXPECT_EQ(lab.nic.sent()[0].frame.payload_bytes, 1'000);
  EXPECT_FALSE(lab.nic.sent()[0].frame.ends_message());
  EXPECT_EQ(lab.sender.next_bytes, 2'500);
}

TEST(FakeNicTransport, SendsNothingThatItMustNotChoose) {
  TransportLab lab;
  const GateOwner owner = lab.nic.new_gate_owner();
  lab.nic.set_gate(lab.sender, owner, false);
  EXPECT_TRUE(lab.nic.is_held(lab.sender));
  EXPECT_FALSE(lab.nic.send_chosen(2));
  lab.nic.set_gate(lab.sender, owner, true);
  EXPECT_TRUE(lab.nic.send_chosen(2));
  EXPECT_TRUE(lab.nic.is_open(2));
  lab.nic.set_priority_gate(2, owner, false);
  EXPECT_FALSE(lab.nic.is_open(2));
}

TEST(FakeNicTransport, KnowsMessagesAndWhatIsAcknowledged) {
  TransportLab lab;
  const MessageView second = lab.nic.post(lab.sender, 1'000);
  EXPECT_EQ(second.first, 3U);
  EXPECT_EQ(second.offset, 2'500);
  EXPECT_EQ(lab.nic.message_of(lab.sender, 2).end, 3U);
  EXPECT_EQ(lab.nic.message_of(lab.sender, 3).size, 1'000);
  lab.nic.acknowledge(lab.sender, 2);
  EXPECT_EQ(lab.sender.unacknowledged, 0U) << "nothing was sent";
  while (lab.sender.highest_sent != lab.sender.end) ASSERT_TRUE(lab.nic.send_chosen(2));
  lab.nic.acknowledge(lab.sender, 2);
  EXPECT_EQ(lab.sender.unacknowledged, 2U);
  EXPECT_EQ(lab.sender.acknowledged_bytes, 2'000);
  lab.nic.acknowledge(lab.sender, 1);
  EXPECT_EQ(lab.sender.unacknowledged, 2U) << "what was acknowledged stays so";
  lab.nic.acknowledge(lab.sender, 9);
  EXPECT_EQ(lab.sender.unacknowledged, 2U) << "nothing beyond what was sent";
  lab.nic.acknowledge(lab.sender, 4);
  EXPECT_TRUE(lab.sender.finished());
  EXPECT_EQ(lab.sender.acknowledged_bytes, 3'500);
}

TEST(FakeNicTransport, HasReceiversAndTimersOfBothHalves) {
  TransportLab lab;
  ReceiveState& receiver = lab.nic.open_receiver(HostId(7));
  EXPECT_EQ(lab.nic.receiver(QueuePairId(0)), &receiver);
  EXPECT_EQ(lab.nic.receiver_from(HostId(7), receiver.remote_number), &receiver);
  EXPECT_EQ(lab.nic.receiver_from(HostId(6), receiver.remote_number), nullptr);
  Frame& data = lab.nic.frames()[lab.nic.frames().allocate()];
  data.payload_bytes = 700;
  data.set_ends_message(true);
  lab.transport.on_data(lab.nic, receiver, data);
  EXPECT_EQ(lab.nic.kept(receiver), 700);
  EXPECT_EQ(lab.nic.completed(receiver), 1U);
  lab.nic.run_until(Time() + 4_us);
  EXPECT_EQ(lab.transport.receiver_timers, 1);
  EXPECT_EQ(lab.transport.sender_timers, 0);
  lab.nic.run_until(Time() + 5_us);
  EXPECT_EQ(lab.transport.sender_timers, 1);
  lab.nic.arm(receiver, Time() + 9_us);
  lab.nic.cancel(receiver);
  EXPECT_EQ(lab.nic.deadline(receiver), Time::never());
  const FrameId credit = lab.nic.new_control(receiver, 77, 6);
  EXPECT_EQ(lab.nic.frames()[credit].destination, HostId(7));
  EXPECT_EQ(lab.nic.frames()[credit].protocol, 77);
  lab.nic.close_receiver(receiver);
  EXPECT_EQ(lab.nic.receiver(QueuePairId(0)), nullptr);
  int open = 0;
  lab.nic.for_each_receiver([](void* count, ReceiveState&) { ++*static_cast<int*>(count); }, &open);
  EXPECT_EQ(open, 0);
}

}  // namespace
}  // namespace weir::fake_nic_test
