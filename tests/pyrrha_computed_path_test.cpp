// SPDX-License-Identifier: Apache-2.0
// Pyrrha's path calculation (E.1.3, algorithm 1 and table 1) finds the ports by which Weir's switches forward.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "analysis/pyrrha_path.h"
#include "net/builders.h"
#include "net/path_table.h"
#include "net/routing.h"
#include "policy/flow_hash.h"

namespace weir::pyrrha_computed_path_test {
namespace {

using pyrrha_path::Address;

/// Forwards by crc32 with the number of the switch as its seed.
class Hashing final : public Forwarding {
 public:
  explicit Hashing(std::uint32_t seed) : seed_(seed) {}
  PortId choose(SwitchContext&, const Frame& frame, const NextHops& hops) override {
    return predict(FlowKey::of(frame), hops);
  }
  [[nodiscard]] PortId predict(const FlowKey& key, const NextHops& hops) const override {
    return select(hops, flow_hash(HashKind::crc32, seed_, key));
  }

 private:
  std::uint32_t seed_;
};

Topology fat_tree(int k) {
  FatTreeSettings settings;
  settings.k = k;
  settings.host_link = settings.edge_agg_link =
      settings.agg_core_link = {BitRate(100'000'000'000), Duration::picoseconds(1'000'000)};
  return build_fat_tree(settings).topology;
}

/// A fat-tree of Weir's builder: tiers, switches and ports in the order of its documentation.
class FatTree {
 public:
  explicit FatTree(int k) : k_(k), topology_(fat_tree(k)) {
    for (std::size_t i = 0; i < topology_.switches(); ++i) {
      owned_.push_back(std::make_unique<Hashing>(static_cast<std::uint32_t>(i)));
      all_.push_back(owned_.back().get());
    }
    paths_ = std::make_unique<PathTable>(topology_, compute_routes(topology_), all_);
    for (int tier = 1; tier <= 3; ++tier) {
      for (std::size_t i = 0; i < topology_.switches(); ++i) {
        if (topology_.node(topology_.node_of(SwitchId(i))).tier == tier) tiers_[tier].emplace_back(i);
      }
    }
  }

  [[nodiscard]] std::vector<Hop> routed(const FlowKey& key) const { return path_of(*paths_, key); }

  /// What algorithm 1 computes, as switches and ports of this network.
  [[nodiscard]] std::vector<Hop> computed(const FlowKey& key) const {
    const int half = k_ / 2;
    const auto uplink = [&](SwitchId node) {
      std::vector<PortId> ports;
      for (int i = 0; i < half; ++i) ports.emplace_back(static_cast<std::size_t>(half + i));
      const PortId port = select({ports, {}}, flow_hash(HashKind::crc32, node.value, key));
      return static_cast<int>(port.index()) - half;
    };
    const pyrrha_path::Path path = pyrrha_path::path(
        address(key.source), address(key.destination), [&](std::uint16_t id) { return uplink(edge(id)); },
        [&](std::uint16_t id) { return uplink(aggregation(id)); });
    std::vector<Hop> out;
    for (const pyrrha_path::Hop& hop : path.hops) out.push_back(port(hop));
    return out;
  }

 private:
  [[nodiscard]] Address address(HostId host) const {
    const int half = k_ / 2;
    const auto number = static_cast<int>(host.value);
    return {number / half / half, number / half % half, number % half};
  }
  [[nodiscard]] SwitchId edge(std::uint16_t id) const { return tiers_[1].at((id >> 8) * (k_ / 2) + (id & 0x7f)); }
  [[nodiscard]] SwitchId aggregation(std::uint16_t id) const {
    return tiers_[2].at((id >> 8) * (k_ / 2) + (id & 0x7f));
  }
  [[nodiscard]] Hop port(const pyrrha_path::Hop& hop) const {
    using pyrrha_path::Stage;
    if (hop.stage == Stage::core) {
      return {tiers_[3].at((hop.switch_id >> 8) * (k_ / 2) + (hop.switch_id & 0x7f)), PortId(hop.port_id)};
    }
    const bool is_edge = hop.stage == Stage::source_edge || hop.stage == Stage::destination_edge;
    const bool up = (hop.port_id & 0x80) != 0;
    return {is_edge ? edge(hop.switch_id) : aggregation(hop.switch_id),
            PortId(static_cast<std::size_t>((hop.port_id & 0x7f) + (up ? k_ / 2 : 0)))};
  }

  int k_;
  Topology topology_;
  std::vector<std::unique_ptr<Hashing>> owned_;
  std::vector<const Forwarding*> all_;
  std::unique_ptr<PathTable> paths_;
  std::array<std::vector<SwitchId>, 4> tiers_;
};

TEST(PyrrhaComputedPath, IsTheOneThatTheSwitchesTake) {
  for (const int k : {4, 8}) {
    const FatTree network(k);
    const auto hosts = static_cast<std::uint32_t>(k * k * k / 4);
    for (std::uint32_t source = 0; source < hosts; ++source) {
      for (std::uint32_t destination = 0; destination < hosts; ++destination) {
        if (source == destination) continue;
        const FlowKey key = {HostId(source), HostId(destination), static_cast<std::uint16_t>(7 * source + destination)};
        ASSERT_EQ(network.computed(key), network.routed(key)) << k << ": " << source << " to " << destination;
      }
    }
  }
}

}  // namespace
}  // namespace weir::pyrrha_computed_path_test
