// SPDX-License-Identifier: Apache-2.0
#include "net/builders.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "units/int128.h"

namespace weir {
namespace {

// Collects the errors in settings.
class SettingsCheck {
 public:
  void at_least(int least, std::string_view name, int value) {
    if (value < least) errors_.push_back(fmt::format("{} is {}, expected at least {}", name, value, least));
  }
  void link(std::string_view name, const LinkSpec& link) {
    if (link.rate <= BitRate(0)) {
      errors_.push_back(fmt::format("rate of {} is {} bit/s, expected above zero", name, link.rate.bits_per_second()));
    }
    link_but_rate(name, link);
  }
  void link_but_rate(std::string_view name, const LinkSpec& link) {
    if (link.delay < Duration()) {
      errors_.push_back(fmt::format("delay of {} is {} ps, expected zero or more", name, link.delay.picoseconds()));
    }
    if (!(link.error_rate >= 0 && link.error_rate <= 1)) {
      errors_.push_back(fmt::format("error rate of {} is {}, expected 0 to 1", name, link.error_rate));
    }
  }
  // An uplink whose rate is set, or follows from `ratio`.
  void uplink(std::string_view name, const LinkSpec& link, const std::optional<Oversubscription>& ratio) {
    if (!ratio) return this->link(name, link);
    link_but_rate(name, link);
    if (link.rate != BitRate(0)) {
      errors_.push_back(fmt::format("both the rate and the oversubscription of {} are given", name));
    }
    constexpr std::int64_t kMost = 1'000'000;  // keeps products within 128 bits
    if (ratio->down < 1 || ratio->up < 1 || ratio->down > kMost || ratio->up > kMost) {
      errors_.push_back(fmt::format("oversubscription of {} is {}:{}, expected both within 1 to {}", name, ratio->down,
                                    ratio->up, kMost));
    }
  }
  // Products are computed as doubles, which do not overflow; they are exact far beyond the limits.
  void size(std::string_view name, std::initializer_list<double> factors, double limit) {
    double product = 1;
    for (const double factor : factors) product *= factor;
    if (product > limit) errors_.push_back(fmt::format("{:.0f} {}, expected at most {:.0f}", product, name, limit));
  }
  void ports(std::string_view name, double count) {
    size(fmt::format("ports on {}", name), {count}, static_cast<double>(PortId::none().index()));
  }
  void nodes(double count) { size("nodes", {count}, static_cast<double>(kMaximumNodes)); }
  void links(double count) { size("links", {count}, static_cast<double>(kMaximumLinks)); }
  void add(std::string error) { errors_.push_back(std::move(error)); }

  [[nodiscard]] bool passed() const { return errors_.empty(); }
  std::vector<std::string> take() { return std::move(errors_); }

