// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/record_table.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "units/random.h"

namespace weir::floodgate::record_table_test {
namespace {

struct Record {
  std::uint64_t key = 0;
  std::uint32_t value = 0;
  bool in_use = false;
  [[nodiscard]] bool idle() const { return value == 0; }
};
using Table = RecordTable<Record>;

const auto kNobody = [](std::uint32_t) {};

TEST(RecordTable, FindsWhatIsInIt) {
  Table table(8);
  EXPECT_EQ(table.find(5), Table::kNone);
  const std::uint32_t number = table.insert(5, kNobody);
  table[number].value = 7;
  EXPECT_EQ(table.find(5), number);
  EXPECT_EQ(table.find(key_of(1, 5)), Table::kNone);
  table.erase(number);
  EXPECT_EQ(table.find(5), Table::kNone);
  EXPECT_EQ(table.size(), 0u);
}

TEST(RecordTable, OfNothingHasNothing) {
  const Table table;
  EXPECT_EQ(table.find(0), Table::kNone);
  EXPECT_EQ(table.touched(), 0u);
}

// [FLOODGATE-T-1]
TEST(RecordTable, MakesRoomByAnIdleRecord) {
  Table table(3);
  for (std::uint64_t key = 1; key <= 3; ++key) table[table.insert(key, kNobody)].value = key == 2 ? 0 : 1;
  std::vector<std::uint64_t> evicted;
  const std::uint32_t number = table.insert(4, [&](std::uint32_t old) { evicted.push_back(table[old].key); });
  ASSERT_NE(number, Table::kNone);
  EXPECT_EQ(evicted, std::vector<std::uint64_t>{2});
  EXPECT_EQ(table[number].value, 0u);
  table[number].value = 1;
  EXPECT_EQ(table.insert(5, kNobody), Table::kNone);
  EXPECT_NE(table.find(1), Table::kNone);
  EXPECT_NE(table.find(3), Table::kNone);
  EXPECT_NE(table.find(4), Table::kNone);
}

TEST(RecordTable, KeepsADetachedRecordUntilItIsReleased) {
  Table table(2);
  const std::uint32_t old = table.insert(1, kNobody);
  table[old].value = 9;
  table.detach(old);
  EXPECT_EQ(table.find(1), Table::kNone);
  const std::uint32_t fresh = table.insert(1, kNobody);
  EXPECT_NE(fresh, old);
  EXPECT_EQ(table[old].value, 9u);
  table.release(old);
  EXPECT_EQ(table.find(1), fresh);
  EXPECT_EQ(table.size(), 1u);
}

TEST(RecordTable, IsAsAMapIs) {
  Table table(100);
  std::map<std::uint64_t, std::uint32_t> map;
  RandomStream random(1, 2, 3);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint64_t key = key_of(random.below(4), static_cast<std::uint32_t>(random.below(60)));
    const auto found = map.find(key);
    const std::uint32_t number = table.find(key);
    ASSERT_EQ(number != Table::kNone, found != map.end());
    if (found != map.end()) {
      ASSERT_EQ(table[number].value, found->second);
      table.erase(number);
      map.erase(found);
    } else if (map.size() < 100) {
      const std::uint32_t inserted = table.insert(key, kNobody);
      ASSERT_NE(inserted, Table::kNone);
      table[inserted].value = map[key] = static_cast<std::uint32_t>(round + 1);
    }
    ASSERT_EQ(table.size(), map.size());
  }
}

}  // namespace
}  // namespace weir::floodgate::record_table_test
