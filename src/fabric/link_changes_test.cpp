// SPDX-License-Identifier: Apache-2.0
#include "fabric/link_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "fabric/failure_states.h"
#include "net/builders.h"

namespace weir::link_changes_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;

constexpr Time at(std::int64_t microseconds) {
  return Time::picoseconds(microseconds * 1'000'000);
}

NetworkSettings network(std::vector<LinkFailure> failures) {
  NetworkSettings out;
  SingleSwitchSettings settings;
  settings.groups = {{4, {BitRate(100'000'000'000), Duration::picoseconds(1'000'000)}}};
  out.topology = build_single_switch(settings).topology;
  out.failures = std::move(failures);
  out.failure_detection = Duration::picoseconds(5'000'000);
  return out;
}

/// The link changes at this instant.
struct Step {
  std::vector<std::pair<LinkId, bool>> set;
  std::optional<std::vector<LinkId>> avoided;
};

Step step(LinkChanges& changes, Time now) {
  Step out;
  out.avoided = changes.advance(now, [&](LinkId link, bool up) { out.set.emplace_back(link, up); });
  return out;
}

TEST(LinkChanges, AreKnownToTheControllerADetectionTimeLater) {
  LinkChanges changes(network({{LinkId(1), at(10), at(30)}}));
  EXPECT_EQ(changes.next(), at(10));
  Step now = step(changes, at(10));
  EXPECT_THAT(now.set, ElementsAre(Pair(LinkId(1), false)));
  EXPECT_EQ(now.avoided, std::nullopt);
  EXPECT_EQ(changes.next(), at(15));
  now = step(changes, at(15));
  EXPECT_THAT(now.set, IsEmpty());
  EXPECT_THAT(now.avoided, Optional(ElementsAre(LinkId(1))));
  now = step(changes, at(30));
  EXPECT_THAT(now.set, ElementsAre(Pair(LinkId(1), true)));
  EXPECT_THAT(step(changes, at(35)).avoided, Optional(IsEmpty()));
  EXPECT_EQ(changes.next(), Time::never());
  EXPECT_EQ(step(changes, Time::never()).avoided, std::nullopt);
}

TEST(LinkChanges, FromTheStartAreKnownAtOnce) {
  LinkChanges changes(network({{LinkId(2), Time(), Time::never()}}));
  const Step now = step(changes, Time());
  EXPECT_THAT(now.set, ElementsAre(Pair(LinkId(2), false)));
  EXPECT_THAT(now.avoided, Optional(ElementsAre(LinkId(2))));
  EXPECT_EQ(changes.next(), Time::never());
}

TEST(LinkChanges, LeaveALinkDownWhileAnyFailureOfItLasts) {
  LinkChanges changes(network({{LinkId(0), at(10), at(30)}, {LinkId(0), at(20), at(50)}}));
  EXPECT_THAT(step(changes, at(10)).set, ElementsAre(Pair(LinkId(0), false)));
  EXPECT_THAT(step(changes, at(20)).set, IsEmpty());
  EXPECT_THAT(step(changes, at(30)).set, IsEmpty());
  EXPECT_EQ(step(changes, at(49)).avoided, std::nullopt);
  EXPECT_THAT(step(changes, at(50)).set, ElementsAre(Pair(LinkId(0), true)));
  EXPECT_THAT(step(changes, at(55)).avoided, Optional(IsEmpty()));
}

TEST(LinkChanges, OfOneInstantAreOneReroute) {
  LinkChanges changes(network({{LinkId(3), at(10), at(40)}, {LinkId(1), at(10), at(40)}}));
  EXPECT_THAT(step(changes, at(10)).set, ElementsAre(Pair(LinkId(3), false), Pair(LinkId(1), false)));
  EXPECT_THAT(step(changes, at(15)).avoided, Optional(ElementsAre(LinkId(1), LinkId(3))));
}

TEST(FailureStates, FollowOneBehindTheOtherUntilTheRunEnds) {
  const NetworkSettings settings = network({{LinkId(1), Time(), at(20)}, {LinkId(2), at(10), Time::never()}});
  const std::vector<FailureState> states = failure_states(settings, at(100));
  ASSERT_EQ(states.size(), 3U);
  EXPECT_THAT(states[0].failed, ElementsAre(LinkId(1)));
  EXPECT_EQ(states[0].until, at(15));
  EXPECT_THAT(states[1].failed, ElementsAre(LinkId(1), LinkId(2)));
  EXPECT_EQ(states[1].until, at(25));
  EXPECT_THAT(states[2].failed, ElementsAre(LinkId(2)));
  EXPECT_EQ(states[2].until, Time::never());
  EXPECT_EQ(failure_states(settings, at(15)).size(), 1U);
  EXPECT_EQ(failure_states(network({}), at(15)).size(), 1U);
}

}  // namespace
}  // namespace weir::link_changes_test
