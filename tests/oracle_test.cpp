// SPDX-License-Identifier: Apache-2.0
// Weir compared with a second simulator, frame by frame: the frames on every direction of every link must be the same.
//
// For ties only the documented rules are shared (see oracle/naive_simulator.h). Delays and starts of flows are odd
// picoseconds, so that two frames hardly ever reach one node at one instant.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "oracle/naive_simulator.h"
#include "whole_network.h"
#include "wire/pfc.h"

namespace weir::whole::oracle_test {
namespace {

using oracle::Seen;

std::ostream& operator<<(std::ostream& out, const Seen& s) {
  constexpr std::array<const char*, 8> kKinds{"data", "ack", "nack", "cnp", "pfc", "hop", "host", "mark"};
  out << s.first_bit << " ps: " << kKinds[static_cast<std::size_t>(s.kind)];
  for (const auto& [named, asked] : s.quanta) out << " priority " << named << ": " << asked << " quanta,";
  if (s.kind != FrameKind::pfc) {
    out << " h" << s.source.value << " to h" << s.destination.value << " sequence " << s.sequence << " priority "
        << s.priority << " ecn " << static_cast<int>(s.ecn);
  }
  return out << " bytes " << s.bytes << (s.damaged ? " damaged" : "");
}

/// Records the frames that Weir puts on its wires.
class Listener final : public WireTap {
 public:
  explicit Listener(std::size_t directions) : seen(directions) {}
  void on_wire(std::size_t number, Time now, const FramePool& pool, const Frame& frame) override {
    Seen note{.first_bit = now.picoseconds(),
              .kind = frame.kind,
              .source = frame.source,
              .destination = frame.destination,
              .sequence = frame.sequence,
              .bytes = frame.frame_bytes,
              .priority = frame.priority,
              .ecn = frame.ecn(),
              .damaged = frame.corrupt()};
    if (frame.kind == FrameKind::pfc) {
      const PfcQuanta said = read_pfc(pool, frame);
      for (Priority priority = 0; priority < kPriorities; ++priority) {
        if (said.names(priority)) note.quanta[priority] = said.quanta[priority];
      }
    }
    seen[number].push_back(note);
  }
  std::vector<std::vector<Seen>> seen;
};

/// The result of a scenario.
struct Outcome {
  /// Empty if both simulators put the same frames on all wires; otherwise the earliest frame in which they differ.
  std::string difference;
  // Of Weir's frames, to check that a scenario exercises its subject.
  std::size_t frames = 0;
  std::size_t pauses = 0;
  std::size_t marked = 0;
  std::size_t nacks = 0;
  std::size_t directions_in_use = 0;
};

/// The frames around number `at`, which is the first in which they differ.
void show(std::ostream& out, const char* who, const std::vector<Seen>& seen, std::size_t at) {
  out << "\n  " << who << ": ";
  for (std::size_t n = at < 3 ? 0 : at - 3; n < std::min(at + 3, seen.size()); ++n) {
    out << "\n    " << (n == at ? "> " : "  ") << seen[n];
  }
}

Outcome outcome_of(Settings settings, const std::vector<FlowSpec>& flows) {
  offer(settings, flows);
  const Topology& topology = settings.network.topology;
  std::vector<LinkDirection> directions;
  for (std::size_t node = 0; node < topology.nodes().size(); ++node) {
    for (std::size_t port = 0; port < topology.ports(NodeId(node)).size(); ++port) {
      directions.push_back({NodeId(node), PortId(port)});
    }
  }
  Listener weir(directions.size());
  Simulation simulation(settings);
  simulation.tap(directions, weir);
  const RunRecord record = simulation.run();
  const auto naive = oracle::NaiveSimulator(settings, flows).run(record.simulated.picoseconds());

  Outcome outcome;
  oracle::Picoseconds earliest = oracle::kNever;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const std::vector<Seen>& ours = weir.seen[i];
    const std::vector<Seen>& theirs = naive[i];
    outcome.frames += ours.size();
    outcome.directions_in_use += ours.empty() ? 0 : 1;
    for (const Seen& seen : ours) {
      outcome.pauses += seen.kind == FrameKind::pfc ? 1 : 0;
      outcome.marked += seen.ecn == Ecn::congestion_experienced ? 1 : 0;
      outcome.nacks += seen.kind == FrameKind::nack ? 1 : 0;
    }
    std::size_t same = 0;
    while (same < ours.size() && same < theirs.size() && ours[same] == theirs[same]) ++same;
    if (same == ours.size() && same == theirs.size()) continue;
    const auto when = std::min(same < ours.size() ? ours[same].first_bit : oracle::kNever,
                               same < theirs.size() ? theirs[same].first_bit : oracle::kNever);
    if (when >= earliest) continue;
    earliest = when;
    const NodeId peer = topology.port(directions[i].from, directions[i].port).peer;
    std::ostringstream out;
    out << "from " << topology.node(directions[i].from).name << " to " << topology.node(peer).name << ", frame "
        << same;
    show(out, "Weir", ours, same);
    show(out, "the oracle", theirs, same);
    outcome.difference = out.str();
  }
  return outcome;
}

/// One flow. Its ends are taken modulo the number of hosts.
struct Offer {
  int source = 0;
  int destination = 0;  ///< this many hosts after the source, minus one
  int size = 1;         ///< bytes
  int start = 0;        ///< picoseconds
  int priority = 0;     ///< index into kPriority

