// SPDX-License-Identifier: Apache-2.0
// The pause watchdog in a network that deadlocks without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/command_line.h"
#include "apps/test_commands.h"
#include "store/store.h"

namespace weir::apps::watchdog_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class WatchdogCommands : public Commands {
 protected:
  /// The first variant of the report's test of deadlocks, with this watchdog.
  int compare(const std::string& watchdog) {
    std::vector<std::string> arguments = {"weir",  "compare",     "report/test/circle.toml", "--variant", "stuck",
                                          "--out", out().string()};
    if (!watchdog.empty()) arguments.insert(arguments.end(), {"--set", "switch.pause_watchdog=" + watchdog});
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    return capture([&] { return command_line(static_cast<int>(argv.size()), argv.data()); });
  }
  [[nodiscard]] std::filesystem::path out() const { return folder() / "out"; }
  [[nodiscard]] RunRecord record() const {
    const Store store = Store::open(store_path(out()));
    return store.load(store.runs().front().id);
  }
  static std::uint64_t dropped(const RunRecord& of) {
    std::uint64_t sum = 0;
    for (const SwitchRecord& at : of.switches) sum += at.drops[static_cast<std::size_t>(DropReason::watchdog)];
    return sum;
  }
};

TEST_F(WatchdogCommands, WithoutItTheRunEndsInADeadlock) {
  EXPECT_NE(compare(""), kDone);
  EXPECT_TRUE(record().deadlock);
  EXPECT_THAT(out_, Not(HasSubstr("PAUSE WATCHDOG")));
}

TEST_F(WatchdogCommands, DropsUntilTheFlowsComplete) {
  ASSERT_EQ(compare("{ detection_time = \"1 ms\", restoration_time = \"200 us\" }"), kDone) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("PAUSE WATCHDOG in stuck: pause watchdogs found "), HasSubstr(" and dropped "),
                          HasSubstr("(priority 3)"), HasSubstr("; the first began at "),
                          HasSubstr("DROPS ON A LOSSLESS PRIORITY in stuck: "), HasSubstr(" by pause watchdogs")));
  const RunRecord of = record();
  EXPECT_FALSE(of.deadlock);
  EXPECT_GT(dropped(of), 0u);
  EXPECT_TRUE(std::all_of(of.flows.begin(), of.flows.end(), [](const FlowRecord& flow) { return flow.completed(); }));
  EXPECT_TRUE(std::any_of(of.findings.begin(), of.findings.end(), [](const RunFinding& finding) {
    return finding.kind == FindingKind::watchdog && !finding.ports.empty();
  }));
}

TEST_F(WatchdogCommands, ForwardsWithoutDropsOfItsOwn) {
  ASSERT_EQ(compare("{ detection_time = \"1 ms\", restoration_time = \"200 us\", action = \"forward\" }"), kDone)
      << err_;
  EXPECT_THAT(out_, HasSubstr(" and forwarded frames despite the pauses: "));
  const RunRecord of = record();
  EXPECT_FALSE(of.deadlock);
  EXPECT_EQ(dropped(of), 0u);
  EXPECT_TRUE(std::all_of(of.flows.begin(), of.flows.end(), [](const FlowRecord& flow) { return flow.completed(); }));
}

TEST_F(WatchdogCommands, AnAlertLeavesTheDeadlock) {
  EXPECT_NE(compare("{ detection_time = \"20 us\", action = \"alert\" }"), kDone);
  const RunRecord of = record();
  EXPECT_TRUE(of.deadlock);
  EXPECT_THAT(out_ + err_, HasSubstr(" and only counted them: "));
}

TEST_F(WatchdogCommands, RefusesWhatMakesNoSense) {
  EXPECT_EQ(compare("{ restoration_time = \"1 ms\" }"), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("switch.pause_watchdog.detection_time"));
  EXPECT_EQ(compare("{ detection_time = \"0 s\" }"), kWrongInput);
  EXPECT_EQ(compare("{ detection_time = \"1 ms\", action = \"forwards\" }"), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("did you mean \"forward\"?"));
}

}  // namespace
}  // namespace weir::apps::watchdog_test
