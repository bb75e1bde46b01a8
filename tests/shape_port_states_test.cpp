// SPDX-License-Identifier: Apache-2.0
// The shape of SPFC: a buffer policy with a state for each ingress port, derived from that port's departures in an
// interval and from the switch's own pauses, that lets some ports use the whole buffer (spfc IV, V).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "shape_lab.h"

namespace weir::shape::shape_port_states_test {
namespace {

using namespace literals;
using testing::IsEmpty;

class PortStates : public BufferPolicy {
 public:
  explicit PortStates(const Parameters& parameters) : selective_(parameters.get<bool>("selective")) {}

  [[nodiscard]] Hooks hooks() const override {
    return {.arrival = false, .enter = false, .depart = true, .drop = false};
  }
  void attach(SwitchContext& context) override {
    ports_.resize(context.ports());
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const std::int64_t line = bytes_in(kInterval, context.port(PortId(i)).rate).count();
      ports_[i].threshold = line / kShare / context.maximum_frame();
    }
    timer_ = context.new_timer(*this);
    context.arm(timer_, Time() + kInterval);
  }
  // The ingress rate counter.
  void on_depart(SwitchContext& context, QueueId, Frame& frame) override {
    if (!frame.ingress.exists() || !context.buffer().lossless[frame.ingress_priority]) return;
    Port& port = ports_[frame.ingress.index()];
    if (++port.departures >= port.threshold) port.fast = true;
  }
  // The timeout clock; the state holder keeps the output of the last interval.
  void on_timer(SwitchContext& context, TimerId timer) override {
    context.arm(timer, context.now() + kInterval);
    for (Port& port : ports_) {
      port.fast = port.departures >= port.threshold;
      port.departures = 0;
    }
  }
  // A port that must pause in spite of the whole buffer is not a victim until it has resumed.
  void on_pause(SwitchContext&, PortId ingress, Priority, bool paused) override {
    Port& port = ports_[ingress.index()];
    port.paused = paused;
    if (paused) ++port.pauses;
  }
  [[nodiscard]] std::int64_t xoff(const SwitchContext& context, PortId ingress, Priority priority) const override {
    const PoolState& pool = context.pool_of(priority);
    const Port& port = ports_[ingress.index()];
    if (selective_ && port.fast && !port.paused) return pool.size;
    return std::max<std::int64_t>(0, pool.size - pool.used) / 8;
  }
  [[nodiscard]] std::int64_t xon(const SwitchContext& context, PortId ingress, Priority priority) const override {
    return std::max<std::int64_t>(0, xoff(context, ingress, priority) - 3'072);
  }
  [[nodiscard]] std::int64_t egress_limit(const SwitchContext& context, PortId, Priority priority) const override {
    return context.pool_of(priority).size;
  }

  [[nodiscard]] std::uint64_t pauses(std::size_t port) const { return ports_[port].pauses; }

 private:
  static constexpr Duration kInterval = Duration::picoseconds(20'000'000);
  static constexpr std::int64_t kShare = 5;  // of the line rate: a port above it carries more than a burst's share

  struct Port {
    std::int64_t threshold = 0;  // frames per interval
    std::int64_t departures = 0;
    bool fast = false;
    bool paused = false;
    std::uint64_t pauses = 0;
  };
  bool selective_;
  std::vector<Port> ports_;
  TimerId timer_;
};

const Scheme port_states = {
    .name = "port states",
    .summary = "",
    .traits = {},
    .parameters = {{.name = "selective", .default_value = true, .meaning = "", .source = ""}},
    .buffer = make<BufferPolicy, PortStates>,
};

constexpr std::size_t kBursts = 10;
constexpr std::size_t kBurstTarget = kBursts + 1;
constexpr std::size_t kVictimTarget = kBursts + 2;

/// Figure 3 of spfc: host 0 sends one flow to a quiet port (the victim) and one to a port to which ten others send
/// bursts.
Settings victim(bool selective) {
  Settings settings = bare(built(build_single_switch({{{kBursts + 3, {100_Gbps, 1_us}}}})));
  settings.switches.buffer = 4_MB;
  settings.switches.flow_control = {choose("pfc")};
  settings.switches.buffer_policy = choose(port_states);
  settings.switches.buffer_policy.parameters.set("selective", selective);
  std::vector<FlowSpec> flows = {flow(0, kVictimTarget, 3_MB), flow(0, kBurstTarget, 900_KB)};
  for (std::size_t host = 1; host <= kBursts; ++host) flows.push_back(flow(host, kBurstTarget, 300_KB, at(50_us)));
  offer(settings, flows);
  return settings;
}

class PortStateShape : public BothDrivers {};
WEIR_BOTH_DRIVERS(PortStateShape);

TEST_P(PortStateShape, GivesTheVictimPortTheBuffer) {
  std::uint64_t pauses[2];
  std::uint64_t burst_pauses[2];
  Duration completion[2];
  for (const bool selective : {false, true}) {
    Lab lab(victim(selective), GetParam());
    lab.record(SwitchId(0));
    const Outcome outcome = lab.run();
    expect_clean(outcome, kBursts + 2);
    const PortStates& policy = Made<PortStates>::at(0);
    pauses[selective] = policy.pauses(0);
    burst_pauses[selective] = 0;
    for (std::size_t port = 1; port <= kBursts; ++port) burst_pauses[selective] += policy.pauses(port);
    completion[selective] = outcome.completion(0);
    EXPECT_EQ(lab.closed_gates(), 0u);
    EXPECT_THAT(lab.replay_differences(), IsEmpty());
  }
  EXPECT_GT(pauses[false], 0u);
  EXPECT_EQ(pauses[true], 0u);
  EXPECT_GT(burst_pauses[true], 0u);  // a port that carries only the burst is still paused
  EXPECT_LT(completion[true], completion[false]);
}

}  // namespace
}  // namespace weir::shape::shape_port_states_test
