// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "schemes/rocc/hashed_tables.h"
#include "schemes/rocc/sampled_tables.h"

namespace weir::rocc::flow_tables_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::UnorderedElementsAre;

Flow flow(std::uint32_t number) {
  return {HostId(number), HostId(1'000), QueuePairId(number)};
}

Time at(Duration after) {
  return Time() + after;
}

/// The numbers of the flows that are sent CNPs.
template <class Table>
std::vector<std::uint32_t> told(Table& table, Time now = Time()) {
  std::vector<std::uint32_t> out;
  for (std::size_t slot = 0; slot < table.slots(); ++slot) {
    if (const Flow* each = table.told(slot, now)) out.push_back(each->source.value);
  }
  return out;
}

TableSettings settings(std::size_t entries, std::uint32_t sample_every = 1, std::uint32_t hits = 2) {
  return {.entries = entries, .age = 1_ms, .sample_every = sample_every, .hits = hits};
}

class FlowTables : public testing::Test {
 protected:
  RandomStream random{1, 2, 3};
};

TEST_F(FlowTables, QueueTellsThoseWithFramesQueued) {  // [ROCC-FT-1]
  QueueTable table(settings(64));
  for (const std::uint32_t number : {1, 2, 2, 3}) table.enter(flow(number), Time(), random);
  EXPECT_THAT(told(table), UnorderedElementsAre(1, 2, 3));
  table.leave(flow(1));
  table.leave(flow(2));
  EXPECT_THAT(told(table, at(1_s)), UnorderedElementsAre(2, 3));  // for any age
  table.leave(flow(2));
  table.leave(flow(2));  // a flow that found no place has left
  table.enter(flow(2), Time(), random);
  EXPECT_THAT(told(table), UnorderedElementsAre(2, 3));
  table.clear();
  EXPECT_THAT(told(table), IsEmpty());
}

TEST_F(FlowTables, AFullQueueTableTellsThoseItHolds) {  // [ROCC-FT-1]
  QueueTable table(settings(16));
  for (std::uint32_t number = 0; number < 20; ++number) table.enter(flow(number), Time(), random);
  EXPECT_EQ(told(table).size(), 16u);
  for (std::uint32_t number = 0; number < 16; ++number) table.leave(flow(number));
  table.enter(flow(30), Time(), random);
  EXPECT_THAT(told(table), ElementsAre(30));
}

TEST_F(FlowTables, BoundedForgetsTheOldest) {  // [ROCC-FT-2]
  BoundedTable table(settings(16));
  for (std::uint32_t number = 0; number < 16; ++number) table.enter(flow(number), at(1_us * number), random);
  table.enter(flow(0), at(20_us), random);
  table.enter(flow(40), at(21_us), random);  // in place of flow 1
  const std::vector<std::uint32_t> now = told(table, at(22_us));
  EXPECT_EQ(now.size(), 16u);
  EXPECT_THAT(now, IsSupersetOf({0, 2, 40}));
  EXPECT_THAT(now, testing::Not(testing::Contains(1)));
}

TEST_F(FlowTables, BoundedForgetsWhoIsNotSeen) {  // [ROCC-FT-2]
  BoundedTable table(settings(16));
  table.enter(flow(1), at(0_us), random);
  table.enter(flow(2), at(500_us), random);
  EXPECT_THAT(told(table, at(1_ms)), UnorderedElementsAre(1, 2));
  EXPECT_THAT(told(table, at(1'001_us)), ElementsAre(2));
}

/// The sampled tables, with identical traffic.
template <class Table>
class SampledTables : public FlowTables {};
using Sampled = testing::Types<AfdTable, ElephantTrap, BubbleCache>;
TYPED_TEST_SUITE(SampledTables, Sampled);

// Four elephants send every other frame in turn; each frame in between is a mouse of one frame.
TYPED_TEST(SampledTables, TellElephantsAndNoMice) {  // [ROCC-FT-3] [ROCC-FT-4] [ROCC-FT-5]
  TypeParam table(settings(256, 4, 4));
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const std::uint32_t number = i % 2 == 0 ? i / 2 % 4 : 100 + i;
    table.enter(flow(number), at(100_ns * i), this->random);
  }
  EXPECT_THAT(told(table, at(1_ms)), UnorderedElementsAre(0, 1, 2, 3));
}

TYPED_TEST(SampledTables, ForgetElephantsThatEnded) {  // [ROCC-FT-3] [ROCC-FT-4] [ROCC-FT-5]
  TypeParam table(settings(64, 1, 2));
  for (int i = 0; i < 100; ++i) table.enter(flow(1), at(1_us * i), this->random);
  EXPECT_THAT(told(table, at(100_us)), ElementsAre(1));
  EXPECT_THAT(told(table, at(2_ms)), IsEmpty());
  for (int i = 0; i < 400; ++i) table.enter(flow(2), at(2_ms + 1_us * i), this->random);
  EXPECT_THAT(told(table, at(2'400_us)), ElementsAre(2));
  table.clear();
  EXPECT_THAT(told(table, at(2'400_us)), IsEmpty());
}

TYPED_TEST(SampledTables, LookAtAShareOfFrames) {  // [ROCC-FT-3] [ROCC-FT-4] [ROCC-FT-5]
  int heard = 0;
  for (int trial = 0; trial < 1'000; ++trial) {
    TypeParam table(settings(16, 10, 1));
    table.enter(flow(1), Time(), this->random);
    heard += static_cast<int>(told(table).size());
  }
  EXPECT_NEAR(heard, 100, 40);
}

TEST_F(FlowTables, AfdCountsTheLastFrames) {  // [ROCC-FT-3]
  AfdTable table(settings(16, 1, 2));
  for (int i = 0; i < 200; ++i) table.enter(flow(1), Time(), random);
  for (int i = 0; i < 500; ++i) table.enter(flow(2), Time(), random);  // displaces all samples of the first
  EXPECT_THAT(told(table), ElementsAre(2));
}

TEST_F(FlowTables, TheTrapSparesElephantsAtFirst) {  // [ROCC-FT-4]
  ElephantTrap table(settings(1, 1, 2));
  for (int i = 0; i < 5; ++i) table.enter(flow(1), Time(), random);
  table.enter(flow(2), Time(), random);  // 5 -> 2
  EXPECT_THAT(told(table), ElementsAre(1));
  table.enter(flow(2), Time(), random);  // 2 -> 1
  table.enter(flow(2), Time(), random);  // takes the first one's place
  table.enter(flow(2), Time(), random);
  EXPECT_THAT(told(table), ElementsAre(2));
}

TEST_F(FlowTables, BubblesRise) {  // [ROCC-FT-5]
  BubbleCache table(settings(4, 1, 2));
  table.enter(flow(1), Time(), random);  // the lowest place
  table.enter(flow(1), Time(), random);  // one up
  table.enter(flow(2), Time(), random);
  table.enter(flow(2), Time(), random);  // swaps places with the first
  table.enter(flow(3), Time(), random);  // takes the first one's place
  EXPECT_THAT(told(table), ElementsAre(2));
}

}  // namespace
}  // namespace weir::rocc::flow_tables_test
