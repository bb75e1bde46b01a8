// SPDX-License-Identifier: Apache-2.0
#include "check/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "check/check_text.h"
#include "check/part_needs.h"
#include "check/receive_buffers.h"
#include "check/transport_needs.h"
#include "config/effective.h"
#include "config/quantity.h"
#include "fabric/added_headers.h"
#include "fabric/exempt_turns.h"
#include "fabric/fabric.h"
#include "fabric/failure_states.h"
#include "fabric/network_defaults.h"
#include "fabric/roles.h"
#include "net/backpressure_graph.h"
#include "net/failure_cycles.h"
#include "net/routing.h"
#include "results/labels.h"
#include "sim/time_limit.h"
#include "units/words.h"

namespace weir {
namespace {

/// The states of failed links that routes avoid, in order of time, until the run including its drain ends.
std::vector<FailureState> states_in_turn(const Settings& settings) {
  return failure_states(settings.network, latest_end(settings.run));
}

/// The same states, each once.
std::vector<std::vector<LinkId>> states_of_run(const Settings& settings) {
  std::vector<std::vector<LinkId>> states;
  for (FailureState& state : states_in_turn(settings)) {
    if (std::find(states.begin(), states.end(), state.failed) == states.end())
      states.push_back(std::move(state.failed));
  }
  return states;
}

/// Over the routes of any time until the run ends.
void check_round_trips(const Settings& settings, CheckedVariant& out) {
  out.shortest_round_trip = Duration::max();
  for (const std::vector<LinkId>& failed : states_of_run(settings)) {
    const RoundTrips found = round_trips(settings, failed);
    out.shortest_round_trip = std::min(out.shortest_round_trip, found.shortest);
    out.longest_round_trip = std::max(out.longest_round_trip, found.longest);
    out.bandwidth_delay_product = std::max(out.bandwidth_delay_product, found.bandwidth_delay_product);
  }
  out.shortest_round_trip = std::min(out.shortest_round_trip, out.longest_round_trip);
}

bool sends_pfc(const SwitchSettings& switches) {
  return std::any_of(switches.flow_control.begin(), switches.flow_control.end(),
                     [](const PolicyChoice& choice) { return choice.scheme != nullptr && choice.scheme->traits.pfc; });
}

void check_buffers(const Settings& settings, CheckedVariant& out) {
  const Topology& topology = settings.network.topology;
  const std::int64_t largest_frame = maximum_frame_bytes(settings);
  std::map<std::tuple<int, std::size_t, std::int64_t, std::int64_t, std::int64_t>, CheckedSwitches> alike;
  std::map<std::tuple<BitRate, Duration, std::int64_t, bool, bool>, CheckedHeadroom> ports_alike;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const SwitchId id(i);
    const NodeId node = topology.node_of(id);
    const SwitchSettings switches = settings.switches_of(id);
    const BufferPlan plan = plan_buffer(settings, id);
    const std::size_t ports = topology.ports(node).size();
    CheckedSwitches& group =
        alike[{topology.node(node).tier, ports, plan.headroom, switches.buffer.count(), plan.reserve}];
    group.switches.push_back(id);
    group.tier = topology.node(node).tier;
    group.ports = ports;
    group.buffer = switches.buffer;
    group.reserve = Bytes(plan.reserve);
    group.headroom = Bytes(plan.headroom);
    group.shared = Bytes(plan.shared);
    for (std::size_t port = 0; port < ports; ++port) {
      const Link& link = topology.link_at(node, PortId(port));
      const std::int64_t bytes =
          headroom_bytes(switches.headroom, link, settings.network.framing, largest_frame, switches.pause_response);
      const bool computed = switches.headroom.kind == HeadroomRule::Kind::computed;
      const bool pfc = sends_pfc(switches);
      CheckedHeadroom& headroom = ports_alike[{link.rate, link.delay, bytes, computed, pfc}];
      headroom.rate = link.rate;
      headroom.delay = link.delay;
      headroom.computed = computed;
      headroom.pfc = pfc;
      headroom.needed =
          Bytes(headroom_bytes({}, link, settings.network.framing, largest_frame, switches.pause_response));
      ++headroom.ports;
      headroom.headroom = Bytes(bytes);
      if (headroom.switches.empty() || headroom.switches.back() != id) headroom.switches.push_back(id);
    }
  }
  for (auto& [key, group] : alike) {
    if (group.shared <= Bytes()) {
      const SwitchGroup* own = settings.group_of(group.switches.front());
      const bool of_group = own != nullptr && (own->buffer || own->reserve || own->headroom);
      out.errors.push_back({of_group ? fmt::format("switch.group.{}.buffer", own->name) : "switch.buffer",
                            fmt::format("{}: headroom ({}) and reserve ({}) of {} ports use up the buffer of {}, "
                                        "expected a larger buffer, fewer lossless priorities or less headroom",
                                        switches_name(topology, group.switches), to_text(group.headroom),
                                        to_text(group.reserve), group.ports, to_text(group.buffer))});
    }
    out.switches.push_back(std::move(group));
  }
  const bool any_lossless = std::any_of(settings.switches.lossless.begin(), settings.switches.lossless.end(),
                                        [](bool lossless) { return lossless; });
  if (!any_lossless) return;
  for (auto& [key, headroom] : ports_alike) out.headroom.push_back(headroom);
}

/// If headroom is given, or follows the rule of the public simulators.
void warn_of_small_headroom(const Settings& settings, CheckedVariant& out) {
  for (const CheckedHeadroom& ports : out.headroom) {
    if (!ports.pfc || ports.headroom >= ports.needed) continue;
    out.warnings.push_back(
        fmt::format("headroom of a port of {} and {} of {} is {}, but such a port needs up to {}: frames of lossless "
                    "priorities may be dropped there; expected headroom = \"computed\", or a larger value",
                    to_text(ports.rate), to_text(ports.delay), switches_name(settings.network.topology, ports.switches),
                    to_text(ports.headroom), to_text(ports.needed)));
  }
}

std::set<Priority> priorities_of(const std::vector<TrafficEntry>& traffic, std::uint64_t seed) {
  std::set<Priority> out;
  for (const TrafficEntry& entry : traffic) {
    if (!entry.list) {
      out.insert(entry.priority);
    } else {
      for (const FlowSpec& flow : entry.list(seed)) out.insert(flow.priority);
    }
  }
  return out;
}

/// Warns of lossless data priorities whose senders are never paused: frames beyond the headroom are dropped.
void warn_of_missing_flow_control(const Settings& settings, const std::vector<TrafficEntry>& traffic,
                                  CheckedVariant& out) {
  const std::set<Priority> offered = priorities_of(traffic, settings.run.seed);
  std::set<std::string> missing;
  for (const SwitchSettings& kind : settings.switch_kinds()) {
    // Switches that have a part of the transport do not pause for it.
    const bool any = std::any_of(kind.flow_control.begin(), kind.flow_control.end(), [&](const PolicyChoice& choice) {
      return choice.scheme != nullptr && choice.scheme != settings.hosts.transport.scheme;
    });
    if (any) continue;
    for (std::size_t priority = 0; priority < kPriorities; ++priority) {
      if (kind.lossless[priority] && offered.contains(static_cast<Priority>(priority)))
        missing.insert(fmt::format("{}", priority));
    }
  }
  std::vector<std::string> pausing;
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->traits.pfc && scheme->flow_control != nullptr) pausing.push_back(fmt::format("\"{}\"", scheme->name));
  }
  // A transport recovers from losses itself.
  const std::string expected =
      settings.hosts.transport.scheme != nullptr
          ? "switch.lossless = []"
          : fmt::format("a flow control, such as switch.flow_control = [{}], or switch.lossless = []",
                        fmt::join(pausing, ", "));
  for (const std::string& priority : missing) {
    out.warnings.push_back(
        fmt::format("priority {} is lossless, but switches have no flow control, so its frames are dropped when buffer "
                    "and headroom are full; expected {}",
                    priority, expected));
  }
}

