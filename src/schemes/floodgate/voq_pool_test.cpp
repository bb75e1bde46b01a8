// SPDX-License-Identifier: Apache-2.0
// VOQs of Floodgate: who gets which, what waits in them and in which order, in both pipelines.
#include "schemes/floodgate/voq_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "schemes/floodgate/test_network.h"

namespace weir::floodgate::voq_pool_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const Values kPort = {{"pipeline", std::string("port")}};

Values with(Values values, std::string_view name, const ParameterValue& value) {
  values.emplace_back(name, value);
  return values;
}

// [FLOODGATE-V-1]
TEST(FloodgateVoqs, AreTakenWhenAWindowIsExhaustedOnly) {
  const auto node = tor(2);
  for (std::size_t to = 10; to < 30; ++to) {
    node->receive(0, 2, to);
    node->receive(0, 2, to);
  }
  EXPECT_EQ(node->statistic("floodgate.voqs"), 0);
  node->receive(0, 2, 10);
  node->receive(0, 2, 10);
  EXPECT_EQ(node->statistic("floodgate.voqs"), 1);
  node->receive(0, 2, 11);
  EXPECT_EQ(node->statistic("floodgate.voqs"), 2);
}

// [FLOODGATE-V-2]
TEST(FloodgateVoqs, KeepPacketsOfADestinationInOrder) {
  for (const Values& values : {Values{}, kPort}) {
    const auto node = tor(2, values);
    for (int i = 0; i < 4; ++i) node->receive(0, 2, 40);
    EXPECT_THAT(node->drain(2), ElementsAre(1, 2));
    node->hear(2, Say::credit, {40, 2, 2});
    node->receive(1, 2, 40);  // there was a window, but the two that waited have it
    EXPECT_THAT(node->drain(2), ElementsAre(3, 4));
    node->hear(2, Say::credit, {40, 2, 4});
    node->receive(1, 2, 40);
    EXPECT_THAT(node->drain(2), ElementsAre(5, 6));
  }
}

TEST(FloodgateVoqs, KeepAnotherPacketBehindThoughItWouldFit) {
  const auto node = tor(2, {{"unit", std::string("bytes")}});
  node->receive(0, 2, 40, 0, 1000);
  node->receive(0, 2, 40, 0, 600);
  node->receive(0, 2, 40, 0, 1000);  // 440 bytes are left
  node->receive(0, 2, 40, 0, 100);
  EXPECT_EQ(node->waiting(), 2u);
}

// [FLOODGATE-V-5] The destination has packets in the egress queue still.
TEST(FloodgateVoqs, AreKeptUntilTheLastPacketHasLeftTheSwitch) {
  const auto node = tor(2);
  for (int i = 0; i < 4; ++i) node->receive(0, 2, 40);
  node->drain(2);
  node->hear(2, Say::credit, {40, 2, 2});
  EXPECT_EQ(node->waiting(), 0u);
  node->transmit(2);
  EXPECT_EQ(node->statistic("floodgate.voqs"), 1);
  node->transmit(2);
  EXPECT_EQ(node->statistic("floodgate.voqs"), 0);
}

TEST(FloodgateVoqs, AreFreedWhenEmptyInThePortPipeline) {
  const auto node = tor(1, kPort);
  for (int i = 0; i < 3; ++i) node->receive(0, 2, 40);
  node->drain(2);
  node->hear(2, Say::credit, {40, 1, 1});
  node->drain(2);
  EXPECT_EQ(node->statistic("floodgate.voqs"), 1);
  node->hear(2, Say::credit, {40, 1, 2});
  node->drain(2);
  EXPECT_EQ(node->statistic("floodgate.voqs"), 0);
}

