// SPDX-License-Identifier: Apache-2.0
#include "sim/policy_statistics.h"

#include <string>

namespace weir {
namespace {

using Scope = StatisticSpec::Scope;

/// Appends the values `at(port, group)` of a statistic of one node.
template <class At>
void add(const StatisticSpec& spec, const Node& node, std::size_t ports, At at, std::vector<PolicyRecord>& out) {
  PolicyRecord record;
  record.name = spec.name;
  record.unit = spec.unit;
  record.kind = spec.kind == StatisticSpec::Kind::counter ? "counter" : "gauge";
  record.node = node.name;
  record.tier = node.tier;
  const auto append = [&](PortId port, std::size_t group) {
    const Statistic is = at(port, group);
    record.value = is.value;
    record.maximum = is.maximum;
    if (group == 0 || is.value != 0 || is.maximum != 0) out.push_back(record);
  };
  if (spec.scope == Scope::node) return append(PortId::none(), 0);
  for (std::size_t port = 0; port < ports; ++port) {
    record.port = static_cast<std::int64_t>(port);
    if (spec.scope == Scope::port) {
      append(PortId(port), 0);
      continue;
    }
    for (std::size_t group = 0; group < spec.groups; ++group) {
      record.group = static_cast<std::int64_t>(group);
      append(PortId(port), group);
    }
  }
}

}  // namespace

std::vector<PolicyRecord> policy_statistics(Fabric& fabric) {
  const Topology& topology = fabric.topology();
  std::vector<PolicyRecord> out;
  for (std::size_t i = 0; i < fabric.switches(); ++i) {
    const Switch& at = fabric.switch_by(SwitchId(i));
    for (const SwitchPolicy* policy : at.policies()) {
      const std::span<const StatisticSpec> specs = policy->statistics();
      for (std::size_t which = 0; which < specs.size(); ++which) {
        add(
            specs[which], topology.node(topology.node_of(SwitchId(i))), at.ports(),
            [&](PortId port, std::size_t group) { return policy->statistic(which, port, group); }, out);
      }
    }
  }
  for (std::size_t i = 0; i < fabric.hosts(); ++i) {
    for (const NicPolicy* policy : fabric.nic(HostId(i)).policies()) {
      const std::span<const StatisticSpec> specs = policy->statistics();
      for (std::size_t which = 0; which < specs.size(); ++which) {
        add(
            specs[which], topology.node(topology.node_of(HostId(i))), 1,
            [&](PortId, std::size_t group) { return policy->statistic(which, group); }, out);
      }
    }
  }
  return out;
}

}  // namespace weir
