// SPDX-License-Identifier: Apache-2.0
// dstPause and dstResume, in ToRs and in NICs.
#include "schemes/floodgate/host_pauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/testing/fake_nic.h"
#include "schemes/floodgate/floodgate_nic.h"
#include "schemes/floodgate/test_network.h"

namespace weir::floodgate::host_pauses_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

/// A host is paused with more than three packets in the VOQ, and resumed with less than two.
Values pauses() {
  return {{"pause_destinations", true}, {"pause_threshold", Bytes(3 * 1'066)}, {"resume_threshold", Bytes(2 * 1'066)}};
}

// [FLOODGATE-D-1] [FLOODGATE-D-3]
TEST(FloodgateHostPauses, StopAndResumeTheHostsThatFillAVoq) {
  const auto node = tor(1, pauses());
  for (int i = 0; i < 4; ++i) node->receive(0, 2, 40);
  EXPECT_THAT(node->said(0), IsEmpty());  // three wait
  node->receive(0, 2, 40);
  EXPECT_THAT(node->said(0), ElementsAre(Pair(Say::pause, 40)));
  node->receive(1, 2, 40);
  EXPECT_THAT(node->said(1), ElementsAre(Pair(Say::pause, 40)));
  node->receive(1, 2, 41);
  EXPECT_THAT(node->said(1), IsEmpty());
  for (std::uint32_t psn = 1; psn <= 3; ++psn) {
    node->drain(2);
    node->hear(2, Say::credit, {40, 1, psn});
    EXPECT_THAT(node->said(0), IsEmpty());  // two are left
  }
  node->drain(2);
  node->hear(2, Say::credit, {40, 1, 4});
  EXPECT_THAT(node->said(0), ElementsAre(Pair(Say::resume, 40)));
  EXPECT_THAT(node->said(1), ElementsAre(Pair(Say::resume, 40)));
  EXPECT_THAT(node->context.hop_pauses(), SizeIs(4));
}

TEST(FloodgateHostPauses, HaveAOneHopProductForThreshold) {
  const auto node = tor(1, {{"pause_destinations", true}});
  for (int i = 0; i < 1 + 25'000 / 1'066; ++i) node->receive(0, 2, 40);
  EXPECT_THAT(node->said(0), IsEmpty());
  node->receive(0, 2, 40);
  EXPECT_THAT(node->said(0), SizeIs(1));
}

TEST(FloodgateHostPauses, AreNotForSwitchesNorWithoutRequest) {
  const auto between = middle(1, pauses());
  for (int i = 0; i < 9; ++i) between->receive(0, 2, 40);
  EXPECT_THAT(between->said(0), IsEmpty());
  const auto without = tor(1);
  for (int i = 0; i < 40; ++i) without->receive(0, 2, 40);
  EXPECT_THAT(without->said(0), IsEmpty());
}

// [FLOODGATE-D-2] A dstPause was lost, or the host has resumed by itself.
TEST(FloodgateHostPauses, AreSaidAgainToAHostThatSendsAllTheSame) {
  const auto node = tor(1, pauses());
  for (int i = 0; i < 9; ++i) node->receive(0, 2, 40);
  EXPECT_THAT(node->said(0), SizeIs(1));
  node->wait(us(3));
  node->receive(0, 2, 40);
  node->receive(0, 2, 40);
  EXPECT_THAT(node->said(0), SizeIs(1));
}

TEST(FloodgateHostPauses, AreForgottenWithTheLinkOfTheHost) {
  const auto node = tor(1, pauses());
  for (int i = 0; i < 9; ++i) node->receive(i % 2, 2, 40);
  node->said(0);
  node->said(1);
  node->link(0, false);
  node->link(0, true);
  for (std::uint32_t psn = 1; psn <= 9; ++psn) {
    node->drain(2);
    node->hear(2, Say::credit, {40, 1, psn});
  }
  EXPECT_THAT(node->said(0), IsEmpty());
  EXPECT_THAT(node->said(1), SizeIs(1));
}

TEST(FloodgateHostPauses, EndWhenTheVoqIsLostWithItsLink) {
  for (const std::string pipeline : {"egress", "port"}) {
    Values values = pauses();
    values.emplace_back("pipeline", pipeline);
    const auto node = tor(1, values);
    for (int i = 0; i < 9; ++i) node->receive(0, 2, 40);
    node->said(0);
    node->link(2, false);
    EXPECT_THAT(node->said(0), ElementsAre(Pair(Say::resume, 40)));
  }
}

// ---- the NIC ----

