// SPDX-License-Identifier: Apache-2.0
// The receive buffer of a NIC, and gates that are taken and returned while it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_buffer_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;

NicConfig slow_host(std::int64_t buffer) {
  NicConfig config = config_of();
  config.receive_buffer = buffer;
  config.drain_rate = BitRate(8'000'000'000);  // one byte per nanosecond
  return config;
}

void full_packet(Frame& frame) {
  frame.frame_bytes = 1'000;
  frame.payload_bytes = 900;
}

TEST(NicBuffer, HoldsFramesUntilTheHostTakesThem) {
  TestNic host(slow_host(10'000));
  const QueuePairId number = host.open_receiver();
  host.data(number, 0, full_packet);
  host.data(number, 1, full_packet);
  EXPECT_EQ(host.nic->data_received(), 0u);
  EXPECT_EQ(host.nic->receive_buffer().used, 2'000);
  EXPECT_EQ(host.nic->frames_held(), 2u);
  host.run_for(999_ns);
  EXPECT_EQ(host.nic->data_received(), 0u);
  host.run_for(1_ns);
  EXPECT_EQ(host.nic->data_received(), 1u);
  host.run_for(1_us);
  EXPECT_EQ(host.nic->data_received(), 2u);
  EXPECT_EQ(host.nic->receive_buffer().used, 0);
  EXPECT_EQ(host.nic->receive_buffer().maximum, 2'000);
  ASSERT_EQ(host.sent.size(), 2u);
  EXPECT_EQ(host.sent[0].at, at_time(1_us)) << "acknowledged when the host has it";
  EXPECT_THAT(host.flow_control[0]->buffered, ElementsAre(1'000, 2'000, 1'000, 0));
  host.run_for(10_us);
  host.data(number, 2, full_packet);
  host.run_for(999_ns);
  EXPECT_EQ(host.nic->data_received(), 2u) << "a host that has waited takes no less time";
  EXPECT_EQ(host.nic->receive_buffer().maximum, 2'000);
}

TEST(NicBuffer, DropsWhatItHasNoRoomFor) {
  TestNic host(slow_host(2'500));
  const QueuePairId number = host.open_receiver();
  for (std::uint32_t i = 0; i < 4; ++i) host.data(number, i, full_packet);
  EXPECT_EQ(host.nic->receive_overflows(), 2u);
  EXPECT_EQ(host.pool.in_use(), 2u);
  host.run_for(5_us);
  EXPECT_EQ(host.nic->data_received(), 2u);
}

TEST(NicBuffer, KeepsItsHeadroomForLosslessPriorities) {
  NicConfig config = slow_host(10'000);
  config.receive_lossless[kPriority] = true;
  config.receive_headroom = 4'000;
  config.maximum_frame = 1'066;  // the others may use 10,000 - 4,000 - 2 x 1,066 = 3,868 bytes
  TestNic host(config);
  const QueuePairId number = host.open_receiver();
  std::uint32_t sequence = 0;
  const auto receive = [&](Priority priority, int frames) {
    for (int i = 0; i < frames; ++i) {
      host.data(number, sequence++, [priority](Frame& frame) {
        full_packet(frame);
        frame.priority = priority;
      });
    }
  };
  receive(5, 4);
  EXPECT_EQ(host.nic->receive_buffer().used, 3'000);
  EXPECT_EQ(host.nic->receive_overflows(), 1u);
  receive(kPriority, 8);
  EXPECT_EQ(host.nic->receive_buffer().used, 10'000);
  EXPECT_EQ(host.nic->receive_overflows(), 2u);
  EXPECT_EQ(host.nic->lossless_overflows(), 1u);
}

TEST(NicBuffer, CountsEachPriority) {
  TestNic host(slow_host(10'000));
  const QueuePairId number = host.open_receiver();
  host.data(number, 0, full_packet);
  host.data(number, 1, [](Frame& frame) {
    full_packet(frame);
    frame.priority = 5;
  });
  EXPECT_EQ(host.nic->receive_buffer().of_priority[kPriority], 1'000);
  EXPECT_EQ(host.nic->receive_buffer().of_priority[5], 1'000);
}

TEST(NicBuffer, HoldsDatagramsAsWell) {
  TestNic host(slow_host(10'000));
  OpenReceiver spec;
  spec.remote = HostId(1);
  spec.datagrams = true;
  const QueuePairId number = host.nic->open_receiver(host.now, spec);
  host.nic->connect_receiver(number, QueuePairId(2'001));
  host.receive(FrameKind::datagram, number, 0, full_packet);
  EXPECT_FALSE(host.nic->take_datagram().exists());
  host.run_for(1_us);
  const FrameId taken = host.nic->take_datagram();
  ASSERT_TRUE(taken.exists());
  EXPECT_EQ(host.pool[taken].payload_bytes, 900);
  host.pool.release(taken);
  EXPECT_EQ(host.nic->strays(), 0u);
}

TEST(NicBuffer, DoesNotDelayPauses) {
  TestNic host(slow_host(2'000));
  const QueuePairId number = host.open_receiver();
  host.data(number, 0, full_packet);
  host.data(number, 1, full_packet);
  host.receive(FrameKind::hop_control, QueuePairId(), 0, [](Frame& frame) { frame.protocol = 9; });
  EXPECT_THAT(host.flow_control[0]->control, ElementsAre(9)) << "at once, though the buffer is full";
}

/// A flow control that pauses a destination, with gates on demand.
class DestinationGates final : public NicFlowControl {
 public:
  explicit DestinationGates(std::size_t gates) : gates_(gates) {}
  void attach(NicContext& context) override { context.reserve_gates(gates_); }
  GateId gate_of(NicContext&, SendState& sender) override {
    const auto found = held.find(sender.remote);
    return found == held.end() ? GateId::none() : found->second;
  }
  bool hold(NicContext& context, HostId host) {
    const GateId gate = context.take_gate();
    if (!gate.exists()) return false;
    held[host] = gate;
    struct Move {
      NicContext& context;
      DestinationGates& self;
      GateId gate;
    } move{context, *this, gate};
    context.for_each_sender_to(
        host,
        [](void* how, SendState& sender) {
          const Move& to = *static_cast<Move*>(how);
          to.context.move_to_gate(sender, to.self, to.gate);
        },
        &move);
    context.set_gate(gate, false);
    return true;
  }
  void release(NicContext& context, HostId host) {
    const GateId gate = held.at(host);
    held.erase(host);
    context.return_gate(*this, gate);
  }
  std::map<HostId, GateId> held;

 private:
  std::size_t gates_;
};

struct Gated {
  explicit Gated(std::size_t gates) : pool(64) {
    NicPolicies policies;
    policies.congestion_control = std::make_unique<TestCongestion>();
    policies.loss_recovery = std::make_unique<TestRecovery>();
    auto made = std::make_unique<DestinationGates>(gates);
    policy = made.get();
    policies.flow_control.push_back(std::move(made));
    nic = std::make_unique<Nic>(pool, config_of(), std::move(policies));
  }
  QueuePairId open(std::uint32_t remote) {
    OpenSender spec = sending();
    spec.remote = HostId(remote);
    const QueuePairId number = nic->open_sender(Time(), spec);
    nic->connect_sender(number, QueuePairId(number.value + 1'000));
    nic->post(Time(), number, FlowId(0), 5_KB);
    return number;
  }
  /// The destinations of the next frames sent, with time advancing.
  std::vector<std::uint32_t> send(int most) {
    std::vector<std::uint32_t> out;
    for (int i = 0; i < most; ++i) {
      now += 1_us;
      const FrameId id = nic->transmit(now);
      if (!id.exists()) break;
      out.push_back(pool[id].destination.value);
      pool.release(id);
    }
    return out;
  }
  FramePool pool;
  Time now;
  DestinationGates* policy = nullptr;
  std::unique_ptr<Nic> nic;
};

TEST(NicGates, AreTakenForADestinationAndReturned) {
  Gated host(1);
  host.open(1);
  host.open(2);
  host.open(1);
  EXPECT_THAT(host.send(3), ElementsAre(1, 2, 1));
  ASSERT_TRUE(host.policy->hold(*host.nic, HostId(1)));
  host.open(1);
  EXPECT_THAT(host.send(3), ElementsAre(2, 2, 2)) << "those that open meanwhile are held too";
  EXPECT_FALSE(host.policy->hold(*host.nic, HostId(2))) << "there is one gate";
  host.policy->release(*host.nic, HostId(1));
  EXPECT_EQ(host.send(3).size(), 3u);
  ASSERT_TRUE(host.policy->hold(*host.nic, HostId(2))) << "it can be taken again";
  const std::vector<std::uint32_t> sent = host.send(20);
  EXPECT_THAT(sent, testing::Each(1u));
  EXPECT_GT(sent.size(), 5u);
}

TEST(NicGates, ThatWereReturnedHoldNobody) {
  Gated host(2);
  host.open(1);
  host.open(2);
  ASSERT_TRUE(host.policy->hold(*host.nic, HostId(1)));
  host.policy->release(*host.nic, HostId(1));
  ASSERT_TRUE(host.policy->hold(*host.nic, HostId(2)));
  EXPECT_THAT(host.send(3), ElementsAre(1, 1, 1)) << "it stood behind the gate that is closed now";
}

}  // namespace
}  // namespace weir::testing_nic::nic_buffer_test
