// SPDX-License-Identifier: Apache-2.0
#include "scenario/capture_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenario/test_scenario.h"

namespace weir::capture_section_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_scenario::errors;
using testing_scenario::kGood;
using testing_scenario::only;

TEST(CaptureSection, IsEmptyUnlessGiven) {
  EXPECT_THAT(only(kGood).settings.capture.links, IsEmpty());
}

TEST(CaptureSection, NamesDirectionsOfLinks) {
  const ScenarioVariant variant = only(
      kGood + "\n[capture]\nlinks = [\"h0 -> tor0\", \"tor0 -> spine1\", \"h0 -> tor0\"]\nsnap_length = \"96 B\"\n");
  const Topology& topology = variant.settings.network.topology;
  const CaptureSettings& capture = variant.settings.capture;
  ASSERT_EQ(capture.links.size(), 2U);
  EXPECT_EQ(capture.links[0].from, topology.find("h0"));
  EXPECT_EQ(topology.port(capture.links[0].from, capture.links[0].port).peer, topology.find("tor0"));
  EXPECT_EQ(capture.links[1].from, topology.find("tor0"));
  EXPECT_EQ(topology.port(capture.links[1].from, capture.links[1].port).peer, topology.find("spine1"));
  EXPECT_EQ(capture.snap_length, 96U);
}

TEST(CaptureSection, TakesAllParallelLinks) {
  const std::string parallel = testing_scenario::changed("spines = 2", "spines = 2\nparallel_links = 3");
  EXPECT_EQ(only(parallel + "\n[capture]\nlinks = [\"tor0 -> spine1\"]\n").settings.capture.links.size(), 3U);
}

TEST(CaptureSection, RefusesWhatIsNoLink) {
  EXPECT_THAT(errors(kGood + "\n[capture]\nlinks = [\"h0\", \"h0 -> tor9\", \"h0 -> spine0\"]\nframe_limit = 0\n"),
              ElementsAre("s.toml:30:10: capture.links: is \"h0\", expected the nodes at the ends of a link, such as "
                          "\"h0 -> tor0\"",
                          "s.toml:30:16: capture.links: unknown node \"tor9\" (did you mean \"tor0\"?)",
                          "s.toml:30:30: capture.links: no link joins the nodes of \"h0 -> spine0\"",
                          "s.toml:31:15: capture.frame_limit: is 0, expected at least 1"));
}

}  // namespace
}  // namespace weir::capture_section_test
