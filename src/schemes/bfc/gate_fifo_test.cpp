// SPDX-License-Identifier: Apache-2.0
// The FIFO behind the gates: frames in it are sent despite pauses, frames before the gates are not.
#include "schemes/bfc/gate_fifo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

#include "schemes/bfc/test_switch.h"

namespace weir::bfc::gate_fifo_test {
namespace {

using namespace literals;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

/// A switch whose queues are lists; it moves frames from one queue into another as the core does.
struct FifoLab {
  explicit FifoLab(Bytes fifo, Values values = {}) : policy(Settings(parameters_with(with(fifo, std::move(values))))) {
    policy.attach(context);
    context.set_on_release([this](QueueId from) {
      const FrameId frame = pop(from);
      push(policy.on_leave(context, from, context.frames()[frame]), frame);
    });
  }
  static Values with(Bytes fifo, Values values) {
    values.emplace_back("gate_fifo", fifo);
    return values;
  }

  void push(QueueId id, FrameId frame) {
    lists[id].push_back(frame);
    count(id);
    policy.on_enter(context, id, context.frames()[frame]);
  }
  FrameId pop(QueueId id) {
    const FrameId frame = lists[id].front();
    lists[id].pop_front();
    count(id);
    return frame;
  }
  void count(QueueId id) {
    QueueState& queue = context.queue_state(id);
    queue.head = lists[id].empty() ? FrameId::none() : lists[id].front();
    queue.frames = static_cast<std::uint32_t>(lists[id].size());
    queue.bytes = 0;
    for (const FrameId frame : lists[id]) queue.bytes += context.frames()[frame].charged_bytes;
  }
  /// Frames of a flow arrive; returns the queue number of the last one.
  std::size_t arrive(std::uint16_t flow, int frames = 1, std::int64_t bytes = kFrame, std::uint16_t tag = 0) {
    QueueId id;
    for (int i = 0; i < frames; ++i) {
      Frame& frame = context.new_frame(kIn, kOut, kPriority);
      frame.entropy = flow;
      frame.tag = tag;
      frame.charged_bytes = static_cast<std::uint16_t>(bytes);
      id = policy.classify(context, frame);
      push(id, context.frames().id_of(frame));
      context.run_more();
    }
    return policy.queues().number(id, kOut);
  }
  /// Transmits up to this many frames; returns their flows.
  std::vector<std::uint16_t> transmit(int frames) {
    std::vector<std::uint16_t> flows;
    const QueueId fifo = policy.fifo().id(kOut, 0);
    for (int i = 0; i < frames && !lists[fifo].empty(); ++i) {
      const FrameId id = pop(fifo);
      Frame& frame = context.frames()[id];
      policy.on_depart(context, fifo, frame);
      flows.push_back(frame.entropy);
      last_tag = frame.tag;
      context.frames().release(id);
      context.run_more();
    }
    return flows;
  }
  void say(bool pause, std::size_t queue) {
    const FrameId id = make_message(context.frames(), context.framing(), pause, queue);
    policy.on_control(context, kOut, context.frames()[id]);
    context.frames().release(id);
    context.run_more();
  }
  [[nodiscard]] std::int64_t held() { return context.queue(policy.fifo().id(kOut, 0)).bytes; }