/// Of a link with an offered load above its rate, or credits above their share.
std::string overload_line(const Topology& topology, const CheckedState& state, const CheckedLink& link,
                          const std::optional<ControlCost>& cost) {
  const std::string when =
      fmt::format("from {} on{}, by {}", to_text(link.at.since_start()),
                  state.failed.empty() ? "" : fmt::format(" while {} is down", links_name(topology, state.failed)),
                  join_words(link.sources));
  const std::string name = direction_name(topology, link.from, link.port);
  if (link.credits <= link.offered() || !cost) {
    return fmt::format(
        "link {}: the offered load is {:.3f} times its rate ({:.3f} data, {:.3f} acknowledgements) {}; "
        "expected at most 1, or overload = \"intended\"",
        name, link.offered(), link.data, link.acknowledgements, when);
  }
  constexpr double kBits = 8;
  const auto rate = static_cast<double>(topology.link_at(link.from, link.port).rate.bits_per_second());
  const double most = rate * cost->per_packet_share / (kBits * cost->per_packet);
  return fmt::format(
      "link {}: packets in the opposite direction need {:.3f} times the credits that it carries ({:.2f} "
      "% of its rate, for {:.4g} million packets per second of any size) {}; expected at most 1, fewer "
      "or larger packets, or overload = \"intended\"{}",
      name, link.credits, cost->per_packet_share * 100, most * 1e-6, when,
      link.offered() > 1 ? fmt::format("; its offered load is {:.3f} times its rate, too", link.offered()) : "");
}

