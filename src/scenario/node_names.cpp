// SPDX-License-Identifier: Apache-2.0
#include "scenario/node_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "config/nearest_name.h"

namespace weir {
namespace {

/// The number after "rack " or "pod ".
std::optional<int> number_after(std::string_view term, std::string_view word) {
  if (!term.starts_with(word) || term.size() <= word.size() || term[word.size()] != ' ') return std::nullopt;
  const std::string_view digits = term.substr(word.size() + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0) return std::nullopt;
  return number;
}

Value::Member element_of(const Value::Member& member, const Value& value) {
  return {member.key, value.origin, value};
}

/// Keeps the first occurrence of each name.
template <class Id>
std::vector<Id> once(const std::vector<Id>& named) {
  std::vector<Id> unique;
  std::vector<bool> seen;
  for (const Id id : named) {
    if (id.index() >= seen.size()) seen.resize(id.index() + 1);
    if (!seen[id.index()]) unique.push_back(id);
    seen[id.index()] = true;
  }
  return unique;
}

}  // namespace

void NodeNames::refuse_name(Reader& reader, const Value::Member& member, std::string_view name) const {
  std::vector<std::string> names;
  for (const Node& node : topology_->nodes()) names.push_back(node.name);
  reader.refuse(member, fmt::format("unknown node \"{}\"", name), nearest_name(name, names));
}

NodeId NodeNames::node(Reader& reader, const Value::Member& member, std::string_view name) const {
  if (topology_ == nullptr) return NodeId::none();
  const NodeId found = topology_->find(name);
  if (!found.exists()) refuse_name(reader, member, name);
  return found;
}

template <class Id>
bool NodeNames::add_place(Reader& reader, const Value::Member& member, std::string_view term, std::string_view kind,
                          Id Node::*id, std::vector<Id>& out) const {
  const std::optional<int> rack = number_after(term, "rack");
  const std::optional<int> pod = number_after(term, "pod");
  const std::size_t before = out.size();
  for (const Node& node : topology_->nodes()) {
    if (!(node.*id).exists()) continue;
    if ((rack && node.rack == *rack) || (pod && node.pod == *pod)) out.push_back(node.*id);
  }
  if (out.size() > before) return true;
  reader.refuse(member, fmt::format("\"{}\" has no {}", term, kind));
  return false;
}

template <class Id>
bool NodeNames::add_range(Reader& reader, const Value::Member& member, std::string_view term, std::string_view kind,
                          Id Node::*id, std::vector<Id>& out) const {
  const std::size_t dots = term.find("..");
  const NodeId first = node(reader, member, term.substr(0, dots));
  const NodeId last = node(reader, member, term.substr(dots + 2));
  if (!first.exists() || !last.exists()) return false;
  const Id from = topology_->node(first).*id;
  const Id to = topology_->node(last).*id;
  if (!from.exists() || !to.exists() || to < from) {
    reader.refuse(member, fmt::format("\"{}\" is not a range, expected two {}, the lower first", term, kind));
    return false;
  }
  for (std::size_t i = from.index(); i <= to.index(); ++i) out.emplace_back(i);
  return true;
}

bool NodeNames::add_term(Reader& reader, const Value::Member& member, std::string_view term,
                         std::vector<HostId>& out) const {
  if (topology_ == nullptr) return true;
  if (term == "all") {
    for (std::size_t host = 0; host < topology_->hosts(); ++host) out.emplace_back(host);
    return true;
  }
  if (number_after(term, "rack") || number_after(term, "pod")) {
    return add_place(reader, member, term, "host", &Node::host, out);
  }
  if (term.find("..") != std::string_view::npos) {
    return add_range(reader, member, term, "hosts", &Node::host, out);
  }
  const NodeId id = node(reader, member, term);
  if (!id.exists()) return false;
  if (topology_->node(id).is_host()) {
    out.push_back(topology_->node(id).host);
    return true;
  }
  const std::size_t before = out.size();
  for (const PortEnd& end : topology_->ports(id)) {
    if (topology_->node(end.peer).is_host()) out.push_back(topology_->node(end.peer).host);
  }
  if (out.size() > before) return true;
  reader.refuse(member, fmt::format("switch \"{}\" has no hosts", term));
  return false;
}

bool NodeNames::add_beginning(Reader& reader, const Value::Member& member, std::string_view term,
                              std::vector<SwitchId>& out) const {
  const std::string_view beginning = term.substr(0, term.size() - 1);
  const std::size_t before = out.size();
  for (const Node& node : topology_->nodes()) {
    if (node.switch_id.exists() && node.name.starts_with(beginning)) out.push_back(node.switch_id);
  }
  if (out.size() > before) return true;
  // The nearest of the switches' names, compared over the length of the prefix, so that "spin*" suggests "spine*".
  std::vector<std::string> names;
  for (const Node& node : topology_->nodes()) {
    if (!node.switch_id.exists()) continue;
    names.push_back(node.name.substr(0, node.name.find_last_not_of("0123456789") + 1) + "*");
  }
  reader.refuse(member, fmt::format("no switch name begins with \"{}\"", beginning), nearest_name(term, names));
  return false;
}

bool NodeNames::add_term(Reader& reader, const Value::Member& member, std::string_view term,
                         std::vector<SwitchId>& out) const {
  if (topology_ == nullptr) return true;
  if (term == "all") {
    for (std::size_t i = 0; i < topology_->switches(); ++i) out.emplace_back(i);
    return true;
  }
  if (number_after(term, "rack") || number_after(term, "pod")) {
    return add_place(reader, member, term, "switch", &Node::switch_id, out);
  }
  if (term.find("..") != std::string_view::npos) {
    return add_range(reader, member, term, "switches", &Node::switch_id, out);
  }
  if (term.ends_with('*')) return add_beginning(reader, member, term, out);
  const NodeId id = node(reader, member, term);
  if (!id.exists()) return false;
  if (topology_->node(id).is_host()) {
    reader.refuse(member, fmt::format("\"{}\" is a host, expected a switch", term));
    return false;
  }
  out.push_back(topology_->node(id).switch_id);
  return true;
}

template <class Id>
bool NodeNames::add_value(Reader& reader, const Value::Member& member, std::string_view forms,
                          std::vector<Id>& out) const {
  if (const std::string* term = member.value.text()) return add_term(reader, member, *term, out);
  if (const Value::List* list = member.value.list()) {
    bool good = true;
    for (const Value& element : *list) {
      if (element.text() == nullptr) {
        reader.refuse(element_of(member, element), fmt::format("is {}, expected {}", description(element), forms));
        good = false;
      } else {
        good = add_term(reader, element_of(member, element), *element.text(), out) && good;
      }
    }
    return good;
  }
  reader.refuse(member, fmt::format("is {}, expected {}", description(member.value), forms));
  return false;
}

std::optional<std::vector<HostId>> NodeNames::hosts(Reader& reader, std::string_view key,
                                                    std::string_view default_hosts, std::string_view meaning) const {
  const std::string default_text = default_hosts.empty() ? "[]" : in_quotes(default_hosts);
  const Value::Member* member = reader.custom(key, "hosts", meaning, default_text);
  std::vector<HostId> out;
  bool good = true;
  if (member != nullptr) {
    good = add_value(reader, *member, kHostForms, out);
    reader.settle(written(member->value));
  } else {
    if (!default_hosts.empty()) good = add_term(reader, Value::Member(), default_hosts, out);
    reader.settle(default_text);
  }
  if (!good) return std::nullopt;
  return once(out);
}

std::optional<std::vector<SwitchId>> NodeNames::switches(Reader& reader, std::string_view key,
                                                         std::string_view meaning) const {
  const Value::Member* member = reader.custom(key, "switches", meaning, {});
  reader.require();
  if (member == nullptr) {
    reader.refuse(fmt::format("{} is missing, expected {}", key, kSwitchForms));
    return std::nullopt;
  }
  reader.settle(written(member->value));
  std::vector<SwitchId> out;
  if (!add_value(reader, *member, kSwitchForms, out)) return std::nullopt;
  if (out.empty() && topology_ != nullptr) {
    reader.refuse(*member, fmt::format("names no switch, expected {}", kSwitchForms));
    return std::nullopt;
  }
  return once(out);
}

std::optional<HostId> NodeNames::host(Reader& reader, std::string_view key, std::string_view meaning) const {
  std::string name;
  if (!reader.required(key, name, meaning) || topology_ == nullptr) return std::nullopt;
  const Value::Member& member = *reader.value()->find(key);
  const NodeId id = node(reader, member, name);
  if (!id.exists()) return std::nullopt;
  if (topology_->node(id).is_host()) return topology_->node(id).host;
  reader.refuse(member, fmt::format("\"{}\" is a switch, expected a host", name));
  return std::nullopt;
}

std::optional<std::pair<SwitchId, PortId>> NodeNames::port(Reader& reader) const {
  std::string name;
  std::optional<std::string> towards;
  std::optional<std::int64_t> number;
  const bool named = reader.required("node", name, "a switch");
  reader.optional("towards", towards, "node at the other end of the port's link");
  reader.optional("port", number, "port number", at_least<std::int64_t>(0));
  if (!named || topology_ == nullptr) return std::nullopt;
  const Value::Member& node_member = *reader.value()->find("node");
  const NodeId id = node(reader, node_member, name);
  if (!id.exists()) return std::nullopt;
  if (topology_->node(id).is_host()) {
    reader.refuse(node_member, fmt::format("\"{}\" is a host, expected a switch", name));
    return std::nullopt;
  }
  const SwitchId switch_id = topology_->node(id).switch_id;
  if (towards.has_value() == number.has_value()) {
    reader.refuse("expected one of the keys towards and port");
    return std::nullopt;
  }
  const std::vector<PortEnd>& ports = topology_->ports(id);
  if (number) {
    if (*number < static_cast<std::int64_t>(ports.size())) {
      return std::pair(switch_id, PortId(static_cast<std::size_t>(*number)));
    }
    reader.refuse(*reader.value()->find("port"),
                  fmt::format("is {}, but \"{}\" has {} ports, from 0", *number, name, ports.size()));
    return std::nullopt;
  }
  const Value::Member& towards_member = *reader.value()->find("towards");
  const NodeId peer = node(reader, towards_member, *towards);
  if (!peer.exists()) return std::nullopt;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].peer == peer) return std::pair(switch_id, PortId(i));
  }
  reader.refuse(towards_member, fmt::format("no link joins \"{}\" and \"{}\"", name, *towards));
  return std::nullopt;
}