  FakeSwitch context{4, 1 << 12};
  BfcSwitch policy;
  std::map<QueueId, std::deque<FrameId>> lists;
  std::uint16_t last_tag = 0;
};

TEST(BfcGateFifo, SendsWhatHasPassedTheGateOfAQueueThatIsPaused) {
  FifoLab lab(Bytes(4 * kFrame));
  const std::size_t queue = lab.arrive(1, 10);
  EXPECT_EQ(lab.held(), 4 * kFrame) << "[BFC-R-3] it is as long as it may be";
  lab.say(true, queue);
  EXPECT_THAT(lab.transmit(10), ElementsAre(1, 1, 1, 1));
  lab.say(false, queue);
  EXPECT_THAT(lab.transmit(10), ElementsAre(1, 1, 1, 1, 1, 1));
}

TEST(BfcGateFifo, HoldsNoMoreThanItsBytesButOneFrameAlways) {
  FifoLab lab(Bytes(2 * kFrame + 500));
  lab.arrive(1, 10);
  EXPECT_EQ(lab.held(), 2 * kFrame);
  lab.arrive(2, 1, 400);
  EXPECT_EQ(lab.held(), 2 * kFrame) << "the head of the line is the first flow's";
  FifoLab small(Bytes(100));
  small.arrive(1, 3);
  EXPECT_EQ(small.held(), kFrame);
  EXPECT_THAT(small.transmit(9), ElementsAre(1, 1, 1));
}

TEST(BfcGateFifo, LetsOtherQueuesPassWhileOneIsPaused) {
  FifoLab lab(Bytes(2 * kFrame));
  const std::size_t queue = lab.arrive(1, 6);
  lab.say(true, queue);
  lab.arrive(2, 2);
  EXPECT_THAT(lab.transmit(9), ElementsAre(1, 1, 2, 2)) << "first in, first out, of what has passed";
  lab.say(false, queue);
  EXPECT_THAT(lab.transmit(9), ElementsAre(1, 1, 1, 1));
}

TEST(BfcGateFifo, IsFilledInTurnsByBytes) {
  FifoLab lab{Bytes(kFrame)};
  lab.arrive(1, 6);
  lab.arrive(2, 12, kFrame / 2);
  const std::vector<std::uint16_t> flows = lab.transmit(13);
  const auto second = std::count(flows.begin(), flows.end(), 2);
  EXPECT_GE(second, 7) << "two of its frames for each of the first's";
  EXPECT_LE(second, 9);
}

TEST(BfcGateFifo, FreesAQueueAndCountsItsFramesOffAtTheGate) {
  FifoLab lab(Bytes(100 * kFrame), {{"queues", std::int64_t{2}}, {"empty_queue", std::string("rotating")}});
  const std::size_t queue = lab.arrive(1, 60, kFrame, tag_of(1));
  EXPECT_THAT(lab.context.sent(), IsEmpty()) << "nothing stands before the gates, so nothing is over the threshold";
  EXPECT_NE(lab.arrive(2), queue);
  EXPECT_THAT(lab.transmit(61), testing::SizeIs(61));
  EXPECT_EQ(lab.last_tag, tag_of(1 - queue)) << "[BFC-W-1] the queue that it passed the gate of";
}

TEST(BfcGateFifo, LeavesWhatIsBeforeTheGatesToPauseTheNeighbour) {
  FifoLab lab(Bytes(4 * kFrame));
  lab.arrive(1, 30, kFrame, tag_of(1));
  ASSERT_THAT(lab.context.hop_pauses(), testing::SizeIs(1)) << "26 frames are longer than a hop's product";
  EXPECT_THAT(lab.transmit(30), Each(1));
  ASSERT_THAT(lab.context.hop_pauses(), testing::SizeIs(2));
  EXPECT_FALSE(lab.context.hop_pauses().back().paused);
}

TEST(BfcGateFifo, StartsAgainWithTheLink) {
  FifoLab lab(Bytes(2 * kFrame));
  lab.say(true, lab.arrive(1, 6));
  for (auto& [id, list] : lab.lists) {
    while (!list.empty()) {
      const FrameId frame = lab.pop(id);
      lab.policy.on_drop(lab.context, id, lab.context.frames()[frame], DropReason::link_down);
      lab.context.frames().release(frame);
    }
    lab.context.queue_state(id).closed_by = 0;
  }
  lab.policy.on_link(lab.context, kOut, false);
  lab.policy.on_link(lab.context, kOut, true);
  EXPECT_EQ(lab.policy.fifo().ready(kOut), 0u);
  lab.arrive(1, 3);
  EXPECT_THAT(lab.transmit(9), ElementsAre(1, 1, 1)) << "[BFC-L-1]";
}

}  // namespace
}  // namespace weir::bfc::gate_fifo_test
