// SPDX-License-Identifier: Apache-2.0
#include "apps/analyze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "apps/test_commands.h"

namespace weir::apps::analyze_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Commands, AnalyzeListsWhatThereIs) {
  EXPECT_EQ(capture([] { return analyze({}); }), kDone);
  EXPECT_THAT(out_, HasSubstr("\nrocc "));
  EXPECT_EQ(capture([] { return analyze({.name = "rocc", .list = true}); }), kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("\nalpha "), HasSubstr("\"40 us\"")));
}

TEST_F(Commands, AnalyzeShowsTablesAndWritesFiles) {
  const std::string out = (folder() / "out").string();
  EXPECT_EQ(capture([&] {
              return analyze({.name = "rocc", .set = {"flows=4", "update_interval=20 us"}, .out = out});
            }),
            kDone);
  EXPECT_THAT(out_, AllOf(HasSubstr("Phase margin by gains, 4 flows"), HasSubstr("charts in " + out)));
  EXPECT_THAT(content(folder() / "out" / "margins.csv"), HasSubstr("alpha,beta,flows,phase_margin_degrees,"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "out" / "bode_gain.svg"));
}

TEST_F(Commands, AnalyzeSaysWhatIsWrong) {
  EXPECT_EQ(capture([] { return analyze({.name = "roc"}); }), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("unknown analysis \"roc\" (did you mean \"rocc\"?)"));
  EXPECT_EQ(capture([] { return analyze({.name = "rocc", .set = {"alfa=1", "update_interval=40"}}); }), kWrongInput);
  EXPECT_THAT(err_, AllOf(HasSubstr("alfa: unknown key (did you mean \"alpha\"?)"), HasSubstr("update_interval: ")));
  EXPECT_EQ(capture([] { return analyze({.name = "rocc", .set = {"most_flows=3"}}); }), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("most_flows is 3, expected more than flows and more_flows"));
  EXPECT_THAT(out_, IsEmpty());
}

}  // namespace
}  // namespace weir::apps::analyze_test