void refuse_overloads(const Settings& settings, const std::vector<CheckedState>& states,
                      std::vector<CheckedError>& errors) {
  std::set<std::pair<NodeId, PortId>> refused;
  constexpr std::size_t kShown = 5;
  const Topology& topology = settings.network.topology;
  const std::optional<ControlCost> cost = control_cost(settings.hosts, settings.network.framing);
  const auto key_of = [](const CheckedLink& link) {
    // Traffic without a name is identified by its path.
    const std::string& first = link.sources.front();
    return first.starts_with("traffic.") ? first : "traffic." + first;
  };
  std::string first_key;
  for (const CheckedState& state : states) {
    for (const CheckedLink& link : state.links) {
      if (!link.overloaded() || link.intended || !refused.emplace(link.from, link.port).second) continue;
      if (refused.size() > kShown) continue;
      errors.push_back({key_of(link), overload_line(topology, state, link, cost)});
      if (refused.size() == 1) first_key = errors.back().key;
    }
  }
  if (refused.size() > kShown) {
    errors.push_back(
        {first_key, fmt::format("links: {} more have an offered load above their rate", refused.size() - kShown)});
  }
}

/// A window that fills before the n-th packet either causes an earlier acknowledgement, or never opens.
void note_small_window(const Settings& settings, CheckedVariant& out) {
  const HostSettings& hosts = settings.hosts;
  if (hosts.window.kind == WindowSettings::Kind::none || settings.network.topology.hosts() == 0) return;
  BitRate slowest = BitRate(std::numeric_limits<std::int64_t>::max());
  for (std::size_t host = 0; host < settings.network.topology.hosts(); ++host) {
    const Topology& topology = settings.network.topology;
    slowest = std::min(slowest, topology.link_at(topology.node_of(HostId(host)), PortId(0)).rate);
  }
  // As in a run, on the routes of the whole network.
  const Duration round_trip =
      hosts.window.global_round_trip ? round_trips(settings, {}).longest : out.shortest_round_trip;
  const Bytes window = hosts.window.bytes.value_or(bytes_in(round_trip, slowest));
  const std::int64_t packets = std::max<std::int64_t>(1, window.count() / hosts.payload);
  if (packets >= hosts.acknowledge_every) return;
  out.notes.push_back(
      fmt::format("host.acknowledge_every is {}, but a window of {} holds {} packets: there will be more "
                  "acknowledgements, one whenever the window closes",
                  hosts.acknowledge_every, to_text(window), packets));
}

