// SPDX-License-Identifier: Apache-2.0
#include "schemes/pfc/pending_pauses.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <utility>

namespace weir::pfc::pending_pauses_test {
namespace {

using namespace literals;

TEST(PendingPauses, HoldsWhatALinkBringsMeanwhile) {
  PendingPauses pending(1_us, 100_Gbps, Framing::rocev2());
  std::size_t held = 0;
  for (; !pending.full(); ++held) pending.push(Time(), {});
  EXPECT_GE(held, std::size_t{148});  // 84 bytes last 6.72 ns
  EXPECT_LE(held, std::size_t{300});
  pending.clear();
  EXPECT_TRUE(pending.empty());
}

TEST(PendingPauses, TakesNoMemoryWithoutAResponseTime) {
  EXPECT_TRUE(PendingPauses(Duration(), 100_Gbps, Framing::rocev2()).full());
}

RC_GTEST_PROP(PendingPauses, GivesBackInOrder, ()) {
  PendingPauses pending(10_ns, 100_Gbps, Framing::rocev2());
  std::deque<std::pair<Time, PfcQuanta>> expected;
  for (int i = 0; i < 500; ++i) {
    if (*rc::gen::arbitrary<bool>() && !pending.full()) {
      const Time due = Time::picoseconds(i);
      PfcQuanta said;
      said.set(static_cast<Priority>(i % kPriorities), static_cast<std::uint16_t>(i));
      pending.push(due, said);
      expected.emplace_back(due, said);
    } else if (!pending.empty()) {
      RC_ASSERT(pending.due() == expected.front().first);
      RC_ASSERT(pending.pop() == expected.front().second);
      expected.pop_front();
    }
    RC_ASSERT(pending.empty() == expected.empty());
  }
}

}  // namespace
}  // namespace weir::pfc::pending_pauses_test