// [FLOODGATE-V-3] Four destinations share two VOQs; each has one packet of window.
TEST(FloodgateVoqs, AreSharedByHashWhenAllAreTaken) {
  const auto node = tor(1, {{"queues", std::int64_t{2}}});
  for (std::size_t to = 40; to < 44; ++to) {
    node->receive(0, 2, to);
    node->receive(0, 2, to);
  }
  EXPECT_EQ(node->statistic("floodgate.voqs"), 2);
  EXPECT_EQ(node->statistic("floodgate.voq_users"), 4);
  EXPECT_EQ(node->statistic("floodgate.shared"), 2);
  EXPECT_THAT(node->drain(2), ElementsAre(1, 3, 5, 7));
  // The head decides: credit for what waits behind it lets nothing go, until the head has gone.
  const VoqPool& voqs = node->policy.windows().voqs();
  std::uint16_t shared = voqs[0].users > 1 ? 0 : 1;
  const QueueId queue = voqs[shared].queue;
  const std::uint32_t head = node->context.peek(queue)->destination.value;
  for (std::uint32_t to = 40; to < 44; ++to) {
    if (to != head && node->policy.windows().waits_in(PortId(0), to, shared)) {
      node->hear(2, Say::credit, {to, 1, 1});
      EXPECT_THAT(node->drain(2), IsEmpty());
    }
  }
  const std::size_t behind = voqs[shared].users;
  node->hear(2, Say::credit, {head, 1, 1});
  EXPECT_THAT(node->drain(2), SizeIs(behind));
}

// [FLOODGATE-V-3] 36 of 40 destinations share four VOQs: none has less than half of its part.
TEST(FloodgateVoqs, AreSharedEvenly) {
  const auto node = tor(1, {{"queues", std::int64_t{4}}});
  for (std::size_t to = 10; to < 50; ++to) {
    node->receive(0, 2, to);
    node->receive(0, 2, to);
  }
  const VoqPool& voqs = node->policy.windows().voqs();
  for (std::uint16_t number = 0; number < 4; ++number) EXPECT_GE(voqs[number].users, 5u);
}

/// What waits in each VOQ goes one way only.
bool divides_directions(const Node& node) {
  const VoqPool& voqs = node.policy.windows().voqs();
  for (std::size_t number = 0; number < voqs.size(); ++number) {
    std::set<bool> up;
    const QueueId queue = voqs[static_cast<std::uint16_t>(number)].queue;
    for (FrameId id = node.context.queue(queue).head; id.exists(); id = node.context.frames()[id].next) {
      up.insert(node.context.port(node.context.frames()[id].egress).peer.above);
    }
    if (up.size() > 1) return false;
  }
  return true;
}

// [FLOODGATE-V-4]
TEST(FloodgateVoqs, AreGroupedByDirectionWhereASwitchForwardsBothWays) {
  for (const std::int64_t groups : {1, 2}) {
    const auto node = middle(1, {{"queues", std::int64_t{2}}, {"groups", groups}});
    for (std::size_t to = 10; to < 20; ++to) {
      for (int i = 0; i < 2; ++i) node->receive(to % 2 == 0 ? 0 : 2, to % 2 == 0 ? 2 : 0, to);
    }
    EXPECT_EQ(divides_directions(*node), groups == 2);
  }
}

// [FLOODGATE-V-4] A ToR has windows upwards only: all of its VOQs are for them.
TEST(FloodgateVoqs, AreOneGroupWhereASwitchForwardsOneWay) {
  const auto node = tor(1, {{"queues", std::int64_t{2}}});
  for (std::size_t to = 10; to < 12; ++to) {
    node->receive(0, 2, to);
    node->receive(0, 2, to);
  }
  EXPECT_EQ(node->statistic("floodgate.voqs"), 2);
  EXPECT_EQ(node->statistic("floodgate.shared"), 0);
}