/// Whether pauses can wait for each other, where frames can be paused.
void check_buffer_cycles(const Settings& settings, bool all_links_up, CheckedVariant& out) {
  out.exempt_turns = cycle_breaking_turns(settings);
  const std::optional<std::vector<Turn>> exempt = exempt_turns(settings, out.exempt_turns);
  if (!exempt) return;
  const Topology& topology = settings.network.topology;
  const std::vector<std::vector<LinkId>> states = states_of_run(settings);
  std::vector<std::vector<Routes>> routes;
  for (const std::vector<LinkId>& failed : states) {
    if (states.size() == 1 && failed.empty() && (!all_links_up || surely_free_of_cycles(topology, *exempt))) return;
    routes.push_back(compute_routes(topology, {.failed_links = failed, .weights = settings.network.weights}));
    BufferCycles cycles = find_buffer_cycles(topology, routes.back(), *exempt);
    if (!cycles.shortest.empty()) out.cycles.push_back({.failed = failed, .found = std::move(cycles)});
  }
  if (!out.cycles.empty() || states.size() < 2) return;
  std::vector<std::size_t> order;
  std::set<LinkId> failed;
  for (const FailureState& state : states_in_turn(settings)) {
    order.push_back(static_cast<std::size_t>(std::find(states.begin(), states.end(), state.failed) - states.begin()));
    failed.insert(state.failed.begin(), state.failed.end());
  }
  BufferCycles cycles = find_buffer_cycles_of_reroutes(topology, routes, order, *exempt);
  if (cycles.shortest.empty()) return;
  out.cycles.push_back({.failed = {failed.begin(), failed.end()}, .rerouting = true, .found = std::move(cycles)});
}

/// Refuses a run longer than the representable time of events.
void refuse_length(const Settings& settings, std::vector<CheckedError>& errors) {
  constexpr Duration kShown = Duration::picoseconds(1'000'000'000);
  const RunSettings& run = settings.run;
  const Time limit = run_limit(settings);
  if (limit == Time()) {
    errors.push_back(
        {"measure.sample_interval",
         fmt::format("is {}, expected less than {}, the maximum time between events in a network of this size",
                     to_text(settings.measurement.sample_interval),
                     to_text(event_limit(settings.network.topology).since_start()))});
    return;
  }
  const Duration whole = limit.since_start() - limit.since_start() % kShown;
  const std::string expected =
      fmt::format("expected less than {}, the maximum run time of a network of this size", to_text(whole));
  if (run.stop == Time::never()) {
    // The run ends this long after the last start of a flow.
    if (run.drain_limit < limit.since_start()) return;
    errors.push_back({"run.drain_limit", fmt::format("is {}, {}", to_text(run.drain_limit), expected)});
  } else if (run.stop >= limit) {
    errors.push_back({"run.stop", fmt::format("is {}, {}", to_text(run.stop.since_start()), expected)});
  } else if (latest_end(run) >= limit) {
    errors.push_back({"run.drain_limit", fmt::format("is {} after stop, which is {}, {}", to_text(run.drain_limit),
                                                     to_text(run.stop.since_start()), expected)});
  }
}

/// Without a stop time, a run continues after the last start of a flow for as long as it may drain.
void refuse_late_starts(const Settings& settings, const std::vector<TrafficEntry>& traffic,
                        std::vector<CheckedError>& errors) {
  const RunSettings& run = settings.run;
  const Time limit = run_limit(settings);
  if (run.stop != Time::never() || limit == Time() || run.drain_limit >= limit.since_start()) return;
  const Time latest = limit - run.drain_limit;
  for (const TrafficEntry& entry : traffic) {
    if (!entry.enabled) continue;
    Time start = entry.start;
    if (entry.list) {
      for (const FlowSpec& flow : entry.list(run.seed)) start = std::max(start, flow.start);
    }
    if (start < latest) continue;
    errors.push_back({entry.name.starts_with("traffic.") ? entry.name : "traffic." + entry.name,
                      fmt::format("a flow starts at {}, expected before {}, the maximum run time of a network of this "
                                  "size minus run.drain_limit",
                                  to_text(start.since_start()), to_text(latest.since_start()))});
  }
}

/// Refuses switch roles that schemes report cannot run where they are configured.
void refuse_places(const Settings& settings, std::vector<CheckedError>& errors) {
  const Topology& topology = settings.network.topology;
  struct Role {
    std::vector<std::pair<std::string, const PolicyChoice*>> choices;  // with the suffixes of their keys
    std::set<BitRate> ports;
    std::set<HostId> hosts;
  };
  std::map<std::string, Role> roles;  // by key
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const SwitchGroup* group = settings.group_of(SwitchId(i));
    const NodeId node = topology.node_of(SwitchId(i));
    for_each_switch_role([&](const SchemeRole& of, auto SwitchSettings::*of_all, auto SwitchGroup::*of_group) {
      const bool own = group != nullptr && (group->*of_group).has_value();
      Role& role =
          roles[own ? fmt::format("switch.group.{}.{}", group->name, of.key) : fmt::format("switch.{}", of.key)];
      const auto& chosen = own ? *(group->*of_group) : settings.switches.*of_all;
      if constexpr (std::is_same_v<std::decay_t<decltype(chosen)>, PolicyChoice>) {
        role.choices = {{"", &chosen}};
      } else {
        role.choices.clear();
        for (const PolicyChoice& choice : chosen) {
          role.choices.emplace_back(fmt::format(".{}", role.choices.size()), &choice);
        }
      }
      for (std::size_t port = 0; port < topology.ports(node).size(); ++port) {
        role.ports.insert(topology.link_at(node, PortId(port)).rate);
        const Peer peer = topology.peer(node, PortId(port));
        if (peer.is_host()) role.hosts.insert(peer.host);
      }
    });
  }
  for (const auto& [key, role] : roles) {
    const SchemePlace place = {
        {role.ports.begin(), role.ports.end()}, topology.hosts(), {role.hosts.begin(), role.hosts.end()}};
    for (const auto& [element, choice] : role.choices) {
      if (choice->scheme == nullptr || choice->scheme->refusals == nullptr || place.ports.empty()) continue;
      for (const ParameterRefusal& refusal : choice->scheme->refusals(choice->parameters, place)) {
        errors.push_back(
            {fmt::format("{}{}{}{}", key, element, refusal.parameter.empty() ? "" : ".", refusal.parameter),
             fmt::format("{}: {}", choice->scheme->name, refusal.text)});
      }
    }
  }
}

