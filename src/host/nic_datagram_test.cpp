// SPDX-License-Identifier: Apache-2.0
// Datagram queue pairs: a local queue, gates and pacing, no sequence numbers, no acknowledgements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_datagram_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;

struct Host : TestNic {
  QueuePairId open_datagrams(std::int64_t limit = 10'000) {
    OpenSender spec = sending();
    spec.datagram_queue = limit;
    return open(spec);
  }
  bool hand_in(QueuePairId number, std::uint16_t bytes = 1'066, std::uint16_t entropy = 0) {
    const FrameId id = pool.allocate();
    pool[id].frame_bytes = bytes;
    pool[id].payload_bytes = static_cast<std::uint16_t>(bytes - 66);
    pool[id].entropy = entropy;
    pool[id].set_ecn(Ecn::capable);
    return nic->send_datagram(now, number, id);
  }
};

TEST(NicDatagram, GoesAsItWasHandedIn) {
  Host host;
  const QueuePairId number = host.open_datagrams();
  EXPECT_TRUE(host.hand_in(number, 200, 5));
  EXPECT_TRUE(host.hand_in(number, 900, 6));
  host.run_for(1_us);
  ASSERT_EQ(host.sent.size(), 2u);
  const Frame& frame = host.sent[1].frame;
  EXPECT_EQ(frame.kind, FrameKind::datagram);
  EXPECT_EQ(frame.frame_bytes, 900);
  EXPECT_EQ(frame.entropy, 6) << "the flow's own";
  EXPECT_EQ(frame.destination, HostId(1));
  EXPECT_EQ(frame.priority, kPriority);
  EXPECT_FALSE(frame.wants_ack());
  host.run_for(100_ms);
  EXPECT_EQ(host.sent.size(), 2u) << "nothing is sent again";
  EXPECT_THAT(host.completions(), IsEmpty());
  EXPECT_EQ(host.pool.in_use(), 0u);
}

TEST(NicDatagram, IsDroppedAndCountedWhenTheQueueIsFull) {
  Host host;
  const QueuePairId number = host.open_datagrams(3'000);
  EXPECT_TRUE(host.hand_in(number));
  EXPECT_TRUE(host.hand_in(number));
  EXPECT_FALSE(host.hand_in(number)) << "3,198 of 3,000 bytes";
  EXPECT_TRUE(host.hand_in(number, 868));
  EXPECT_EQ(host.nic->datagrams_dropped(), 1u);
  host.run_for(1_us);
  EXPECT_EQ(host.sent.size(), 3u);
  EXPECT_TRUE(host.hand_in(number)) << "there is room again";
  EXPECT_FALSE(host.hand_in(QueuePairId(77)));
  EXPECT_EQ(host.nic->datagrams_dropped(), 2u);
}

TEST(NicDatagram, IsPacedByTheCongestionControl) {
  Host host;
  const QueuePairId number = host.open_datagrams();
  host.nic->sender(number)->rate = BitRate(10'000'000'000);
  host.act();
  for (int i = 0; i < 3; ++i) host.hand_in(number);
  host.run_for(5_us);
  const std::vector<Time> times = host.times();
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[2] - times[1], 10 * kPacketTime);
  host.receive(FrameKind::cnp, number);
  EXPECT_EQ(host.nic->strays(), 0u) << "notifications find it";
}

TEST(NicDatagram, WaitsBehindGates) {
  Host host;
  host.flow_control[0]->behind = [](const SendState&) { return std::size_t{1}; };
  const QueuePairId number = host.open_datagrams();
  host.act().set_gate(host.flow_control[0]->gates[1], false);
  host.hand_in(number);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty());
  EXPECT_EQ(host.nic->frames_held(), 1u);
  host.act().set_gate(host.flow_control[0]->gates[1], true);
  host.run_for(1_us);
  EXPECT_EQ(host.sent.size(), 1u);
  EXPECT_EQ(host.sent[0].frame.tag, 7) << "the flow control marks it";
}

TEST(NicDatagram, SharesTheLinkWithConnections) {
  Host host;
  const QueuePairId datagrams = host.open_datagrams();
  const QueuePairId connection = host.open();
  for (int i = 0; i < 3; ++i) host.hand_in(datagrams);
  host.post_packets(connection, 3);
  host.run_for(1_us);
  EXPECT_THAT(host.queue_pairs(), ElementsAre(1, 2, 1, 2, 1, 2));
}

TEST(NicDatagram, EndsWithItsQueuePair) {
  Host host;
  const QueuePairId number = host.open_datagrams();
  for (int i = 0; i < 4; ++i) host.hand_in(number);
  host.run_for(1_ns);
  host.nic->stop(host.now, number);
  EXPECT_FALSE(host.hand_in(number));
  EXPECT_EQ(host.nic->datagrams_dropped(), 4u);
  host.nic->close_sender(host.now, number);
  EXPECT_EQ(host.pool.in_use(), 0u);
  const QueuePairId next = host.open_datagrams(2'000);
  EXPECT_TRUE(host.hand_in(next)) << "a queue that was used before is empty";
  EXPECT_FALSE(host.hand_in(next));
}

TEST(NicDatagram, IsKeptForWhoeverTakesIt) {
  Host host;
  OpenReceiver spec;
  spec.remote = HostId(1);
  spec.datagrams = true;
  const QueuePairId number = host.nic->open_receiver(host.now, spec);
  host.nic->connect_receiver(number, QueuePairId(2'001));
  int seen = 0;
  host.congestion->received = [&](NicContext&, ReceiveState&, Frame& frame, Frame* reply) {
    EXPECT_EQ(frame.ecn(), Ecn::congestion_experienced);
    EXPECT_EQ(reply, nullptr);
    ++seen;
  };
  const auto come = [&](QueuePairId to, std::uint32_t source) {
    host.receive(FrameKind::datagram, to, 0, [&](Frame& frame) {
      frame.source = HostId(source);
      frame.payload_bytes = 4;
      frame.set_ecn(Ecn::congestion_experienced);
    });
  };
  come(number, 1);
  come(number, 2);
  come(QueuePairId(99), 1);
  come(host.open_receiver(), 1);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(host.nic->strays(), 3u) << "another host's, nobody's, and that of a connection";
  const FrameId taken = host.nic->take_datagram();
  ASSERT_TRUE(taken.exists());
  EXPECT_EQ(host.pool[taken].payload_bytes, 4);
  host.pool.release(taken);
  EXPECT_FALSE(host.nic->take_datagram().exists());
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty()) << "no acknowledgement";
}

}  // namespace
}  // namespace weir::testing_nic::nic_datagram_test
