// SPDX-License-Identifier: Apache-2.0
#include "check/check_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "config/quantity.h"
#include "fabric/fabric.h"
#include "policy/headroom.h"
#include "results/labels.h"
#include "results/summary.h"
#include "results/table.h"
#include "results/text.h"
#include "units/words.h"

namespace weir {
namespace {

std::string headroom_terms(const Settings& settings, const CheckedHeadroom& ports) {
  if (!ports.computed) return {};
  const Headroom h =
      headroom_of({ports.rate, ports.delay, Bytes(maximum_frame_bytes(settings)), settings.switches.pause_response},
                  settings.network.framing);
  return fmt::format(
      "    = {} crossing + {} own frame + {} PFC frame + {} in flight + {} response + {} neighbour's frame\n",
      h.crossing_frame.count(), h.own_frame.count(), h.pause_frame.count(), h.in_flight.count(), h.response.count(),
      h.neighbour_frame.count());
}

std::string buffers_text(const CheckedVariant& checked, const Settings& settings) {
  const Topology& topology = settings.network.topology;
  Table table({{"", "switches", "", Column::Align::left},
               {"", "ports", "", Column::Align::right},
               {"", "buffer", "MB", Column::Align::right},
               {"", "headroom", "MB", Column::Align::right},
               {"", "reserve", "MB", Column::Align::right},
               {"", "shared", "MB", Column::Align::right}});
  for (const CheckedSwitches& group : checked.switches) {
    table.add_row({switches_name(topology, group.switches), fmt::format("{}", group.ports),
                   format_megabytes(group.buffer.count()), format_megabytes(group.headroom.count()),
                   format_megabytes(group.reserve.count()),
                   group.shared > Bytes() ? format_megabytes(group.shared.count()) : "none"});
  }
  std::string out = table.format(0);
  for (const CheckedHeadroom& ports : checked.headroom) {
    const bool apart = std::any_of(checked.headroom.begin(), checked.headroom.end(), [&](const CheckedHeadroom& other) {
      return &other != &ports && other.rate == ports.rate && other.delay == ports.delay;
    });
    out += fmt::format("headroom of a port of {} and {}{}: {} per lossless priority\n{}", to_text(ports.rate),
                       to_text(ports.delay), apart ? " of " + switches_name(topology, ports.switches) : "",
                       to_text(ports.headroom), headroom_terms(settings, ports));
  }
  return out;
}

std::string sources_of(const CheckedLink& link) {
  const char* verdict = !link.overloaded() ? "" : link.intended ? " (overload intended)" : " (overload)";
  return fmt::format("{}{}", fmt::join(link.sources, ", "), verdict);
}

std::string share(double value) {
  return fmt::format("{:.3f}", value);
}

/// Whether the transport has credits that may take a share of a link.
bool has_credits(const CheckedState& state) {
  return std::any_of(state.links.begin(), state.links.end(), [](const CheckedLink& link) { return link.credits > 0; });
}

/// Every direction with offered load.
std::string all_loads_text(const CheckedState& state, const Topology& topology) {
  std::vector<Column> columns = {{"", "link", "", Column::Align::left},
                                 {"offered", "data", "of rate"},
                                 {"offered", "ACKs", "of rate"},
                                 {"offered", "in all", "of rate"}};
  const bool credits = has_credits(state);
  if (credits) columns.push_back({"", "credits", "of share"});
  columns.push_back({"", "from", ""});
  columns.push_back({"", "by", "", Column::Align::left});
  Table table(columns);
  for (const CheckedLink& link : state.links) {
    if (link.offered() <= 0) continue;
    std::vector<std::string> row = {direction_name(topology, link.from, link.port), share(link.data),
                                    share(link.acknowledgements), share(link.offered())};
    if (credits) row.push_back(share(link.credits));
    row.push_back(to_text(link.at.since_start()));
    row.push_back(sources_of(link));
    table.add_row(row);
  }
  return table.format(0);
}

/// One row for all links from one tier to another, with the highest of them.
std::string loads_by_tier_text(const CheckedState& state, const Topology& topology) {
  struct Tiers {
    std::size_t links = 0;
    double sum = 0;
    const CheckedLink* highest = nullptr;
  };
  int top = 0;
  for (const Node& node : topology.nodes()) top = std::max(top, node.tier);
  std::map<std::pair<int, int>, Tiers> by_tiers;
  for (const CheckedLink& link : state.links) {
    const int to = topology.node(topology.port(link.from, link.port).peer).tier;
    Tiers& tiers = by_tiers[{topology.node(link.from).tier, to}];
    ++tiers.links;
    tiers.sum += link.offered();
    // They are sorted, highest first.
    if (tiers.highest == nullptr) tiers.highest = &link;
  }
  std::vector<Column> columns = {{"", "links", "", Column::Align::left}, {"", "number", ""},
                                 {"offered", "mean", "of rate"},         {"most on one", "data", "of rate"},
                                 {"most on one", "ACKs", "of rate"},     {"most on one", "in all", "of rate"}};
  const bool credits = has_credits(state);
  if (credits) columns.push_back({"most on one", "credits", "of share"});
  columns.push_back({"", "which is", "", Column::Align::left});
  columns.push_back({"", "by", "", Column::Align::left});
  Table table(columns);
  for (const auto& [tier, tiers] : by_tiers) {
    const CheckedLink& highest = *tiers.highest;
    std::vector<std::string> row = {fmt::format("{} -> {}", tier_name(tier.first, top), tier_name(tier.second, top)),
                                    fmt::format("{}", tiers.links),
                                    share(tiers.sum / static_cast<double>(tiers.links)),
                                    share(highest.data),
                                    share(highest.acknowledgements),
                                    share(highest.offered())};
    if (credits) row.push_back(share(highest.credits));
    row.push_back(direction_name(topology, highest.from, highest.port));
    row.push_back(sources_of(highest));
    table.add_row(row);
  }
  return table.format(0);
}

std::string loads_text(const CheckedState& state, const Topology& topology, bool all) {
  const bool any =
      std::any_of(state.links.begin(), state.links.end(), [](const CheckedLink& link) { return link.offered() > 0; });
  if (!any) return "no link has an offered load: all flows are elastic, or there is only one event\n";
  std::string out = all ? all_loads_text(state, topology) : loads_by_tier_text(state, topology);
  // The rounding remainder of a sum of shares is not load.
  constexpr double kRounding = 1.0;
  if (state.undelivered > kRounding) {
    out += fmt::format("up to {:.3g} Gbit/s of it has no path to its destination\n", state.undelivered * 1e-9);
  }
  return out;
}

std::string state_heading(const CheckedState& state, const Topology& topology) {
  const std::string when = fmt::format("from {} on", to_text(state.from.since_start()));
  if (state.failed.empty()) return fmt::format("{}, with all links up:\n", when);
  return fmt::format("{}, without {}:\n", when, links_name(topology, state.failed));
}

std::string states_text(const std::vector<CheckedState>& states, const Topology& topology, bool all) {
  const bool alone = states.size() == 1 && states.front().failed.empty();
  std::string out = (alone ? "" : state_heading(states.front(), topology)) + loads_text(states.front(), topology, all);
  if (states.size() == 1) return out;
  const auto most = [](const CheckedState& state) { return state.links.empty() ? 0 : state.links.front().demand(); };
  const CheckedState& worst =
      *std::max_element(states.begin() + 1, states.end(),
                        [&](const CheckedState& a, const CheckedState& b) { return most(a) < most(b); });
  if (states.size() > 2) {
    out +=
        fmt::format("\nthe highest load on a link in any of the {} later states of the network:\n", states.size() - 1);
  } else {
    out += "\n";
  }
  return out + state_heading(worst, topology) + loads_text(worst, topology, all);
}

}  // namespace

std::string switches_name(const Topology& topology, const std::vector<SwitchId>& switches) {
  const std::string& first = topology.node(topology.node_of(switches.front())).name;
  if (switches.size() == 1) return first;
  return fmt::format("{} switches like {}", switches.size(), first);
}

std::string links_name(const Topology& topology, const std::vector<LinkId>& links) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(links.size(), kShown); ++i) {
    const Link& link = topology.link(links[i]);
    names.push_back(fmt::format("{} - {}", topology.node(link.a).name, topology.node(link.b).name));
  }
  if (links.size() > kShown) names.push_back(fmt::format("{} more", links.size() - kShown));
  return join_words(names);
}

