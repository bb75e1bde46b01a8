// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/pyrrha_nic.h"

#include <gtest/gtest.h>

#include <optional>

#include "policy/testing/fake_nic.h"
#include "schemes/pyrrha/message.h"
#include "schemes/pyrrha/test_node.h"

namespace weir::pyrrha::pyrrha_nic_test {
namespace {

using namespace literals;

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
  SendState& open(HostId remote, Priority priority) {
    SendState& sender = nic.open_sender(remote, priority);
    nic.move_to_gate(sender, policy, policy.gate_of(nic, sender));
    return sender;
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
  SendState& near = host.open(HostId(kToNear), kPriority);
  SendState& other = host.open(HostId(kToElsewhere), kPriority);
  SendState& lossy = host.open(HostId(kToNear), 1);
  host.hear(Kind::pause, kNear);  // [PYRRHA-HOST-1]
  EXPECT_TRUE(host.is_held(near));
  EXPECT_FALSE(host.is_held(other));
  EXPECT_FALSE(host.is_held(lossy)) << "another priority";
  SendState& later = host.open(HostId(kToBoth), kPriority);
  EXPECT_EQ(host.nic.moved_to(later, host.policy), host.nic.moved_to(near, host.policy));
  std::vector<HeldBy> held;
  host.policy.held_by(host.nic, *host.nic.moved_to(near, host.policy), held);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0], (HeldBy{PortId(0), root_of(kNear), QueueId::none()}));
  EXPECT_TRUE(host.said().empty());
  host.hear(Kind::resume, kNear);
  EXPECT_FALSE(host.is_held(near));
  EXPECT_EQ(host.said(), only(Kind::deallocate, kNear));  // [PYRRHA-HOST-2]
}

TEST(PyrrhaNic, KnowsTheWholePath) {
  for (const std::size_t length : {8, 9, 16, 17, 40}) {
    Host host;
    std::vector<Hop>& path = host.paths.hops[kToFar];
    path.clear();
    for (std::size_t i = 0; i < length; ++i) path.push_back({SwitchId(20 + i), PortId(1)});
    SendState& sender = host.open(HostId(kToFar), kPriority);
    host.hear(Kind::pause, path[length - 1]);  // [PYRRHA-PATH-1]
    EXPECT_TRUE(host.is_held(sender)) << length;
    host.hear(Kind::resume, path[length - 1]);
    EXPECT_FALSE(host.is_held(sender)) << length;
    host.hear(Kind::pause, path[length - 2]);
    EXPECT_TRUE(host.is_held(sender)) << length;
  }
}

TEST(PyrrhaNic, KnowsTheLastHopEvenIfItCannotBePredicted) {
  for (const std::int64_t tiers : {0, 1}) {
    Host host({{"tiers", tiers}});
    host.paths.predictable = 0;
    SendState& sender = host.open(HostId(kToBoth), kPriority);
    host.hear(Kind::pause, kNear);
    EXPECT_FALSE(host.is_held(sender));
    host.hear(Kind::pause, kFar);  // [PYRRHA-PATH-3]
    EXPECT_TRUE(host.is_held(sender));
  }
}

TEST(PyrrhaNic, HoldsQueuePairsToAHostThatIsARoot) {
  Host host;
  SendState& to_it = host.open(HostId(kToNear), kPriority);
  SendState& other = host.open(HostId(kToBoth), kPriority);
  host.hear(Kind::pause, host_root(kToNear));
  EXPECT_TRUE(host.is_held(to_it));
  EXPECT_FALSE(host.is_held(other));
  host.hear(Kind::resume, host_root(kToNear));
  EXPECT_FALSE(host.is_held(to_it));
  EXPECT_EQ(host.said(), only(Kind::deallocate, host_root(kToNear)));
}

