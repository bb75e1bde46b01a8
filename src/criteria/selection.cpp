// SPDX-License-Identifier: Apache-2.0
#include "criteria/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "config/nearest_name.h"

namespace weir::selection {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string host_name(const RunView& run, HostId host) {
  const Topology& topology = run.settings.network.topology;
  return topology.node(topology.node_of(host)).name;
}

/// The group of flows with this name.
FlowGroup group_of(const std::string& name) {
  for (std::size_t i = 0; i < kFlowGroupNames.size(); ++i) {
    if (kFlowGroupNames[i] == name) return static_cast<FlowGroup>(i);
  }
  throw Unavailable(
      fmt::format("unknown flow class \"{}\", expected one of incast, victim, background, not incast, all", name));
}

std::uint8_t label_number(const RunView& run, const std::string& name) {
  const auto found = std::find(run.settings.labels.begin(), run.settings.labels.end(), name);
  if (found != run.settings.labels.end()) return static_cast<std::uint8_t>(found - run.settings.labels.begin());
  throw Unavailable(fmt::format("unknown label \"{}\"{}", name,
                                nearest_name(name, run.settings.labels).empty()
                                    ? ""
                                    : fmt::format(" (did you mean \"{}\"?)", nearest_name(name, run.settings.labels))));
}

bool has_tier(const MeasureArguments& arguments, std::string_view name, int tier) {
  const double wanted = number(arguments, name, tier);
  return wanted == static_cast<double>(tier);
}

}  // namespace

double number(const MeasureArguments& arguments, std::string_view name, double otherwise) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? otherwise : *found->second.as_number();
}

const std::string* text(const MeasureArguments& arguments, std::string_view name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? nullptr : found->second.as_text();
}

Nodes::Nodes(const RunView& run, const std::string& term) {
  const Topology& topology = run.settings.network.topology;
  const auto check = [&](const std::string& name) {
    if (topology.find(name).exists()) return;
    std::vector<std::string> names;
    for (const Node& node : topology.nodes()) names.push_back(node.name);
    const std::string nearest = nearest_name(name, names);
    throw Unavailable(fmt::format("unknown node \"{}\"{}", name,
                                  nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest)));
  };
  for (std::size_t begin = 0; begin <= term.size();) {
    const std::size_t comma = std::min(term.find(',', begin), term.size());
    const std::string part(trimmed(std::string_view(term).substr(begin, comma - begin)));
    begin = comma + 1;
    const std::size_t dots = part.find("..");
    if (dots == std::string::npos) {
      check(part);
      names_.push_back(part);
      continue;
    }
    const std::string first = part.substr(0, dots);
    const std::string last = part.substr(dots + 2);
    check(first);
    check(last);
    const std::size_t digits = first.find_last_not_of("0123456789") + 1;
    unsigned from = 0;
    unsigned to = 0;
    std::from_chars(first.data() + digits, first.data() + first.size(), from);
    std::from_chars(last.data() + std::min(digits, last.size()), last.data() + last.size(), to);
    for (unsigned i = from; i <= to; ++i) names_.push_back(fmt::format("{}{}", first.substr(0, digits), i));
  }
  std::sort(names_.begin(), names_.end());
}

bool Nodes::contains(std::string_view name) const {
  return std::binary_search(names_.begin(), names_.end(), name, std::less<>());
}

void check_names(const RunView& run, const MeasureArguments& arguments) {
  for (const char* key : {"source", "destination", "from", "to", "switch", "node"}) {
    if (const std::string* name = text(arguments, key)) Nodes(run, *name);
  }
  if (const std::string* name = text(arguments, "class")) {
    if (std::find(kHopClasses.begin(), kHopClasses.end(), *name) == kHopClasses.end()) group_of(*name);
  }
  if (const std::string* name = text(arguments, "label")) label_number(run, *name);
  if (const std::string* name = text(arguments, "reason")) {
    if (std::find(kDropReasonNames.begin(), kDropReasonNames.end(), *name) == kDropReasonNames.end()) {
      throw Unavailable(
          fmt::format("unknown reason \"{}\", expected one of {}", *name, fmt::join(kDropReasonNames, ", ")));
    }
  }
}

const std::vector<Signature::Argument>& flow_arguments() {
  static const std::vector<Signature::Argument> arguments = {
      {"class", true, kPlain, false, "flow class: incast, victim, background, not incast, all"},
      {"label", true, kPlain, false, "label of the traffic"},
      {"source", true, kPlain, false, "sources, such as \"h0..h3\""},
      {"destination", true, kPlain, false, "destinations, such as \"h0..h3\""},
      {"size_from", false, kSize, false, "minimum size of the flows"},
      {"size_below", false, kSize, false, "flows smaller than this"},
      {"since", false, kTime, false, "flows that start at or after this time"},
      {"until", false, kTime, false, "flows that start before this time"},
  };
  return arguments;
}

