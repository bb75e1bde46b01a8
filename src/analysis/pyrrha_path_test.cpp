// SPDX-License-Identifier: Apache-2.0
#include "analysis/pyrrha_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace weir::pyrrha_path::pyrrha_path_test {
namespace {

using testing::ElementsAre;

Uplink always(int position) {
  return [position](std::uint16_t) { return position; };
}

// Table 1 by hand, for an edge switch whose hash gives 5 and an aggregation switch whose hash gives 7.
TEST(PyrrhaPath, HasTheRowsOfTableOneBetweenPods) {
  const Path path = pyrrha_path::path({2, 3, 1}, {9, 4, 6}, always(5), always(7));
  EXPECT_THAT(path.hops,
              ElementsAre(Hop{Stage::source_edge, 0x0283, 0x85}, Hop{Stage::source_aggregation, 0x0205, 0x87},
                          Hop{Stage::core, 0x0507, 0x09}, Hop{Stage::destination_aggregation, 0x0905, 0x04},
                          Hop{Stage::destination_edge, 0x0984, 0x06}));
}

// "Up to one lookup and two hash functions."
TEST(PyrrhaPath, TakesOneLookupAndTwoHashesBetweenPods) {
  const Path path = pyrrha_path::path({0, 0, 0}, {1, 0, 0}, always(0), always(0));
  EXPECT_EQ(path.hashes, 2);
  EXPECT_EQ(path.lookups, 1);
}

TEST(PyrrhaPath, TakesOneHashWithinAPod) {
  const Path path = pyrrha_path::path({2, 3, 1}, {2, 4, 6}, always(5), always(7));
  EXPECT_THAT(path.hops,
              ElementsAre(Hop{Stage::source_edge, 0x0283, 0x85}, Hop{Stage::destination_aggregation, 0x0205, 0x04},
                          Hop{Stage::destination_edge, 0x0284, 0x06}));
  EXPECT_EQ(path.hashes, 1);
  EXPECT_EQ(path.lookups, 0);
}

TEST(PyrrhaPath, NeedsNoCalculationAtItsOwnSwitch) {
  const Path path = pyrrha_path::path({2, 3, 1}, {2, 3, 6}, always(5), always(7));
  EXPECT_THAT(path.hops, ElementsAre(Hop{Stage::destination_edge, 0x0283, 0x06}));
  EXPECT_EQ(path.hashes, 0);
  EXPECT_EQ(path.lookups, 0);
}

// The hash of the aggregation switch to which the edge switch sends, not of another one.
TEST(PyrrhaPath, HashesAtTheSwitchesOfThePath) {
  std::vector<std::uint16_t> asked;
  const auto ask = [&](int position) {
    return [&asked, position](std::uint16_t id) {
      asked.push_back(id);
      return position;
    };
  };
  pyrrha_path::path({2, 3, 1}, {9, 4, 6}, ask(5), ask(7));
  EXPECT_THAT(asked, ElementsAre(edge_id(2, 3), aggregation_id(2, 5)));
}

/// An ID with the distance at which it occurs: the root table is hierarchical, so one ID may serve at each distance.
using Id = std::tuple<std::size_t, std::uint16_t, std::uint8_t>;
/// Layer (0 edge, 1 aggregation, 2 core), switch, whether it is a downlink, position.
using Port = std::tuple<int, std::uint16_t, bool, int>;
using Ports = std::map<Id, std::set<Port>>;

Port port_of(const Hop& hop) {
  const bool edge = hop.stage == Stage::source_edge || hop.stage == Stage::destination_edge;
  const bool up = hop.stage == Stage::source_edge || hop.stage == Stage::source_aggregation;
  return {edge ? 0 : hop.stage == Stage::core ? 2 : 1, hop.switch_id, !up, hop.port_id & 0x7f};
}

/// All ports that packets of one edge switch may take, by ID. `flag` is added to the port of the destination's
/// aggregation switch.
Ports ports(int k, int flag) {
  Ports out;
  const auto add = [&](const Path& path) {
    for (std::size_t distance = 0; distance < path.hops.size(); ++distance) {
      const Hop& hop = path.hops[distance];
      const int added = hop.stage == Stage::destination_aggregation ? flag : 0;
      out[{distance, hop.switch_id, static_cast<std::uint8_t>(hop.port_id | added)}].insert(port_of(hop));
    }
  };
  const int half = k / 2;
  for (int n = 0; n < half * half * k * half; ++n) {  // two hashes, pod, edge switch
    const Address to = {n / half / half / half, n / half / half % half, 0};
    add(path({0, 0, 0}, to, always(n % half), always(n / half % half)));
  }
  return out;
}

int shared(const Ports& ports) {
  int out = 0;
  for (const auto& [id, of] : ports) out += of.size() > 1 ? 1 : 0;
  return out;
}

TEST(PyrrhaPath, NamesNoTwoPortsAlikeAtOneDistance) {
  EXPECT_EQ(shared(ports(4, 0)), 0);
  EXPECT_EQ(shared(ports(6, 0)), 0);
}

// With the flag that table 1 prints at the destination's aggregation switch, each downlink to another edge switch of
// the own pod, k/2 - 1 of k/2 aggregation switches, has the ID of an uplink.
TEST(PyrrhaPath, WouldNameDownlinksAsUplinksWithTheFlagOfTableOne) {
  EXPECT_EQ(shared(ports(4, 0x80)), 2 * 1);
  EXPECT_EQ(shared(ports(6, 0x80)), 3 * 2);
}

TEST(PyrrhaPath, HasDifferentIdsForAllPortsOfTheLargestFatTree) {
  std::set<std::uint16_t> edges_and_aggregations;
  for (int pod = 0; pod < kMostPorts; ++pod) {
    for (int position = 0; position < kMostPorts / 2; ++position) {
      EXPECT_TRUE(edges_and_aggregations.insert(edge_id(pod, position)).second);
      EXPECT_TRUE(edges_and_aggregations.insert(aggregation_id(pod, position)).second);
    }
  }
  std::set<std::uint8_t> of_a_switch;
  for (int position = 0; position < kMostPorts / 2; ++position) {
    EXPECT_TRUE(of_a_switch.insert(uplink_id(position)).second);
    EXPECT_TRUE(of_a_switch.insert(downlink_id(position)).second);
  }
}

}  // namespace
}  // namespace weir::pyrrha_path::pyrrha_path_test
