// SPDX-License-Identifier: Apache-2.0
#include "scenario/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace weir::reference_test {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& name) {
  for (const ReferenceTable& table : scenario_reference()) {
    if (table.name == name) return reference_text(table);
  }
  ADD_FAILURE() << "no table " << name;
  return {};
}

TEST(Reference, TellsDefaultKindRangeAndMeaning) {
  EXPECT_THAT(text_of("switch"), testing::StartsWith("[switch]: settings of all switches\n\n  preset  (no default)\n"));
  EXPECT_THAT(
      text_of("switch"),
      HasSubstr(
          "\n\n  buffer = \"12 MB\"\n      a size, above 0 B and at most 1000 TB\n      packet memory per switch\n"));
  EXPECT_THAT(text_of("topology.fat_tree"), HasSubstr("\n  k  (required)\n      an integer, at least 2 and at most "
                                                      "1000\n      ports per switch; an even number\n"));
  EXPECT_THAT(text_of("run"), HasSubstr("\n  stop  (no default)\n      a time, above 0 ps\n"));
}

TEST(Reference, HasTheKeysThatOnlySomeScenariosAreReadFor) {
  EXPECT_THAT(text_of("topology.single_switch"),
              testing::AllOf(HasSubstr("\ngroup[]: hosts with identical links\n"), HasSubstr("\ngroup[].link: "),
                             HasSubstr("\n  hosts  (required)\n")));
  EXPECT_THAT(text_of("topology.explicit"), HasSubstr("\nlink[]: a link between two nodes\n"));
  EXPECT_THAT(text_of("switch"), testing::AllOf(HasSubstr("\npool[]: "), HasSubstr("\ndiscipline_of_priority: "),
                                                HasSubstr("\nforwarding: "), HasSubstr("\nflow_control[]: ")));
  EXPECT_THAT(text_of("measure"), HasSubstr("\nwatched_port: "));
  EXPECT_THAT(text_of("failure"), HasSubstr("\n  between  (required)\n"));
  EXPECT_THAT(text_of("traffic"), testing::AllOf(HasSubstr("\n  kind  (required)\n"), HasSubstr("\n  end_flows ")));
  EXPECT_THAT(text_of("traffic.poisson"), testing::AllOf(HasSubstr("\n  load_of = "),
                                                         HasSubstr("\n  rack_local_share "), HasSubstr("\nblock[]: ")));
  EXPECT_THAT(text_of("traffic.incast"),
              testing::AllOf(HasSubstr("\n  destinations  (required)\n"), HasSubstr("\n  load "),
                             HasSubstr("\n  interval "), HasSubstr("\n  jitter = ")));
  EXPECT_THAT(text_of("traffic.train"), testing::AllOf(HasSubstr("\n  pairs "), HasSubstr("\n  pairing = ")));
  EXPECT_THAT(text_of("traffic.flows"), HasSubstr("\nflow[]: a flow\n"));
  EXPECT_THAT(text_of("traffic.file"), HasSubstr("\n  incast_destinations = []\n"));
  EXPECT_THAT(text_of("size"),
              testing::AllOf(HasSubstr("\n  packets "), HasSubstr("\n  min "), HasSubstr("\n  unit ")));
}

}  // namespace
}  // namespace weir::reference_test
