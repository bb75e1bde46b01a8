// SPDX-License-Identifier: Apache-2.0
// What a network tells its policies about a flow, and what it asks them for measurement.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "whole_network.h"

namespace weir::whole::told_policies_test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Not;
using testing::SizeIs;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};

// ---- gauges ----

/// Its gauges are the number of its port, and the number of frames that have left the switch.
class Gauged final : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    return hooks;
  }
  void on_depart(SwitchContext&, QueueId, Frame&) override { ++departed_; }
  [[nodiscard]] std::span<const GaugeSpec> gauges() const override { return kGauges; }
  [[nodiscard]] double gauge(std::size_t which, PortId port) const override {
    return which == 0 ? static_cast<double>(port.value) : static_cast<double>(departed_);
  }

 private:
  static constexpr std::array<GaugeSpec, 2> kGauges{{{"gauged.port", ""}, {"gauged.departed", "frames"}}};
  int departed_ = 0;
};

const Scheme kGauged = {
    .name = "gauged",
    .summary = "shows what a test knows",
    .traits = {},
    .congestion_point = [](const Parameters&) -> std::unique_ptr<CongestionPoint> {
      return std::make_unique<Gauged>();
    },
};

/// A frame of 1,000 bytes from host 1 to host 0 in each sample interval.
RunRecord run_gauged(std::optional<std::pair<SwitchId, PortId>> watched) {
  Settings settings = lossless_network(star(2, kLink), 50_us);
  settings.switches.congestion_point = {{&kGauged, Parameters(kGauged.parameters)}};
  settings.measurement.sample_interval = 10_us;
  settings.measurement.watched_port = watched;
  std::vector<FlowSpec> flows;
  for (int i = 0; i < 4; ++i) flows.push_back(flow(1, 0, 1_KB, at(i * 10_us)));
  offer(settings, flows);
  return Simulation(settings).run();
}

const Series* series_of(const RunRecord& record, const std::string& name) {
  for (const Series& series : record.series) {
    if (series.name == name) return &series;
  }
  return nullptr;
}

TEST(Gauges, AreASeriesOfTheWatchedPortEachNamedWithItsUnit) {
  const RunRecord record = run_gauged(std::pair(SwitchId(0), PortId(1)));
  const Series* port = series_of(record, "gauged.port");
  ASSERT_NE(port, nullptr);
  EXPECT_THAT(port->values, AllOf(Not(SizeIs(0)), Each(1.0)));
  const Series* departed = series_of(record, "gauged.departed frames");
  ASSERT_NE(departed, nullptr);
  // The data frame and its acknowledgement.
  EXPECT_THAT(departed->values, ElementsAre(2, 4, 6, 8, 8));
  EXPECT_EQ(departed->interval, 10_us);
}

TEST(Gauges, AreNotAskedWhereNoPortIsWatched) {
  EXPECT_THAT(run_gauged({}).series, SizeIs(0));
}

// ---- incasts ----

std::vector<std::pair<HostId, bool>> opened;  // set by the current test: destination, incast

class Noting final : public CongestionControl {
 public:
  void open(NicContext&, SendState& sender) override { opened.emplace_back(sender.remote, sender.incast); }
};

const Scheme kNoting = {
    .name = "noting",
    .summary = "notes which queue pairs are of an incast",
    .traits = {},
    .congestion_control = [](const Parameters&) -> std::unique_ptr<CongestionControl> {
      return std::make_unique<Noting>();
    },
};

TEST(Incast, IsToldToThePoliciesOfTheNicFlowByFlow) {
  Settings settings = lossless_network(star(3, kLink), 50_us);
  settings.hosts.congestion_control = {&kNoting, Parameters(kNoting.parameters)};
  std::vector<FlowSpec> flows = {flow(0, 1, 1_KB), flow(0, 2, 1_KB, at(1_us))};
  flows[1].incast = true;
  offer(settings, flows);
  opened.clear();
  Simulation(settings).run();
  EXPECT_THAT(opened, ElementsAre(std::pair(HostId(1), false), std::pair(HostId(2), true)));
}

}  // namespace
}  // namespace weir::whole::told_policies_test
