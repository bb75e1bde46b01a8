// SPDX-License-Identifier: Apache-2.0
// BFC in a switch: the fields written into frames, the reaction to pauses, and link failures.
#include "schemes/bfc/bfc_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "schemes/bfc/test_switch.h"

namespace weir::bfc::bfc_switch_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

// ---- fields for upstream neighbours ----

TEST(BfcFrames, NameTheQueueTheyLeave) {
  Lab lab;
  Frame& frame = lab.arrive(1, kIn, kOut, tag_of(9));
  const std::size_t number = lab.number(frame);
  EXPECT_EQ(lab.depart(frame).tag, tag_of(number)) << "[BFC-W-1]";
}

TEST(BfcFrames, KeepWhatTheirSenderSaysOfThem) {
  Lab lab;
  Frame& frame = lab.arrive(1, kIn, kOut, tag_of(9, true));
  const std::size_t number = lab.number(frame);
  EXPECT_EQ(lab.depart(frame).tag, tag_of(number, true));
}

// ---- reaction to pauses ----

TEST(BfcGates, CloseAndOpenByQueue) {
  Lab lab;
  lab.hear(kOut, true, 7);
  EXPECT_FALSE(lab.open(kOut, 7)) << "[BFC-R-1]";
  EXPECT_TRUE(lab.open(kOut, 6));
  EXPECT_TRUE(lab.open(kOut2, 7));
  lab.hear(kOut, true, 7);
  lab.hear(kOut, false, 7);
  EXPECT_TRUE(lab.open(kOut, 7)) << "a pause twice is a pause";
}

TEST(BfcGates, FollowABitmapWhateverWasLost) {
  Lab lab;
  lab.hear(kOut, true, 7);  // and its resume is lost, as is the pause of 8
  const std::vector<std::uint64_t> words = {std::uint64_t{1} << 8 | std::uint64_t{1} << 31};
  lab.hear(kOut, make_bitmap(lab.context.frames(), lab.context.framing(), words, 32));
  EXPECT_TRUE(lab.open(kOut, 7)) << "[BFC-R-2]";
  EXPECT_FALSE(lab.open(kOut, 8));
  EXPECT_FALSE(lab.open(kOut, 31));
}

