// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/feedback.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "wire/control_header.h"

namespace weir::rocc::feedback_test {
namespace {

Feedback example(Form form) {
  Feedback feedback;
  feedback.form = form;
  feedback.point = 0x1'0002;
  if (form == Form::rate) {
    feedback.rate = 400;
    return feedback;
  }
  feedback.before = {3'999 << kRateBits, 220};
  feedback.length = 260;
  if (form == Form::registry) feedback.port_rate = BitRate(100'000'000'000);
  if (form == Form::all_values) feedback.settings = {250, 500, 600, 10, 4000, 19'661, 98'304};
  return feedback;
}

class SomeFeedback : public testing::Test {
 protected:
  FramePool pool{4};
  Frame& frame = pool[pool.allocate()];
};
class FeedbackFrames : public SomeFeedback, public testing::WithParamInterface<Form> {};
INSTANTIATE_TEST_SUITE_P(Forms, FeedbackFrames, testing::Values(Form::rate, Form::all_values, Form::registry));

TEST_P(FeedbackFrames, AreReadAsTheyWereWritten) {  // [ROCC-CP-7] [ROCC-HOST-1]
  const Feedback feedback = example(GetParam());
  ASSERT_TRUE(write(feedback, pool, frame));
  EXPECT_EQ(frame.kind, FrameKind::host_control);
  EXPECT_TRUE(carried_by_icmp(frame.protocol));
  EXPECT_EQ(frame.frame_bytes, 128);
  EXPECT_EQ(read(pool, frame), feedback);
}

TEST_P(FeedbackFrames, MayHoldAnything) {  // [ROCC-CP-7] [ROCC-HOST-1]
  ASSERT_TRUE(write(example(GetParam()), pool, frame));
  frame.tag = 3;
  EXPECT_FALSE(read(pool, frame).has_value());
  frame.tag = static_cast<std::uint16_t>(GetParam());
  frame.tag_value = 0xffff'ffff;
  const auto block = pool.extension(frame);
  std::fill(block.begin(), block.end(), std::byte{0xff});
  EXPECT_FALSE(read(pool, frame).has_value());
  frame.tag_value = 0;
  std::fill(block.begin(), block.end(), std::byte{0});
  EXPECT_FALSE(read(pool, frame).has_value());
}

TEST_F(SomeFeedback, WithoutTheirExtensionAreRefused) {  // [ROCC-HOST-1]
  frame.tag = static_cast<std::uint16_t>(Form::registry);
  EXPECT_FALSE(read(pool, frame).has_value());
}

TEST_F(SomeFeedback, RatesAboveFMaxAreRefused) {  // [ROCC-HOST-1]
  Feedback feedback = example(Form::all_values);
  feedback.before.rate = 4001 << kRateBits;
  ASSERT_TRUE(write(feedback, pool, frame));
  EXPECT_FALSE(read(pool, frame).has_value());
}

}  // namespace
}  // namespace weir::rocc::feedback_test
