// SPDX-License-Identifier: Apache-2.0
// Random networks, small enough to run in a fraction of a second, as data that RapidCheck can shrink.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <vector>

#include "net/builders.h"
#include "traffic/incast.h"
#include "traffic/load.h"
#include "traffic/merged_traffic.h"
#include "traffic/open_loop.h"
#include "whole_network.h"

namespace weir::whole {

/// One source of flows. Small numbers are the simple choices, because RapidCheck shrinks towards zero.
struct Offer {
  int kind = 0;      ///< 0 a permutation, 1 an incast, 2 Poisson arrivals
  int priority = 0;  ///< index into the priorities of the network
  int size = 0;      ///< index into kSizes
  int degree = 1;    ///< of an incast; Poisson arrivals: ten times as many
  int start = 0;     ///< microseconds
  int limit = 0;     ///< of each flow's rate, in Gbit/s; zero: none

  friend std::ostream& operator<<(std::ostream& out, const Offer& o) {
    return out << "{kind " << o.kind << ", priority " << o.priority << ", size " << o.size << ", degree " << o.degree
               << ", start " << o.start << ", limit " << o.limit << "}";
  }
};

/// One link that fails once or more often.
struct Outage {
  int link = 0;       ///< modulo the number of links
  int down = 0;       ///< microseconds after the start, for the first time
  int lasts = 1;      ///< microseconds
  int times = 0;      ///< number of recoveries
  bool ends = true;   ///< recovers from the last failure, too
  int detection = 1;  ///< microseconds until routes change

  friend std::ostream& operator<<(std::ostream& out, const Outage& o) {
    return out << "{link " << o.link << ", down " << o.down << ", lasts " << o.lasts << ", times " << o.times
               << ", ends " << o.ends << ", detection " << o.detection << "}";
  }
};

struct RandomNetwork {
  // topology
  int shape = 0;  ///< 0 one switch, 1 dumbbell, 2 leaf-spine, 3 fat-tree of k = 4, 4 Clos
  int hosts = 2;
  int wide = 0;  ///< more switches
  int parallel = 1;
  int host_rate = 0;  ///< indices into kRates and kDelays
  int fabric_rate = 0;
  int host_delay = 0;
  int fabric_delay = 0;
  // switches
  int framing = 0;
  int shared = 0;     ///< index into kShared
  int threshold = 0;  ///< index into the buffer policies
  bool one_level = false;
  bool round_robin = false;
  bool two_lossless = false;
  bool lossy = false;  ///< the last priority of the traffic is lossy
  bool pool_for_lossy = false;
  int quanta = 0;
  bool binary = false;
  int response = 0;  ///< nanoseconds until a PAUSE takes effect
  int reserve = 0;   ///< bytes
  int marking = 0;
  int forwarding = 0;
  // hosts
  int payload = 0;
  int congestion_control = 0;
  int window = 0;
  int acknowledge_every = 1;
  int acknowledge_priority = 0;  ///< 0 that of the data, 1 that of most data, 2 a lossy one
  bool acknowledgements_ignore_pause = false;
  bool shortest_first = false;
  // the rest
  std::vector<Offer> offers;
  std::vector<Outage> outages;  ///< none or one: routes around two failures may go down and up again, and deadlock
  int seed = 0;