TEST(BfcGates, DoNotFollowNonsense) {
  Lab lab;
  lab.hear(kOut, true, 32);
  lab.hear(kOut, true, 4'000);
  const std::vector<std::uint64_t> words(64, ~std::uint64_t{0});
  lab.hear(kOut2, make_bitmap(lab.context.frames(), lab.context.framing(), words, 4'096));
  for (std::size_t queue = 0; queue < lab.context.queues(); ++queue) {
    const QueueState& state = lab.context.queue(QueueId(queue));
    EXPECT_EQ(state.closed_by != 0, state.port == kOut2 && lab.policy.queues().owns(QueueId(queue))) << "[BFC-W-3]";
  }
  Frame other{};
  other.kind = FrameKind::hop_control;
  other.protocol = kProtocol + 1;
  EXPECT_FALSE(lab.policy.on_control(lab.context, kOut, other));
}

TEST(BfcGates, FollowNoNeighbourThatRunsNoBfc) {
  Lab lab;
  Frame& frame = lab.arrive(1);
  lab.context.port_state(kOut).peer.protocols.numbers.reset(kProtocol);
  lab.hear(kOut, true, lab.number(frame));
  EXPECT_TRUE(lab.open(kOut, lab.number(frame))) << "[BFC-D-2]";
}

// [BFC-D-5]
TEST(BfcMessages, AreAcceptedFromSwitchesForQueuesThatExist) {
  Lab lab;
  FramePool& frames = lab.context.frames();
  const auto verdict = [&](FrameId id) {
    const auto out = lab.policy.judge(lab.context, kOut, frames[id]);
    frames.release(id);
    return out;
  };
  const auto pause = [&](std::size_t queue) { return make_message(frames, lab.context.framing(), true, queue); };
  const auto bitmap = [&](std::size_t queues) {
    const std::vector<std::uint64_t> words(4);
    return make_bitmap(frames, lab.context.framing(), words, queues);
  };
  const std::size_t queues = lab.policy.queues().of_port();
  EXPECT_EQ(verdict(pause(0)), ControlVerdict::wrong_neighbour) << "the neighbours of a fake switch are hosts";
  lab.context.port_state(kOut).peer.host = HostId::none();
  EXPECT_EQ(verdict(pause(0)), ControlVerdict::accepted);
  EXPECT_EQ(verdict(pause(queues - 1)), ControlVerdict::accepted);
  EXPECT_EQ(verdict(pause(queues)), ControlVerdict::no_target);
  EXPECT_EQ(verdict(bitmap(queues)), ControlVerdict::accepted);
  const FrameId nothing = pause(0);
  frames[nothing].tag = 0;
  EXPECT_EQ(verdict(nothing), ControlVerdict::malformed);
  const FrameId unknown = pause(0);
  frames[unknown].tag_value = 77;
  EXPECT_EQ(verdict(unknown), ControlVerdict::malformed);
  const FrameId empty = bitmap(queues);
  frames[empty].sequence = 0;
  EXPECT_EQ(verdict(empty), ControlVerdict::malformed);
  EXPECT_EQ(
      verdict(make_message(frames, lab.context.framing(), true, FlowKey{HostId(1), HostId(2), 3}, QueuePairId(4))),
      ControlVerdict::not_spoken);
  const FrameId other = pause(0);
  frames[other].protocol = kProtocol + 1;
  EXPECT_EQ(verdict(other), std::nullopt);
  lab.context.port_state(kOut).peer.protocols.numbers.reset(kProtocol);
  EXPECT_EQ(verdict(pause(0)), ControlVerdict::not_spoken);
}

// ---- link failures ----

TEST(BfcLinks, ThatFailAreForgottenAtTheIngress) {
  Lab lab;
  std::vector<Frame*> before = overfill(lab, 1, kIn, kOut, tag_of(5));
  lab.policy.on_link(lab.context, kIn, false);
  lab.policy.on_link(lab.context, kIn, true);
  ASSERT_THAT(lab.context.hop_pauses(), SizeIs(2)) << "the pause has ended";
  EXPECT_EQ(lab.context.hop_pauses()[1].name, 5u);
  EXPECT_FALSE(lab.context.hop_pauses()[1].paused);
  lab.said();
  lab.wait(1_ms);
  EXPECT_THAT(lab.said(), IsEmpty()) << "[BFC-L-1]";
  Frame& after = lab.arrive(1, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::pause, ElementsAre(5))));
  for (Frame* frame : before) lab.depart(*frame);
  EXPECT_THAT(lab.said(), IsEmpty()) << "what came before is not counted any more";
  lab.depart(after);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::resume, ElementsAre(5))));
}

TEST(BfcLinks, ThatFlapWhileTheirQueueIsPausedStartAgain) {
  constexpr std::size_t kQueues = 16;  // with probability 1e-6, as many flows get as many queues by chance
  Lab lab({{"queues", static_cast<std::int64_t>(kQueues)}});
  std::vector<Frame*> frames;
  for (std::size_t number = 0; number < kQueues; ++number) {
    lab.hear(kOut, true, number);
    frames.push_back(&lab.arrive(static_cast<std::uint16_t>(number)));
  }
  for (const bool up : {false, true}) {
    for (std::size_t number = 0; number < kQueues; ++number) {
      lab.context.set_gate(lab.policy.queues().id(kOut, number), 0, true);
    }
    for (Frame* frame : frames) lab.drop(*frame);
    frames.clear();
    lab.policy.on_link(lab.context, kOut, up);
  }
  EXPECT_EQ(lab.policy.flows().frames(), 0u);
  lab.wait(1_ms);
  std::set<std::size_t> numbers;
  for (std::uint16_t flow = 0; flow < kQueues; ++flow) numbers.insert(lab.number(lab.arrive(flow)));
  EXPECT_THAT(numbers, SizeIs(kQueues)) << "[BFC-L-1] all are empty again: none is drawn at random";
}

}  // namespace
}  // namespace weir::bfc::bfc_switch_test