/// Refuses a transport whose paths must be symmetric and are not. Nothing else may be wrong with the network.
void check_paths(const Settings& settings, CheckedVariant& out) {
  if (!out.errors.empty() || settings.network.topology.links().empty()) return;
  SymmetryCheck found = check_symmetry(settings);
  if (!found.error.empty()) out.errors.push_back({"host.transport", std::move(found.error)});
  if (!found.note.empty()) out.notes.push_back(std::move(found.note));
}

/// A scheme in a role, and the switches with this role: nullptr for a role of hosts.
struct ChoiceIn {
  PolicyChoice choice;
  const SwitchSettings* switches;
};

std::vector<ChoiceIn> choices_of(const Settings& settings, const std::vector<SwitchSettings>& kinds) {
  std::vector<ChoiceIn> out;
  for (const SwitchSettings& switches : kinds) {
    for_each_switch_role([&](const SchemeRole&, auto SwitchSettings::*chosen, auto SwitchGroup::*) {
      for_each_choice(switches.*chosen, [&](const PolicyChoice& choice) { out.push_back({choice, &switches}); });
    });
  }
  for_each_host_role([&](const SchemeRole&, PolicyChoice HostSettings::*chosen) {
    out.push_back({settings.hosts.*chosen, nullptr});
  });
  return out;
}

/// The roles that these choices fill. The choices must outlive the result.
std::vector<SchemeInUse> in_use(const std::vector<PolicyChoice>& choices) {
  std::vector<SchemeInUse> out;
  for (const PolicyChoice& choice : choices) {
    if (choice.scheme != nullptr) out.push_back({choice.scheme, &choice.parameters});
  }
  return out;
}

/// HostView::flow_control.
std::vector<std::vector<SchemeInUse>> flow_control_at_hosts(const Settings& settings) {
  const Topology& topology = settings.network.topology;
  std::set<const std::vector<PolicyChoice>*> kinds;
  std::vector<std::vector<SchemeInUse>> out;
  for (std::size_t host = 0; host < topology.hosts(); ++host) {
    const SwitchGroup* group = settings.group_of(topology.edge_of(HostId(host)));
    const auto& flow_control =
        group != nullptr && group->flow_control ? *group->flow_control : settings.switches.flow_control;
    if (kinds.insert(&flow_control).second) out.push_back(in_use(flow_control));
  }
  return out;
}