  friend std::ostream& operator<<(std::ostream& out, const RandomNetwork& n) {
    out << "shape " << n.shape << " hosts " << n.hosts << " wide " << n.wide << " parallel " << n.parallel
        << " host_rate " << n.host_rate << " fabric_rate " << n.fabric_rate << " host_delay " << n.host_delay
        << " fabric_delay " << n.fabric_delay << "\nframing " << n.framing << " shared " << n.shared << " threshold "
        << n.threshold << " one_level " << n.one_level << " round_robin " << n.round_robin << " two_lossless "
        << n.two_lossless << " lossy " << n.lossy << " pool_for_lossy " << n.pool_for_lossy << " quanta " << n.quanta
        << " binary " << n.binary << " response " << n.response << " reserve " << n.reserve << " marking " << n.marking
        << " forwarding " << n.forwarding << "\npayload " << n.payload << " congestion_control " << n.congestion_control
        << " window " << n.window << " acknowledge_every " << n.acknowledge_every << " acknowledge_priority "
        << n.acknowledge_priority << " acknowledgements_ignore_pause " << n.acknowledgements_ignore_pause
        << " shortest_first " << n.shortest_first << " seed " << n.seed << "\n";
    for (const Offer& offer : n.offers) out << "offer " << offer << "\n";
    for (const Outage& outage : n.outages) out << "outage " << outage << "\n";
    return out;
  }
};

inline constexpr std::array<std::int64_t, 5> kRates{100, 25, 400, 10, 40};                        // Gbit/s
inline constexpr std::array<std::int64_t, 5> kDelays{1'000, 100, 600, 5'000, 2'000};              // ns
inline constexpr std::array<std::int64_t, 6> kSizes{1'000, 1, 64, 10'000, 40'000, 150'000};       // bytes
inline constexpr std::array<std::int64_t, 5> kShared{1'000'000, 100'000, 20'000, 0, 12'000'000};  // besides 20 frames
inline constexpr std::array<std::int64_t, 5> kPayloads{1'000, 1'460, 4'096, 256, 8'900};

inline constexpr Priority kLossyAcknowledgements = 7;

/// The purpose for which a network is drawn.
struct Wanted {
  bool losses = false;  ///< lossy priorities and failures of links
};

inline rc::Gen<Offer> any_offer() {
  using rc::gen::inRange;
  using rc::gen::set;
  return rc::gen::build<Offer>(set(&Offer::kind, inRange(0, 3)), set(&Offer::priority, inRange(0, 3)),
                               set(&Offer::size, inRange<int>(0, kSizes.size())), set(&Offer::degree, inRange(1, 12)),
                               set(&Offer::start, inRange(0, 30)),
                               set(&Offer::limit, rc::gen::weightedElement<int>({{6, 0}, {1, 1}, {1, 7}})));
}

inline rc::Gen<Outage> any_outage() {
  using rc::gen::inRange;
  using rc::gen::set;
  return rc::gen::build<Outage>(set(&Outage::link, inRange(0, 64)), set(&Outage::down, inRange(0, 60)),
                                set(&Outage::lasts, inRange(1, 100)), set(&Outage::times, inRange(0, 3)),
                                set(&Outage::ends), set(&Outage::detection, inRange(1, 50)));
}

/// Many values come from the whole of their range whatever RapidCheck's size is, because each has few values.
inline rc::Gen<RandomNetwork> any_network(const Wanted& wanted) {
  const auto pick = [](int below) { return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, below)); };
  const auto pick_from = [](int low, int below) {
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, below));
  };
  const auto rarely = [] { return rc::gen::weightedElement<bool>({{3, false}, {1, true}}); };
  const auto list_of = [](int low, int below, const auto& element) {
    return rc::gen::mapcat(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, below)), [element](int count) {
      return rc::gen::container<std::vector<typename std::decay_t<decltype(element)>::ValueType>>(
          static_cast<std::size_t>(count), rc::gen::resize(rc::kNominalSize, element));
    });
  };
  using N = RandomNetwork;
  using rc::gen::set;
  return rc::gen::build<N>(
      set(&N::shape, pick(5)), set(&N::hosts, pick_from(2, 9)), set(&N::wide, pick(3)),
      set(&N::parallel, pick_from(1, 3)), set(&N::host_rate, pick(kRates.size())),
      set(&N::fabric_rate, pick(kRates.size())), set(&N::host_delay, pick(kDelays.size())),
      set(&N::fabric_delay, pick(kDelays.size())), set(&N::framing, pick(3)), set(&N::shared, pick(kShared.size())),
      set(&N::threshold, pick(7)), set(&N::one_level, rarely()), set(&N::round_robin, rarely()),
      set(&N::two_lossless, rarely()), set(&N::lossy, wanted.losses ? rarely() : rc::gen::just(false)),
      set(&N::pool_for_lossy, rarely()), set(&N::quanta, pick(3)), set(&N::binary, rarely()),
      set(&N::response, rc::gen::weightedElement<int>({{3, 0}, {1, 250}, {1, 1'000}})),
      set(&N::reserve, rc::gen::weightedElement<int>({{3, 0}, {1, 3'000}})), set(&N::marking, pick(4)),
      set(&N::forwarding, rc::gen::weightedElement<int>({{4, 0}, {1, 1}, {1, 2}, {1, 3}})),
      set(&N::payload, pick(kPayloads.size())), set(&N::congestion_control, pick(3)), set(&N::window, pick(4)),
      set(&N::acknowledge_every, pick_from(1, 9)), set(&N::acknowledge_priority, pick(3)),
      set(&N::acknowledgements_ignore_pause, rarely()), set(&N::shortest_first, rarely()),
      set(&N::offers, list_of(1, 4, any_offer())),
      set(&N::outages, wanted.losses ? list_of(0, 2, any_outage()) : rc::gen::just(std::vector<Outage>())),
      set(&N::seed, rc::gen::inRange(0, 1'000)));
}

inline Topology topology_of(const RandomNetwork& n) {
  const auto link = [&](int rate, int delay) {
    return LinkSpec{BitRate(kRates[static_cast<std::size_t>(rate)] * 1'000'000'000),
                    kDelays[static_cast<std::size_t>(delay)] * 1_ns};
  };
  const LinkSpec host = link(n.host_rate, n.host_delay);
  const LinkSpec fabric = link(n.fabric_rate, n.fabric_delay);
  const int few = 1 + n.hosts / 4;  // if there are many switches
  BuiltTopology built;
  switch (n.shape) {
    case 0:  // with one or two ports of another rate
      built = build_single_switch({.groups = {{n.hosts, host}, {1 + n.wide, fabric}}});
      break;
    case 1:
      built = build_dumbbell({.left = {n.hosts, host},
                              .right = {few, fabric},
                              .middle = n.wide == 1 ? fabric : host,
                              .middle_links = n.parallel});
      break;
    case 2:
      built = build_leaf_spine({.tors = 2 + n.wide,
                                .hosts_per_tor = few,
                                .spines = 2,
                                .host_link = host,
                                .fabric_link = fabric,
                                .parallel_links = n.parallel,
                                .tor_oversubscription = {}});
      break;
    case 3:
      built = build_fat_tree(
          {.k = 4, .hosts_per_edge = few, .host_link = host, .edge_agg_link = fabric, .agg_core_link = fabric});
      break;
    default:
      built = build_clos({.pods = 2,
                          .tors_per_pod = 1 + n.wide,
                          .hosts_per_tor = few,
                          .aggs_per_pod = 2,
                          .cores = 4,
                          .wiring = n.hosts % 2 == 0 ? CoreWiring::planes : CoreWiring::full,
                          .host_link = host,
                          .tor_agg_link = fabric,
                          .agg_core_link = host,
                          .tor_agg_links = n.parallel,
                          .agg_core_links = 1,
                          .tor_oversubscription = {},
                          .agg_oversubscription = {}});
      break;
  }
  if (!built.errors.empty()) throw std::logic_error(built.errors.front());
  return std::move(built.topology);
}

/// No loss is allowed if all traffic is lossless and links stay up.
inline bool is_lossless(const RandomNetwork& n) {
  return !n.lossy && n.acknowledge_priority != 2 && n.outages.empty();
}
/// And nothing is sent twice if each flow has one path.
inline bool is_in_order(const RandomNetwork& n) {
  return is_lossless(n) && n.forwarding != 3;
}

/// The priorities that flows have.
inline std::vector<Priority> priorities_of(const RandomNetwork& n) {
  std::vector<Priority> priorities{3};
  if (n.two_lossless) priorities.push_back(4);
  if (n.lossy) priorities.push_back(1);
  return priorities;
}

inline std::vector<std::unique_ptr<TrafficSource>> traffic_of(const RandomNetwork& n, std::size_t hosts,
                                                              std::uint64_t seed) {
  const std::vector<Priority> priorities = priorities_of(n);
  const HostSet all = HostSet::range(0, hosts);
  std::vector<std::unique_ptr<TrafficSource>> sources;
  std::uint64_t number = mix(seed, 77);
  for (const Offer& offer : n.offers) {
    ++number;
    SourceSettings flows;
    flows.priority = priorities[static_cast<std::size_t>(offer.priority) % priorities.size()];
    flows.start = at(offer.start * 1_us);
    flows.rate_limit = BitRate(offer.limit * std::int64_t{1'000'000'000});
    const FlowSize size = FlowSize::fixed(Bytes(kSizes[static_cast<std::size_t>(offer.size)]));
    if (offer.kind == 0) {
      const auto pairs = permutation_pairs(all, RandomStream(number, 0, 0));
      sources.push_back(std::make_unique<FlowListSource>(flows_on_pairs(pairs, size, flows, number, 1_us)));
    } else if (offer.kind == 1) {
      IncastSettings incast;
      flows.label = FlowLabel::incast;
      incast.flows = flows;
      incast.sources = all;
      incast.degree = static_cast<std::uint32_t>(offer.degree);
      incast.with_replacement = true;
      incast.destinations = {HostId(RandomStream(number, 1, 0).below(hosts))};
      incast.size = size;
      incast.mean_interval_picoseconds = 20e6;
      incast.event_limit = 2;
      sources.push_back(std::make_unique<IncastSource>(incast, number));
    } else {
      OpenLoopSettings open;
      flows.flow_limit = static_cast<std::uint64_t>(offer.degree) * 10;
      open.flows = flows;
      open.matrix = TrafficMatrix::uniform(all);
      open.size = size;
      open.offered = BitRate(20'000'000'000) * static_cast<std::int64_t>(hosts);
      open.persistent_queue_pairs = offer.degree % 2 == 0;
      sources.push_back(std::make_unique<OpenLoopSource>(open, number));
    }
  }
  return sources;
}

inline PolicyChoice buffer_policy_of(const RandomNetwork& n) {
  switch (n.threshold) {
    case 0:
      return choose("dynamic_threshold");
    case 1:
      return choose("dynamic_threshold", {{"alpha", 2.0}, {"resume_offset", Bytes(0)}});
    case 2:
      return choose("dynamic_threshold", {{"alpha", 1.0 / 64}, {"scale_alpha_with_rate", false}});
    case 3:
      return choose("dynamic_threshold", {{"alpha", 16.0}, {"resume_offset", Bytes(50'000)}});
    case 4:
      return choose("static_threshold");
    case 5:
      return choose("static_threshold", {{"xoff", Bytes(1)}, {"resume_offset", Bytes(0)}});
    default:
      return choose("static_threshold", {{"xoff", Bytes(30'000)}});
  }
}

inline Framing framing_of(const RandomNetwork& n) {
  return n.framing == 0 ? Framing::rocev2() : n.framing == 1 ? Framing::hpcc_simulator() : Framing::pyrrha_simulator();
}

inline std::uint64_t seed_of(const RandomNetwork& n) {
  return static_cast<std::uint64_t>(n.seed) + 1;
}

/// When almost all networks have sent all their data and are idle: see sent_by() for the others.
inline constexpr Duration kLength = Duration::picoseconds(200'000'000'000);

/// The lowest rate that congestion control sets.
inline constexpr BitRate kLowestRate = BitRate(1'000'000'000);

/// When a network without losses has sent all its data. Its bytes cross up to six links, and all of them may have to
/// cross the slowest of each kind one after the other. A flow may be limited to its own limit or to the lowest rate,
/// while others wait behind it. Twice that, for the time for which pauses leave a link idle, and 20 ms for pauses that
/// expire (quanta last 3.4 ms at 10 Gbit/s). `repeats`: where packets are reordered, go-back-N may retransmit all
/// remaining packets of a queue pair for each of its packets.
inline Time sent_by(const RandomNetwork& n, bool repeats) {
  const Topology topology = topology_of(n);
  BitRate slowest = topology.links().front().rate;
  for (const Link& link : topology.links()) slowest = std::min(slowest, link.rate);
  if (n.congestion_control > 0) slowest = std::min(slowest, kLowestRate);
  const Framing framing = framing_of(n);
  const std::int64_t payload = kPayloads[static_cast<std::size_t>(n.payload)];
  // A data frame and its acknowledgement, without the payload.
  const std::int64_t headers = framing.data(0) + framing.acknowledge() + 2 * std::int64_t{framing.wire_overhead};
  constexpr std::int64_t kLinks = 6;
  struct Load {
    Duration busy;
    std::int64_t packets = 0;
  };
  std::vector<Load> loads;  // by queue pair
  std::map<ConnectionId, std::size_t> persistent;
  Time last_start;
  MergedTraffic traffic(traffic_of(n, topology.hosts(), seed_of(n)));
  while (traffic.next_start() != Time::never()) {
    const FlowSpec flow = traffic.take();
    std::size_t number = loads.size();
    if (flow.connection.exists()) number = persistent.try_emplace(flow.connection, number).first->second;
    if (number == loads.size()) loads.emplace_back();
    const std::int64_t packets = (flow.size.count() + payload - 1) / payload;
    const BitRate rate = flow.rate_limit > BitRate() ? std::min(slowest, flow.rate_limit) : slowest;
    loads[number].busy += time_to_send(flow.size + Bytes(packets * headers), rate);
    loads[number].packets += packets;
    last_start = flow.start;
  }
  Duration busy;
  for (const Load& load : loads) busy += repeats ? load.packets * load.busy : load.busy;
  return last_start + 2 * kLinks * busy + 20_ms;
}

/// `options`: of the poll loop that runs it, or none for the event loop.
inline Settings settings_of(const RandomNetwork& n, const PollOptions* options) {
  Settings settings = lossless_network(topology_of(n), kLength);
  settings.run.seed = seed_of(n);
  settings.measurement.sample_interval = 1_ms;
  settings.network.framing = framing_of(n);

  const std::vector<Priority> priorities = priorities_of(n);
  SwitchSettings& switches = settings.switches;
  for (const Priority priority : priorities) switches.lossless[priority] = priority != 1;
  if (n.pool_for_lossy) {
    switches.pool_of_priority = {1, 1, 1, 0, 0, 1, 1, 1};
    switches.pool_share = {0.5, 0.5};
  }
  if (n.one_level) switches.level_of_priority.fill(0);
  if (n.round_robin) switches.discipline_of_priority.fill(Discipline::round_robin);
  switches.buffer_policy = buffer_policy_of(n);
  constexpr std::array<std::int64_t, 3> kQuanta{65'535, 600, 2'000};
  switches.flow_control = {choose("pfc", {{"quanta", kQuanta[static_cast<std::size_t>(n.quanta)]},
                                          {"binary", n.binary},
                                          {"response", n.response * 1_ns}})};
  switches.reserve = Bytes(n.reserve);
  if (n.marking > 0) {
    switches.congestion_point = {choose("red", {{"kmin", Bytes(n.marking == 1 ? 0 : 5'000)},
                                                {"kmax", Bytes(n.marking == 3 ? 5'000 : 20'000)},
                                                {"pmax", n.marking == 1 ? 1.0 : 0.1},
                                                {"mark_at", std::string(n.marking == 2 ? "enqueue" : "dequeue")}})};
  }
  constexpr std::array<std::string_view, 3> kHashes{"mix", "crc32", "xor_fold"};
  switches.forwarding = n.forwarding == 3
                            ? choose("spray")
                            : choose("ecmp", {{"hash", std::string(kHashes[static_cast<std::size_t>(n.forwarding)])}});

  HostSettings& hosts = settings.hosts;
  hosts.payload = kPayloads[static_cast<std::size_t>(n.payload)];
  if (n.congestion_control > 0) {
    hosts.congestion_control =
        choose("dcqcn", {{"variant", std::string(n.congestion_control == 1 ? "paper" : "hpcc_simulator")},
                         {"minimum_rate", kLowestRate}});
  }
  hosts.window.kind = n.window == 0   ? WindowSettings::Kind::none
                      : n.window == 3 ? WindowSettings::Kind::variable
                                      : WindowSettings::Kind::fixed;
  if (n.window == 2) hosts.window.bytes = Bytes(20'000);
  hosts.window.global_round_trip = n.hosts % 2 == 1;
  hosts.acknowledge_every = static_cast<std::uint32_t>(n.acknowledge_every);
  if (n.acknowledge_priority == 1) hosts.acknowledge_priority = Priority{3};
  if (n.acknowledge_priority == 2) hosts.acknowledge_priority = kLossyAcknowledgements;
  // On a lossless priority they would overrun the headroom, which assumes a neighbour that obeys every pause.
  hosts.acknowledgements_ignore_pause = n.acknowledgements_ignore_pause && n.acknowledge_priority == 2;
  hosts.shortest_remaining_first = n.shortest_first;

  const std::vector<Link>& links = settings.network.topology.links();
  for (const Outage& outage : n.outages) {
    settings.network.failure_detection = outage.detection * 1_us;
    Time down = at(outage.down * 1_us);
    for (int i = 0; i <= outage.times; ++i) {
      const Time up = down + outage.lasts * 1_us;
      const bool for_good = i == outage.times && !outage.ends;
      settings.network.failures.push_back(
          {LinkId(static_cast<std::size_t>(outage.link) % links.size()), down, for_good ? Time::never() : up});
      down = up + (1 + outage.lasts / 2) * 1_us;
    }
  }
  if (!is_in_order(n)) {
    hosts.loss_recovery = choose("go_back_n", {{"timeout", 300_us}, {"nack_interval", 50_us}});
  }

  switches.pause_response = n.response * 1_ns;
  switches.buffer = Bytes(0);
  const Settings planned = options == nullptr ? settings : for_poll_loop(settings, *options);
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < settings.network.topology.switches(); ++i) {
    const BufferPlan plan = plan_buffer(planned, SwitchId(i));
    taken = std::max(taken, plan.reserve + plan.headroom);
  }
  // Each pool can store at least ten of the largest frames: a lossy one would let nothing pass below one.
  switches.buffer = Bytes(taken + 20 * maximum_frame_bytes(settings) + kShared[static_cast<std::size_t>(n.shared)]);
  settings.traffic = [n, hosts = settings.network.topology.hosts()](std::uint64_t seed) {
    return traffic_of(n, hosts, seed);
  };
  return settings;
}

/// Links that fail and recover once, and senders that go back after lost frames.
inline void fail_once(Settings& settings, const std::vector<Outage>& outages) {
  const std::size_t links = settings.network.topology.links().size();
  for (const Outage& outage : outages) {
    settings.network.failure_detection = outage.detection * 1_us;
    const Time down = at(outage.down * 1_us);
    settings.network.failures.push_back(
        {LinkId(static_cast<std::size_t>(outage.link) % links), down, down + outage.lasts * 1_us});
  }
  settings.hosts.loss_recovery = choose("go_back_n", {{"timeout", 300_us}, {"nack_interval", 50_us}});
}

}  // namespace weir::whole