struct Host {
  explicit Host(const Values& values = {{"pause_destinations", true}})
      : nic(Settings(parameters_with(values))), to40(context.open_sender(HostId(40), kPriority)) {
    context.set_hosts(300);
    nic.attach(context);
  }
  void hear(Say say, std::uint32_t name) {
    const FrameId id = make_message(context.frames(), context.framing(), say, {name, 0, 0});
    EXPECT_TRUE(nic.on_control(context, context.frames()[id]));
    context.frames().release(id);
  }
  /// Whether the queue pair may send.
  [[nodiscard]] bool open(const SendState& sender) const {
    const GateId at = gate(sender);
    return !at.exists() || context.gate_open(at);
  }
  [[nodiscard]] GateId gate(const SendState& sender) const {
    return context.moved_to(sender, nic).value_or(GateId::none());
  }
  [[nodiscard]] double statistic(std::size_t which) const { return nic.statistic(which, 0).value; }

  FakeNic context;
  FloodgateNic nic;
  SendState& to40;
};

// [FLOODGATE-D-4]
TEST(FloodgateNic, HoldsQueuePairsToAPausedDestinationOnly) {
  Host host;
  SendState& to41 = host.context.open_sender(HostId(41), kPriority);
  SendState& other = host.context.open_sender(HostId(40), 5);
  host.hear(Say::pause, 40);
  EXPECT_FALSE(host.open(host.to40));
  EXPECT_TRUE(host.open(to41));
  EXPECT_TRUE(host.open(other));
  SendState& late = host.context.open_sender(HostId(40), kPriority);
  EXPECT_EQ(host.nic.gate_of(host.context, late), host.gate(host.to40));
  EXPECT_FALSE(host.nic.gate_of(host.context, to41).exists());
  std::vector<HeldBy> held;
  host.nic.held_by(host.context, host.gate(host.to40), held);
  EXPECT_THAT(held, ElementsAre(HeldBy{PortId(0), 40, QueueId::none()}));
  host.hear(Say::resume, 40);
  EXPECT_TRUE(host.open(host.to40));
  EXPECT_EQ(host.statistic(0), 1);
}

TEST(FloodgateNic, HasAGateForEachDestinationWhenItIsNeeded) {
  Host host;
  std::vector<SendState*> senders;
  for (std::uint32_t to = 0; to < 30; ++to) senders.push_back(&host.context.open_sender(HostId(to), kPriority));
  for (std::uint32_t to = 0; to < 30; to += 3) host.hear(Say::pause, to);
  for (std::uint32_t to = 0; to < 30; ++to) EXPECT_EQ(host.open(*senders[to]), to % 3 != 0);
  for (std::uint32_t to = 0; to < 30; to += 6) host.hear(Say::resume, to);
  for (std::uint32_t to = 0; to < 30; ++to) EXPECT_EQ(host.open(*senders[to]), to % 3 != 0 || to % 6 == 0);
}

// [FLOODGATE-D-5] The dstResume was lost.
TEST(FloodgateNic, ResumesByItselfAfterATime) {
  Host host;
  host.hear(Say::pause, 40);
  host.context.run_until(Time() + us(500));
  SendState& to41 = host.context.open_sender(HostId(41), kPriority);
  host.hear(Say::pause, 41);
  host.context.run_until(Time() + us(999));
  EXPECT_FALSE(host.open(host.to40));
  host.context.run_until(Time() + us(1'000));
  EXPECT_TRUE(host.open(host.to40));
  EXPECT_FALSE(host.open(to41));
  host.context.run_until(Time() + us(1'400));
  host.hear(Say::pause, 41);  // once more
  host.context.run_until(Time() + us(2'399));
  EXPECT_FALSE(host.open(to41));
  host.context.run_until(Time() + us(2'400));
  EXPECT_TRUE(host.open(to41));
  EXPECT_EQ(host.statistic(2), 2);
}

// [FLOODGATE-D-6]
TEST(FloodgateNic, ResumesAllWhenItsLinkFails) {
  Host host;
  host.hear(Say::pause, 40);
  host.nic.on_link(host.context, false);
  EXPECT_TRUE(host.open(host.to40));
  host.hear(Say::resume, 40);
  EXPECT_TRUE(host.open(host.to40));
}

TEST(FloodgateNic, ObeysNothingThatCannotBe) {
  Host host;
  host.hear(Say::pause, 300);
  host.hear(Say::resume, 17);
  host.hear(Say::credit, 40);
  EXPECT_TRUE(host.open(host.to40));
  EXPECT_EQ(host.statistic(0), 0);
  Host without(Values{});
  without.hear(Say::pause, 40);
  EXPECT_TRUE(without.open(without.to40));
}

TEST(FloodgateNic, PausesSoManyDestinationsAndNoMore) {
  Host host;
  for (std::uint32_t to = 0; to < 300; ++to) host.hear(Say::pause, to);
  EXPECT_EQ(host.statistic(0), 256);
  EXPECT_EQ(host.statistic(1), 44);
  EXPECT_FALSE(host.open(host.to40));
}

}  // namespace
}  // namespace weir::floodgate::host_pauses_test
