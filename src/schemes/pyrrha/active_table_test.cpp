// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/active_table.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "units/random.h"

namespace weir::pyrrha::active_table_test {
namespace {

/// Many keys have the same hash.
struct Entry {
  using Key = std::pair<std::size_t, std::size_t>;
  static std::uint64_t hash(const Key& key) { return key.first * 3 + key.second / 4; }
  Key key;
};

// [PYRRHA-TABLE-1]
TEST(PyrrhaActiveTable, FindsWhatIsInItWhateverWasErased) {
  ActiveTable<Entry> table(50);
  std::map<Entry::Key, std::uint32_t> known;
  RandomStream random(1, 2, 3);
  std::size_t refused = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t port = random.below(4);
    const std::size_t root = random.below(30);
    const auto found = known.find({port, root});
    ASSERT_EQ(table.find({port, root}), found == known.end() ? table.kNone : found->second);
    if (found != known.end()) {
      table.erase(found->second);
      known.erase(found);
    } else if (const std::uint32_t number = table.insert({port, root}); number != table.kNone) {
      known[{port, root}] = number;
    } else {
      ++refused;
      ASSERT_EQ(known.size(), table.size());
    }
    ASSERT_EQ(table.in_use(), known.size());
  }
  EXPECT_GT(refused, 0u);
}

TEST(PyrrhaActiveTable, FindsNothingBeforeItHasASize) {
  EXPECT_EQ(ActiveTable<Entry>().find({0, 1}), ActiveTable<Entry>::kNone);
}

}  // namespace
}  // namespace weir::pyrrha::active_table_test