// [FLOODGATE-V-6] Strictly behind the queue of other packets, in turns, and those with window only.
TEST(FloodgateVoqs, StayAtTheirPortOnRequest) {
  const auto node = tor(1, with(kPort, "queues", std::int64_t{10}));
  for (const std::size_t to : {40u, 41u, 42u}) {
    for (int i = 0; i < 3; ++i) node->receive(0, 2, to);
  }
  EXPECT_EQ(node->context.discipline(kPriority), Discipline::round_robin);
  EXPECT_THAT(node->drain(2), ElementsAre(1, 4, 7));
  node->hear(2, Say::credit, {40, 1, 1});
  node->hear(2, Say::credit, {42, 1, 1});
  node->receive(0, 2, 50);  // overtakes them
  EXPECT_THAT(node->drain(2), ElementsAre(10, 2, 8));
  // The window is charged when a packet leaves its VOQ for the wire: one credit, one packet.
  EXPECT_EQ(node->policy.windows().charged(40), 1u);
  for (std::uint32_t psn = 2; psn < 4; ++psn) {
    for (const std::uint32_t to : {40u, 42u}) node->hear(2, Say::credit, {to, 1, psn});
    EXPECT_THAT(node->drain(2), SizeIs(psn == 2 ? 2 : 0));
  }
  EXPECT_EQ(node->waiting(), 2u);  // of 41
}

// [FLOODGATE-V-6] Even when all others are taken, each port can have one.
TEST(FloodgateVoqs, AreThereForEveryPort) {
  const auto node = tor(1, with(kPort, "queues", std::int64_t{1}));
  for (std::size_t to = 40; to < 44; ++to) {
    for (int i = 0; i < 2; ++i) node->receive(0, to % 2 + 2, to);
  }
  EXPECT_EQ(node->policy.windows().voqs().size(), 2u);
  EXPECT_EQ(node->statistic("floodgate.voqs"), 2);
  EXPECT_THAT(node->drain(2), ElementsAre(1, 5));
  EXPECT_THAT(node->drain(3), ElementsAre(3, 7));
  for (std::uint32_t to = 40; to < 44; ++to) node->hear(to % 2 + 2, Say::credit, {to, 1, 1});
  EXPECT_THAT(node->drain(2), ElementsAre(2, 6));
  EXPECT_THAT(node->drain(3), ElementsAre(4, 8));
  EXPECT_EQ(node->statistic("floodgate.voqs"), 0);
}

// A destination by two ports of the port pipeline has one window and a VOQ at each.
TEST(FloodgateVoqs, OfADestinationAtTwoPortsShareItsWindow) {
  const auto node = tor(1, kPort);
  node->receive(0, 2, 40);
  node->receive(0, 2, 40);
  node->receive(0, 3, 40);
  EXPECT_EQ(node->statistic("floodgate.voqs"), 2);
  EXPECT_THAT(node->drain(2), ElementsAre(1));
  node->hear(2, Say::credit, {40, 1, 1});
  EXPECT_THAT(node->drain(3), ElementsAre(3));
  EXPECT_THAT(node->drain(2), IsEmpty());
  node->hear(3, Say::credit, {40, 1, 1});
  EXPECT_THAT(node->drain(2), ElementsAre(2));
}