std::optional<std::vector<NodeId>> NodeNames::two_nodes(Reader& reader, const Value::Member& member) const {
  const Value::List* list = member.value.list();
  const bool two = list != nullptr && list->size() == 2 && (*list)[0].text() != nullptr && (*list)[1].text() != nullptr;
  if (!two) {
    reader.refuse(member, "expected two names in a list, such as [\"tor0\", \"spine1\"]");
    return std::nullopt;
  }
  std::vector<NodeId> out;
  for (const Value& element : *list) out.push_back(node(reader, element_of(member, element), *element.text()));
  return out;
}

std::optional<LinkId> NodeNames::link(Reader& reader) const {
  const Value::Member* member =
      reader.custom("between", "a list of two node names", "nodes at the ends of the link", {});
  reader.require();
  if (member == nullptr) {
    reader.refuse("between is missing, expected the names of the two nodes that the link connects");
  } else {
    reader.settle(written(member->value));
  }
  std::int64_t number = 0;
  reader.optional("number", number, "index among parallel links, from 0", at_least<std::int64_t>(0));
  if (member == nullptr) return std::nullopt;
  const auto ends = two_nodes(reader, *member);
  if (!ends || topology_ == nullptr || !(*ends)[0].exists() || !(*ends)[1].exists()) return std::nullopt;
  const std::vector<LinkId> links = topology_->links_between((*ends)[0], (*ends)[1]);
  if (static_cast<std::size_t>(number) < links.size()) return links[static_cast<std::size_t>(number)];
  if (!links.empty()) {
    reader.refuse(*member, fmt::format("{} link{} these nodes, got number = {}, expected less than {}", links.size(),
                                       links.size() == 1 ? " joins" : "s join", number, links.size()));
    return std::nullopt;
  }
  std::vector<std::string> neighbours;
  for (const PortEnd& port : topology_->ports((*ends)[0])) {
    const std::string& name = topology_->node(port.peer).name;
    if (std::find(neighbours.begin(), neighbours.end(), name) == neighbours.end()) neighbours.push_back(name);
  }
  const std::string& first = topology_->node((*ends)[0]).name;
  const std::string& second = topology_->node((*ends)[1]).name;
  const std::string nearest = nearest_name(second, neighbours);
  reader.refuse(*member, fmt::format("no link joins \"{}\" and \"{}\", expected a neighbour of \"{}\" such as \"{}\"",
                                     first, second, first, nearest.empty() ? neighbours.front() : nearest));
  return std::nullopt;
}