std::string direction_name(const Topology& topology, NodeId from, PortId port) {
  return fmt::format("{} -> {}", topology.node(from).name, topology.node(topology.port(from, port).peer).name);
}

std::string missing_links(const Topology& topology, const CheckedCycle& cycle) {
  return links_name(topology, cycle.failed) + (cycle.rerouting ? " in turn, while routes change" : "");
}

std::string cycle_text(const Topology& topology, const CheckedCycle& cycle) {
  std::string way;
  for (const Hop& direction : cycle.found.shortest) way += direction_name(topology, direction) + " waits for ";
  return fmt::format("cyclic buffer dependency{}: {}{}; {}",
                     cycle.failed.empty() ? "" : fmt::format(" without {}", missing_links(topology, cycle)), way,
                     direction_name(topology, cycle.found.shortest.front()), cycle_extent(cycle));
}

std::string cycle_extent(const CheckedCycle& cycle) {
  return fmt::format("{} link directions lie on such cycles, where pauses can deadlock", cycle.found.directions);
}

std::string check_report(const CheckedVariant& checked, const Settings& settings, bool links) {
  const Topology& topology = settings.network.topology;
  std::string out =
      fmt::format("{}, {}, {}\n", counted(topology.hosts(), "host"), counted(topology.switches(), "switch", "switches"),
                  counted(topology.links().size(), "link"));
  out += fmt::format("base round trip {} to {}, bandwidth-delay product at most {}\n\n",
                     to_text(checked.shortest_round_trip), to_text(checked.longest_round_trip),
                     to_text(checked.bandwidth_delay_product));
  out += buffers_text(checked, settings);
  out += "\n";
  out += states_text(checked.states, topology, links);
  if (!checked.exempt_turns.empty()) {
    out += fmt::format("\nnote: {} match-action entries suppress pauses, {} (--entries lists them)\n",
                       checked.exempt_turns.size(),
                       checked.cycles.empty() ? "so that no cycle remains, whichever routes are combined"
                                              : "but the cycles above remain");
  }
  for (const std::string& line : checked.derived) out += fmt::format("\n{}\n", line);
  for (const std::string& note : checked.notes) out += fmt::format("\nnote: {}\n", note);
  return out;
}

std::string entries_text(const CheckedVariant& checked, const Topology& topology) {
  std::string out = "switch,ingress,from,egress,to\n";
  for (const Turn& entry : checked.exempt_turns) {
    const NodeId node = topology.node_of(entry.node);
    const auto peer = [&](PortId port) { return topology.node(topology.port(node, port).peer).name; };
    out += fmt::format("{},{},{},{},{}\n", topology.node(node).name, entry.ingress.value, peer(entry.ingress),
                       entry.egress.value, peer(entry.egress));
  }
  return out;
}

}  // namespace weir
