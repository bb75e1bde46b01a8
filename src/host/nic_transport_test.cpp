// SPDX-License-Identifier: Apache-2.0
// A transport in place of congestion control and loss recovery: the calls to it, and the services of the NIC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_transport_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint8_t kProtocol = 77;

/// Sends the packets in a test's list, and records its calls.
class ListTransport final : public Transport {
 public:
  struct Entry {
    QueuePairId sender;
    std::uint32_t sequence;
    Priority priority;
  };

  [[nodiscard]] std::size_t sender_bytes() const override { return 8; }
  [[nodiscard]] std::size_t receiver_bytes() const override { return 8; }
  void attach(TransportContext& context) override { timer = context.new_timer(*this); }
  void open(TransportContext&, SendState& sender) override { sender.congestion.emplace<std::uint64_t>() = 5; }
  void open(TransportContext&, ReceiveState& receiver) override { receiver.congestion.emplace<std::uint64_t>() = 6; }
  void on_close(TransportContext&, SendState&) override { said.emplace_back("sender closed"); }
  void on_close(TransportContext&, ReceiveState&) override { said.emplace_back("receiver closed"); }
  void on_post(TransportContext&, SendState&, const MessageView& message) override { posted.push_back(message); }
  void on_stop(TransportContext&, SendState& sender) override {
    said.push_back("stopped at " + std::to_string(sender.end));
  }
  ChosenPacket choose(TransportContext& context, Priority priority) override {
    ++asked;
    for (auto at = list.begin(); at != list.end(); ++at) {
      SendState* sender = context.sender(at->sender);
      if (at->priority != priority || context.is_held(*sender)) continue;
      const std::uint32_t sequence = at->sequence;
      list.erase(at);
      return {sender, sequence};
    }
    return {};
  }
  void on_sent(TransportContext&, SendState&, Frame& frame) override { frame.entropy = 42; }
  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    said.push_back("data " + std::to_string(data.sequence));
    context.keep(receiver, data.payload_bytes);
    if (data.ends_message()) context.complete_message(receiver);
  }
  void on_returned(TransportContext&, SendState&, const Frame& data) override {
    said.push_back("returned " + std::to_string(data.sequence));
  }
  void on_acknowledgement(TransportContext& context, SendState& sender, const Frame& frame) override {
    context.acknowledge(sender, frame.sequence);
  }
  bool on_feedback(TransportContext&, const Frame& frame) override {
    said.push_back("protocol " + std::to_string(frame.protocol));
    return frame.protocol == kProtocol;
  }
  void on_sender_timer(TransportContext&, SendState&) override { said.emplace_back("sender's timer"); }
  void on_receiver_timer(TransportContext&, ReceiveState&) override { said.emplace_back("receiver's timer"); }
  void on_timer(TransportContext&, TimerId which) override {
    said.emplace_back(which == timer ? "own timer" : "another's timer");
  }
  void on_gates(TransportContext& context) override {
    ++gates;
    offer_all(context);
  }
  void offer_all(TransportContext& context) const {
    for (Priority priority = 0; priority < kPriorities; ++priority) {
      context.offer(priority, std::any_of(list.begin(), list.end(),
                                          [&](const Entry& entry) { return entry.priority == priority; }));
    }
  }

  TimerId timer;
  std::deque<Entry> list;
  std::vector<MessageView> posted;
  std::vector<std::string> said;
  int asked = 0;
  int gates = 0;
};

struct Host : TestNic {
  explicit Host(const NicConfig& config = config_of(), std::size_t frames = 4096)
      : Host(config, frames, new ListTransport()) {}
  Host(const NicConfig& config, std::size_t frames, ListTransport* made)
      : TestNic(config, frames, false, std::unique_ptr<Transport>(made)), transport(made) {}
  void send(QueuePairId number, std::uint32_t sequence, Priority priority = kPriority) {
    transport->list.push_back({number, sequence, priority});
    transport->offer_all(act());
  }
  ListTransport* transport;
};