 private:
  std::vector<std::string> errors_;
};

// The rate of each of `uplinks` links that gives `ratio` above `downlinks` links of `below`; an error if it is not a
// whole number.
BitRate uplink_rate(SettingsCheck& check, std::string_view name, BitRate below, int downlinks, int uplinks,
                    const Oversubscription& ratio) {
  const auto numerator = static_cast<Int128>(below.bits_per_second()) * downlinks;
  const auto denominator = static_cast<Int128>(uplinks) * ratio.down;
  const auto rate = static_cast<std::int64_t>(numerator * ratio.up / denominator);
  if (rate <= 0 || rate * denominator != numerator * ratio.up) {
    check.add(fmt::format("oversubscription of {}: {}:{} of {} x {} bit/s over {} links is not a whole rate in bit/s",
                          name, ratio.down, ratio.up, downlinks, below.bits_per_second(), uplinks));
  }
  return BitRate(rate);
}

void connect(Topology& topology, NodeId a, NodeId b, const LinkSpec& spec, int parallel = 1) {
  for (int i = 0; i < parallel; ++i) topology.connect(a, b, spec);
}

void check_leaf_spine(SettingsCheck& check, const LeafSpineSettings& s, std::string_view where) {
  check.at_least(1, fmt::format("{}tors", where), s.tors);
  check.at_least(1, fmt::format("{}hosts_per_tor", where), s.hosts_per_tor);
  check.at_least(1, fmt::format("{}spines", where), s.spines);
  check.at_least(1, fmt::format("{}parallel_links", where), s.parallel_links);
  check.link(fmt::format("{}host_link", where), s.host_link);
  check.uplink(fmt::format("{}fabric_link", where), s.fabric_link, s.tor_oversubscription);
  if (!check.passed()) return;
  const double tors = s.tors;
  const double uplinks = static_cast<double>(s.spines) * s.parallel_links;
  check.nodes(tors * s.hosts_per_tor + tors + s.spines);
  check.links(tors * (s.hosts_per_tor + uplinks));
  check.ports("a ToR", s.hosts_per_tor + uplinks);
  check.ports("a spine", tors * s.parallel_links);
}

// `s` with the rate that follows from its oversubscription.
LeafSpineSettings with_rates(SettingsCheck& check, LeafSpineSettings s, std::string_view where) {
  if (!check.passed() || !s.tor_oversubscription) return s;
  s.fabric_link.rate = uplink_rate(check, fmt::format("{}fabric_link", where), s.host_link.rate, s.hosts_per_tor,
                                   s.spines * s.parallel_links, *s.tor_oversubscription);
  return s;
}

struct LeafSpineNodes {
  std::vector<NodeId> tors;
  std::vector<NodeId> spines;
};

// Adds the hosts of racks first_rack and higher; all hosts of a network are added before its switches.
std::vector<NodeId> add_hosts(Topology& topology, int racks, int hosts_per_rack, int pod, int first_rack) {
  std::vector<NodeId> hosts;
  for (int rack = 0; rack < racks; ++rack) {
    for (int i = 0; i < hosts_per_rack; ++i) {
      hosts.push_back(topology.add_host(fmt::format("h{}", topology.hosts()), pod, first_rack + rack));
    }
  }
  return hosts;
}

LeafSpineNodes add_leaf_spine(Topology& topology, const LeafSpineSettings& s, const std::vector<NodeId>& hosts,
                              std::string_view prefix, int pod, int first_rack) {
  LeafSpineNodes nodes;
  for (int i = 0; i < s.tors; ++i) {
    nodes.tors.push_back(topology.add_switch(fmt::format("{}tor{}", prefix, i), 1, pod, first_rack + i));
  }
  for (int i = 0; i < s.spines; ++i) {
    nodes.spines.push_back(topology.add_switch(fmt::format("{}spine{}", prefix, i), 2, pod));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    connect(topology, hosts[i], nodes.tors[i / static_cast<std::size_t>(s.hosts_per_tor)], s.host_link);
  }
  for (const NodeId tor : nodes.tors) {
    for (const NodeId spine : nodes.spines) connect(topology, tor, spine, s.fabric_link, s.parallel_links);
  }
  return nodes;
}

int cores_per_agg(const ClosSettings& s) {
  return s.wiring == CoreWiring::planes ? s.cores / s.aggs_per_pod : s.cores;
}

// Checks the settings and computes the rates that follow from oversubscription.
ClosSettings checked(SettingsCheck& check, ClosSettings s) {
  check.at_least(1, "pods", s.pods);
  check.at_least(1, "tors_per_pod", s.tors_per_pod);
  check.at_least(1, "hosts_per_tor", s.hosts_per_tor);
  check.at_least(1, "aggs_per_pod", s.aggs_per_pod);
  check.at_least(1, "cores", s.cores);
  check.at_least(1, "tor_agg_links", s.tor_agg_links);
  check.at_least(1, "agg_core_links", s.agg_core_links);
  check.link("host_link", s.host_link);
  check.uplink("tor_agg_link", s.tor_agg_link, s.tor_oversubscription);
  check.uplink("agg_core_link", s.agg_core_link, s.agg_oversubscription);
  if (s.wiring == CoreWiring::planes && s.aggs_per_pod > 0 && s.cores % s.aggs_per_pod != 0) {
    check.add(fmt::format("cores is {}, expected a multiple of aggs_per_pod, which is {} (or full core wiring)",
                          s.cores, s.aggs_per_pod));
  }
  if (!check.passed()) return s;

  const double tors = static_cast<double>(s.pods) * s.tors_per_pod;
  const double aggs = static_cast<double>(s.pods) * s.aggs_per_pod;
  const double tor_uplinks = static_cast<double>(s.aggs_per_pod) * s.tor_agg_links;
  const double agg_downlinks = static_cast<double>(s.tors_per_pod) * s.tor_agg_links;
  const double agg_uplinks = static_cast<double>(cores_per_agg(s)) * s.agg_core_links;
  check.nodes(tors * s.hosts_per_tor + tors + aggs + s.cores);
  check.links(tors * (s.hosts_per_tor + tor_uplinks) + aggs * agg_uplinks);
  check.ports("a ToR", s.hosts_per_tor + tor_uplinks);
  check.ports("an aggregation switch", agg_downlinks + agg_uplinks);
  check.ports("a core", aggs * agg_uplinks / s.cores);
  if (check.passed() && s.tor_oversubscription) {
    s.tor_agg_link.rate = uplink_rate(check, "tor_agg_link", s.host_link.rate, s.hosts_per_tor,
                                      s.aggs_per_pod * s.tor_agg_links, *s.tor_oversubscription);
  }
  if (check.passed() && s.agg_oversubscription) {
    s.agg_core_link.rate = uplink_rate(check, "agg_core_link", s.tor_agg_link.rate, s.tors_per_pod * s.tor_agg_links,
                                       cores_per_agg(s) * s.agg_core_links, *s.agg_oversubscription);
  }
  return s;
}

}  // namespace

BuiltTopology build_single_switch(const SingleSwitchSettings& settings) {
  SettingsCheck check;
  double hosts = 0;
  for (std::size_t i = 0; i < settings.groups.size(); ++i) {
    check.at_least(1, fmt::format("hosts of group {}", i), settings.groups[i].hosts);
    check.link(fmt::format("the links of group {}", i), settings.groups[i].link);
    hosts += settings.groups[i].hosts;
  }
  if (settings.groups.empty()) check.add("no hosts, expected one or more");
  check.ports("the switch", hosts);
  BuiltTopology built;
  if (!check.passed()) return {{}, check.take()};
  for (const HostGroup& group : settings.groups) add_hosts(built.topology, 1, group.hosts, Node::kNowhere, 0);
  const NodeId tor = built.topology.add_switch("switch0", 1, Node::kNowhere, 0);
  std::size_t host = 0;
  for (const HostGroup& group : settings.groups) {
    for (int i = 0; i < group.hosts; ++i, ++host) {
      connect(built.topology, built.topology.node_of(HostId(host)), tor, group.link);
    }
  }
  return built;
}

BuiltTopology build_dumbbell(const DumbbellSettings& settings) {
  SettingsCheck check;
  check.at_least(1, "left.hosts", settings.left.hosts);
  check.at_least(1, "right.hosts", settings.right.hosts);
  check.at_least(1, "middle_links", settings.middle_links);
  check.link("left.link", settings.left.link);
  check.link("right.link", settings.right.link);
  check.link("middle", settings.middle);
  check.ports("the left switch", static_cast<double>(settings.left.hosts) + settings.middle_links);
  check.ports("the right switch", static_cast<double>(settings.right.hosts) + settings.middle_links);
  if (!check.passed()) return {{}, check.take()};
  BuiltTopology built;
  Topology& topology = built.topology;
  const std::vector<NodeId> left_hosts = add_hosts(topology, 1, settings.left.hosts, Node::kNowhere, 0);
  const std::vector<NodeId> right_hosts = add_hosts(topology, 1, settings.right.hosts, Node::kNowhere, 1);
  const NodeId left = topology.add_switch("left", 1, Node::kNowhere, 0);
  const NodeId right = topology.add_switch("right", 1, Node::kNowhere, 1);
  for (const NodeId host : left_hosts) connect(topology, host, left, settings.left.link);
  for (const NodeId host : right_hosts) connect(topology, host, right, settings.right.link);
  connect(topology, left, right, settings.middle, settings.middle_links);
  return built;
}

BuiltTopology build_leaf_spine(const LeafSpineSettings& settings) {
  SettingsCheck check;
  check_leaf_spine(check, settings, "");
  const LeafSpineSettings s = with_rates(check, settings, "");
  if (!check.passed()) return {{}, check.take()};
  BuiltTopology built;
  const std::vector<NodeId> hosts = add_hosts(built.topology, s.tors, s.hosts_per_tor, Node::kNowhere, 0);
  add_leaf_spine(built.topology, s, hosts, "", Node::kNowhere, 0);
  return built;
}

BuiltTopology build_clos(const ClosSettings& settings) {
  SettingsCheck check;
  const ClosSettings s = checked(check, settings);
  if (!check.passed()) return {{}, check.take()};

  BuiltTopology built;
  Topology& topology = built.topology;
  for (int pod = 0; pod < s.pods; ++pod) {
    add_hosts(topology, s.tors_per_pod, s.hosts_per_tor, pod, pod * s.tors_per_pod);
  }
  std::vector<std::vector<NodeId>> tors(static_cast<std::size_t>(s.pods));  // by pod
  std::vector<std::vector<NodeId>> aggs(static_cast<std::size_t>(s.pods));
  std::vector<NodeId> cores;
  for (int pod = 0, rack = 0; pod < s.pods; ++pod) {
    for (int i = 0; i < s.tors_per_pod; ++i, ++rack) {
      tors[static_cast<std::size_t>(pod)].push_back(topology.add_switch(fmt::format("tor{}.{}", pod, i), 1, pod, rack));
    }
  }
  for (int pod = 0; pod < s.pods; ++pod) {
    for (int i = 0; i < s.aggs_per_pod; ++i) {
      aggs[static_cast<std::size_t>(pod)].push_back(topology.add_switch(fmt::format("agg{}.{}", pod, i), 2, pod));
    }
  }
  for (int i = 0; i < s.cores; ++i) cores.push_back(topology.add_switch(fmt::format("core{}", i), 3));

  std::size_t host = 0;
  for (const std::vector<NodeId>& pod : tors) {
    for (const NodeId tor : pod) {
      for (int i = 0; i < s.hosts_per_tor; ++i) {
        connect(topology, topology.node_of(HostId(host++)), tor, s.host_link);
      }
    }
  }
  for (std::size_t pod = 0; pod < tors.size(); ++pod) {
    for (const NodeId tor : tors[pod]) {
      for (const NodeId agg : aggs[pod]) connect(topology, tor, agg, s.tor_agg_link, s.tor_agg_links);
    }
  }
  const auto share = static_cast<std::size_t>(cores_per_agg(s));
  for (const std::vector<NodeId>& pod : aggs) {
    for (std::size_t i = 0; i < pod.size(); ++i) {
      const std::size_t first = s.wiring == CoreWiring::planes ? i * share : 0;
      for (std::size_t core = first; core < first + share; ++core) {
        connect(topology, pod[i], cores[core], s.agg_core_link, s.agg_core_links);
      }
    }
  }
  return built;
}

BuiltTopology build_fat_tree(const FatTreeSettings& settings) {
  if (settings.k < 2 || settings.k % 2 != 0) {
    return {{}, {fmt::format("k is {}, expected an even number of 2 or more", settings.k)}};
  }
  if (settings.k > 1000) return {{}, {fmt::format("k is {}, expected at most 1000", settings.k)}};
  const int half = settings.k / 2;
  ClosSettings clos;
  clos.pods = settings.k;
  clos.tors_per_pod = half;
  clos.hosts_per_tor = settings.hosts_per_edge.value_or(half);
  clos.aggs_per_pod = half;
  clos.cores = half * half;
  clos.host_link = settings.host_link;
  clos.tor_agg_link = settings.edge_agg_link;
  clos.agg_core_link = settings.agg_core_link;
  return build_clos(clos);
}

BuiltTopology build_two_data_centres(const TwoDataCentresSettings& settings) {
  SettingsCheck check;
  check_leaf_spine(check, settings.data_centres[0], "data_centres[0].");
  check_leaf_spine(check, settings.data_centres[1], "data_centres[1].");
  check.at_least(1, "gateways", settings.gateways);
  check.at_least(1, "spine_gateway_links", settings.spine_gateway_links);
  check.at_least(1, "gateway_links", settings.gateway_links);
  check.link("spine_gateway_link", settings.spine_gateway_link);
  check.link("gateway_link", settings.gateway_link);
  double nodes = 2.0 * settings.gateways;
  double links = static_cast<double>(settings.gateways) * settings.gateway_links;
  for (const LeafSpineSettings& s : settings.data_centres) {
    const double gateway_downlinks = static_cast<double>(s.spines) * settings.spine_gateway_links;
    nodes += static_cast<double>(s.tors) * s.hosts_per_tor + s.tors + s.spines;
    links += s.tors * (s.hosts_per_tor + static_cast<double>(s.spines) * s.parallel_links) +
             gateway_downlinks * settings.gateways;
    check.ports("a gateway", gateway_downlinks + settings.gateway_links);
    check.ports("a spine", static_cast<double>(s.tors) * s.parallel_links +
                               static_cast<double>(settings.gateways) * settings.spine_gateway_links);
  }
  check.nodes(nodes);
  check.links(links);
  const std::array<LeafSpineSettings, 2> centres = {with_rates(check, settings.data_centres[0], "data_centres[0]."),
                                                    with_rates(check, settings.data_centres[1], "data_centres[1].")};
  if (!check.passed()) return {{}, check.take()};

  BuiltTopology built;
  Topology& topology = built.topology;
  std::array<std::vector<NodeId>, 2> hosts;
  hosts[0] = add_hosts(topology, centres[0].tors, centres[0].hosts_per_tor, 0, 0);
  hosts[1] = add_hosts(topology, centres[1].tors, centres[1].hosts_per_tor, 1, centres[0].tors);
  std::array<std::vector<NodeId>, 2> gateways;
  for (std::size_t centre = 0; centre < 2; ++centre) {
    const int pod = static_cast<int>(centre);
    const std::string prefix = fmt::format("dc{}.", centre);
    const LeafSpineNodes fabric =
        add_leaf_spine(topology, centres[centre], hosts[centre], prefix, pod, centre == 0 ? 0 : centres[0].tors);
    for (int i = 0; i < settings.gateways; ++i) {
      gateways[centre].push_back(topology.add_switch(fmt::format("{}gateway{}", prefix, i), 3, pod));
    }
    for (const NodeId spine : fabric.spines) {
      for (const NodeId gateway : gateways[centre]) {
        connect(topology, spine, gateway, settings.spine_gateway_link, settings.spine_gateway_links);
      }
    }
  }
  for (std::size_t i = 0; i < gateways[0].size(); ++i) {
    connect(topology, gateways[0][i], gateways[1][i], settings.gateway_link, settings.gateway_links);
  }
  return built;
}

}  // namespace weir