bool NodeNames::add_pair(Reader& reader, const Value::Member& member,
                         std::vector<std::pair<HostId, HostId>>& out) const {
  const auto ends = two_nodes(reader, member);
  if (!ends) return false;
  if (topology_ == nullptr) return true;
  if (!(*ends)[0].exists() || !(*ends)[1].exists()) return false;
  const HostId from = topology_->node((*ends)[0]).host;
  const HostId to = topology_->node((*ends)[1]).host;
  if (!from.exists() || !to.exists() || from == to) {
    reader.refuse(member, "expected two different hosts: the source and the destination");
    return false;
  }
  out.emplace_back(from, to);
  return true;
}

std::optional<std::vector<std::pair<HostId, HostId>>> NodeNames::pairs(Reader& reader, std::string_view key,
                                                                       std::string_view meaning) const {
  const Value::Member* member = reader.custom(key, "a list of pairs of hosts", meaning, {});
  if (member == nullptr) {
    reader.refuse(fmt::format("{} is missing, expected {}", key, meaning));
    return std::nullopt;
  }
  reader.settle(written(member->value));
  std::vector<std::pair<HostId, HostId>> out;
  const Value::List* list = member->value.list();
  if (list == nullptr) {
    reader.refuse(
        *member, fmt::format("is {}, expected pairs of hosts, such as [[\"h0\", \"h1\"]]", description(member->value)));
    return std::nullopt;
  }
  bool good = true;
  for (const Value& element : *list) good = add_pair(reader, element_of(*member, element), out) && good;
  if (!good) return std::nullopt;
  return out;
}

}  // namespace weir