/// Host 5, which takes frames at 40 Gbit/s: a one-hop BDP of 10,000 bytes.
struct SlowHost {
  explicit SlowHost(const Values& values = {}, std::size_t frames = 16)
      : nic(frames), policy(Settings(parameters_with(values))) {
    buffer.size = 100'000;
    buffer.drain_rate = BitRate(40'000'000'000);
    nic.set_host(HostId(5));
    nic.set_receive_buffer(&buffer);
    policy.attach(nic);
  }
  /// What the NIC says when so many bytes of Pyrrha's priority, and of others, are in the buffer.
  std::vector<Message> hold(std::int64_t bytes, std::int64_t others = 0) {
    buffer.of_priority[kPriority] = bytes;
    buffer.of_priority[1] = others;
    buffer.used = bytes + others;
    policy.on_receive_buffer(nic, kPriority);
    return said();
  }
  std::vector<Message> said() {
    std::vector<Message> out;
    for (const FakeNic::Sent& sent : nic.sent()) out.push_back(*read_message(sent.frame));
    nic.release_sent();
    return out;
  }
  ReceiveBufferState buffer;
  FakeNic nic;
  PyrrhaNic policy;
};

TEST(PyrrhaNic, IsARootWhileItsReceiveBufferIsLong) {
  SlowHost host;
  const Hop root = host_root(5);
  EXPECT_TRUE(host.policy.watches_receive_buffer());
  EXPECT_EQ(host.hold(20'000), kNothing);
  EXPECT_EQ(host.hold(20'001), only(Kind::pause, root));  // [PYRRHA-HOST-3] [PYRRHA-HOST-4]
  EXPECT_EQ(host.hold(50'000), kNothing) << "once";
  EXPECT_EQ(host.hold(10'000), kNothing);
  EXPECT_EQ(host.hold(9'999), only(Kind::resume, root));
  EXPECT_EQ(host.hold(0), kNothing) << "once";
  EXPECT_EQ(host.nic.noted(), (std::vector<FakeNic::Noted>{{root_of(root), true}, {root_of(root), false}}));
  EXPECT_EQ(host.policy.statistic(2, 0).value, 1);
  EXPECT_EQ(host.policy.statistic(3, 0).value, 1);
}

TEST(PyrrhaNic, IsARootForDataOfItsPriorityOnly) {
  SlowHost host;
  EXPECT_EQ(host.hold(20'000, 50'000), kNothing);
  EXPECT_EQ(host.hold(20'001, 50'000), only(Kind::pause, host_root(5)));
  EXPECT_EQ(host.hold(9'999, 50'000), only(Kind::resume, host_root(5)));
}

TEST(PyrrhaNic, ResumesItsSwitchAlsoWithoutAThreshold) {
  SlowHost host({{"resume_factor", 0.0}});
  EXPECT_EQ(host.hold(20'001), only(Kind::pause, host_root(5)));
  EXPECT_EQ(host.hold(1), kNothing);
  EXPECT_EQ(host.hold(0), only(Kind::resume, host_root(5)));
}

TEST(PyrrhaNic, RepeatsAResumeForWhichThereWasNoFrame) {
  SlowHost host({}, 1);
  const FrameId taken = host.nic.frames().allocate();
  EXPECT_EQ(host.hold(30'000), kNothing);
  host.nic.frames().release(taken);
  EXPECT_EQ(host.hold(30'000), only(Kind::pause, host_root(5)));
  const FrameId again = host.nic.frames().allocate();
  EXPECT_EQ(host.hold(0), kNothing);
  host.nic.frames().release(again);
  host.nic.run_until(host.nic.now() + 1_us);
  EXPECT_EQ(host.said(), only(Kind::resume, host_root(5)));
}

TEST(PyrrhaNic, RepeatsNoResumeAfterAChangeOfTheLink) {
  SlowHost host({}, 1);
  EXPECT_EQ(host.hold(30'000), only(Kind::pause, host_root(5)));
  const FrameId taken = host.nic.frames().allocate();
  EXPECT_EQ(host.hold(0), kNothing);
  host.policy.on_link(host.nic, false);  // [PYRRHA-LINK-2]
  host.nic.frames().release(taken);
  host.policy.on_link(host.nic, true);
  EXPECT_EQ(host.hold(30'000), only(Kind::pause, host_root(5)));
  host.buffer.of_priority[kPriority] = 0;
  host.nic.run_until(host.nic.now() + 1_us);
  EXPECT_EQ(host.said(), kNothing) << "the timer of before has ended";
}

TEST(PyrrhaNic, IsNoRootBeforeTheNextFrameWhenItsLinkChanges) {
  SlowHost host;
  host.hold(30'000);
  host.policy.on_link(host.nic, false);  // [PYRRHA-LINK-2]
  EXPECT_EQ(host.nic.noted().back(), (FakeNic::Noted{root_of(HostId(5)), false}));
  EXPECT_EQ(host.hold(29'000), only(Kind::pause, host_root(5)));
}

TEST(PyrrhaNic, IsNoRootWithOneTierOrWithoutAReceiveBuffer) {
  SlowHost host({{"tiers", std::int64_t{1}}});
  EXPECT_FALSE(host.policy.watches_receive_buffer());
  EXPECT_NE(host.policy.receive_refusal(), "");
  EXPECT_EQ(host.hold(90'000), kNothing);
  EXPECT_EQ(SlowHost().policy.receive_refusal(), "");
  Host fast;
  fast.policy.on_receive_buffer(fast.nic, kPriority);
  EXPECT_TRUE(fast.said().empty());
}

TEST(PyrrhaNic, NeedsRoomForWhatTheOutputQueueHoldsToo) {
  const SlowHost host;
  EXPECT_EQ(host.policy.receive_need(BitRate(40'000'000'000), BitRate(100'000'000'000), 1_us), 70'000);
}

TEST(PyrrhaNic, OfOneTierMeetsTheLastTwoHops) {
  Host host({{"tiers", std::int64_t{1}}});
  host.paths.hops[kBeside] = {kNear, kFar, kFarthest};
  SendState& far = host.open(HostId(kBeside), kPriority);
  SendState& near = host.open(HostId(kToBoth), kPriority);
  host.hear(Kind::pause, kNear);
  EXPECT_FALSE(host.is_held(far)) << "the root is three hops from its destination";  // [PYRRHA-ONE-1]
  EXPECT_TRUE(host.is_held(near));
  host.hear(Kind::resume, kNear);
  host.hear(Kind::pause, kFar);
  EXPECT_TRUE(host.is_held(far));
}

TEST(PyrrhaNic, HoldsThemUntilTheLastRootResumes) {
  Host host;
  SendState& both = host.open(HostId(kToBoth), kPriority);
  SendState& far = host.open(HostId(kToFar), kPriority);
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

TEST(PyrrhaNic, ResumesTheRootThatIsNamed) {
  Host host;
  SendState& near = host.open(HostId(kToNear), kPriority);
  SendState& far = host.open(HostId(kToFar), kPriority);
  host.hear(Kind::pause, kNear);
  host.hear(Kind::pause, kFar);
  host.hear(Kind::resume, kNear);
  EXPECT_FALSE(host.is_held(near));
  EXPECT_TRUE(host.is_held(far));
  host.hear(Kind::resume, kFar);
  EXPECT_FALSE(host.is_held(far));
  host.hear(Kind::pause, kFar);
  EXPECT_TRUE(host.is_held(far));
}

TEST(PyrrhaNic, PlacesQueuePairsAnewWhenRoutesHaveChanged) {
  Host host;
  SendState& first = host.open(HostId(kToNear), kPriority);
  SendState& second = host.open(HostId(kToElsewhere), kPriority);
  host.hear(Kind::pause, kNear);
  host.paths.hops[kToElsewhere] = {kNear};
  host.paths.hops[kToNear] = {{SwitchId(20), PortId(9)}};
  ++host.paths.changes;
  host.hear(Kind::pause, kFar);
  EXPECT_FALSE(host.is_held(first)) << "its path no longer meets the root";
  EXPECT_TRUE(host.is_held(second));
  host.hear(Kind::resume, kNear);
  EXPECT_FALSE(host.is_held(second));
}

TEST(PyrrhaNic, ForgetsQueuePairsThatClose) {
  Host host;
  SendState& first = host.open(HostId(kToNear), kPriority);
  host.hear(Kind::pause, kNear);
  host.policy.on_close(host.nic, first, *host.nic.moved_to(first, host.policy));
  host.nic.close_sender(first);
  host.hear(Kind::resume, kNear);
  host.hear(Kind::pause, kNear);
  SendState& second = host.open(HostId(kToNear), kPriority);
  EXPECT_TRUE(host.is_held(second));
  host.hear(Kind::resume, kNear);
  EXPECT_FALSE(host.is_held(second));
}

TEST(PyrrhaNic, ObeysSoManyPausesAndNoMore) {
  Host host;
  for (std::size_t i = 0; i < PyrrhaNic::kMostPaused; ++i) host.hear(Kind::pause, {SwitchId(50), PortId(i)});
  SendState& near = host.open(HostId(kToNear), kPriority);
  host.hear(Kind::pause, kNear);
  EXPECT_FALSE(host.is_held(near));
  EXPECT_EQ(host.policy.statistic(0, 0).value, PyrrhaNic::kMostPaused);
  EXPECT_EQ(host.policy.statistic(1, 0).value, 1);
}

TEST(PyrrhaNic, IsFreeAgainWhenItsLinkChanges) {
  Host host;
  SendState& near = host.open(HostId(kToNear), kPriority);
  host.hear(Kind::pause, kNear);
  host.policy.on_link(host.nic, false);  // [PYRRHA-LINK-2]
  EXPECT_FALSE(host.is_held(near));
}

TEST(PyrrhaNic, IsNotPausedOnRequest) {
  Host host({{"pause_hosts", false}});
  SendState& near = host.open(HostId(kToNear), kPriority);
  host.hear(Kind::pause, kNear);
  EXPECT_FALSE(host.is_held(near));
  host.hear(Kind::resume, kNear);
  EXPECT_TRUE(host.said().empty());
}

TEST(PyrrhaNic, KnowsTheLastHopOnRequest) {
  Host host({{"roots", std::string("last_hop")}});
  SendState& both = host.open(HostId(kToBoth), kPriority);
  host.hear(Kind::pause, kNear);
  EXPECT_FALSE(host.is_held(both));
  host.hear(Kind::pause, kFar);  // [PYRRHA-PATH-2]
  EXPECT_TRUE(host.is_held(both));
}

}  // namespace
}  // namespace weir::pyrrha::pyrrha_nic_test
