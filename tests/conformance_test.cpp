// SPDX-License-Identifier: Apache-2.0
// Requirements on every registered scheme in each of its roles: it survives a network in which links fail, frames are
// damaged and neighbours send garbage, allocates nothing in its hooks, leaks no frame, and repeats itself bit for bit.
// Registration is enough for a scheme to be tested here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allocations.h"
#include "candidates.h"
#include "counting_new.h"
#include "fabric/roles.h"
#include "poll/replay.h"
#include "traffic/incast.h"
#include "traffic/open_loop.h"
#include "whole_network.h"

namespace weir::whole::conformance_test {
namespace {

// ---- neighbours that send garbage ----

FrameKind any_kind(RandomStream& random) {
  return static_cast<FrameKind>(random.below(static_cast<std::uint64_t>(FrameKind::marker)));
}

/// A frame as a parser could return it, with random contents.
FrameId nonsense(FramePool& frames, RandomStream& random, FrameKind kind, std::uint8_t protocol, std::size_t hosts) {
  const FrameId id = frames.allocate();
  if (!id.exists()) return id;
  Frame& frame = frames[id];
  frame.kind = kind;
  frame.frame_bytes = static_cast<std::uint16_t>(64 + random.below(200));
  frame.payload_bytes = static_cast<std::uint16_t>(kind == FrameKind::data ? random.below(frame.frame_bytes) : 0);
  frame.priority = static_cast<Priority>(random.below(kPriorities));
  frame.flags = static_cast<std::uint8_t>(random.next());
  frame.set_corrupt(false);
  frame.protocol = random.below(2) == 0 ? protocol : static_cast<std::uint8_t>(random.next());
  frame.source = HostId(random.below(hosts));
  frame.destination = HostId(random.below(hosts + 1));  // may be one that does not exist
  frame.queue_pair = QueuePairId(random.below(2) == 0 ? random.below(16) : random.below(1u << 24));
  const std::uint64_t small = random.below(64);
  frame.sequence = static_cast<std::uint32_t>(random.below(2) == 0 ? small : random.next());
  frame.entropy = static_cast<std::uint16_t>(random.next());
  frame.tag = static_cast<std::uint16_t>(random.below(2) == 0 ? random.below(64) : random.next());
  frame.tag_value = static_cast<std::uint32_t>(random.below(2) == 0 ? random.below(64) : random.next());
  constexpr std::size_t kLengths[] = {0, 8, FramePool::kShortExtension, FramePool::kLongExtension};
  const std::size_t length = kind == FrameKind::pfc ? 16 : kLengths[random.below(std::size(kLengths))];
  if (length > 0) {
    for (std::byte& byte : frames.extend(frame, length)) byte = static_cast<std::byte>(random.next());
  }
  return id;
}

const Scheme& noise();

/// Sends control frames of random contents through random ports from time to time.
class NoisySwitch final : public FlowControl {
 public:
  explicit NoisySwitch(std::uint8_t protocol) : protocol_(protocol) {}
  void attach(SwitchContext& context) override {
    timer_ = context.new_timer(*this);
    random_ = RandomStream(context.id().value, 0x6e6f697365, 0);
    context.arm(timer_, context.now() + pause());
  }
  void on_timer(SwitchContext& context, TimerId) override {
    const PortId port(random_.below(context.ports()));
    const FrameKind kind = random_.below(2) == 0 ? FrameKind::pfc : FrameKind::hop_control;
    const FrameId frame = nonsense(context.frames(), random_, kind, protocol_, 8);
    if (frame.exists()) context.send(port, frame);
    constexpr FrameKind kToHosts[] = {FrameKind::ack, FrameKind::nack, FrameKind::cnp, FrameKind::host_control};
    const FrameId other = nonsense(context.frames(), random_, kToHosts[random_.below(4)], protocol_, 8);
    if (other.exists()) context.send_to_host(other);
    context.arm(timer_, context.now() + pause());
  }

