// SPDX-License-Identifier: Apache-2.0
#include "sim/active_flows.h"

#include <gtest/gtest.h>

#include "policy/testing/fake_switch.h"

namespace weir::active_flows_test {
namespace {

/// A switch with two ports whose queues are filled by a test.
class ActiveFlowsTest : public testing::Test {
 protected:
  /// Appends a data frame of a queue pair to a queue.
  Frame& put(QueueId queue, PortId egress, std::uint32_t destination, std::uint32_t queue_pair) {
    Frame& frame = node_.new_frame(PortId(0), egress, 3);
    frame.destination = HostId(destination);
    frame.queue_pair = QueuePairId(queue_pair);
    QueueState& state = node_.queue_state(queue);
    const FrameId id = node_.frames().id_of(frame);
    if (state.head.exists()) {
      node_.frames()[state.tail].next = id;
    } else {
      state.head = id;
    }
    state.tail = id;
    return frame;
  }
  std::vector<std::int64_t> counted() {
    Histogram counts;
    flows_.count(node_, counts);
    EXPECT_EQ(counts.count(), 2U);  // ports
    return {counts.quantile(0.5), counts.maximum()};
  }

  FakeSwitch node_{2};
  ActiveFlows flows_;
};

TEST_F(ActiveFlowsTest, CountsQueuePairsNotFrames) {
  EXPECT_EQ(counted(), (std::vector<std::int64_t>{0, 0}));
  const QueueId queue = node_.default_queue(PortId(1), 3);
  for (int i = 0; i < 3; ++i) put(queue, PortId(1), 7, 1);
  EXPECT_EQ(counted(), (std::vector<std::int64_t>{0, 1}));
  put(queue, PortId(1), 7, 2);
  put(queue, PortId(1), 8, 1);  // the same number at another host
  EXPECT_EQ(counted(), (std::vector<std::int64_t>{0, 3}));
  put(node_.default_queue(PortId(0), 3), PortId(0), 7, 1);
  EXPECT_EQ(counted(), (std::vector<std::int64_t>{1, 3}));
}

TEST_F(ActiveFlowsTest, CountsAFlowOnceWhereverItWaits) {
  put(node_.default_queue(PortId(1), 3), PortId(1), 7, 1);
  put(node_.default_queue(PortId(1), 4), PortId(1), 7, 1);
  const QueueId voq = node_.new_queue({.service = Service::released});
  put(voq, PortId(1), 7, 1);
  put(voq, PortId(0), 6, 1);
  EXPECT_EQ(counted(), (std::vector<std::int64_t>{1, 1}));
}

TEST_F(ActiveFlowsTest, CountsNothingButData) {
  const QueueId queue = node_.default_queue(PortId(1), 3);
  put(queue, PortId(1), 7, 1).kind = FrameKind::ack;
  put(queue, PortId(1), 7, 2).kind = FrameKind::marker;
  put(queue, PortId(1), 7, 3);
  EXPECT_EQ(counted(), (std::vector<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace weir::active_flows_test