bool sets_window(const PolicyChoice& control) {
  if (control.scheme == nullptr) return false;
  const Scheme& scheme = *control.scheme;
  return scheme.sets_window == nullptr ? scheme.traits.sets_window : scheme.sets_window(control.parameters);
}

NetworkView network_view(const Settings& settings, const CheckedVariant& checked) {
  const Topology& topology = settings.network.topology;
  std::map<BitRate, double> pairs;
  for (const Link& link : topology.links()) pairs[link.rate] = 0;
  for (const CheckedState& state : checked.states) {
    for (const CheckedLink& link : state.links) {
      double& most = pairs[topology.link_at(link.from, link.port).rate];
      most = std::max(most, link.pairs);
    }
  }
  NetworkView network;
  for (const auto& [rate, most] : pairs) network.links.push_back({rate, most});
  network.longest_round_trip = checked.longest_round_trip;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    network.switch_ports += topology.ports(topology.node_of(SwitchId(i))).size();
  }
  network.maximum_frame = maximum_frame_bytes(settings);
  network.framing = settings.network.framing;
  network.damages = std::any_of(topology.links().begin(), topology.links().end(),
                                [](const Link& link) { return link.error_rate > 0; });
  return network;
}

HostView host_view(const Settings& settings, const std::vector<TrafficEntry>& traffic) {
  const HostSettings& hosts = settings.hosts;
  HostView view;
  view.congestion_control = {hosts.congestion_control.scheme, &hosts.congestion_control.parameters};
  view.flow_control = flow_control_at_hosts(settings);
  // Both have no effect beside a transport (a scenario cannot contain them there).
  view.windows = hosts.transport.scheme == nullptr &&
                 (hosts.window.kind != WindowSettings::Kind::none || sets_window(hosts.congestion_control));
  view.shortest_remaining_first = hosts.shortest_remaining_first;
  view.offered = priorities_of(traffic, settings.run.seed);
  return view;
}

/// Refers to the settings.
SwitchView switch_view(const SwitchSettings& switches) {
  const PolicyChoice& forwarding = switches.forwarding;
  return {switches.lossless,
          in_use(switches.flow_control),
          {forwarding.scheme, &forwarding.parameters},
          switches.level_of_priority};
}

/// The number of each switch's settings in Settings::switch_kinds().
std::vector<std::size_t> kinds_of_switches(const Settings& settings) {
  std::vector<std::size_t> out(settings.network.topology.switches(), 0);
  std::size_t grouped = 0;
  for (const SwitchGroup& group : settings.switch_groups) grouped += group.switches.size();
  std::size_t next = grouped < out.size() ? 1 : 0;
  for (const SwitchGroup& group : settings.switch_groups) {
    for (const SwitchId id : group.switches) out[id.index()] = next;
    if (!group.switches.empty()) ++next;
  }
  return out;
}

/// SchemeSurroundings::links.
std::vector<SwitchLinks> switch_links(const Settings& settings) {
  const Topology& topology = settings.network.topology;
  const std::vector<std::size_t> kinds = kinds_of_switches(settings);
  std::set<std::tuple<std::size_t, std::size_t, BitRate, Duration>> found;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const NodeId node = topology.node_of(SwitchId(i));
    for (std::size_t port = 0; port < topology.ports(node).size(); ++port) {
      const Peer peer = topology.peer(node, PortId(port));
      if (peer.is_host()) continue;
      const Link& link = topology.link_at(node, PortId(port));
      found.emplace(kinds[i], kinds[peer.neighbour.index()], link.rate, link.delay);
    }
  }
  std::vector<SwitchLinks> out;
  for (const auto& [from, to, rate, delay] : found) out.push_back({from, to, rate, delay});
  return out;
}

/// "window over links of 400 Gbit/s and 600 ns between switches = 8 packets"
std::string text_of(const DerivedValue& value) {
  const std::string of_links = value.rate == BitRate() ? ""
                                                       : fmt::format(" over links of {} and {} between switches",
                                                                     to_text(value.rate), to_text(value.delay));
  return fmt::format("{}{} = {}", value.name, of_links, value.text);
}

