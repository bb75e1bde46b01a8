// SPDX-License-Identifier: Apache-2.0
// Agreement with the public simulator of BFC's authors on 40 us of flows without an incast; docs/validation.md has the
// whole comparison and the causes of the differences.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "results/run_record.h"
#include "scenario/scenario.h"
#include "sim/simulation.h"

namespace weir::bfc_validation_test {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

/// The list ends here: flows completed by then met no flow that is missing from the list.
constexpr double kEndUs = 40;
/// Bytes of their packets besides the payload, 20 of them on the wire only.
constexpr std::int64_t kBeside = 28;

struct Flow {
  int source = 0;
  int destination = 0;
  std::int64_t bytes = 0;  ///< of payload
  double start_us = 0;
  double theirs_us = 0;       ///< sender completion
  double other_paths_us = 0;  ///< the same with each flow on another path
};

std::vector<Flow> golden() {
  std::ifstream file("tests/golden/bfc_calm.csv");
  std::vector<Flow> flows;
  for (std::string line; std::getline(file, line);) {
    if (line.front() == '#' || line.front() == 's') continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream in(line);
    Flow flow;
    std::int64_t packets = 0;
    std::int64_t frame = 0;
    double start_ps = 0;
    in >> flow.source >> flow.destination >> packets >> frame >> start_ps >> flow.theirs_us >> flow.other_paths_us;
    flow.bytes = packets * (frame - kBeside);
    flow.start_us = start_ps / 1e6;
    flow.theirs_us /= 1e3;
    flow.other_paths_us /= 1e3;
    flows.push_back(flow);
  }
  return flows;
}

/// Runs the list in the network and with the parameters of scenarios/validation/bfc_authors.toml.
std::vector<double> run(const std::vector<Flow>& flows, std::uint64_t seed) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("weir_bfc_golden_" + std::to_string(seed) + ".txt");
  std::ofstream file(path);
  file << flows.size() << "\n" << std::fixed;
  file.precision(12);
  for (const Flow& flow : flows) {
    file << flow.source << " " << flow.destination << " 3 100 " << flow.bytes << " " << 2 + flow.start_us / 1e6 << "\n";
  }
  file.close();
  ScenarioOptions options;
  options.seed = seed;
  options.set = {"traffic=[{kind=\"file\",path=\"" + path.string() + "\",origin=\"2 s\"}]"};
  const Scenario scenario = load_scenario("scenarios/validation/bfc_authors.toml", options);
  EXPECT_THAT(scenario.errors, testing::IsEmpty());
  std::vector<double> times;
  if (!scenario.ok()) return times;
  const RunRecord record = Simulation(scenario.variants.at(0).settings).run();
  for (const FlowRecord& flow : record.flows) {
    EXPECT_TRUE(flow.completed());
    times.push_back(flow.sender_completion.microseconds());
  }
  std::filesystem::remove(path);
  return times;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The smallest value that 99 % do not exceed.
double p99(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(values.size()))) - 1);
}

/// Within a fraction of the range of their two runs.
testing::Matcher<double> within(double part, double one, double other) {
  return AllOf(Ge((1 - part) * std::min(one, other)), Le((1 + part) * std::max(one, other)));
}

TEST(BfcValidation, FlowsTakeTheTimeOfTheAuthorsSimulator) {
  const std::vector<Flow> flows = golden();
  ASSERT_EQ(flows.size(), 5'225u);
  const std::vector<double> ours = run(flows, 1);
  ASSERT_EQ(ours.size(), flows.size());
  const std::vector<std::int64_t> from = {0, 3'000, 10'000, 100'000};
  for (std::size_t i = 0; i + 1 < from.size(); ++i) {
    SCOPED_TRACE(testing::Message() << from[i] << " to " << from[i + 1] << " bytes");
    std::vector<double> times;
    std::vector<double> theirs;
    std::vector<double> others;
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      const Flow& of = flows[flow];
      if (of.bytes < from[i] || of.bytes >= from[i + 1]) continue;
      // Completed by the end in each of the runs: the same flows are compared, and no later one has met them.
      if (of.start_us + std::max({of.theirs_us, of.other_paths_us, ours[flow]}) > kEndUs) continue;
      times.push_back(ours[flow]);
      theirs.push_back(of.theirs_us);
      others.push_back(of.other_paths_us);
    }
    ASSERT_GE(times.size(), 100u);
    EXPECT_THAT(mean(times), within(0.05, mean(theirs), mean(others)));
    EXPECT_THAT(p99(times), within(0.15, p99(theirs), p99(others)));
  }
}

// Most flows of one frame meet no other flow on their path in any of the runs.
TEST(BfcValidation, FlowsAloneTakeTheTimeOfTheAuthorsSimulator) {
  const std::vector<Flow> flows = golden();
  const std::vector<double> ours = run(flows, 2);
  ASSERT_EQ(ours.size(), flows.size());
  std::size_t alike = 0;
  std::size_t compared = 0;
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    const Flow& of = flows[flow];
    if (of.bytes >= 1'000 || of.theirs_us != of.other_paths_us) continue;
    ++compared;
    alike += std::abs(ours[flow] - of.theirs_us) < 0.1 ? 1 : 0;
  }
  EXPECT_GE(compared, 500u);
  EXPECT_GE(alike * 4, compared * 3);
}

}  // namespace
}  // namespace weir::bfc_validation_test
