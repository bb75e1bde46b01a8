// SPDX-License-Identifier: Apache-2.0
// Which parameters of Pyrrha are rejected, and which cause warnings.
#include "schemes/pyrrha/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "schemes/pyrrha/pyrrha.h"
#include "schemes/pyrrha/test_node.h"

namespace weir::pyrrha::validation_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PyrrhaParameters, AreRefusedIfTheyMakeNoSense) {
  EXPECT_TRUE(scheme.errors(parameters_with({})).empty());
  EXPECT_FALSE(scheme.errors(parameters_with({{"pause_factor", 0.5}})).empty());  // [PYRRHA-IN-1]
  EXPECT_TRUE(scheme.errors(parameters_with({{"pause_factor", 1.0}})).empty()) << "resume_factor is 1, too";
}

TEST(PyrrhaParameters, AreWarnedOfForwardingThatCannotBePredicted) {
  const Scheme hashes = {.name = "hashes", .summary = "", .traits = {}, .parameters = {}};
  const Scheme spreads = {.name = "spreads", .summary = "", .traits = {.spreads_packets = true}, .parameters = {}};
  const auto warnings = [](const Scheme& forwarding, const std::string& roots) {
    Parameters parameters(scheme.parameters);
    EXPECT_TRUE(parameters.set("roots", roots));
    SchemeSurroundings around;
    around.at_switch.emplace();
    around.at_switch->forwarding = {&forwarding, nullptr};
    return scheme.warnings(parameters, around);
  };
  ASSERT_EQ(warnings(spreads, "all").size(), 1u);  // [PYRRHA-IN-2]
  EXPECT_NE(warnings(spreads, "all").front().find("Pauses for ports to hosts hold packets"), std::string::npos);
  EXPECT_TRUE(warnings(spreads, "last_hop").empty());
  EXPECT_TRUE(warnings(hashes, "all").empty());
  EXPECT_TRUE(scheme.warnings(Parameters(scheme.parameters), {}).empty()) << "not at a switch";
}

/// One kind of switches, which run Pyrrha, joined by links of 100 Gbit/s and 600 ns: a one-hop BDP is 15,000 B.
SchemeSurroundings suitable(const Parameters& parameters) {
  SchemeSurroundings around;
  around.network.links = {{.rate = BitRate(100'000'000'000)}};
  around.network.maximum_frame = 1'526;
  around.hosts.offered = {3};
  around.at_switch.emplace();
  around.at_switch->flow_control = {{&scheme, &parameters}};
  around.switches = {*around.at_switch};
  around.links = {{.from = 0, .to = 0, .rate = BitRate(100'000'000'000), .delay = 600_ns}};
  return around;
}

// [PYRRHA-IN-3]
TEST(PyrrhaParameters, AreWarnedOfAPriorityWithoutData) {
  const Parameters parameters = parameters_with({{"priority", std::int64_t{2}}});
  SchemeSurroundings around = suitable(parameters);
  EXPECT_THAT(scheme.warnings(parameters, around),
              ElementsAre("no data has its priority (2), so it has no effect: the data has 3; expected priority = 3"));
  around.hosts.offered = {2, 3};
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty());
  around.hosts.offered = {};
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty()) << "no traffic at all";
}

// [PYRRHA-IN-4]
TEST(PyrrhaParameters, AreWarnedOfAThresholdBelowAFrame) {
  const Parameters parameters = parameters_with({});
  SchemeSurroundings around = suitable(parameters);
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty());
  around.links.front().delay = 15_ns;  // K_pause: 2 x 375 B
  EXPECT_THAT(scheme.warnings(parameters, around),
              ElementsAre("K_pause is at most 750 B at some links between switches, less than a frame of 1526 B: a "
                          "port that two frames meet is a root at once; expected pause_factor = 5 or more"));
  EXPECT_THAT(scheme.warnings(parameters_with({{"pause_factor", 5.0}}), around), IsEmpty());
  around.links.front().delay = Duration();
  EXPECT_THAT(scheme.warnings(parameters, around), ElementsAre(HasSubstr("K_pause is at most 0 B")));
  around.switches.front().flow_control = {};
  EXPECT_THAT(scheme.warnings(parameters, around), IsEmpty()) << "nobody there to pause";
}

// [PYRRHA-IN-5]
TEST(PyrrhaParameters, AreWarnedOfLinksThatDamageControlFrames) {
  const Parameters parameters = parameters_with({});
  SchemeSurroundings around = suitable(parameters);
  around.network.damages = true;
  EXPECT_THAT(scheme.warnings(parameters, around), ElementsAre(HasSubstr("links have an error_rate")));
}

}  // namespace
}  // namespace weir::pyrrha::validation_test
