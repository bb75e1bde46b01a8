// SPDX-License-Identifier: Apache-2.0
#include "check/large_load.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "check/check_load.h"
#include "scenario/test_scenario.h"

namespace weir::large_load_test {
namespace {

using testing_scenario::changed;

/// The whole equals the sum of its parts, whichever way they are computed.
void expect_alike(const std::string& text) {
  const ScenarioVariant variant = testing_scenario::only(text);
  constexpr std::size_t kNever = 1'000'000;
  const std::vector<CheckedState> one_by_one = check_load(variant.settings, variant.traffic, kNever);
  const std::vector<CheckedState> at_once = check_load(variant.settings, variant.traffic, 1);
  ASSERT_EQ(one_by_one.size(), 1U);
  ASSERT_EQ(at_once.size(), 1U);
  std::map<std::pair<NodeId, PortId>, const CheckedLink*> expected;
  for (const CheckedLink& link : one_by_one[0].links) expected[{link.from, link.port}] = &link;
  ASSERT_EQ(at_once[0].links.size(), expected.size());
  for (const CheckedLink& link : at_once[0].links) {
    const CheckedLink& other = *expected.at({link.from, link.port});
    EXPECT_NEAR(link.data, other.data, 1e-9);
    EXPECT_NEAR(link.acknowledgements, other.acknowledgements, 1e-9);
    EXPECT_NEAR(link.credits, other.credits, 1e-9);
    EXPECT_NEAR(link.pairs, other.pairs, 1e-6);
    EXPECT_EQ(link.at, other.at);
    EXPECT_EQ(link.sources, other.sources);
  }
}

std::string with(const std::string& traffic) {
  return changed("kind = \"poisson\"\nsize = \"64 KB\"\nload = 0.5", traffic,
                 changed("tors = 2", "tors = 5", changed("hosts_per_tor = 2", "hosts_per_tor = 3")));
}

TEST(LargeLoad, IsThatOfThePairs) {
  expect_alike(with("kind = \"poisson\"\nsize = \"64 KB\"\nload = 0.5"));
  expect_alike(with("kind = \"poisson\"\nsize = \"64 KB\"\nload = 0.2\nscope = \"inter_rack\"\nexclude = \"h0\""));
  expect_alike(with("kind = \"poisson\"\nsize = \"64 KB\"\nrate = \"10 Gbit/s\"\nrack_local_share = 0.25"));
  expect_alike(
      with("kind = \"poisson\"\nsize = \"64 KB\"\nload = 0.2\nsources = \"h0..h3\"\ndestinations = \"h4..h14\""));
  expect_alike(with("kind = \"incast\"\ndestinations = \"h0\"\ndegree = 5\nsize = \"20 KB\"\ninterval = \"100 us\""));
  expect_alike(with("kind = \"permutation\"\nsize = \"1 MB\"\nrate_limit = \"10 Gbit/s\""));
}

TEST(LargeLoad, CountsCredits) {
  const auto granted = [](const std::string& traffic) {
    return changed("payload = 1000", "payload = 1000\ntransport = \"expresspass\"", with(traffic));
  };
  const std::string few =
      "kind = \"poisson\"\nsize = \"100 B\"\nload = 0.05\nsources = \"h0..h3\"\ndestinations = \"h4..h14\"";
  expect_alike(granted("kind = \"poisson\"\nsize = \"64 KB\"\nload = 0.5"));
  expect_alike(granted(few));
  const ScenarioVariant variant = testing_scenario::only(granted(few));
  EXPECT_GT(check_load(variant.settings, variant.traffic, 1).front().links.front().credits, 0.1);
}

/// More hosts than are counted individually.
TEST(LargeLoad, IsThatOfLongRuns) {
  expect_alike(changed("hosts_per_tor = 2", "hosts_per_tor = 200", changed("load = 0.5", "load = 0.001")));
  expect_alike(changed("hosts_per_tor = 2", "hosts_per_tor = 150",
                       changed("load = 0.5", "load = 0.001\nscope = \"inter_rack\"", changed("tors = 2", "tors = 3"))));
}

}  // namespace
}  // namespace weir::large_load_test
