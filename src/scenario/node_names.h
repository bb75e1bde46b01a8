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

/// Resolves names to ids. Without a topology (because it was invalid) only the syntax of names is checked, and all sets
/// are empty.
class NodeNames {
 public:
  /// `topology` may be nullptr.
  explicit NodeNames(const Topology* topology) : topology_(topology) {}

  [[nodiscard]] const Topology* topology() const { return topology_; }

  /// The accepted forms of a set of hosts, for messages.
  static constexpr std::string_view kHostForms =
      "a host (\"h3\"), a range (\"h0..h7\"), the hosts of a switch (\"tor2\"), \"rack 1\", \"pod 0\", \"all\", or a "
      "list "
      "of these";

  /// Hosts in the order in which they are named. If the key is missing, the default is `default_hosts` ("all"; empty:
  /// none). Returns nullopt if the value is invalid.
  std::optional<std::vector<HostId>> hosts(Reader& reader, std::string_view key, std::string_view default_hosts,
                                           std::string_view meaning) const;
  /// The accepted forms of a set of switches, for messages.
  static constexpr std::string_view kSwitchForms =
      "a switch (\"tor2\"), a range (\"tor0..tor3\"), a prefix (\"spine*\"), \"rack 1\", \"pod 0\", \"all\", or a list "
      "of these";

  /// Switches in the order in which they are named, each once, under a required key. Returns nullopt if the value is
  /// invalid.
  std::optional<std::vector<SwitchId>> switches(Reader& reader, std::string_view key, std::string_view meaning) const;
  /// One host under a required key.
  std::optional<HostId> host(Reader& reader, std::string_view key, std::string_view meaning) const;
  /// A port, as `{ node = "tor0", towards = "spine1" }` or `{ node = "tor0", port = 3 }`, where the node is a switch.
  std::optional<std::pair<SwitchId, PortId>> port(Reader& reader) const;
  /// A link, as `between = ["tor0", "spine1"]`; `number` distinguishes parallel links.
  std::optional<LinkId> link(Reader& reader) const;
  /// Pairs of hosts, as `[["h0", "h1"], ["h2", "h3"]]`, under a required key.
  std::optional<std::vector<std::pair<HostId, HostId>>> pairs(Reader& reader, std::string_view key,
                                                              std::string_view meaning) const;

  /// The node with this name, which is written in `member`. Returns no node if there is no such node, which is refused,
  /// or no topology.
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
