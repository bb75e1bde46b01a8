// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/homa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "schemes/homa/settings.h"

namespace weir::homa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Parameters with(const std::vector<Bytes>& cutoffs, std::int64_t scheduled) {
  Parameters parameters(scheme.parameters);
  EXPECT_TRUE(parameters.set("cutoffs", cutoffs));
  EXPECT_TRUE(parameters.set("scheduled_priorities", scheduled));
  return parameters;
}

TEST(Homa, GivesUnscheduledPacketsThePriorityOfTheirMessagesSize) {
  const Settings settings(with({Bytes(1'000), Bytes(2'000)}, 5));
  EXPECT_EQ(settings.unscheduled_priority(1), 7);
  EXPECT_EQ(settings.unscheduled_priority(1'000), 7);
  EXPECT_EQ(settings.unscheduled_priority(1'001), 6);
  EXPECT_EQ(settings.unscheduled_priority(2'000), 6);
  EXPECT_EQ(settings.unscheduled_priority(2'001), 5);  // [HOMA-P-1]
}

TEST(Homa, UsesTheLowestScheduledPrioritiesFirst) {
  const Settings settings(with({Bytes(1'000), Bytes(2'000)}, 5));  // 4 to 0
  EXPECT_EQ(settings.scheduled_priority(0, 1), 0) << "[HOMA-P-2] alone";
  EXPECT_EQ(settings.scheduled_priority(0, 3), 2);
  EXPECT_EQ(settings.scheduled_priority(1, 3), 1);
  EXPECT_EQ(settings.scheduled_priority(2, 3), 0);
  EXPECT_EQ(settings.scheduled_priority(0, 9), 4);
  EXPECT_EQ(settings.scheduled_priority(8, 9), 0) << "[HOMA-P-2] those beyond share the lowest";
}

TEST(Homa, RefusesCutoffsThatDoNotIncreaseAndTooManyPriorities) {
  EXPECT_THAT(scheme.errors(with({Bytes(1'000), Bytes(2'000)}, 5)), IsEmpty());
  EXPECT_THAT(scheme.errors(with({Bytes(2'000), Bytes(2'000)}, 5)),
              ElementsAre(HasSubstr("expected increasing")));  // [HOMA-P-3]
  EXPECT_THAT(scheme.errors(with({Bytes(1'000), Bytes(2'000)}, 6)),
              ElementsAre(HasSubstr("expected at most 8")));  // [HOMA-P-3]
}

}  // namespace
}  // namespace weir::homa
