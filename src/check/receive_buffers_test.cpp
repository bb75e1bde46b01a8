// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/check.h"
#include "check/check_errors.h"
#include "scenario/test_scenario.h"

namespace weir::receive_buffers_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_scenario::changed;
using testing_scenario::read;

struct Checked {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

Checked check(const std::string& flow_control, const std::string& buffer, const std::string& of_switches = "") {
  const std::string with_flow_control =
      changed("flow_control = [\"pfc\"]", of_switches + "flow_control = [" + flow_control + "]");
  const Scenario scenario =
      read(changed("payload = 1000",
                   "payload = 1000\n[[host.group]]\nname = \"slow\"\nhosts = \"h1\"\nreceive_buffer = \"" + buffer +
                       "\"\ndrain_rate = \"40 Gbit/s\"\n",
                   with_flow_control));
  EXPECT_THAT(scenario.errors, IsEmpty());
  if (!scenario.ok()) return {};
  const CheckedVariant checked = check_variant(scenario.variants[0].settings, scenario.variants[0].traffic);
  return {check_errors(scenario, {checked}), checked.warnings};
}

TEST(ReceiveBuffers, MustHoldTheHeadroomOfPfc) {
  EXPECT_THAT(check("\"pfc\"", "1 MB").errors, IsEmpty());
  EXPECT_THAT(check("\"pfc\"", "20 KB").errors,
              ElementsAre(HasSubstr("host.group.slow.receive_buffer: h1: is 20 KB, expected at least ")));
}

TEST(ReceiveBuffers, MustHoldAFrame) {
  EXPECT_THAT(check("", "2 KB").errors, IsEmpty());
  EXPECT_THAT(check("", "900 B").errors,
              ElementsAre(HasSubstr("host.group.slow.receive_buffer: h1: is 900 B, expected at least ")));
}

TEST(ReceiveBuffers, AreReportedIfNobodyPauses) {
  const auto unprotected = HasSubstr("host h1 has a receive buffer, but no flow control of its switch");
  EXPECT_THAT(check("", "1 MB").warnings, Contains(unprotected));
  EXPECT_THAT(check("\"pfc\"", "1 MB").warnings, Not(Contains(unprotected)));
}

TEST(ReceiveBuffers, AreReportedIfPfcHasNoPriorityToPause) {
  const auto unprotected = HasSubstr("host h1 has a receive buffer, but no flow control of its switch");
  EXPECT_THAT(check("\"pfc\"", "1 MB", "lossless = []\n").warnings, Contains(unprotected));
}

TEST(ReceiveBuffers, NeedRoomForThePausesOfPyrrha) {
  // K_pause at 40 and at 100 Gbit/s of one-hop BDPs of 10 and 25 KB, and what a round trip brings.
  const auto small = HasSubstr("host.group.slow.receive_buffer: the receive buffer of h1 may drop frames although");
  EXPECT_THAT(check("\"pyrrha\"", "80 KB").warnings, Contains(small));
  EXPECT_THAT(check("\"pyrrha\"", "110 KB").warnings, Not(Contains(small)));
  EXPECT_THAT(check("\"pyrrha\", \"pfc\"", "80 KB").warnings, Not(Contains(small)));
  EXPECT_THAT(check("\"pfc\", \"pyrrha\"", "80 KB").warnings, Not(Contains(small)));
}

TEST(ReceiveBuffers, CannotBeRootsOfPyrrhaWithOneTier) {
  const std::string one_tier = "{ scheme = \"pyrrha\", tiers = 1 }";
  EXPECT_THAT(check(one_tier, "1 MB").errors, ElementsAre(HasSubstr("switch.flow_control: pyrrha: with tiers = 1 a")));
  EXPECT_THAT(check(one_tier + ", \"pfc\"", "1 MB").errors, IsEmpty());
}

}  // namespace
}  // namespace weir::receive_buffers_test