TEST(NicTransport, SendsWhatItChooses) {
  Host host;
  const QueuePairId first = host.open();
  const QueuePairId second = host.open();
  host.post(first, 2'500);
  host.post(second, 1'000);
  ASSERT_EQ(host.transport->posted.size(), 2u);
  EXPECT_EQ(host.transport->posted[0].end, 3u);
  EXPECT_EQ(host.transport->posted[0].size, 2'500);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty()) << "nothing was offered";
  host.send(first, 0);
  host.send(second, 0);
  host.send(first, 1);
  host.send(first, 2);
  host.run_for(1_us);
  ASSERT_EQ(host.sent.size(), 4u);
  EXPECT_EQ(host.sent[3].frame.payload_bytes, 500);
  EXPECT_TRUE(host.sent[3].frame.ends_message());
  EXPECT_EQ(host.sent[0].frame.entropy, 42) << "on_sent has the last word";
  EXPECT_EQ(host.sent[1].at - host.sent[0].at, kPacketTime) << "at the rate of the link";
  EXPECT_THAT(host.queue_pairs(), ElementsAre(1, 2, 1, 1));
  EXPECT_EQ(host.sender(first).next_bytes, 2'500);
}

TEST(NicTransport, HasPrioritiesByPacket) {
  Host host;
  const QueuePairId first = host.open();
  const QueuePairId second = host.open();
  host.post_packets(first, 2);
  host.post_packets(second, 1);
  host.transport->list = {{first, 0, 1}, {first, 1, 1}, {second, 0, 6}};
  host.transport->offer_all(host.act());
  host.run_for(1_us);
  ASSERT_EQ(host.sent.size(), 3u);
  EXPECT_EQ(host.sent[0].frame.priority, 6);
  EXPECT_EQ(host.sent[1].frame.priority, 1);
  EXPECT_THAT(host.queue_pairs(), ElementsAre(2, 1, 1)) << "the highest priority goes first";
}

TEST(NicTransport, IsAskedAgainOnlyForWhatItOffers) {
  Host host;
  const QueuePairId number = host.open();
  host.post_packets(number, 1);
  host.act().offer(kPriority, true);
  host.run_for(1_us);
  EXPECT_EQ(host.transport->asked, 1) << "it had none after all";
  host.run_for(1_ms);
  EXPECT_EQ(host.transport->asked, 1);
}

TEST(NicTransport, CountsWhatIsSentAgain) {
  Host host;
  const QueuePairId number = host.open();
  host.post_packets(number, 3);
  for (const std::uint32_t sequence : {0u, 1u, 0u, 2u}) host.send(number, sequence);
  host.run_for(1_us);
  ASSERT_EQ(host.sent.size(), 4u);
  EXPECT_TRUE(host.sent[2].frame.retransmitted());
  EXPECT_FALSE(host.sent[3].frame.retransmitted());
  EXPECT_EQ(host.nic->retransmitted(), 1u);
  EXPECT_EQ(host.sender(number).highest_sent, 3u);
}

TEST(NicTransport, CompletesMessagesInOrder) {
  Host host;
  const QueuePairId number = host.open();
  host.post_packets(number, 2, 7);
  host.post_packets(number, 1, 8);
  EXPECT_EQ(host.nic->message_of(host.sender(number), 2).first, 2u);
  EXPECT_EQ(host.nic->message_of(host.sender(number), 1).size, 2'000);
  for (const std::uint32_t sequence : {0u, 1u, 2u}) host.send(number, sequence);
  host.run_for(1_us);
  host.acknowledge(number, 1);
  EXPECT_THAT(host.completions(), IsEmpty());
  host.acknowledge(number, 3);
  EXPECT_THAT(host.completions(), ElementsAre("acknowledged 7", "acknowledged 8"));
  host.acknowledge(number, 2);
  EXPECT_EQ(host.sender(number).unacknowledged, 3u) << "what is acknowledged stays so";
  EXPECT_EQ(host.sender(number).acknowledged_bytes, 3'000);
  host.acknowledge(number, 90);
  EXPECT_EQ(host.sender(number).unacknowledged, 3u) << "nothing beyond what was posted";
}

TEST(NicTransport, IgnoresAcknowledgementsOfWhatWasNeverSent) {
  Host host;
  const QueuePairId number = host.open();
  host.post_packets(number, 3, 7);
  host.send(number, 0);
  host.run_for(1_us);
  host.acknowledge(number, 2);
  EXPECT_EQ(host.sender(number).unacknowledged, 0u);
  host.acknowledge(number, 3);
  EXPECT_THAT(host.completions(), IsEmpty());
  host.acknowledge(number, 1);
  EXPECT_EQ(host.sender(number).unacknowledged, 1u);
}

TEST(NicTransport, HearsOfDataAndFeedback) {
  Host host;
  const QueuePairId number = host.open_receiver();
  host.data(number, 0);
  host.data(number, 2, [](Frame& frame) {
    frame.payload_bytes = 400;
    frame.set_ends_message(true);
  });
  host.data(number, 1);
  host.receive(FrameKind::host_control, number, 0, [](Frame& frame) { frame.protocol = kProtocol; });
  EXPECT_EQ(host.nic->strays(), 0u);
  host.receive(FrameKind::host_control, number, 0, [](Frame& frame) { frame.protocol = 5; });
  host.data(QueuePairId(99), 0);
  host.data(number, 3, [](Frame& frame) { frame.source = HostId(4); });
  EXPECT_THAT(host.transport->said, ElementsAre("data 0", "data 2", "data 1", "protocol 77", "protocol 5"));
  EXPECT_EQ(host.nic->strays(), 3u) << "a protocol of nobody's, no queue pair, not its remote host";
  EXPECT_THAT(host.completions(), ElementsAre("received"));
  EXPECT_EQ(host.nic->payload_kept(), 400);
  EXPECT_EQ(host.nic->out_of_order(), 1u);
}

TEST(NicTransport, HearsOfFramesThatComeBack) {
  Host host;
  const QueuePairId number = host.open();  // to 1,001 at host 1
  host.post_packets(number, 3);
  const auto back = [](Frame& frame) {
    frame.set_trimmed(true);
    frame.set_returned();
  };
  host.data(QueuePairId(1'001), 2, back);
  EXPECT_THAT(host.transport->said, ElementsAre("returned 2"));
  host.data(QueuePairId(1'002), 2, back);
  EXPECT_EQ(host.nic->strays(), 1u);
}

TEST(NicTransport, AloneKnowsWhatATrimmedFrameMeans) {
  TestNic host;
  const QueuePairId number = host.open_receiver();
  host.data(number, 0, [](Frame& frame) { frame.set_trimmed(true); });
  EXPECT_EQ(host.nic->data_received(), 0u);
  EXPECT_EQ(host.nic->strays(), 1u);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty());
}

TEST(NicTransport, FindsHalvesByTheirRemoteHalves) {
  Host host;
  const QueuePairId receiver = host.open_receiver();
  ASSERT_NE(host.nic->receiver_from(HostId(1), QueuePairId(2'001)), nullptr);
  EXPECT_EQ(host.nic->receiver_from(HostId(1), QueuePairId(2'001))->number, receiver);
  EXPECT_EQ(host.nic->receiver_from(HostId(2), QueuePairId(2'001)), nullptr);
  host.nic->close_receiver(host.now, receiver);
  EXPECT_EQ(host.nic->receiver_from(HostId(1), QueuePairId(2'001)), nullptr);
  OpenSender other = sending();
  other.remote = HostId(5);
  const QueuePairId a = host.open();
  const QueuePairId b = host.open(other);
  const QueuePairId c = host.open();
  const auto to = [&](std::uint32_t remote) {
    std::vector<QueuePairId> found;
    host.nic->for_each_sender_to(
        HostId(remote),
        [](void* out, SendState& sender) { static_cast<std::vector<QueuePairId>*>(out)->push_back(sender.number); },
        &found);
    return found;
  };
  EXPECT_THAT(to(1), ElementsAre(c, a));
  EXPECT_THAT(to(5), ElementsAre(b));
  EXPECT_THAT(to(2), IsEmpty());
  host.nic->close_sender(host.now, a);
  EXPECT_THAT(to(1), ElementsAre(c));
  host.nic->close_sender(host.now, c);
  EXPECT_THAT(to(1), IsEmpty());
}

TEST(NicTransport, SeesAllReceivers) {
  Host host;
  const QueuePairId first = host.open_receiver();
  const QueuePairId second = host.open_receiver(HostId(2));
  std::vector<QueuePairId> seen;
  host.nic->for_each_receiver(
      [](void* out, ReceiveState& receiver) {
        EXPECT_EQ(receiver.congestion.as<std::uint64_t>(), 6u);
        static_cast<std::vector<QueuePairId>*>(out)->push_back(receiver.number);
      },
      &seen);
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_THAT(seen, testing::UnorderedElementsAre(first, second));
}

TEST(NicTransport, HasTimersOfBothHalves) {
  Host host;
  const QueuePairId sender = host.open();
  const QueuePairId receiver = host.open_receiver();
  host.nic->arm(*host.nic->sender(sender), host.now + 3_us);
  host.nic->arm(*host.nic->receiver(receiver), host.now + 2_us);
  host.nic->arm(host.transport->timer, host.now + 1_us);
  host.run_for(5_us);
  EXPECT_THAT(host.transport->said, ElementsAre("own timer", "receiver's timer", "sender's timer"));
  host.nic->arm(*host.nic->receiver(receiver), host.now + 2_us);
  host.nic->close_receiver(host.now, receiver);
  host.run_for(5_us);
  EXPECT_EQ(host.transport->said.back(), "receiver closed");
}

TEST(NicTransport, WaitsForPausedPriorities) {
  Host host;
  const GateOwner owner = host.flow_control[0]->owner;
  const QueuePairId first = host.open();
  const QueuePairId second = host.open();
  host.post_packets(first, 1);
  host.post_packets(second, 1);
  host.act().set_priority_gate(1, owner, false);
  EXPECT_FALSE(host.nic->is_open(1));
  host.send(first, 0, 1);
  host.send(second, 0, 4);
  host.run_for(1_us);
  EXPECT_THAT(host.queue_pairs(), ElementsAre(2));
  host.act().set_priority_gate(1, owner, true);
  host.run_for(1_us);
  EXPECT_THAT(host.queue_pairs(), ElementsAre(1));
  EXPECT_EQ(host.transport->gates, 2);
}

TEST(NicTransport, LearnsOfHeldQueuePairs) {
  Host host;
  host.flow_control[1]->behind = [](const SendState&) { return std::size_t{0}; };
  const QueuePairId number = host.open();
  host.post_packets(number, 2);
  host.act().set_gate(host.flow_control[1]->gates[0], false);
  EXPECT_TRUE(host.nic->is_held(host.sender(number)));
  host.send(number, 0);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty());
  host.act().set_gate(host.flow_control[1]->gates[0], true);
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(0)) << "it was told, and offered";
  host.act().set_gate(*host.nic->sender(number), host.flow_control[0]->owner, false);
  EXPECT_TRUE(host.nic->is_held(host.sender(number)));
  host.act().set_gate(*host.nic->sender(number), host.flow_control[0]->owner, true);
  EXPECT_FALSE(host.nic->is_held(host.sender(number)));
}

TEST(NicTransport, IsToldOfStopsAndCloses) {
  Host host;
  const QueuePairId number = host.open();
  host.post_packets(number, 9, 3);
  host.send(number, 0);
  host.send(number, 1);
  host.run_for(1_us);
  host.nic->stop(host.now, number);
  EXPECT_THAT(host.transport->said, ElementsAre("stopped at 2"));
  host.acknowledge(number, 2);
  EXPECT_THAT(host.completions(), ElementsAre("stopped 3"));
  host.nic->close_sender(host.now, number);
  EXPECT_EQ(host.transport->said.back(), "sender closed");
}

TEST(NicTransport, MakesControlFramesToTheOtherHalf) {
  Host host;
  const QueuePairId sender = host.open();
  const QueuePairId receiver = host.open_receiver(HostId(3));
  const FrameId credit = host.act().new_control(*host.nic->receiver(receiver), kProtocol, 6);
  host.nic->send_to_host(credit);
  const FrameId request = host.act().new_control(host.sender(sender), kProtocol, 6);
  host.nic->send_to_host(request);
  host.run_for(1_us);
  ASSERT_EQ(host.sent.size(), 2u);
  EXPECT_EQ(host.sent[0].frame.destination, HostId(3));
  EXPECT_EQ(host.sent[0].frame.queue_pair, QueuePairId(2'001));
  EXPECT_EQ(host.sent[0].frame.kind, FrameKind::host_control);
  EXPECT_EQ(host.sent[0].frame.protocol, kProtocol);
  EXPECT_EQ(host.sent[1].frame.destination, HostId(1));
  EXPECT_EQ(host.sent[1].frame.queue_pair, QueuePairId(1'001));
}

TEST(NicTransport, KeepsItsChoiceWhenThePoolIsExhausted) {
  Host host(config_of(), 2);
  const QueuePairId number = host.open();
  host.post_packets(number, 1);
  const FrameId a = host.pool.allocate();
  const FrameId b = host.pool.allocate();
  ASSERT_TRUE(b.exists());
  host.send(number, 0);
  host.run_for(1_us);
  EXPECT_EQ(host.transport->asked, 0) << "a packet that is chosen must be sent";
  host.pool.release(a);
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(0));
  host.pool.release(b);
}

TEST(NicTransport, CarriesNoDatagrams) {
  Host host;
  OpenSender spec = sending();
  spec.datagram_queue = 1'000;
  EXPECT_FALSE(host.nic->open_sender(host.now, spec).exists());
}

}  // namespace
}  // namespace weir::testing_nic::nic_transport_test
