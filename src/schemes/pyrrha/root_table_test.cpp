// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/root_table.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace weir::pyrrha {
namespace {

struct Entry {
  PortId port;
  Root root = 0;
};

TEST(PyrrhaRootTable, FindsWhatIsInItWhateverWasErased) {
  RootTable<Entry> table(50);
  std::map<std::pair<std::size_t, Root>, std::uint32_t> known;
  RandomStream random(1, 2, 3);
  std::size_t refused = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t port = random.below(4);
    const Root root = random.below(30) * 65'537;
    const auto found = known.find({port, root});
    ASSERT_EQ(table.find(PortId(port), root), found == known.end() ? table.kNone : found->second);
    if (found != known.end()) {
      table.erase(found->second);
      known.erase(found);
    } else if (const std::uint32_t number = table.insert(PortId(port), root); number != table.kNone) {
      known[{port, root}] = number;
    } else {
      ++refused;
      ASSERT_EQ(known.size(), table.size());
    }
    ASSERT_EQ(table.in_use(), known.size());
  }
  EXPECT_GT(refused, 0u);
}

TEST(PyrrhaRootTable, FindsNothingBeforeItHasASize) {
  EXPECT_EQ(RootTable<Entry>().find(PortId(0), 1), RootTable<Entry>::kNone);
}

}  // namespace
}  // namespace weir::pyrrha