/// The warnings of schemes about their parameters in this network, and the values that they derive, each once.
void collect_lines_of_schemes(const Settings& settings, const std::vector<TrafficEntry>& traffic, CheckedVariant& out) {
  if (settings.network.topology.links().empty()) return;
  const std::vector<SwitchSettings> kinds = settings.switch_kinds();
  SchemeSurroundings around;
  around.network = network_view(settings, out);
  around.hosts = host_view(settings, traffic);
  for (const SwitchSettings& kind : kinds) around.switches.push_back(switch_view(kind));
  around.links = switch_links(settings);
  const auto add = [](const Scheme& scheme, const std::vector<std::string>& texts, std::vector<std::string>& lines) {
    for (const std::string& text : texts) {
      std::string line = fmt::format("{}: {}", scheme.name, text);
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
    }
  };
  for (const auto& [choice, switches] : choices_of(settings, kinds)) {
    if (choice.scheme == nullptr) continue;
    const Scheme& scheme = *choice.scheme;
    around.at_switch.reset();
    if (switches != nullptr) {
      around.at_kind = static_cast<std::size_t>(switches - kinds.data());
      around.at_switch = around.switches[around.at_kind];
    }
    add(scheme, idle_warnings(scheme, choice.parameters), out.warnings);
    if (scheme.warnings != nullptr) add(scheme, scheme.warnings(choice.parameters, around), out.warnings);
    if (scheme.derived == nullptr) continue;
    std::vector<std::string> derived;
    for (const DerivedValue& value : scheme.derived(choice.parameters, around)) derived.push_back(text_of(value));
    add(scheme, derived, out.derived);
  }
}

/// What the parts of schemes say themselves.
void collect_statements(const Settings& settings, const std::vector<TrafficEntry>& traffic, CheckedVariant& out) {
  if (settings.network.topology.links().empty()) return;
  PartStatements found = statements_of_parts(settings, traffic);
  std::move(found.warnings.begin(), found.warnings.end(), std::back_inserter(out.warnings));
  std::move(found.notes.begin(), found.notes.end(), std::back_inserter(out.notes));
  const std::optional<ControlCost> cost = control_cost(settings.hosts, settings.network.framing);
  if (!cost) return;
  std::string line = fmt::format("{}: in the load of links, acknowledgements are all frames that receivers send: ",
                                 settings.hosts.transport.scheme->name);
  std::vector<std::string> parts;
  if (cost->per_packet > 0) parts.push_back(fmt::format("{} B on the wire per packet", cost->per_packet));
  if (cost->per_late_packet > 0) {
    parts.push_back(
        fmt::format("{} B per packet after the first {} of a message", cost->per_late_packet, cost->early_packets));
  }
  if (cost->per_message > 0) parts.push_back(fmt::format("{} B per message", cost->per_message));
  line += join_words(parts);
  if (cost->by_sender > 0) {
    line += fmt::format("; data includes {} B per message of the sender's control frames", cost->by_sender);
  }
  if (cost->per_packet_share < 1) {
    line += fmt::format("; credits may take {:.2f} % of a link", cost->per_packet_share * 100);
  }
  out.notes.push_back(line);
}