  friend std::ostream& operator<<(std::ostream& out, const Offer& o) {
    return out << "{source " << o.source << ", destination " << o.destination << ", size " << o.size << ", start "
               << o.start << ", priority " << o.priority << "}";
  }
};

/// A scenario as data that RapidCheck can shrink.
struct Case {
  // topology
  int tors = 1;
  int hosts = 2;   ///< of each ToR
  int spines = 0;  ///< zero: one ToR alone
  int rates = 0;   ///< selects the rate of each link
  int delays = 0;  ///< selects the delay of each link
  int error = 0;   ///< of a million frames on a link
  // switches
  int shared = 1'000'000;  ///< bytes, beside reserve and headroom
  int reserve = 0;
  int headroom = -1;  ///< bytes; -1: computed
  int control_reserve = 20'000;
  int lossless = 7;  ///< bits: index into kPriority
  bool one_level = false;
  int alpha = 0;  ///< index into kAlpha
  int egress_alpha = 0;
  int resume_offset = 3'072;
  bool scale = true;
  int quanta = 65'535;
  bool binary = false;
  int response = 0;  ///< picoseconds
  int marking = 0;   ///< 0 none, 1 at dequeue, 2 at enqueue
  int kmin = 0;
  int kmax = 0;  ///< beyond kmin
  int hash = 0;
  // hosts
  int payload = 1'000;
  int acknowledge_every = 1;
  int acknowledge_priority = -1;  ///< -1: the data's
  bool acknowledgements_ignore_pause = false;
  int timeout = 100;       ///< microseconds
  int nack_interval = 50;  ///< microseconds
  int doublings = 3;
  int seed = 0;
  std::vector<Offer> offers;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    out << "tors " << c.tors << " hosts " << c.hosts << " spines " << c.spines << " rates " << c.rates << " delays "
        << c.delays << " error " << c.error << "\nshared " << c.shared << " reserve " << c.reserve << " headroom "
        << c.headroom << " control_reserve " << c.control_reserve << " lossless " << c.lossless << " one_level "
        << c.one_level << " alpha " << c.alpha << " egress_alpha " << c.egress_alpha << " resume_offset "
        << c.resume_offset << " scale " << c.scale << "\nquanta " << c.quanta << " binary " << c.binary << " response "
        << c.response << " marking " << c.marking << " kmin " << c.kmin << " kmax " << c.kmax << " hash " << c.hash
        << "\npayload " << c.payload << " acknowledge_every " << c.acknowledge_every << " acknowledge_priority "
        << c.acknowledge_priority << " acknowledgements_ignore_pause " << c.acknowledgements_ignore_pause << " timeout "
        << c.timeout << " nack_interval " << c.nack_interval << " doublings " << c.doublings << " seed " << c.seed
        << "\n";
    for (const Offer& offer : c.offers) out << "offer " << offer << "\n";
    return out;
  }
};

