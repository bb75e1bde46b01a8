// SPDX-License-Identifier: Apache-2.0
#include "wire/mailbox.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <deque>
#include <thread>

namespace weir::mailbox_test {
namespace {

TEST(Mailbox, CopiesAFrameWithItsExtension) {
  FramePool here(8);
  FramePool there(8);
  Mailbox mailbox(4);
  Frame& frame = here[here.allocate()];
  frame.sequence = 77;
  frame.arrival = Time::picoseconds(5);
  here.extend(frame, FramePool::kLongExtension)[1'000] = std::byte{42};
  ASSERT_TRUE(mailbox.put(here, frame, 9));
  here.release(here.id_of(frame));
  EXPECT_EQ(here.in_use(), 0U);
  ASSERT_EQ(mailbox.size(), 1U);
  EXPECT_EQ(mailbox.letter(0).channel, 9U);
  EXPECT_EQ(mailbox.letter(0).frame.arrival, Time::picoseconds(5));
  const FrameId id = mailbox.make(there, 0);
  mailbox.pop(1);
  EXPECT_EQ(mailbox.size(), 0U);
  EXPECT_EQ(there[id].sequence, 77U);
  ASSERT_EQ(there.extension(there[id]).size(), FramePool::kLongExtension);
  EXPECT_EQ(there.extension(there[id])[1'000], std::byte{42});
  there.release(id);
  EXPECT_EQ(there.in_use(), 0U);
}

TEST(Mailbox, TakesNoMoreThanItHasRoomFor) {
  FramePool frames(1);
  const Frame& frame = frames[frames.allocate()];
  Mailbox mailbox(3);
  int taken = 0;
  while (mailbox.put(frames, frame, 0)) ++taken;
  EXPECT_EQ(taken, 4);
  mailbox.pop(1);
  EXPECT_TRUE(mailbox.put(frames, frame, 0));
  EXPECT_FALSE(mailbox.put(frames, frame, 0));
}

TEST(Mailbox, GivesNoFrameWhereThePoolHasNone) {
  FramePool frames(1);
  const Frame& frame = frames[frames.allocate()];
  Mailbox mailbox(1);
  ASSERT_TRUE(mailbox.put(frames, frame, 0));
  EXPECT_FALSE(mailbox.make(frames, 0).exists());
  EXPECT_EQ(frames.refused(), 1U);
}

/// The order is kept for any sequence of puts and pops.
RC_GTEST_PROP(Mailbox, KeepsTheOrder, ()) {
  FramePool frames(1);
  Frame& frame = frames[frames.allocate()];
  Mailbox mailbox(5);
  std::deque<std::uint32_t> expected;
  std::uint32_t next = 0;
  for (const bool put : *rc::gen::arbitrary<std::vector<bool>>()) {
    if (put) {
      frame.sequence = next;
      if (mailbox.put(frames, frame, next)) expected.push_back(next);
      ++next;
    } else if (!expected.empty()) {
      mailbox.pop(1);
      expected.pop_front();
    }
    RC_ASSERT(mailbox.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) RC_ASSERT(mailbox.letter(i).channel == expected[i]);
  }
}

TEST(Mailbox, CarriesFramesBetweenThreads) {
  constexpr std::uint32_t kFrames = 100'000;
  FramePool here(1);
  FramePool there(64);
  Mailbox mailbox(32);
  std::thread producer([&] {
    Frame& frame = here[here.allocate()];
    for (std::uint32_t i = 0; i < kFrames;) {
      frame.sequence = i;
      if (mailbox.put(here, frame, i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  bool in_order = true;
  for (std::uint32_t i = 0; i < kFrames;) {
    if (mailbox.size() == 0) {
      std::this_thread::yield();
      continue;
    }
    const FrameId id = mailbox.make(there, 0);
    in_order = in_order && there[id].sequence == i && mailbox.letter(0).channel == i;
    there.release(id);
    mailbox.pop(1);
    ++i;
  }
  producer.join();
  EXPECT_TRUE(in_order);
}

}  // namespace
}  // namespace weir::mailbox_test
