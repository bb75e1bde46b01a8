// SPDX-License-Identifier: Apache-2.0
// The usual topologies of papers and data centres.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/topology.h"

namespace weir {

/// A network, or the errors because of which there is none.
struct BuiltTopology {
  Topology topology;  ///< empty if there are errors
  /// All errors in the settings; the total size is checked only if every number is valid.
  std::vector<std::string> errors;
};

/// The maximum number of nodes, and of links.
inline constexpr std::int64_t kMaximumNodes = 1'000'000;
inline constexpr std::int64_t kMaximumLinks = 10'000'000;

/// Capacity towards the hosts divided by capacity away from them: {2, 1} is 2:1.
struct Oversubscription {
  std::int64_t down = 1;
  std::int64_t up = 1;
};

/// `hosts` hosts with identical links.
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

/// Every ToR is linked to every spine. The ports of a ToR are first those to hosts, then those to spines in order, with
/// parallel links adjacent.
struct LeafSpineSettings {
  int tors = 0;
  int hosts_per_tor = 0;
  int spines = 0;
  LinkSpec host_link;
  LinkSpec fabric_link;
  int parallel_links = 1;  ///< between each ToR and each spine
  /// If given, the rate of the fabric links follows from it, and fabric_link.rate must be zero.
  std::optional<Oversubscription> tor_oversubscription;
};
BuiltTopology build_leaf_spine(const LeafSpineSettings& settings);

/// The cores to which an aggregation switch is linked.
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
  /// If given, the rate of the links above follows from it, and their rate must be zero.
  std::optional<Oversubscription> tor_oversubscription;
  std::optional<Oversubscription> agg_oversubscription;
};
BuiltTopology build_clos(const ClosSettings& settings);

/// The k-ary fat-tree (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches,
/// k^2/4 cores, and by default k/2 hosts per edge switch.
struct FatTreeSettings {
  int k = 0;  ///< ports per switch; even
  std::optional<int> hosts_per_edge;
  LinkSpec host_link;
  LinkSpec edge_agg_link;
  LinkSpec agg_core_link;
};
BuiltTopology build_fat_tree(const FatTreeSettings& settings);

/// Two leaf-spine networks; each spine is linked to each gateway of its network, and gateway i to gateway i of the
/// other (one gateway each in BFC, appendix A.9 and figure 26). The hosts of the first network have the lower numbers;
/// the pod of a node is its data centre.
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