 private:
  Duration pause() { return Duration::picoseconds(static_cast<std::int64_t>(500'000 + random_.below(4'000'000))); }

  std::uint8_t protocol_;
  TimerId timer_;
  RandomStream random_;
};

/// The same from a NIC to its switch.
class NoisyNic final : public NicFlowControl {
 public:
  explicit NoisyNic(std::uint8_t protocol) : protocol_(protocol) {}
  void attach(NicContext& context) override {
    timer_ = context.new_timer(*this);
    random_ = RandomStream(context.host().value, 0x6e6f697365, 1);
  }
  GateId gate_of(NicContext& context, SendState&) override {
    if (!started_) context.arm(timer_, context.now());
    started_ = true;
    return GateId::none();
  }
  void on_timer(NicContext& context, TimerId) override {
    const FrameKind kind = random_.below(2) == 0 ? FrameKind::pfc : FrameKind::hop_control;
    const FrameId frame = nonsense(context.frames(), random_, kind, protocol_, 8);
    if (frame.exists()) context.send(frame);
    context.arm(timer_, context.now() + Duration::picoseconds(static_cast<std::int64_t>(random_.below(9'000'000))));
  }

 private:
  std::uint8_t protocol_;
  bool started_ = false;
  TimerId timer_;
  RandomStream random_;
};

const Scheme& noise() {
  static const Scheme scheme = {
      .name = "noise",
      .summary = "control frames of random contents",
      .traits = {},
      .parameters =
          {{.name = "protocol", .default_value = std::int64_t{0}, .meaning = "of half of them", .source = ""}},
      .flow_control = [](const Parameters& parameters) -> std::unique_ptr<FlowControl> {
        return std::make_unique<NoisySwitch>(static_cast<std::uint8_t>(parameters.get<std::int64_t>("protocol")));
      },
      .nic_flow_control = [](const Parameters& parameters) -> std::unique_ptr<NicFlowControl> {
        return std::make_unique<NoisyNic>(static_cast<std::uint8_t>(parameters.get<std::int64_t>("protocol")));
      }};
  return scheme;
}

// ---- the network ----

std::vector<std::unique_ptr<TrafficSource>> stress(std::uint64_t seed) {
  const HostSet all = HostSet::range(0, 8);
  std::vector<std::unique_ptr<TrafficSource>> sources;
  OpenLoopSettings background;
  background.flows.priority = 3;
  background.flows.flow_limit = 150;
  background.matrix = TrafficMatrix::uniform(all);
  background.size = FlowSize::multiples(1, 20, 999_B);
  background.offered = 80_Gbps;
  sources.push_back(std::make_unique<OpenLoopSource>(background, seed));
  OpenLoopSettings messages = background;
  messages.flows.priority = 1;  // lossy
  messages.persistent_queue_pairs = true;
  sources.push_back(std::make_unique<OpenLoopSource>(messages, seed + 1));
  IncastSettings incast;
  incast.flows.priority = 3;
  incast.flows.label = FlowLabel::incast;
  incast.sources = HostSet::range(2, 6);
  incast.degree = 6;
  incast.destinations = {HostId(0)};
  incast.size = FlowSize::fixed(30_KB);
  incast.mean_interval_picoseconds = 100e6;
  incast.event_limit = 3;
  sources.push_back(std::make_unique<IncastSource>(incast, seed + 2));
  FlowSpec stopped = flow(7, 1, kLongRunning);
  stopped.priority = 4;
  stopped.stop = at(300_us);
  sources.push_back(std::make_unique<FlowListSource>(std::vector<FlowSpec>{stopped}));
  return sources;
}

constexpr PollOptions kPoll{
    .period = Duration::picoseconds(200'000), .transmit_depth = 2, .limit = Time::picoseconds(1'000'000'000)};

/// calm_leaf_spine() with traffic of every kind.
Settings calm_network(const Candidate& candidate) {
  Settings settings = calm_leaf_spine(candidate);
  settings.traffic = stress;
  return settings;
}

/// The schemes of a switch of calm_network() in the slots that the candidate does not take.
SwitchSettings usual_switch(const Candidate& candidate) {
  return calm_network({candidate.scheme, Slot::none}).switches;
}

/// The same, with the usual schemes instead of the candidate in one ToR and one spine.
Settings mixed_network(const Candidate& candidate) {
  Settings settings = calm_network(candidate);
  const SwitchSettings usual = usual_switch(candidate);
  SwitchGroup others;
  others.name = "without";
  others.switches = {SwitchId(1), SwitchId(3)};
  others.forwarding = usual.forwarding;
  others.buffer_policy = usual.buffer_policy;
  others.flow_control = usual.flow_control;
  others.congestion_point = usual.congestion_point;
  settings.switch_groups = {others};
  return settings;
}

/// The same with damaged frames, links that fail and recover, and noise, for a millisecond.
Settings stormy_network(const Candidate& candidate) {
  Settings settings = calm_network(candidate);
  const Topology plain = std::move(settings.network.topology);
  Topology& topology = settings.network.topology = Topology();
  for (const Node& node : plain.nodes()) {
    if (node.is_host()) {
      topology.add_host(node.name, node.pod, node.rack);
    } else {
      topology.add_switch(node.name, node.tier, node.pod, node.rack);
    }
  }
  for (const Link& link : plain.links()) topology.connect(link.a, link.b, {link.rate, link.delay, 1e-3});
  settings.run.stop = at(1_ms);
  settings.network.failures = {{LinkId(0), at(60_us), at(90_us)},
                               {LinkId(8), at(100_us), at(180_us)},
                               {LinkId(5), at(200_us), at(201_us)},
                               {LinkId(8), at(260_us), at(300_us)}};
  settings.network.failure_detection = 20_us;
  // A NIC mirrors at most three flow controls; PFC stays if there is room for it.
  settings.switches.flow_control.push_back({&noise(), Parameters(noise().parameters)});
  settings.switches.flow_control.back().parameters.set("protocol", std::int64_t{candidate.scheme->traits.protocol});
  return settings;
}

class Conformance : public testing::TestWithParam<Candidate> {};
INSTANTIATE_TEST_SUITE_P(Schemes, Conformance, testing::ValuesIn(candidates()), name_of);

/// Takes the remaining frames of switches for their neighbours, which are gone: timers fire after the last flow too.
void let_go(Fabric& fabric, Time now) {
  for (std::size_t i = 0; i < fabric.switches(); ++i) {
    Switch& node = fabric.switch_by(SwitchId(i));
    for (std::size_t port = 0; port < node.ports(); ++port) {
      for (FrameId frame = node.transmit(now, PortId(port)); frame.exists(); frame = node.transmit(now, PortId(port))) {
        EXPECT_TRUE(fabric.frames()[frame].is_hop_control()) << "flows are over";
        fabric.frames().release(frame);
      }
    }
  }
}

// ---- the candidates themselves ----

/// A role that the table of roles gains is tested only if there is a slot for it.
TEST(Candidates, AreAllSchemesInEachOfTheirRoles) {
  const std::vector<Candidate> all = candidates();
  const auto expect_in = [&all](const SchemeRole& role) {
    std::size_t played = 0;
    for (const Scheme* scheme : all_schemes()) {
      if (!role.played_by(*scheme)) continue;
      ++played;
      const auto is_it = [&](const Candidate& candidate) {
        return candidate.scheme == scheme && kSlotNames[static_cast<std::size_t>(candidate.slot)] == role.key;
      };
      EXPECT_TRUE(std::any_of(all.begin(), all.end(), is_it)) << scheme->name << " as " << role.key;
    }
    const bool is_named = std::find(std::begin(kSlotNames), std::end(kSlotNames), role.key) != std::end(kSlotNames);
    EXPECT_TRUE(is_named) << role.key << ", which " << played << " schemes have";
  };
  for_each_switch_role([&](const SchemeRole& role, auto SwitchSettings::*, auto SwitchGroup::*) { expect_in(role); });
  for_each_host_role([&](const SchemeRole& role, PolicyChoice HostSettings::*) { expect_in(role); });
}

/// What a transport replaces is absent beside it, whatever was placed before.
TEST(Candidates, ATransportIsWithoutTheRolesThatItReplaces) {
  static const Scheme kBoth = {
      .name = "both",
      .summary = "",
      .traits = {},
      .congestion_control = [](const Parameters&) -> std::unique_ptr<CongestionControl> { return nullptr; },
      .transport = [](const Parameters&) -> std::unique_ptr<Transport> { return nullptr; },
  };
  for (const Slot slot : {Slot::transport, Slot::all}) {
    const HostSettings hosts = calm_leaf_spine({&kBoth, slot}).hosts;
    EXPECT_EQ(hosts.transport.scheme, &kBoth);
    EXPECT_EQ(hosts.congestion_control.scheme, nullptr);
    EXPECT_EQ(hosts.loss_recovery.scheme, nullptr);
  }
  EXPECT_EQ(calm_leaf_spine({&kBoth, Slot::congestion_control}).hosts.transport.scheme, nullptr);
}

// ---- in a fault-free network ----

void expect_delivery_under_the_event_loop(const Settings& settings) {
  Simulation simulation(settings);
  const RunRecord record = simulation.run();
  EXPECT_EQ(record.failure, "");
  EXPECT_EQ(record.flows.size(), 319u);
  for (const FlowRecord& flow : record.flows) {
    EXPECT_TRUE(flow.completed() || flow.stopped) << "flow " << flow.id.value << " of " << flow.size.count() << " B";
  }
  EXPECT_EQ(left_behind(simulation.fabric()), "");
}

void expect_delivery_under_the_poll_loop(const Settings& settings) {
  PollOptions options = kPoll;
  options.limit = at(20_ms);
  PollNetwork network(settings, options);
  const LosslessDrops drops(network.fabric());
  const PollReport report = network.run();
  EXPECT_EQ(report.failure, "");
  EXPECT_EQ(report.flows_started, 319u);
  EXPECT_EQ(report.flows_completed, 319u);
  EXPECT_EQ(drops.count(), 0u);
  advance_all(network.fabric(), options.limit);
  let_go(network.fabric(), options.limit);
  EXPECT_EQ(left_behind(network.fabric()), "");
}

TEST_P(Conformance, DeliversUnderTheEventLoop) {
  expect_delivery_under_the_event_loop(calm_network(GetParam()));
}

TEST_P(Conformance, DeliversUnderThePollLoop) {
  expect_delivery_under_the_poll_loop(calm_network(GetParam()));
}

// ---- some switches without the scheme ----

/// The candidates of switches, except those that every switch has anyway.
std::vector<Candidate> switch_candidates() {
  std::vector<Candidate> out;
  for (const Candidate& candidate : candidates()) {
    const auto schemes = [](const SwitchSettings& all) {
      std::vector<const Scheme*> names = {all.forwarding.scheme, all.buffer_policy.scheme};
      for (const PolicyChoice& choice : all.flow_control) names.push_back(choice.scheme);
      for (const PolicyChoice& choice : all.congestion_point) names.push_back(choice.scheme);
      return names;
    };
    if (schemes(calm_network(candidate).switches) != schemes(usual_switch(candidate))) out.push_back(candidate);
  }
  return out;
}

class MixedConformance : public testing::TestWithParam<Candidate> {};
INSTANTIATE_TEST_SUITE_P(Schemes, MixedConformance, testing::ValuesIn(switch_candidates()), name_of);

TEST_P(MixedConformance, DeliversUnderTheEventLoop) {
  expect_delivery_under_the_event_loop(mixed_network(GetParam()));
}

TEST_P(MixedConformance, DeliversUnderThePollLoop) {
  expect_delivery_under_the_poll_loop(mixed_network(GetParam()));
}

TEST_P(MixedConformance, RepeatsItself) {
  const Settings settings = mixed_network(GetParam());
  EXPECT_EQ(Simulation(settings).run().digest, Simulation(settings).run().digest);
}

/// If all switches or none had the scheme, these runs would equal those.
TEST(MixedNetworks, AreNeitherOfTheirParts) {
  std::size_t differ_from_all = 0;
  std::size_t differ_from_none = 0;
  const std::vector<Candidate> mixed = switch_candidates();
  for (const Candidate& candidate : mixed) {
    const std::string digest = Simulation(mixed_network(candidate)).run().digest;
    if (digest != Simulation(calm_network(candidate)).run().digest) ++differ_from_all;
    Settings none = calm_network(candidate);
    none.switches = usual_switch(candidate);
    if (digest != Simulation(none).run().digest) ++differ_from_none;
  }
  // Some schemes have nothing to do in such a calm network.
  EXPECT_GE(2 * differ_from_all, mixed.size());
  EXPECT_GE(2 * differ_from_none, mixed.size());
  RecordProperty("of", static_cast<int>(mixed.size()));
  RecordProperty("differ_from_all", static_cast<int>(differ_from_all));
  RecordProperty("differ_from_none", static_cast<int>(differ_from_none));
}

// ---- in a storm ----

TEST_P(Conformance, SurvivesAStormUnderTheEventLoop) {
  const Settings settings = stormy_network(GetParam());
  const RunRecord once = Simulation(settings).run();
  EXPECT_EQ(once.failure, "");
  EXPECT_GT(once.packet_hops, 10'000u);
  EXPECT_EQ(Simulation(settings).run().digest, once.digest);
}

TEST_P(Conformance, SurvivesAStormUnderThePollLoop) {
  const Settings settings = stormy_network(GetParam());
  const PollReport once = PollNetwork(settings, kPoll).run();
  EXPECT_EQ(once.failure, "");
  EXPECT_GT(once.flows_completed, 25u);  // how many complete in time depends on the seed; that many do does not
  EXPECT_EQ(PollNetwork(settings, kPoll).run().digest, once.digest);
}

/// There are fewer frames than queues could store: senders, markers, control frames and acknowledgements find none.
TEST_P(Conformance, SurvivesAnEmptyFramePool) {
  Settings settings = stormy_network(GetParam());
  settings.run.frame_capacity = 200;
  EXPECT_THAT(Simulation(settings).run().failure, testing::HasSubstr("run.frame_capacity = 200 is too small"));
  EXPECT_THAT(PollNetwork(settings, kPoll).run().failure, testing::HasSubstr("run.frame_capacity = 200 is too small"));
}

// ---- at the boundary of a node ----

/// The result of replaying a trace to a node.
struct Played {
  std::size_t calls = 0;
  std::uint64_t allocations = 0;  ///< in receive, transmit and advance
  std::string difference;         ///< from the recording
};

void clear(Switch& node) {
  node.clear_ready();
}
void clear(Nic& node) {
  node.clear_ready();
  node.clear_completions();
}
std::string broken_invariant(const Switch& node) {
  return node.broken_invariant();
}
std::string broken_invariant(const Nic&) {
  return {};
}
std::size_t markers(const Switch& node) {
  std::size_t markers = 0;
  for (std::size_t queue = 0; queue < node.queues(); ++queue) {
    markers += node.queue(QueueId(queue)).markers;
  }
  return markers;
}
std::size_t markers(const Nic&) {
  return 0;
}
std::size_t ports(const Switch& node) {
  return node.ports();
}
std::size_t ports(const Nic&) {
  return 1;
}

/// Replays a recorded trace to a node that is built like the recorded one. The first `warm_up` calls may allocate: a
/// NIC grows its lists on first use. With `noise`, frames of random contents arrive between the calls, and the output
/// of the node is not compared.
template <class Node>
Played play(const BoundaryTrace<Node>& trace, Node& node, FramePool& frames, std::size_t warm_up,
            RandomStream* noise = nullptr, std::uint8_t protocol = 0) {
  using Kind = typename BoundaryTrace<Node>::Kind;
  Played played;
  AllocationCounter& counter = allocation_counter();
  for (const auto& call : trace.calls) {
    if (played.calls++ == warm_up) counter.count = 0;
    if (noise != nullptr && call.kind != Kind::other && noise->below(4) == 0) {
      const PortId port(noise->below(ports(node)));
      const FrameId id = nonsense(frames, *noise, any_kind(*noise), protocol, 8);
      if (id.exists()) counting_allocations([&] { detail::receive(node, call.now, port, id); });
      const FrameId given = counting_allocations([&] { return detail::transmit(node, call.now, port); });
      if (given.exists()) frames.release(given);
      if (node.next_deadline() <= call.now) counting_allocations([&] { node.advance(call.now); });
      if (noise->below(64) == 0 && played.difference.empty()) played.difference = broken_invariant(node);
    }
    switch (call.kind) {
      case Kind::receive: {
        const FrameId id = call.frame.make(frames);
        counting_allocations([&] { detail::receive(node, call.now, call.port, id); });
        break;
      }
      case Kind::transmit: {
        const FrameId id = counting_allocations([&] { return detail::transmit(node, call.now, call.port); });
        const bool same =
            id.exists() == call.gave && (!id.exists() || FrameCopy::of(frames, frames[id]).same_on_wire(call.frame));
        if (!same && noise == nullptr && played.difference.empty()) {
          played.difference = "call " + std::to_string(played.calls) + ": another frame";
        }
        if (id.exists()) frames.release(id);
        break;
      }
      case Kind::advance:
        counting_allocations([&] { node.advance(call.now); });
        break;
      case Kind::link:
        detail::link(node, call.now, call.port, call.up);
        break;
      case Kind::other:
        call.redo(node);
        break;
    }
    clear(node);
  }
  played.allocations = counter.count;
  if (const std::string broken = broken_invariant(node); !broken.empty()) played.difference = broken;
  const std::size_t held = node.frames_held() + markers(node);
  if (held != frames.in_use()) {
    played.difference = std::to_string(frames.in_use()) + " frames in use, " + std::to_string(held) + " held";
  }
  return played;
}

/// A storm, recorded at a top of rack, a spine, and a destination and a source of the incast.
struct Recording {
  std::map<std::size_t, BoundaryTrace<Switch>> switches;
  std::map<std::size_t, BoundaryTrace<Nic>> hosts;
};

Recording record(const Settings& settings) {
  Recording recording;
  Simulation simulation(settings);
  for (const std::size_t i : {0, 3}) simulation.fabric().switch_by(SwitchId(i)).record(&recording.switches[i]);
  for (const std::size_t i : {0, 5}) simulation.fabric().nic(HostId(i)).record(&recording.hosts[i]);
  simulation.run();
  return recording;
}

/// A storm to record. Routes do not change: new routes are not among the recorded calls of a node.
Settings recordable(const Candidate& candidate) {
  Settings settings = stormy_network(candidate);
  settings.network.failure_detection = 1_s;
  return settings;
}

void expect_conforming(const Played& played, const Scheme& scheme, const std::string& node) {
  EXPECT_GT(played.calls, 1'000u) << node;
  EXPECT_EQ(played.difference, "") << node;
  if (!scheme.traits.ideal) {
    EXPECT_EQ(played.allocations, 0u) << node;
  }
}

TEST_P(Conformance, RepeatsWhatItDidAndAllocatesNothing) {
  const Settings settings = recordable(GetParam());
  const Recording recording = record(settings);
  for (const auto& [i, trace] : recording.switches) {
    Fabric fresh(settings);
    expect_conforming(play(trace, fresh.switch_by(SwitchId(i)), fresh.frames(), 0), *GetParam().scheme,
                      "switch " + std::to_string(i));
  }
  for (const auto& [i, trace] : recording.hosts) {
    Fabric fresh(settings);
    expect_conforming(play(trace, fresh.nic(HostId(i)), fresh.frames(), trace.calls.size() / 10), *GetParam().scheme,
                      "host " + std::to_string(i));
  }
}

TEST_P(Conformance, SurvivesAnyFrameAtTheBoundary) {
  const Settings settings = recordable(GetParam());
  const Recording recording = record(settings);
  const std::uint8_t protocol = GetParam().scheme->traits.protocol;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    RandomStream random(seed, 0, 0);
    for (const auto& [i, trace] : recording.switches) {
      Fabric fresh(settings);
      expect_conforming(play(trace, fresh.switch_by(SwitchId(i)), fresh.frames(), 0, &random, protocol),
                        *GetParam().scheme, "switch " + std::to_string(i));
    }
    for (const auto& [i, trace] : recording.hosts) {
      Fabric fresh(settings);
      expect_conforming(play(trace, fresh.nic(HostId(i)), fresh.frames(), trace.calls.size() / 2, &random, protocol),
                        *GetParam().scheme, "host " + std::to_string(i));
    }
  }
}

}  // namespace
}  // namespace weir::whole::conformance_test