/// Warns of a congestion control that stays at line rate because no switch signals congestion, and of a loss recovery
/// that no switch notifies of losses.
void warn_of_missing_signals(const Settings& settings, CheckedVariant& out) {
  const Scheme* control = settings.hosts.congestion_control.scheme;
  if (control == nullptr) return;
  bool marked = false;
  std::vector<const Scheme*> points;
  for (const SwitchSettings& kind : settings.switch_kinds()) {
    for (const PolicyChoice& choice : kind.congestion_point) {
      if (choice.scheme == nullptr) continue;
      points.push_back(choice.scheme);
      marked |= choice.scheme->traits.marks;
    }
  }
  if (control->traits.answers_marks && !marked) {
    std::vector<std::string> marking;
    for (const Scheme* scheme : all_schemes()) {
      if (scheme->traits.marks) marking.push_back(fmt::format("\"{}\"", scheme->name));
    }
    out.warnings.push_back(
        fmt::format("{}: nothing reduces its rate: it reacts to ECN marks, but no congestion point sets them; expected "
                    "one of {} in switch.congestion_point",
                    control->name, fmt::join(marking, ", ")));
  }
  if (control->congestion_point != nullptr && std::find(points.begin(), points.end(), control) == points.end()) {
    out.warnings.push_back(
        fmt::format("{0}: nothing reduces its rate: no switch has its congestion point; expected "
                    "switch.congestion_point = [\"{0}\"]",
                    control->name));
  }
  const Scheme* recovery = settings.hosts.loss_recovery.scheme;
  if (recovery != nullptr && recovery->congestion_point != nullptr &&
      std::find(points.begin(), points.end(), recovery) == points.end()) {
    out.warnings.push_back(
        fmt::format("{0}: no switch notifies it of losses, because none has its congestion point; expected \"{0}\" in "
                    "switch.congestion_point",
                    recovery->name));
  }
  for (const Scheme* point : points) {
    if (point->congestion_control == nullptr || point == control) continue;
    std::string line = fmt::format(
        "{0}: no host reacts to its congestion point; expected host.congestion_control = \"{0}\" instead of \"{1}\"",
        point->name, control->name);
    if (std::find(out.warnings.begin(), out.warnings.end(), line) == out.warnings.end()) {
      out.warnings.push_back(std::move(line));
    }
  }
}

/// All inputs of check_load(): variants for which this is equal have the same offered load.
std::string offered_to(const ScenarioVariant& variant) {
  constexpr std::array<std::string_view, 5> kOthers = {"scenario", "switch", "host", "measure", "capture"};
  const Framing& framing = variant.settings.network.framing;
  std::string out =
      fmt::format("{} {} {} {} {} {} {} {}\n", variant.settings.hosts.payload, variant.settings.hosts.acknowledge_every,
                  framing.data_overhead, framing.ack, framing.minimum_frame, framing.wire_overhead,
                  framing.payload_unit, framing.minimum_ack);
  if (const std::optional<ControlCost> cost = control_cost(variant.settings.hosts, framing)) {
    out += fmt::format("{} {} {} {} {} {}\n", cost->by_sender, cost->per_message, cost->per_packet,
                       cost->per_late_packet, cost->early_packets, cost->per_packet_share);
  }
  for (const EffectiveEntry& entry : variant.effective.entries) {
    if (std::find(kOthers.begin(), kOthers.end(), entry.key) != kOthers.end()) continue;
    out += fmt::format("{} {}\n", entry.key, entry.value);
    for (const auto& table : entry.tables) out += to_toml(*table, Annotation::none, {});
  }
  return out;
}

}  // namespace

CheckedVariant check_variant(const Settings& settings, const std::vector<TrafficEntry>& traffic, bool all_links_up) {
  CheckedVariant out;
  out.states = check_load(settings, traffic);
  check_round_trips(settings, out);
  check_buffers(settings, out);
  refuse_length(settings, out.errors);
  refuse_late_starts(settings, traffic, out.errors);
  refuse_places(settings, out.errors);
  check_receive_buffers(settings, out);
  refuse_overloads(settings, out.states, out.errors);
  note_small_window(settings, out);
  check_buffer_cycles(settings, all_links_up, out);
  warn_of_missing_flow_control(settings, traffic, out);
  warn_of_small_headroom(settings, out);
  collect_lines_of_schemes(settings, traffic, out);
  warn_of_missing_signals(settings, out);
  for (std::string& line : missing_parts(settings)) out.warnings.push_back(std::move(line));
  collect_statements(settings, traffic, out);
  check_paths(settings, out);
  return out;
}

std::vector<CheckedError> ErrorCheck::of(const ScenarioVariant& variant) {
  CheckedVariant out;
  check_buffers(variant.settings, out);
  refuse_length(variant.settings, out.errors);
  refuse_late_starts(variant.settings, variant.traffic, out.errors);
  refuse_places(variant.settings, out.errors);
  check_receive_buffers(variant.settings, out);
  const auto [known, is_new] = overloads_.try_emplace(offered_to(variant));
  if (is_new) {
    refuse_overloads(variant.settings, check_load(variant.settings, variant.traffic), known->second);
  }
  out.errors.insert(out.errors.end(), known->second.begin(), known->second.end());
  check_paths(variant.settings, out);
  return std::move(out.errors);
}

}  // namespace weir
