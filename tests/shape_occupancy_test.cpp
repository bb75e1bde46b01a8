// SPDX-License-Identifier: Apache-2.0
// The shape of DRILL: each frame goes to the least filled of a few random ports and the best of last time, which the
// switch stores for each set of next hops (Ghorbani et al., SIGCOMM 2017).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "shape_lab.h"
#include "shape_resequencing.h"

namespace weir::shape::shape_occupancy_test {
namespace {

using namespace literals;
using testing::IsEmpty;

class LeastFilled : public Forwarding {
 public:
  // A host's next hops are one set, so there are at most as many sets as hosts, plus the empty one.
  void attach(SwitchContext& context) override { best_.resize(context.hosts() + 1); }
  PortId choose(SwitchContext& context, const Frame&, const NextHops& hops) override {
    PortId& best = best_[hops.group];
    // After new routes the set may be another.
    if (std::find(hops.ports.begin(), hops.ports.end(), best) == hops.ports.end()) best = hops.ports.front();
    for (int i = 0; i < kSamples; ++i) {
      const PortId port = hops.ports[context.random().below(hops.ports.size())];
      if (context.port(port).queued_bytes < context.port(best).queued_bytes) best = port;
    }
    return best;
  }

 private:
  static constexpr int kSamples = 2;
  std::vector<PortId> best_;  // by set of next hops
};

const Scheme least_filled = {
    .name = "least filled",
    .summary = "",
    .traits = {},
    .parameters = {},
    .forwarding = make<Forwarding, LeastFilled>,
};
const Scheme resequencing = {
    .name = "resequencing",
    .summary = "",
    .traits = {},
    .parameters = {},
    .loss_recovery = make<LossRecovery, Resequencing>,
};

constexpr std::size_t kHosts = 3;  // of each rack
constexpr std::size_t kSpines = 4;

/// Two racks joined by four spines, the first of them by links of a quarter of the others' rate.
Topology uneven() {
  Topology topology;
  std::vector<NodeId> tors;
  for (int tor = 0; tor < 2; ++tor) {
    tors.push_back(topology.add_switch("tor" + std::to_string(tor), 1));
    for (std::size_t host = 0; host < kHosts; ++host) {
      const NodeId node = topology.add_host("host" + std::to_string(tor) + "_" + std::to_string(host));
      topology.connect(node, tors.back(), {100_Gbps, 1_us});
    }
  }
  for (std::size_t spine = 0; spine < kSpines; ++spine) {
    const NodeId node = topology.add_switch("spine" + std::to_string(spine), 2);
    for (const NodeId tor : tors) topology.connect(tor, node, {spine == 0 ? 25_Gbps : 100_Gbps, 1_us});
  }
  return topology;
}

struct Shares {
  Outcome outcome;
  double slow = 0;  ///< fraction of the frames between racks over the slow spine
  std::int64_t held = 0;
  std::vector<std::string> differences;
};

Shares run(const PolicyChoice& forwarding, Driver driver) {
  Settings settings = bare(uneven());
  settings.switches.flow_control = {choose("pfc")};
  settings.switches.forwarding = forwarding;
  settings.hosts.loss_recovery = choose(resequencing);
  settings.hosts.window.kind = WindowSettings::Kind::fixed;  // bounds the reordering
  settings.hosts.window.bytes = 400_KB;
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kHosts; ++host) flows.push_back(flow(host, kHosts + host, 1_MB));
  offer(settings, flows);
  Lab lab(settings, driver);
  lab.record(SwitchId(0));
  lab.record(HostId(kHosts));
  Shares shares;
  shares.outcome = lab.run();
  shares.differences = lab.replay_differences();
  const Switch& tor = lab.fabric().switch_by(SwitchId(0));
  std::uint64_t all = 0;
  for (std::size_t spine = 0; spine < kSpines; ++spine) all += tor.port(PortId(kHosts + spine)).frames_sent;
  shares.slow = static_cast<double>(tor.port(PortId(kHosts)).frames_sent) / static_cast<double>(all);
  shares.held = tor.buffer().maximum;
  return shares;
}

class Occupancy : public BothDrivers {};
WEIR_BOTH_DRIVERS(Occupancy);

TEST_P(Occupancy, SendsByWhatIsFreeNow) {
  const Shares sprayed = run(choose("spray"), GetParam());
  const Shares filled = run(choose(least_filled), GetParam());
  for (const Shares* shares : {&sprayed, &filled}) {
    EXPECT_EQ(shares->outcome.failure, "");
    EXPECT_EQ(shares->outcome.flows.size(), kHosts);
    EXPECT_EQ(shares->outcome.drops, 0u);
    EXPECT_EQ(shares->outcome.retransmitted, 0u);
    EXPECT_THAT(shares->differences, IsEmpty());
  }
  EXPECT_GT(filled.outcome.out_of_order, 0u);  // the receivers restore the order
  EXPECT_NEAR(sprayed.slow, 0.25, 0.03);
  // Of 325 Gbit/s, 25 are the slow spine's. A poll loop sees the occupancy only between two of its rounds.
  EXPECT_LT(filled.slow, GetParam() == Driver::event_loop ? 0.12 : 0.18);
  EXPECT_GT(filled.slow, 0.02);
  EXPECT_LT(filled.held, sprayed.held / 2);
  for (std::size_t number = 0; number < kHosts; ++number) {
    EXPECT_LT(filled.outcome.completion(number), sprayed.outcome.completion(number));
  }
}

}  // namespace
}  // namespace weir::shape::shape_occupancy_test
