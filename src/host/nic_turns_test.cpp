// SPDX-License-Identifier: Apache-2.0
// Queues of a flow control in the NIC, each shared by several queue pairs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_turns_test {
namespace {

using namespace literals;
using testing::Each;
using testing::ElementsAre;

/// Queue pairs of the two gates of a flow control whose gates are queues: 1 and 3 in the first, 2 in the second.
struct Shared {
  Shared() {
    host.flow_control[0]->behind = [](const SendState& sender) { return sender.number.index() % 2; };
    for (QueuePairId& number : numbers) number = host.open();
  }
  void post_each(int packets) {
    for (const QueuePairId number : numbers) host.post_packets(number, packets);
  }
  /// The queue pairs that send in the next `packets` packet times.
  std::vector<std::uint32_t> next(int packets) {
    host.sent.clear();
    host.run_for(kPacketTime * packets - 1_ns);
    return host.queue_pairs();
  }
  void hold(std::size_t sender, bool open) {
    host.act().set_gate(*host.nic->sender(numbers[sender]), host.flow_control[1]->owner, open);
  }
  TestNic host{config_of(), 4096, true};
  std::array<QueuePairId, 3> numbers;
};

TEST(NicTurns, OfAGateAreSharedByItsQueuePairs) {
  Shared shared;
  shared.post_each(20);
  EXPECT_THAT(shared.next(8), ElementsAre(1, 2, 3, 2, 1, 2, 3, 2));
}

TEST(NicTurns, OfAQueuePairAreItsOwnWhereGatesTakeNone) {
  TestNic host;
  host.flow_control[0]->behind = [](const SendState& sender) { return sender.number.index() % 2; };
  for (int i = 0; i < 3; ++i) host.post_packets(host.open(), 2);
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.queue_pairs(), ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST(NicTurns, AreEqualInBytes) {
  Shared shared;
  for (int i = 0; i < 400; ++i) shared.host.post(shared.numbers[0], 250);
  shared.host.post_packets(shared.numbers[1], 400);
  shared.host.run_for(kPacketTime * 100);
  std::map<std::uint32_t, std::int64_t> bytes;
  for (const TestNic::Sent& one : shared.host.sent) bytes[one.frame.queue_pair.value - 1'000] += one.frame.frame_bytes;
  EXPECT_NEAR(static_cast<double>(bytes[1]), static_cast<double>(bytes[2]), 2.0 * 1'066);
}

TEST(NicTurns, StayWithTheOthersWhenOneIsHeld) {
  Shared shared;
  shared.post_each(40);
  shared.next(4);
  shared.hold(0, false);
  shared.next(2);
  EXPECT_THAT(shared.next(4), testing::UnorderedElementsAre(2, 3, 2, 3));
  shared.hold(2, false);
  shared.next(2);
  EXPECT_THAT(shared.next(4), Each(2));
  shared.hold(0, true);
  shared.hold(2, true);
  shared.next(2);
  EXPECT_THAT(shared.next(4), testing::UnorderedElementsAre(1, 2, 2, 3));
}

TEST(NicTurns, AreNotTakenWhileTheGateIsClosed) {
  Shared shared;
  shared.post_each(40);
  shared.next(3);
  shared.host.act().set_gate(shared.host.flow_control[0]->gates[0], false);
  shared.next(1);
  EXPECT_THAT(shared.next(4), Each(2));
  shared.host.act().set_gate(shared.host.flow_control[0]->gates[0], true);
  shared.next(1);
  EXPECT_THAT(shared.next(4), testing::UnorderedElementsAre(1, 2, 2, 3));
}

TEST(NicTurns, AreThoseOfTheGateThatAQueuePairMovesTo) {
  Shared shared;
  shared.post_each(40);
  shared.next(4);
  NicContext& nic = shared.host.act();
  nic.move_to_gate(*shared.host.nic->sender(shared.numbers[2]), *shared.host.flow_control[0],
                   shared.host.flow_control[0]->gates[1]);
  shared.next(2);
  EXPECT_THAT(shared.next(4), testing::UnorderedElementsAre(1, 1, 2, 3));
  nic.move_to_gate(*shared.host.nic->sender(shared.numbers[1]), *shared.host.flow_control[0], GateId::none());
  shared.next(3);
  EXPECT_THAT(shared.next(3), testing::UnorderedElementsAre(1, 2, 3));
}

TEST(NicTurns, AreTheGatesThoughTheQueuePairInTurnIsHeld) {
  Shared shared;
  shared.post_each(20);
  shared.next(4);  // 1, 2, 3, 2: next is 1
  shared.hold(0, false);
  EXPECT_THAT(shared.next(2), ElementsAre(3, 2));
}

TEST(NicTurns, GoOnWhenOneThatWaitsCloses) {
  Shared shared;
  shared.post_each(40);
  shared.next(4);  // next is 1, and 3 waits
  shared.host.nic->close_sender(shared.host.now, shared.numbers[2]);
  EXPECT_THAT(shared.next(4), ElementsAre(1, 2, 1, 2));
}

TEST(NicTurns, AreAsLongAsFramesWithWhatSchemesAdd) {
  NicConfig config = config_of();
  config.maximum_frame = 1'066 + 42;
  TestNic host(config, 4096, true);
  host.congestion->sent = [](SendState&, Frame& frame) {
    frame.frame_bytes = static_cast<std::uint16_t>(frame.frame_bytes + 42);
  };
  host.flow_control[0]->behind = [](const SendState& sender) { return sender.number.index() % 2; };
  const std::array numbers = {host.open(), host.open(), host.open()};
  host.post_packets(numbers[0], 1'000);
  while (host.sent.size() < 998) host.run_for(kPacketTime);
  // Those of the first gate have been sending long frames, and continue with short ones.
  for (int i = 0; i < 3'000; ++i) host.post(numbers[2], 100);
  host.post_packets(numbers[1], 400);
  host.run_for(kPacketTime * 20);
  host.sent.clear();
  host.run_for(kPacketTime * 40);
  std::map<std::uint32_t, std::int64_t> bytes;
  for (const TestNic::Sent& each : host.sent) bytes[each.frame.queue_pair.value - 1'000] += each.frame.frame_bytes;
  EXPECT_NEAR(static_cast<double>(bytes[2]), static_cast<double>(bytes[3]), 2.0 * 1'108);
}

TEST(NicTurns, GoOnWhenTheQueuePairInTurnCloses) {
  Shared shared;
  shared.post_each(40);
  shared.next(3);
  for (const std::size_t closing : {0u, 2u}) {
    shared.host.nic->close_sender(shared.host.now, shared.numbers[closing]);
    shared.next(2);
    const auto after = shared.next(4);
    if (closing == 0) {
      EXPECT_THAT(after, testing::UnorderedElementsAre(2, 2, 3, 3));
    } else {
      EXPECT_THAT(after, Each(2));
    }
  }
}

TEST(NicTurns, AreNoneWhereTheLeastRemainingGoesFirst) {
  NicConfig config = config_of();
  config.shortest_remaining_first = true;
  TestNic host(config, 4096, true);
  host.flow_control[0]->behind = [](const SendState&) { return 0; };
  host.post_packets(host.open(), 3);
  host.post_packets(host.open(), 2);
  host.post_packets(host.open(), 1);
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.queue_pairs(), ElementsAre(3, 2, 2, 1, 1, 1));
}

}  // namespace
}  // namespace weir::testing_nic::nic_turns_test