std::vector<const FlowRecord*> flows(const RunView& run, const MeasureArguments& arguments) {
  const std::string* group_name = text(arguments, "class");
  const FlowGroup group = group_name == nullptr ? FlowGroup::all : group_of(*group_name);
  const std::string* label = text(arguments, "label");
  const int label_wanted = label == nullptr ? -1 : label_number(run, *label);
  const std::string* source = text(arguments, "source");
  const std::string* destination = text(arguments, "destination");
  const std::optional<Nodes> sources = source == nullptr ? std::nullopt : std::optional<Nodes>(Nodes(run, *source));
  const std::optional<Nodes> destinations =
      destination == nullptr ? std::nullopt : std::optional<Nodes>(Nodes(run, *destination));
  constexpr double kMost = std::numeric_limits<double>::infinity();
  const double size_from = number(arguments, "size_from", 0);
  const double size_below = number(arguments, "size_below", kMost);
  const double since = number(arguments, "since", 0);
  const double until = number(arguments, "until", kMost);
  std::vector<const FlowRecord*> out;
  for (const FlowRecord& flow : run.record.flows) {
    const auto size = static_cast<double>(flow.size.count());
    const auto start = static_cast<double>(flow.start.since_start().picoseconds());
    const bool chosen = is_in(group, flow.flow_class) && (label_wanted < 0 || flow.label == label_wanted) &&
                        size_from <= size && size < size_below && since <= start && start < until &&
                        (!sources || sources->contains(host_name(run, flow.source))) &&
                        (!destinations || destinations->contains(host_name(run, flow.destination)));
    if (chosen) out.push_back(&flow);
  }
  return out;
}

const std::vector<Signature::Argument>& link_arguments() {
  static const std::vector<Signature::Argument> arguments = {
      {"from", true, kPlain, false, "sending nodes of the links"},
      {"to", true, kPlain, false, "receiving nodes of the links, which pause the sending ones"},
      {"from_tier", false, kPlain, false, "tier of the sending node; 0: a host"},
      {"to_tier", false, kPlain, false, "tier of the receiving node"},
      {"since", false, kTime, false, "from this time on"},
      {"until", false, kTime, false, "before this time"},
  };
  return arguments;
}

std::vector<std::size_t> links(const RunView& run, const MeasureArguments& arguments) {
  const std::string* from = text(arguments, "from");
  const std::string* to = text(arguments, "to");
  const std::optional<Nodes> senders = from == nullptr ? std::nullopt : std::optional<Nodes>(Nodes(run, *from));
  const std::optional<Nodes> receivers = to == nullptr ? std::nullopt : std::optional<Nodes>(Nodes(run, *to));
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < run.record.links.size(); ++i) {
    const LinkRecord& link = run.record.links[i];
    const bool chosen = (!senders || senders->contains(link.from)) && (!receivers || receivers->contains(link.to)) &&
                        has_tier(arguments, "from_tier", link.from_tier) &&
                        has_tier(arguments, "to_tier", link.to_tier);
    if (chosen) out.push_back(i);
  }
  if (out.empty()) throw Unavailable("no link matches from and to");
  return out;
}

const std::vector<Signature::Argument>& switch_arguments() {
  static const std::vector<Signature::Argument> arguments = {
      {"switch", true, kPlain, false, "switches"},
      {"tier", false, kPlain, false, "tier of the switches; 1: ToRs"},
  };
  return arguments;
}

std::vector<const SwitchRecord*> switches(const RunView& run, const MeasureArguments& arguments) {
  const std::string* name = text(arguments, "switch");
  const std::optional<Nodes> nodes = name == nullptr ? std::nullopt : std::optional<Nodes>(Nodes(run, *name));
  std::vector<const SwitchRecord*> out;
  for (const SwitchRecord& record : run.record.switches) {
    if ((!nodes || nodes->contains(record.name)) && has_tier(arguments, "tier", record.tier)) out.push_back(&record);
  }
  if (out.empty()) throw Unavailable("no switch matches");
  return out;
}

Span span(const RunView& run, const MeasureArguments& arguments) {
  const auto end = static_cast<double>(run.record.simulated.since_start().picoseconds());
  Span out = {number(arguments, "since", 0), std::min(number(arguments, "until", end), end), false};
  out.whole = out.begin <= 0 && out.end >= end;
  if (out.end <= out.begin) throw Unavailable("the run had ended before this time");
  return out;
}

}  // namespace weir::selection
