// SPDX-License-Identifier: Apache-2.0
// BFC's shape under both drivers: counters by ingress and upstream queue, active queues, both disciplines, a failed
// link.
#include "shape_backpressure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::shape::shape_backpressure_test {
namespace {

using namespace literals;
using testing::IsEmpty;

class BackpressureShape : public BothDrivers {
 protected:
  static Settings incast(Bytes size) {
    Settings settings = bare(backpressure_network());
    settings.switches.flow_control = {choose(backpressure<BackpressureSwitch>())};
    std::vector<FlowSpec> flows;
    for (std::size_t source = 0; source < 8; ++source) flows.push_back(flow(source, 8, size));
    flows.push_back(flow(0, 9, 500_KB, at(20_us)));
    flows.push_back(flow(4, 5, 1_KB, at(4_ms)));  // by then the network is idle again
    offer(settings, flows);
    return settings;
  }
  static constexpr std::size_t kVictim = 8;
  static constexpr std::size_t kFlows = 10;

  template <class Fake>
  static void expect_nothing_left(Lab& lab) {
    for (std::size_t i = 0; i < lab.fabric().switches(); ++i) {
      EXPECT_EQ(Made<Fake>::at(i).left_over(), 0u) << "switch " << i;
    }
    for (std::size_t i = 0; i < lab.fabric().hosts(); ++i) {
      EXPECT_EQ(Made<QueueNic>::at(i).users(), 0u) << "host " << i;
    }
    EXPECT_EQ(lab.closed_gates(), 0u);
  }
};

TEST_P(BackpressureShape, PausesTheQueuesThatCongestionComesFrom) {
  const Settings settings = incast(1_MB);
  Lab lab(settings, GetParam());
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) lab.record(SwitchId(i));
  for (std::size_t i = 0; i < 4; ++i) lab.record(HostId(i));
  const Outcome outcome = lab.run();
  expect_clean(outcome, kFlows);
  expect_nothing_left<BackpressureSwitch>(lab);
  const BackpressureSwitch& last = Made<BackpressureSwitch>::at(2);
  EXPECT_GT(last.pauses, 0u);
  EXPECT_GT(last.shared, 0u) << "eight flows had four queues";
  EXPECT_LE(2 * last.least_threshold, last.most_threshold) << "the threshold follows the active queues";
  std::uint64_t heard = 0;
  for (std::size_t i = 0; i < 8; ++i) heard += Made<QueueNic>::at(i).heard;
  EXPECT_GT(heard, 0u);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
  EXPECT_LT(outcome.completion(kVictim), 160_us);
}

TEST_P(BackpressureShape, PutsIdleQueuePairsIntoOtherQueues) {
  Settings settings = incast(200_KB);
  settings.switches.flow_control = {choose(backpressure<BackpressureSwitch, MovingQueueNic>())};
  std::vector<FlowSpec> flows;
  for (std::size_t source = 0; source < 8; ++source) {
    for (int message = 0; message < 4; ++message) {
      flows.push_back(flow(source, 8, 200_KB, at(message * 400_us)));
      flows.back().connection = ConnectionId(source);
    }
  }
  flows.push_back(flow(4, 5, 1_KB, at(4_ms)));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  for (std::size_t i = 0; i < 8; ++i) lab.record(HostId(i));
  expect_clean(lab.run(), flows.size());
  EXPECT_GT(Made<BackpressureSwitch>::at(2).pauses, 0u);
  EXPECT_LT(2 * lab.fabric().switch_by(SwitchId(2)).buffer().maximum, 8 * 200'000);
  for (std::size_t i = 0; i < 8; ++i) {
    MovingQueueNic& nic = Made<MovingQueueNic>::at(i);
    EXPECT_GT(nic.moved, 10u) << "host " << i;
    EXPECT_EQ(nic.wrong, 0u) << "host " << i;
    EXPECT_EQ(nic.users(), lab.fabric().nic(HostId(i)).open_senders()) << "host " << i;
  }
  EXPECT_EQ(lab.closed_gates(), 0u);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(BackpressureShape, HoldsLessThanWithoutPauses) {
  Settings settings = incast(200_KB);
  Lab with(settings, GetParam());
  expect_clean(with.run(), kFlows);
  settings.switches.flow_control.clear();
  Lab without(settings, GetParam());
  expect_clean(without.run(), kFlows);
  EXPECT_LT(3 * with.fabric().switch_by(SwitchId(2)).buffer().maximum,
            without.fabric().switch_by(SwitchId(2)).buffer().maximum);
}

TEST_P(BackpressureShape, RankLetsTheShortestGoFirst) {
  // No more flows than queues: in a single queue the first flow goes first.
  Settings settings = incast(1_MB);
  std::vector<FlowSpec> flows;
  for (const std::size_t source : {0, 1, 4}) flows.push_back(flow(source, 8, 1_MB));
  flows.push_back(flow(5, 8, 200_KB, at(60_us)));
  flows.push_back(flow(4, 5, 1_KB, at(4_ms)));
  offer(settings, flows);
  const Duration fair = Lab(settings, GetParam()).run().completion(3);
  settings.switches.flow_control = {choose(backpressure<RankedBackpressureSwitch>())};
  Lab lab(settings, GetParam());
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) lab.record(SwitchId(i));
  const Outcome outcome = lab.run();
  expect_clean(outcome, flows.size());
  expect_nothing_left<RankedBackpressureSwitch>(lab);
  EXPECT_GT(fair, 48_us) << "a quarter of the link";
  EXPECT_LT(outcome.completion(3), 30_us) << "the whole of it";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(BackpressureShape, ForgetsALinkThatFails) {
  Settings settings = incast(1_MB);
  const Topology& topology = settings.network.topology;
  const LinkId link = topology.links_between(topology.node_of(SwitchId(2)), topology.node_of(SwitchId(3))).front();
  settings.network.failures = {{link, at(100_us), at(900_us)}};
  settings.network.failure_detection = 50_us;
  settings.hosts.loss_recovery.parameters.set("timeout", 200_us);
  Lab lab(settings, GetParam());
  for (std::size_t i = 0; i < lab.fabric().switches(); ++i) lab.record(SwitchId(i));
  for (std::size_t i = 0; i < 4; ++i) lab.record(HostId(i));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), kFlows);
  EXPECT_GT(outcome.retransmitted, 0u) << "or nothing was lost on the link";
  EXPECT_EQ(outcome.lossless_drops, 0u);
  expect_nothing_left<BackpressureSwitch>(lab);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

WEIR_BOTH_DRIVERS(BackpressureShape);

}  // namespace
}  // namespace weir::shape::shape_backpressure_test
