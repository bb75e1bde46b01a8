// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/message.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::floodgate::message_test {
namespace {

constexpr Framing kFraming = Framing::rocev2();

TEST(FloodgateMessage, SaysOneThingOfADestination) {
  FramePool frames(4);
  for (const Say say : {Say::credit, Say::syn, Say::pause, Say::resume}) {
    const FrameId id = make_message(frames, kFraming, say, {70'000, 139, kSequenceMask});
    EXPECT_EQ(frames[id].frame_bytes, 64);  // 22 and 32, padded
    EXPECT_TRUE(frames[id].is_hop_control());
    const auto message = read_message(frames, frames[id]);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->say, say);
    EXPECT_EQ(message->credit, (Credit{70'000, 139, kSequenceMask}));
    frames.release(id);
  }
}

TEST(FloodgateMessage, ListsCredits) {
  FramePool frames(4);
  for (const std::size_t count : {std::size_t{1}, std::size_t{9}, kMostListed}) {
    std::vector<Credit> credits;
    for (std::uint32_t i = 0; i < count; ++i) credits.push_back({i * 1'000'003, i + 1, kSequenceMask - i});
    const FrameId id = make_list(frames, kFraming, credits);
    EXPECT_EQ(frames[id].frame_bytes, std::max<std::size_t>(64, 54 + 12 * count));
    const auto message = read_message(frames, frames[id]);
    ASSERT_TRUE(message);
    ASSERT_EQ(message->listed, count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(message->at(i), credits[i]);
    frames.release(id);
  }
  EXPECT_LE(list_bytes(kFraming, kMostListed), 1'522);
}

TEST(FloodgateMessage, IsNoneOfWhatCannotBe) {
  FramePool frames(4);
  const FrameId id = make_list(frames, kFraming, std::vector<Credit>{{1, 2, 3}});
  Frame& frame = frames[id];
  frame.tag_value = 100;  // its extension has 128 bytes
  EXPECT_FALSE(read_message(frames, frame));
  frame.tag_value = kMostListed + 1;
  EXPECT_FALSE(read_message(frames, frame));
  frame.tag_value = 1;
  EXPECT_TRUE(read_message(frames, frame));
  frame.tag = 5;
  EXPECT_FALSE(read_message(frames, frame));
  frame.tag = 0;
  frame.protocol = kProtocol + 1;
  EXPECT_FALSE(read_message(frames, frame));
  frame.protocol = kProtocol;
  frame.kind = FrameKind::host_control;
  EXPECT_FALSE(read_message(frames, frame));
}

TEST(FloodgateMessage, IsNotMadeWithoutAFrame) {
  FramePool frames(1);
  const FrameId id = make_message(frames, kFraming, Say::syn, {});
  EXPECT_FALSE(make_message(frames, kFraming, Say::syn, {}).exists());
  EXPECT_FALSE(make_list(frames, kFraming, std::vector<Credit>(1)).exists());
  frames.release(id);
}

TEST(FloodgateSequence, CountsModulo31Bits) {
  EXPECT_EQ(psn_in(field_of(kSequenceMask)), kSequenceMask);
  EXPECT_TRUE(is_charged(field_of(0)));
  EXPECT_FALSE(is_charged(0));
  EXPECT_EQ(distance(kSequenceMask, 4), 5u);
  EXPECT_EQ(distance(4, 4), 0u);
}

}  // namespace
}  // namespace weir::floodgate::message_test
