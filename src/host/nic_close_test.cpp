// SPDX-License-Identifier: Apache-2.0
// The sender half: state that remains of a closed queue pair.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_close_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(NicClose, LeavesNobodyForLateFrames) {
  TestNic host;
  const QueuePairId number = host.open();
  host.act().arm(*host.nic->sender(number), at_time(5_us));
  host.post_packets(number, 100);
  host.run_until(at_time(500_ns));
  host.nic->close_sender(host.now, number);
  host.sent.clear();
  EXPECT_THAT(host.flow_control[0]->closed, ElementsAre(number));
  EXPECT_EQ(host.nic->open_senders(), 0u);
  EXPECT_EQ(host.nic->sender(number), nullptr);
  EXPECT_EQ(host.nic->sender_to(HostId(1), QueuePairId(1'001)), nullptr);
  host.acknowledge(number, 3);
  host.receive(FrameKind::nack, number, 3);
  host.receive(FrameKind::cnp, number);
  EXPECT_EQ(host.nic->strays(), 3u);
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.sent, IsEmpty());
  EXPECT_THAT(host.congestion->timers, IsEmpty());
  EXPECT_EQ(host.nic->next_deadline(), Time::never());
}

TEST(NicClose, GivesTheNextQueuePairAnotherNumber) {
  TestNic host;
  const QueuePairId first = host.open();
  host.post_packets(first, 3);
  host.run_until(at_time(1_us));
  host.nic->close_sender(host.now, first);
  const QueuePairId second = host.open();
  EXPECT_NE(first, second);
  host.post_packets(second, 3);
  host.run_for(1_us);
  host.acknowledge(first, 3);  // of the closed one
  EXPECT_EQ(host.nic->strays(), 1u);
  EXPECT_EQ(host.sender(second).unacknowledged, 0u);
  EXPECT_THAT(host.completions(), IsEmpty());
}

TEST(NicClose, StartsTheNextQueuePairAfresh) {
  TestNic host;
  host.congestion->cnp = [](SendState& sender) { sender.rate = 1_Mbps; };
  const QueuePairId first = host.open(sending(1'000));
  host.post_packets(first, 3);
  host.run_until(at_time(100_ns));
  host.receive(FrameKind::cnp, first);
  host.nic->close_sender(host.now, first);
  host.sent.clear();
  const QueuePairId second = host.open();
  host.post_packets(second, 2);
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1));
  EXPECT_EQ(host.sender(second).rate, 100_Gbps);
}

}  // namespace
}  // namespace weir::testing_nic::nic_close_test
