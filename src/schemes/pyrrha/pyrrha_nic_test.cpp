// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/pyrrha_nic.h"

#include <gtest/gtest.h>

#include <optional>

#include "policy/testing/fake_nic.h"
#include "schemes/pyrrha/message.h"
#include "schemes/pyrrha/test_node.h"

namespace weir::pyrrha::pyrrha_nic_test {
namespace {

/// A host whose paths begin at switch 20 (kNear is one of its ports).
struct Host {
  explicit Host(const Values& values = {}) : policy(Settings(parameters_with(values))) {
    paths.hops[kToNear] = {kNear};
    paths.hops[kToBoth] = {kNear, kFar};
    paths.hops[kToFar] = {{SwitchId(20), PortId(9)}, kFar};
    paths.hops[kToElsewhere] = {{SwitchId(20), PortId(9)}};
    nic.set_paths(&paths);
    policy.attach(nic);
  }
  void hear(Kind kind, Hop root) {
    const FrameId id = make_message(nic.frames(), nic.framing(), {kind, root_of(root), root_of(kFarthest)});
    EXPECT_TRUE(policy.on_control(nic, nic.frames()[id]));
    nic.frames().release(id);
  }
  [[nodiscard]] bool is_held(const SendState& sender) {
    const std::optional<GateId> gate = nic.moved_to(sender, policy);
    return gate && gate->exists() && !nic.gate_open(*gate);
  }
  std::vector<Message> said() {
    std::vector<Message> out;
    for (const FakeNic::Sent& sent : nic.sent()) out.push_back(*read_message(sent.frame));
    nic.release_sent();
    return out;
  }
  FakePaths paths;
  FakeNic nic;
  PyrrhaNic policy;
};

TEST(PyrrhaNic, HoldsQueuePairsWhosePathMeetsTheRoot) {
  Host host;
  SendState& near = host.nic.open_sender(HostId(kToNear), kPriority);
  SendState& other = host.nic.open_sender(HostId(kToElsewhere), kPriority);
  SendState& lossy = host.nic.open_sender(HostId(kToNear), 1);
  host.hear(Kind::pause, kNear);  // [PYRRHA-HOST-1]
  EXPECT_TRUE(host.is_held(near));
  EXPECT_FALSE(host.is_held(other));
  EXPECT_FALSE(host.is_held(lossy)) << "another priority";
  SendState& later = host.nic.open_sender(HostId(kToBoth), kPriority);
  EXPECT_EQ(host.policy.gate_of(host.nic, later), host.nic.moved_to(near, host.policy));
  std::vector<HeldBy> held;
  host.policy.held_by(host.nic, *host.nic.moved_to(near, host.policy), held);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0], (HeldBy{PortId(0), root_of(kNear), QueueId::none()}));
  EXPECT_TRUE(host.said().empty());
  host.hear(Kind::resume, kNear);
  EXPECT_FALSE(host.is_held(near));
  EXPECT_EQ(host.said(), only(Kind::deallocate, kNear));  // [PYRRHA-HOST-2]
}

TEST(PyrrhaNic, OfOneTierMeetsTheLastTwoHops) {
  Host host({{"tiers", std::int64_t{1}}});
  host.paths.hops[kBeside] = {kNear, kFar, kFarthest};
  SendState& far = host.nic.open_sender(HostId(kBeside), kPriority);
  SendState& near = host.nic.open_sender(HostId(kToBoth), kPriority);
  host.hear(Kind::pause, kNear);
  EXPECT_FALSE(host.is_held(far)) << "the root is three hops from its destination";  // [PYRRHA-ONE-1]
  EXPECT_TRUE(host.is_held(near));
  host.hear(Kind::resume, kNear);
  host.hear(Kind::pause, kFar);
  EXPECT_TRUE(host.is_held(far));
}

TEST(PyrrhaNic, HoldsThemUntilTheLastRootResumes) {
  Host host;
  SendState& both = host.nic.open_sender(HostId(kToBoth), kPriority);
  SendState& far = host.nic.open_sender(HostId(kToFar), kPriority);
  host.hear(Kind::pause, kFar);
  host.hear(Kind::pause, kNear);
  host.hear(Kind::pause, kNear);
  host.hear(Kind::merge, kNear);
  EXPECT_EQ(host.said(), only(Kind::deallocate, kNear));
  EXPECT_TRUE(host.is_held(both));
  EXPECT_TRUE(host.is_held(far));
  host.hear(Kind::resume, kFar);
  EXPECT_FALSE(host.is_held(both));
  EXPECT_FALSE(host.is_held(far));
}

TEST(PyrrhaNic, ObeysSoManyPausesAndNoMore) {
  Host host;
  for (std::size_t i = 0; i < PyrrhaNic::kMostPaused; ++i) host.hear(Kind::pause, {SwitchId(50), PortId(i)});
  SendState& near = host.nic.open_sender(HostId(kToNear), kPriority);
  host.hear(Kind::pause, kNear);
  EXPECT_FALSE(host.is_held(near));
  EXPECT_EQ(host.policy.statistic(0, 0).value, PyrrhaNic::kMostPaused);
  EXPECT_EQ(host.policy.statistic(1, 0).value, 1);
}

TEST(PyrrhaNic, IsFreeAgainWhenItsLinkChanges) {
  Host host;
  SendState& near = host.nic.open_sender(HostId(kToNear), kPriority);
  host.hear(Kind::pause, kNear);
  host.policy.on_link(host.nic, false);  // [PYRRHA-LINK-2]
  EXPECT_FALSE(host.is_held(near));
}

TEST(PyrrhaNic, IsNotPausedOnRequest) {
  Host host({{"pause_hosts", false}});
  SendState& near = host.nic.open_sender(HostId(kToNear), kPriority);
  host.hear(Kind::pause, kNear);
  EXPECT_FALSE(host.is_held(near));
  host.hear(Kind::resume, kNear);
  EXPECT_TRUE(host.said().empty());
}

TEST(PyrrhaNic, KnowsTheLastHopOnRequest) {
  Host host({{"roots", std::string("last_hop")}});
  SendState& both = host.nic.open_sender(HostId(kToBoth), kPriority);
  host.hear(Kind::pause, kNear);
  EXPECT_FALSE(host.is_held(both));
  host.hear(Kind::pause, kFar);  // [PYRRHA-PATH-2]
  EXPECT_TRUE(host.is_held(both));
}

}  // namespace
}  // namespace weir::pyrrha::pyrrha_nic_test