constexpr std::array<Priority, 3> kPriority{3, 4, 1};
constexpr std::array<double, 5> kAlpha{0.125, 0.5, 1, 0.03125, 4};
constexpr std::array<std::string_view, 3> kHashes{"mix", "crc32", "xor_fold"};

/// Rates of which a byte is a whole number of picoseconds.
Topology topology_of(const Case& c) {
  constexpr std::array<std::int64_t, 5> kRates{25, 10, 40, 100, 200};
  Topology topology;
  std::size_t links = 0;
  const auto link = [&] {
    const std::uint64_t number = links++;
    LinkSpec spec;
    spec.rate = BitRate(1'000'000'000 * (c.rates == 0 ? 25 : kRates[mix(c.rates, number) % kRates.size()]));
    spec.delay = Duration::picoseconds(static_cast<std::int64_t>(100'001 + mix(c.delays, number) % 1'500'000));
    spec.error_rate = c.error * 1e-6;
    return spec;
  };
  std::vector<NodeId> tors;
  for (int tor = 0; tor < c.tors; ++tor) tors.push_back(topology.add_switch("tor" + std::to_string(tor), 1));
  for (int host = 0; host < c.hosts * c.tors; ++host) {
    topology.connect(topology.add_host("h" + std::to_string(host)), tors[static_cast<std::size_t>(host / c.hosts)],
                     link());
  }
  for (int spine = 0; spine < c.spines; ++spine) {
    const NodeId above = topology.add_switch("spine" + std::to_string(spine), 2);
    for (const NodeId tor : tors) topology.connect(tor, above, link());
  }
  return topology;
}

Settings settings_of(const Case& c) {
  Settings settings = lossless_network(topology_of(c), 600_us);
  settings.measurement.timeline = false;
  settings.measurement.occupancy = false;
  settings.run.seed = static_cast<std::uint64_t>(c.seed);
  settings.run.frame_capacity = std::size_t{1} << 16;

  SwitchSettings& switches = settings.switches;
  switches.lossless.fill(false);
  for (std::size_t i = 0; i < kPriority.size(); ++i) switches.lossless[kPriority[i]] = ((c.lossless >> i) & 1) != 0;
  if (c.one_level) {
    for (const Priority priority : kPriority) switches.level_of_priority[priority] = 2;
  }
  switches.reserve = Bytes(c.reserve);
  if (c.headroom >= 0) switches.headroom = {HeadroomRule::Kind::bytes, Bytes(c.headroom)};
  switches.control_reserve = Bytes(c.control_reserve);
  switches.forwarding = choose("ecmp", {{"hash", std::string(kHashes[static_cast<std::size_t>(c.hash)])}});
  switches.buffer_policy =
      choose("dynamic_threshold", {{"alpha", kAlpha[static_cast<std::size_t>(c.alpha)]},
                                   {"egress_alpha", kAlpha[static_cast<std::size_t>(c.egress_alpha)]},
                                   {"resume_offset", Bytes(c.resume_offset)},
                                   {"scale_alpha_with_rate", c.scale},
                                   {"reference_rate", 25_Gbps}});
  switches.flow_control = {
      choose("pfc", {{"quanta", std::int64_t{c.quanta}}, {"binary", c.binary}, {"response", c.response * 1_ps}})};
  switches.pause_response = c.response * 1_ps;
  if (c.marking > 0) {
    switches.congestion_point = {choose("red", {{"kmin", Bytes(c.kmin)},
                                                {"kmax", Bytes(c.kmin + c.kmax)},
                                                {"mark_at", std::string(c.marking == 1 ? "dequeue" : "enqueue")}})};
  }
  HostSettings& hosts = settings.hosts;
  hosts.payload = c.payload;
  hosts.acknowledge_every = static_cast<std::uint32_t>(c.acknowledge_every);
  if (c.one_level) hosts.acknowledge_priority = Priority{7};
  if (!c.one_level && c.acknowledge_priority >= 0)
    hosts.acknowledge_priority = static_cast<Priority>(c.acknowledge_priority);
  hosts.acknowledgements_ignore_pause = c.acknowledgements_ignore_pause;
  hosts.loss_recovery = choose("go_back_n", {{"timeout", c.timeout * 1_us},
                                             {"nack_interval", c.nack_interval * 1_us},
                                             {"timeout_doublings", std::int64_t{c.doublings}}});
  switches.buffer = Bytes(0);
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < settings.network.topology.switches(); ++i) {
    const BufferPlan plan = plan_buffer(settings, SwitchId(i));
    taken = std::max(taken, plan.reserve + plan.headroom);
  }
  switches.buffer = Bytes(taken + c.shared);
  return settings;
}

std::vector<FlowSpec> flows_of(const Case& c) {
  const std::size_t hosts = static_cast<std::size_t>(c.hosts * c.tors);
  std::vector<FlowSpec> flows;
  for (const Offer& o : c.offers) {
    const std::size_t source = static_cast<std::size_t>(o.source) % hosts;
    const std::size_t destination = (source + 1 + static_cast<std::size_t>(o.destination) % (hosts - 1)) % hosts;
    FlowSpec spec = flow(source, destination, Bytes(o.size), at(o.start * 1_ps));
    // A NIC shares a level differently from a switch: in these cases each host has one priority, and acknowledgements
    // another.
    spec.priority = kPriority[c.one_level ? source % kPriority.size() : static_cast<std::size_t>(o.priority)];
    flows.push_back(spec);
  }
  std::stable_sort(flows.begin(), flows.end(), [](const FlowSpec& a, const FlowSpec& b) { return a.start < b.start; });
  return flows;
}

Outcome outcome_of(const Case& c) {
  const Outcome outcome = outcome_of(settings_of(c), flows_of(c));
  EXPECT_EQ(outcome.difference, "") << c;
  return outcome;
}

/// From the whole range, whatever RapidCheck's size is.
rc::Gen<int> any(int low, int high) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}
rc::Gen<bool> now_and_then() {
  return rc::gen::weightedElement<bool>({{3, false}, {1, true}});
}

/// The subject of a case; the rest stays at its default.
struct About {
  int tors = 1;
  int most_hosts = 6;
  int priorities = 1;
  bool errors = false;
  bool small_buffer = false;
  bool lossy = false;
  bool marking = false;
  bool one_level = false;
};

rc::Gen<Case> any_case(const About& about) {
  return rc::gen::exec([about] {
    Case c;
    c.tors = about.tors;
    c.spines = about.tors > 1 ? *any(1, 4) : 0;
    c.hosts = *any(about.tors > 1 ? 1 : 2, about.most_hosts);
    c.rates = *any(0, 1'000);
    c.delays = *any(0, 1'000'000);
    c.payload = *rc::gen::element(1'000, 1'460, 256, 4'096, 333);
    c.acknowledge_every = *rc::gen::weightedElement<int>({{3, 1}, {1, 2}, {1, 5}});
    c.acknowledge_priority = *rc::gen::weightedElement<int>({{3, -1}, {1, 7}, {1, 3}});
    c.seed = *any(0, 1'000'000);
    c.hash = *any(0, 2);
    if (about.errors) {
      c.error = *rc::gen::element(0, 10'000, 100'000);
      c.timeout = *rc::gen::element(50, 10, 0, 200);
      c.nack_interval = *rc::gen::element(20, 1, 100);
      c.doublings = *any(0, 3);
    }
    if (about.small_buffer) {
      c.shared = *rc::gen::element(20'000, 5'000, 60'000, 200'000);
      c.reserve = *rc::gen::element(0, 2'000);
      c.alpha = *any(0, static_cast<int>(kAlpha.size()) - 1);
      c.egress_alpha = *any(0, static_cast<int>(kAlpha.size()) - 1);
      c.resume_offset = *rc::gen::element(3'072, 0, 20'000);
      c.scale = *rc::gen::arbitrary<bool>();
      c.quanta = *rc::gen::element(600, 65'535, 701);
      c.binary = *now_and_then();
      c.response = *rc::gen::weightedElement<int>({{2, 0}, {1, 123'457}});
      c.headroom = *rc::gen::weightedElement<int>({{4, -1}, {1, 0}, {1, 3'000}});
      c.acknowledgements_ignore_pause = *now_and_then();
    }
    if (about.lossy) c.lossless = *any(0, 6);
    if (about.lossy) c.control_reserve = *rc::gen::element(20'000, 0, 300);
    if (about.marking) {
      c.marking = *any(1, 2);
      c.kmin = *any(0, 20'000);
      c.kmax = *any(0, 20'000);
    }
    c.one_level = about.one_level;
    const int offers = *any(1, 8);
    for (int i = 0; i < offers; ++i) {
      c.offers.push_back({.source = *any(0, 20),
                          .destination = *any(0, 20),
                          .size = *rc::gen::oneOf(any(1, 2'000), any(1, 80'000)),
                          .start = *any(0, 50'000'000),
                          .priority = *any(0, about.priorities - 1)});
    }
    return c;
  });
}

void agree(const About& about) {
  const Case c = *any_case(about).as("scenario");
  const Outcome outcome = outcome_of(settings_of(c), flows_of(c));
  if (!outcome.difference.empty()) RC_FAIL(outcome.difference);
}

// ---- explicit cases: each exercises one subject ----

/// Hosts 0 and 1 send to host 2.
Case two_to_one(int size) {
  Case c;
  c.hosts = 3;
  c.offers = {{.source = 0, .destination = 1, .size = size, .start = 77},
              {.source = 1, .destination = 0, .size = size, .start = 1'234'567}};
  return c;
}

TEST(Oracle, TwoHostsAndASwitch) {
  Case c;
  c.offers = {{.size = 12'345, .start = 77}};
  EXPECT_EQ(outcome_of(c).frames, 2u * (13 + 13));
}

TEST(Oracle, StrictPriority) {
  Case c = two_to_one(40'000);
  c.offers[1].priority = 1;
  EXPECT_GT(outcome_of(c).frames, 0u);
}

TEST(Oracle, DeficitRoundRobin) {
  Case c = two_to_one(40'000);
  c.one_level = true;
  c.payload = 1'460;
  c.offers.push_back({.source = 0, .destination = 1, .size = 777, .start = 5'000'001});
  EXPECT_GT(outcome_of(c).frames, 0u);
}

TEST(Oracle, GoBackN) {
  Case c = two_to_one(40'000);
  c.error = 30'000;
  c.nack_interval = 3;
  EXPECT_GT(outcome_of(c).nacks, 0u);
}

TEST(Oracle, PauseAndRefresh) {
  Case c = two_to_one(70'000);
  c.shared = 20'000;
  c.quanta = 600;
  EXPECT_GT(outcome_of(c).pauses, 4u);
}

TEST(Oracle, DropsAboveTheDynamicThreshold) {
  Case c = two_to_one(40'000);
  c.rates = 1;  // at equal rates the second sender loses every frame, and no gap is detected
  c.shared = 20'000;
  c.lossless = 0;
  EXPECT_GT(outcome_of(c).nacks, 0u);
}

TEST(Oracle, Marks) {
  Case c = two_to_one(40'000);
  c.marking = 1;
  c.kmin = 2'000;
  c.kmax = 30'000;
  EXPECT_GT(outcome_of(c).marked, 0u);
}

TEST(Oracle, EqualPaths) {
  Case c;
  c.tors = 2;
  c.spines = 2;
  for (int i = 0; i < 8; ++i)
    c.offers.push_back({.source = i % 2, .destination = 1, .size = 3'000, .start = 1'001 * i});
  EXPECT_EQ(outcome_of(c).directions_in_use, 16u);  // four host links and four between switches, both directions
}

// The very first frame at a port is not passed through: the PAUSE that its arrival causes is on the wire when it
// departs, and a RESUME follows.
TEST(Oracle, FirstFrameOfAPortIsQueued) {
  for (int seed = 0; seed < 4; ++seed) {
    Case c;
    c.shared = 20'000;
    c.alpha = 3;
    c.seed = seed;
    c.offers = {{.size = 1'000, .start = 77}};
    EXPECT_GT(outcome_of(c).pauses, 0u);
  }
}

// A timer that has expired restarts at once, before the first retransmission.
TEST(Oracle, TimerBeginsAnewWhenItHasRunOut) {
  Case c = two_to_one(60'000);
  c.offers[1].priority = 1;
  c.offers[1].source = 0;
  c.offers[1].destination = 1;
  c.error = 100'000;
  c.timeout = 10;
  c.nack_interval = 100;
  c.doublings = 0;
  EXPECT_GT(outcome_of(c).nacks, 0u);
}

// A frame charged to an ingress of one switch may be in the control reserve of the next, which counts it there.
TEST(Oracle, ControlReservesOfTwoSwitchesInARow) {
  Case c;
  c.tors = 2;
  c.spines = 1;
  c.hosts = 1;
  c.rates = 86;
  c.shared = 5'000;
  c.lossless = 0;
  c.control_reserve = 300;
  c.alpha = 0;
  c.egress_alpha = 0;
  c.payload = 256;
  c.acknowledge_priority = 3;
  c.error = 10'000;
  c.timeout = 0;
  c.reserve = 2'000;
  c.marking = 1;
  c.quanta = 65'535;
  c.response = 123'457;
  c.doublings = 0;
  c.offers = {{.source = 0, .destination = 0, .size = 10'989, .start = 1'061'648, .priority = 1},
              {.source = 0, .destination = 0, .size = 1, .start = 0, .priority = 0},
              {.source = 7, .destination = 0, .size = 11'777, .start = 2'057'146, .priority = 0}};
  EXPECT_GT(outcome_of(c).frames, 100u);
}

// ---- at random ----

RC_GTEST_PROP(Oracle, AgreesOnOneSwitch, ()) {
  agree({});
}
RC_GTEST_PROP(Oracle, AgreesOnStrictPriorities, ()) {
  agree({.priorities = 3});
}
RC_GTEST_PROP(Oracle, AgreesOnDeficitRoundRobin, ()) {
  agree({.priorities = 3, .one_level = true});
}
RC_GTEST_PROP(Oracle, AgreesOnGoBackN, ()) {
  agree({.priorities = 2, .errors = true});
}
RC_GTEST_PROP(Oracle, AgreesOnPfc, ()) {
  agree({.priorities = 2, .small_buffer = true});
}
RC_GTEST_PROP(Oracle, AgreesOnDrops, ()) {
  agree({.priorities = 3, .small_buffer = true, .lossy = true});
}
RC_GTEST_PROP(Oracle, AgreesOnMarks, ()) {
  agree({.priorities = 2, .marking = true});
}
RC_GTEST_PROP(Oracle, AgreesOnLeafSpine, ()) {
  agree({.tors = 2, .most_hosts = 4});
}
RC_GTEST_PROP(Oracle, AgreesOnAll, ()) {
  agree({.tors = *any(1, 3),
         .most_hosts = 4,
         .priorities = 3,
         .errors = true,
         .small_buffer = true,
         .lossy = true,
         .marking = true,
         .one_level = *rc::gen::arbitrary<bool>()});
}

}  // namespace
}  // namespace weir::whole::oracle_test
