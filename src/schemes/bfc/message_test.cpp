// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/message.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "wire/emit.h"
#include "wire/parse.h"

namespace weir::bfc::message_test {
namespace {

class BfcMessage : public testing::Test {
 protected:
  /// The same frame after it has crossed a link as bytes; `whole`: its length field is exact, to the last byte.
  const Frame& across(const Frame& frame, bool whole = true) {
    bytes_.resize(2'048);
    const auto length = emit(frames_, frame, default_envelope(frame), {}, Fcs::present, bytes_);
    EXPECT_TRUE(length);
    EXPECT_LE(*length, frame.frame_bytes);
    if (whole) {
      EXPECT_EQ(*length, frame.frame_bytes);
    }
    const auto parsed = parse(frames_, std::span(bytes_).first(*length), Fcs::present);
    EXPECT_TRUE(parsed);
    return frames_[parsed->id];
  }
  static constexpr Framing kFraming = Framing::rocev2();
  FramePool frames_{64};
  std::vector<std::byte> bytes_;
};

TEST_F(BfcMessage, SaysPauseAndResumeOfOneQueue) {
  for (const bool pause : {true, false}) {
    const Frame& frame = frames_[make_message(frames_, kFraming, pause, 77)];
    const auto said = read_message(frames_, across(frame), 128);  // [BFC-W-2]
    ASSERT_TRUE(said);
    EXPECT_EQ(said->say, pause ? Say::pause : Say::resume);
    EXPECT_EQ(said->queue, 77u);
  }
}

TEST_F(BfcMessage, SaysAllQueuesInABitmap) {
  for (const std::size_t queues : {2u, 32u, 64u, 65u, 128u, 1024u, 4096u}) {
    std::vector<std::uint64_t> words((queues + 63) / 64);
    for (const std::size_t queue : {std::size_t{1}, queues / 2, queues - 1}) {
      words[queue / 64] |= std::uint64_t{1} << (queue % 64);
    }
    const Frame& frame = frames_[make_bitmap(frames_, kFraming, words, queues)];
    const auto said = read_message(frames_, across(frame), queues);  // [BFC-W-2]
    ASSERT_TRUE(said);
    EXPECT_EQ(said->say, Say::bitmap);
    ASSERT_EQ(said->queues, queues);
    for (std::size_t queue = 0; queue < queues; ++queue) {
      EXPECT_EQ(said->paused(queue), (words[queue / 64] >> (queue % 64) & 1) != 0) << queue << " of " << queues;
    }
  }
}

TEST_F(BfcMessage, TakesNoMoreBytesThanItSays) {
  const std::vector<std::uint64_t> none(2);
  const FrameId id = make_bitmap(frames_, kFraming, none, 128);
  EXPECT_EQ(frames_[id].frame_bytes, 14 + 4 + 32 + 16 + 4);
  EXPECT_EQ(bitmap_bytes(kFraming, 128), frames_[id].frame_bytes);
  const auto said = read_message(frames_, across(frames_[id], false), 128);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->queues, 128u) << "bytes that are all zero need not cross";
  for (std::size_t queue = 0; queue < 128; ++queue) EXPECT_FALSE(said->paused(queue));
}

TEST_F(BfcMessage, BecomesABitmapWhereItWaits) {
  Frame& frame = frames_[make_message(frames_, kFraming, true, 3)];
  const std::vector<std::uint64_t> words = {0b1010};
  ASSERT_TRUE(turn_into_bitmap(frames_, kFraming, frame, words, 32));
  ASSERT_TRUE(turn_into_bitmap(frames_, kFraming, frame, std::vector<std::uint64_t>{0b10}, 32)) << "and another";
  const auto said = read_message(frames_, across(frame), 32);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->say, Say::bitmap);
  EXPECT_TRUE(said->paused(1));
  EXPECT_FALSE(said->paused(3));
}

TEST_F(BfcMessage, NamesAFlow) {
  const FlowKey flow{HostId(3), HostId(9), 0xc123};
  const Frame& frame = frames_[make_message(frames_, kFraming, true, flow, QueuePairId(0x42))];
  const auto said = read_message(frames_, across(frame), 32);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->say, Say::pause_flow);
  EXPECT_EQ(said->flow, flow);
  EXPECT_EQ(said->queue_pair, QueuePairId(0x42));
}

TEST_F(BfcMessage, LooksAtNoQueueThatThereIsNot) {
  Frame& pause = frames_[make_message(frames_, kFraming, true, 32)];
  EXPECT_FALSE(read_message(frames_, pause, 32)) << "[BFC-W-3]";
  pause.tag = 0;
  EXPECT_FALSE(read_message(frames_, pause, 32));
  Frame& bitmap = frames_[make_bitmap(frames_, kFraming, std::vector<std::uint64_t>(64, ~0ull), 4096)];
  EXPECT_EQ(read_message(frames_, bitmap, 32)->queues, 32u);
  bitmap.sequence = 5;
  EXPECT_EQ(read_message(frames_, bitmap, 32)->queues, 5u);
  Frame& short_one = frames_[make_bitmap(frames_, kFraming, std::vector<std::uint64_t>{1}, 32)];
  short_one.sequence = 100'000;
  EXPECT_EQ(read_message(frames_, short_one, 4096)->queues, FramePool::kShortExtension * 8);
}

TEST_F(BfcMessage, IsNobodyElses) {
  Frame& frame = frames_[make_message(frames_, kFraming, true, 1)];
  frame.protocol = kProtocol + 1;
  EXPECT_FALSE(read_message(frames_, frame, 32));
  frame.protocol = kProtocol;
  frame.tag_value = 99;
  EXPECT_FALSE(read_message(frames_, frame, 32));
  frame.tag_value = static_cast<std::uint32_t>(Say::pause);
  frame.kind = FrameKind::host_control;
  EXPECT_FALSE(read_message(frames_, frame, 32));
}

TEST_F(BfcMessage, IsNotMadeFromAnEmptyPool) {
  FramePool empty(1);
  const FrameId only = empty.allocate();
  EXPECT_FALSE(make_message(empty, kFraming, true, 1).exists());
  EXPECT_FALSE(make_bitmap(empty, kFraming, std::vector<std::uint64_t>{1}, 32).exists());
  empty.release(only);
  EXPECT_TRUE(make_message(empty, kFraming, true, 1).exists());
}

TEST(BfcTag, NamesAQueueOrNone) {
  EXPECT_EQ(queue_in(tag_of(31), 32), 31u);  // [BFC-W-1]
  EXPECT_EQ(queue_in(tag_of(31, true), 32), 31u);
  EXPECT_EQ(queue_in(tag_of(32), 32), std::nullopt);
  EXPECT_EQ(queue_in(0, 32), std::nullopt);
  EXPECT_EQ(queue_in(kIncastBit, 32), std::nullopt);
}

RC_GTEST_PROP(BfcTag, NeverNamesAQueueThatThereIsNot, (std::uint16_t tag)) {
  const auto queues = *rc::gen::inRange<std::size_t>(1, 4'097);
  const auto queue = queue_in(tag, queues);
  RC_ASSERT(queue.value_or(0) < queues);
}

}  // namespace
}  // namespace weir::bfc::message_test