// [FLOODGATE-S-1] [FLOODGATE-S-2]
TEST(FloodgateVoqs, AreSignalledWithTheEgressQueueOrApart) {
  for (const Values& pipeline : {Values{}, kPort}) {
    for (const auto& [signal, split_signal, split_carried] :
         {std::tuple("egress", false, false), std::tuple("split", true, true), std::tuple("automatic", false, true)}) {
      SCOPED_TRACE(signal);
      const auto node = tor(1, with(pipeline, "signal", std::string(signal)));
      for (int i = 0; i < 4; ++i) node->receive(0, 2, 40);  // three wait
      for (int i = 0; i < 3; ++i) node->receive(0, 3, 41);  // two wait
      Frame& other = node->receive(0, 2, 50);
      const QueueId fifo = node->fifo(2);
      const QueueId voq = node->policy.windows().voqs()[0].queue;
      const Frame& incast = *node->context.peek(voq);
      const bool by_port = !pipeline.empty();
      for (const bool carried : {false, true}) {
        const auto length = [&](QueueId queue, const Frame& frame) {
          return carried ? node->policy.carried_length(node->context, queue, frame)
                         : node->policy.signalled_length(node->context, queue, frame);
        };
        const auto at_port = [&](QueueId queue, const Frame& frame) {
          // As telemetry does: with what is queued at the port.
          const std::int64_t queued = by_port ? 2 * 1'066 + 3 * 1'066 : 2 * 1'066;
          return queued + length(queue, frame) - node->context.queue(queue).bytes;
        };
        if (carried ? split_carried : split_signal) {
          EXPECT_EQ(at_port(fifo, other), 2 * 1'066);
          const std::int64_t beside = by_port ? 0 : 2 * 1'066 - node->context.queue(voq).bytes;
          EXPECT_EQ(at_port(voq, incast), 5 * 1'066 + beside);
        } else {
          EXPECT_EQ(length(fifo, other), 5 * 1'066);
          EXPECT_EQ(length(voq, incast), 5 * 1'066);
        }
      }
    }
  }
}

// Ten incasts one after the other: no VOQ and no window stays taken.
TEST(FloodgateVoqs, AreAllFreeAfterTenIncasts) {
  for (const Values& pipeline : {Values{}, kPort}) {
    const auto node = tor(4, with(pipeline, "queues", std::int64_t{3}));
    for (std::uint32_t incast = 0; incast < 10; ++incast) {
      const std::uint32_t to = 40 + incast % 4;
      std::uint32_t psn = incast / 4 * 30;
      for (int i = 0; i < 30; ++i) node->receive(i % 2, 2, to);
      EXPECT_EQ(node->statistic("floodgate.voqs"), 1);
      std::size_t sent = 0;
      while (sent < 30) {
        const std::size_t now = node->drain(2).size();
        ASSERT_LE(now, 4u);
        ASSERT_GT(now, 0u);
        sent += now;
        psn += static_cast<std::uint32_t>(now);
        node->hear(2, Say::credit, {to, static_cast<std::uint32_t>(now), psn});
      }
      EXPECT_EQ(node->statistic("floodgate.voqs"), 0);
      EXPECT_EQ(node->policy.windows().active(), 0u);
    }
  }
}

// What waits is held by credit of the neighbour that has packets of the destination, and what it holds keeps credit
// and hosts waiting.
TEST(FloodgateVoqs, SayWhatHoldsThemAndWhatTheyKeep) {
  const auto node = middle(1, {{"credit_threshold", Bytes(1'066)}});
  for (std::uint32_t i = 1; i <= 4; ++i) node->receive(0, 2, 40, field_of(i));
  node->drain(2);
  const QueueId voq = node->voq_in_use();
  std::vector<HeldBy> held;
  node->policy.held_by(node->context, voq, held);
  EXPECT_THAT(held, ElementsAre(HeldBy{PortId(2), 40, QueueId::none()}));
  std::vector<HopPause> kept;
  node->policy.keeps(node->context, voq, *node->context.peek(voq), kept);
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(kept[0].ingress, PortId(0));
  EXPECT_EQ(kept[0].name, 40u);
  EXPECT_TRUE(kept[0].in_switch);
  EXPECT_EQ(node->policy.longest_release(), us(10));
  EXPECT_EQ(node->policy.pause_text(40), "credit for host 40");
  // A packet of another ingress delays what the first is owed.
  const auto other = middle(1, {{"credit_threshold", Bytes(1'066)}});
  other->receive(0, 2, 40, field_of(1));
  for (std::uint32_t i = 1; i <= 3; ++i) other->receive(1, 2, 40, field_of(i));
  other->drain(2);
  kept.clear();
  other->policy.keeps(other->context, other->voq_in_use(), *other->context.peek(other->voq_in_use()), kept);
  const bool of_first =
      std::any_of(kept.begin(), kept.end(), [](const HopPause& at) { return at.ingress == PortId(0); });
  EXPECT_TRUE(of_first);
}

}  // namespace
}  // namespace weir::floodgate::voq_pool_test
