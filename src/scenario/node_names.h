// SPDX-License-Identifier: Apache-2.0
// How scenarios name hosts, switches, ports and links of a network.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "config/reader.h"
#include "config/value.h"
#include "net/topology.h"

namespace weir {

/// Turns names into numbers. Without a topology (it was wrong itself) only the form of names is checked, and all sets
/// come out empty.
class NodeNames {
 public:
  /// `topology` may be nullptr.
  explicit NodeNames(const Topology* topology) : topology_(topology) {}

  [[nodiscard]] const Topology* topology() const { return topology_; }

  /// What a set of hosts may be written as, for messages.
  static constexpr std::string_view kHostForms =
      "a host (\"h3\"), a range (\"h0..h7\"), the hosts of a switch (\"tor2\"), \"rack 1\", \"pod 0\", \"all\", or a "
      "list "
      "of these";

  /// Hosts in the order they are named, under a key that may be missing: then `default_hosts` in words ("all"; empty:
  /// none). Nothing when the value is wrong.
  std::optional<std::vector<HostId>> hosts(Reader& reader, std::string_view key, std::string_view default_hosts,
                                           std::string_view meaning) const;
  /// What a set of switches may be written as, for messages.
  static constexpr std::string_view kSwitchForms =
      "a switch (\"tor2\"), a range (\"tor0..tor3\"), all whose names begin alike (\"spine*\"), \"rack 1\", \"pod 0\", "
      "\"all\", or a list of these";

  /// Switches in the order they are named, each once, under a key that must be there. Nothing when the value is wrong.
  std::optional<std::vector<SwitchId>> switches(Reader& reader, std::string_view key, std::string_view meaning) const;
  /// One host under a key that must be there.
  std::optional<HostId> host(Reader& reader, std::string_view key, std::string_view meaning) const;
  /// A port, as `{ node = "tor0", towards = "spine1" }` or `{ node = "tor0", port = 3 }`, the node a switch.
  std::optional<std::pair<SwitchId, PortId>> port(Reader& reader) const;
  /// A link under `between = ["tor0", "spine1"]`; `number` tells parallel links apart.
  std::optional<LinkId> link(Reader& reader) const;
  /// Pairs of hosts: `[["h0", "h1"], ["h2", "h3"]]`, under a key that must be there.
  std::optional<std::vector<std::pair<HostId, HostId>>> pairs(Reader& reader, std::string_view key,
                                                              std::string_view meaning) const;

  /// The node of this name, which stands in `member`. None when there is no such node, which is refused, or no
  /// topology.
  NodeId node(Reader& reader, const Value::Member& member, std::string_view name) const;

 private:
  bool add_term(Reader& reader, const Value::Member& member, std::string_view term, std::vector<HostId>& out) const;
  bool add_term(Reader& reader, const Value::Member& member, std::string_view term, std::vector<SwitchId>& out) const;
  template <class Id>
  bool add_value(Reader& reader, const Value::Member& member, std::string_view forms, std::vector<Id>& out) const;
  template <class Id>
  bool add_range(Reader& reader, const Value::Member& member, std::string_view term, std::string_view kind,
                 Id Node::*id, std::vector<Id>& out) const;
  bool add_beginning(Reader& reader, const Value::Member& member, std::string_view term,
                     std::vector<SwitchId>& out) const;
  template <class Id>
  bool add_place(Reader& reader, const Value::Member& member, std::string_view term, std::string_view kind,
                 Id Node::*id, std::vector<Id>& out) const;
  void refuse_name(Reader& reader, const Value::Member& member, std::string_view name) const;
  bool add_pair(Reader& reader, const Value::Member& member, std::vector<std::pair<HostId, HostId>>& out) const;
  std::optional<std::vector<NodeId>> two_nodes(Reader& reader, const Value::Member& member) const;

  const Topology* topology_;
};

}  // namespace weir
