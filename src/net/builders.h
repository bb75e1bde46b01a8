// SPDX-License-Identifier: Apache-2.0
// The networks that papers and data centres are built as.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/topology.h"

namespace weir {

/// A network, or why there is none.
struct BuiltTopology {
  Topology topology;  ///< empty when there are errors
  /// What is impossible about the settings, all of it; the size of the whole is checked once every number makes sense.
  std::vector<std::string> errors;
};

/// The most nodes, and the most links, a builder makes.
inline constexpr std::int64_t kMaximumNodes = 1'000'000;
inline constexpr std::int64_t kMaximumLinks = 10'000'000;

/// Capacity towards the hosts over capacity away from them: {2, 1} is 2:1.
struct Oversubscription {
  std::int64_t down = 1;
  std::int64_t up = 1;
};

/// `hosts` hosts with links alike.
struct HostGroup {
  int hosts = 0;
  LinkSpec link;
};

/// One switch; its hosts in the order of the groups.
struct SingleSwitchSettings {
  std::vector<HostGroup> groups;
};
BuiltTopology build_single_switch(const SingleSwitchSettings& settings);

/// Two switches with hosts on either side: hosts 0..left.hosts-1 on the left.
struct DumbbellSettings {
  HostGroup left;
  HostGroup right;
  LinkSpec middle;
  int middle_links = 1;
};
BuiltTopology build_dumbbell(const DumbbellSettings& settings);

/// Every ToR linked to every spine. On a ToR the hosts come first, then the spines in order, parallel links together.
struct LeafSpineSettings {
  int tors = 0;
  int hosts_per_tor = 0;
  int spines = 0;
  LinkSpec host_link;
  LinkSpec fabric_link;
  int parallel_links = 1;  ///< between each ToR and each spine
  /// When given, the rate of the fabric links follows from it, and fabric_link.rate must be left at zero.
  std::optional<Oversubscription> tor_oversubscription;
};
BuiltTopology build_leaf_spine(const LeafSpineSettings& settings);

/// Which cores an aggregation switch is linked to.
enum class CoreWiring : std::uint8_t {
  planes,  ///< aggregation switch i of every pod to the i-th of aggs_per_pod equal groups of cores, as in a fat-tree
  full,    ///< every aggregation switch to every core
};

/// Pods of ToRs and aggregation switches (each ToR linked to each aggregation switch of its pod), joined by cores. On
/// every switch the ports to the lower tier come first.
struct ClosSettings {
  int pods = 0;
  int tors_per_pod = 0;
  int hosts_per_tor = 0;
  int aggs_per_pod = 0;
  int cores = 0;
  CoreWiring wiring = CoreWiring::planes;
  LinkSpec host_link;
  LinkSpec tor_agg_link;
  LinkSpec agg_core_link;
  int tor_agg_links = 1;   ///< parallel links between a ToR and an aggregation switch
  int agg_core_links = 1;  ///< parallel links between an aggregation switch and a core
  /// When given, the rate of the links above follows from it, and their rate must be left at zero.
  std::optional<Oversubscription> tor_oversubscription;
  std::optional<Oversubscription> agg_oversubscription;
};
BuiltTopology build_clos(const ClosSettings& settings);

/// The k-ary fat-tree (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches,
/// k^2/4 cores, k/2 hosts an edge switch unless said otherwise.
struct FatTreeSettings {
  int k = 0;  ///< ports a switch; even
  std::optional<int> hosts_per_edge;
  LinkSpec host_link;
  LinkSpec edge_agg_link;
  LinkSpec agg_core_link;
};
BuiltTopology build_fat_tree(const FatTreeSettings& settings);

/// Two leaf-spine networks; each spine linked to each gateway of its own, and gateway i to gateway i of the other (one
/// gateway each in BFC, appendix A.9 and figure 26). Hosts of the first come first; the pod of a node is its data
/// centre.
struct TwoDataCentresSettings {
  std::array<LeafSpineSettings, 2> data_centres;
  int gateways = 1;  ///< of each data centre
  LinkSpec spine_gateway_link;
  int spine_gateway_links = 1;  ///< parallel links between each spine and each gateway
  LinkSpec gateway_link;        ///< between the data centres
  int gateway_links = 1;        ///< parallel links between two gateways
};
BuiltTopology build_two_data_centres(const TwoDataCentresSettings& settings);

}  // namespace weir
