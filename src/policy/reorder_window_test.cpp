// SPDX-License-Identifier: Apache-2.0
#include "policy/reorder_window.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace weir::reorder_window_test {
namespace {

using Arrival = ReorderWindow::Arrival;

RC_GTEST_PROP(PacketBitmap, IsASetAcrossTheWrap, ()) {
  const auto base = *rc::gen::element(0u, 100u, 0xffff'f800u, 0xffff'ffffu);
  const auto offsets = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, PacketBitmap::kSpan));
  PacketBitmap bitmap;
  std::set<std::uint32_t> expected;
  for (const std::uint32_t offset : offsets) {
    if (expected.insert(offset).second) {
      bitmap.insert(base + offset);
    } else {
      expected.erase(offset);
      bitmap.erase(base + offset);
    }
  }
  const std::uint32_t end = *rc::gen::inRange(0u, PacketBitmap::kSpan + 1);
  std::vector<std::uint32_t> found;
  for (std::uint32_t at = bitmap.first(base, base + end); at != base + end; at = bitmap.first(at + 1, base + end)) {
    RC_ASSERT(bitmap.contains(at));
    found.push_back(at - base);
  }
  RC_ASSERT(found == std::vector<std::uint32_t>(expected.begin(), expected.lower_bound(end)));
}

struct Receiver {
  ReorderWindow::Result data(std::uint32_t sequence, bool ends = false) {
    Frame frame{};
    frame.sequence = sequence;
    frame.set_ends_message(ends);
    return window.arrive(state, frame);
  }
  ReceiveState state;
  ReorderWindow window;
};

TEST(ReorderWindow, CompletesMessagesInTheirOrder) {
  Receiver receiver;
  EXPECT_EQ(receiver.data(0, true).completed_messages, 1u);
  EXPECT_EQ(receiver.data(2, true).arrival, Arrival::early);
  EXPECT_EQ(receiver.data(3, true).completed_messages, 0u);
  EXPECT_EQ(receiver.data(5).arrival, Arrival::early);
  const auto filled = receiver.data(1);
  EXPECT_EQ(filled.arrival, Arrival::in_order);
  EXPECT_EQ(filled.completed_messages, 2u);
  EXPECT_EQ(receiver.state.expected, 4u);
  EXPECT_EQ(receiver.data(4).completed_messages, 0u);
  EXPECT_EQ(receiver.state.expected, 6u);
}

TEST(ReorderWindow, TakesNothingTwice) {
  Receiver receiver;
  receiver.data(1, true);
  EXPECT_EQ(receiver.data(1, true).arrival, Arrival::duplicate);
  EXPECT_EQ(receiver.data(0).completed_messages, 1u);
  EXPECT_EQ(receiver.data(0).arrival, Arrival::duplicate);
  EXPECT_EQ(receiver.state.duplicates, 2u);
  EXPECT_EQ(receiver.state.expected, 2u);
}

TEST(ReorderWindow, KeepsNothingBeyondItsSpan) {
  Receiver receiver;
  receiver.state.expected = 0xffff'fffe;
  EXPECT_EQ(receiver.data(0xffff'fffe + PacketBitmap::kSpan).arrival, Arrival::beyond);
  EXPECT_EQ(receiver.data(0x7fff'fffd).arrival, Arrival::beyond);
  EXPECT_EQ(receiver.data(0xffff'fffe + PacketBitmap::kSpan - 1).arrival, Arrival::early);
  EXPECT_EQ(receiver.data(0xffff'fffe).arrival, Arrival::in_order);
  EXPECT_EQ(receiver.state.expected, 0xffff'ffff);
}

}  // namespace
}  // namespace weir::reorder_window_test
