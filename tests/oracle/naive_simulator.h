// SPDX-License-Identifier: Apache-2.0
// A second simulator, slow and obvious: one list of events, standard containers, no cleverness. It is written from the
// standards and from what the documentation says of Weir, and uses nothing of its switch, NIC, schemes and engine: what
// both get wrong alike is wrong in the documentation too.
//
// It knows NICs at line rate, go-back-N, PFC, the dynamic threshold, RED, strict priority, deficit round robin, ECMP
// and damaged frames, and takes the settings to name just these. What decides ties and chance it has from the
// definitions in ARCHITECTURE.md ("Time, order, randomness"): mix, RandomStream, flow_hash.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fabric/settings.h"
#include "naive_rules.h"
#include "policy/flow_hash.h"
#include "seen.h"
#include "traffic/flow.h"
#include "units/random.h"

namespace weir::oracle {

class NaiveSimulator : Rules {
 public:
  /// `flows` in order of start, each on a queue pair of its own.
  NaiveSimulator(const Settings& settings, const std::vector<FlowSpec>& flows) : Rules(settings) {
    const Topology& topology = network_.topology;
    std::uint64_t directions = 0;
    for (std::size_t i = 0; i < topology.nodes().size(); ++i) {
      Node node{.number = i, .host = topology.nodes()[i].is_host()};
      node.pool_size = switches_.buffer.count();
      for (const PortEnd& end : topology.ports(NodeId(i))) {
        const Link& link = topology.link(end.link);
        Port port{.direction = directions++, .peer = end.peer.index(), .peer_port = end.peer_port.index()};
        port.rate = link.rate.bits_per_second();
        port.delay = link.delay.picoseconds();
        port.error_rate = link.error_rate;
        port.damage = RandomStream(seed_, port.direction, 0x64616d);
        shortest_delay_ = std::min(shortest_delay_, port.delay);
        for (int p = 0; p < kPriorities; ++p)
          node.pool_size -= lossless(p) ? reserve() + headroom(port.rate, port.delay) : 0;
        node.ports.push_back(port);
      }
      if (!node.host) {
        const std::uint32_t id = topology.nodes()[i].switch_id.value;
        node.random = RandomStream(seed_, id, 0x73776974);
        node.hash_seed = static_cast<std::uint32_t>(mix(of<std::int64_t>(switches_.forwarding, "seed"), id) >> 32);
      }
      nodes_.push_back(node);
    }
    seen_.resize(directions);
    for (const FlowSpec& spec : flows) {
      const std::size_t i = flows_.size();
      flows_.push_back({.spec = spec, .entropy = static_cast<std::uint16_t>(0xc000u | (mix(seed_, i) & 0x3fffu))});
      flows_.back().packets = static_cast<std::uint32_t>((spec.size.count() + hosts_.payload - 1) / hosts_.payload);
      at(spec.start.picoseconds(), Phase::flows, i, [this, i] { start(i); });
    }
  }

  /// What is seen on each direction of a link, by its number (Topology::direction_number), before `end`. Once.
  std::vector<std::vector<Seen>> run(Picoseconds end) {
    while (!events_.empty() && events_.top().at < end) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      event.act();
    }
    return seen_;
  }

 private:
  enum class Phase { arrivals, timers, flows, transmissions };
  struct Event {
    Picoseconds at;
    Phase phase;
    std::uint64_t rank;
    std::uint64_t number;
    std::function<void()> act;
    bool operator<(const Event& o) const {  // the greatest is the first
      return std::tie(o.at, o.phase, o.rank, o.number) < std::tie(at, phase, rank, number);
    }
  };
  // ---- events and wires ----
  void at(Picoseconds time, Phase phase, std::uint64_t rank, std::function<void()> act) {
    events_.push({time, phase, rank, ++events_made_, std::move(act)});
  }
  std::uint64_t rank(const Port& port) const { return mix(seed_, port.direction); }
  /// Something may be sendable at this port.
  void kick(Node& node, Port& port) {
    look(port);
    at(std::max(now_, port.free_at), Phase::transmissions, rank(port), [this, &node, &port] { transmit(node, port); });
  }
  void transmit(Node& node, Port& port) {
    if (port.free_at > now_) return;
    std::optional<Packet> packet = take(node, port);
    if (!packet) return;
    Seen& seen = packet->seen;
    seen.first_bit = now_;
    if (port.error_rate > 0) seen.damaged = std::ldexp(port.error_rate, 64) > static_cast<double>(port.damage.next());
    seen_[port.direction].push_back(seen);
    port.free_at = now_ + time_of(8 * (seen.bytes + network_.framing.wire_overhead), port.rate);
    at(port.free_at + port.delay, Phase::arrivals, rank(port), [this, &port, p = *packet] { arrive(port, p); });
    kick(node, port);
  }
  void arrive(const Port& from, const Packet& packet) {
    Node& node = nodes_[from.peer];
    Port& port = node.ports[from.peer_port];
    if (packet.seen.damaged) return;
    if (packet.seen.kind == FrameKind::pfc) {
      const auto heed = [this, &node, &port, said = packet.seen.quanta] { obey(node, port, said); };
      const auto response = of<Duration>(switches_.flow_control[0], "response").picoseconds();
      response == 0 ? heed() : at(now_ + response, Phase::timers, rank(port), heed);
    } else if (node.host) {
      receive_at_host(node, port, packet);
    } else {
      receive_at_switch(node, from.peer_port, packet);
    }
  }

  // ---- who sends next ----
  /// The size of what a priority would send at a port; nothing when it may send nothing.
  std::optional<std::int64_t> head(const Port& port, int p) const {
    const bool closed = port.closed_until[p] > now_;
    if (!port.queue[p].empty()) {
      const Packet& first = port.queue[p].front();
      if (!closed || (first.account == Account::none && hosts_.acknowledgements_ignore_pause)) return first.seen.bytes;
    }
    if (closed || port.senders[p].empty()) return std::nullopt;
    const Flow& flow = flows_[port.senders[p].front()];
    return network_.framing.data(payload_of(flow.spec, flow.next));
  }
  void look(Port& port) const {
    for (int p = 0; p < kPriorities; ++p) {
      port.turns[switches_.level_of_priority[p]].set_active(p, head(port, p).has_value(), largest_frame());
    }
  }
  static bool has_ready(const Port& port) {
    return port.pfc || std::any_of(port.turns.begin(), port.turns.end(), [](const Turns& t) { return !t.empty(); });
  }
  std::optional<Packet> take(Node& node, Port& port) {
    look(port);
    if (port.pfc) return std::exchange(port.pfc, std::nullopt);
    for (Turns& turns : port.turns) {
      if (turns.empty()) continue;
      const int p = turns.take([&](int queue) { return *head(port, queue); }, largest_frame());
      Packet packet;
      if (!port.queue[p].empty()) {
        packet = port.queue[p].front();
        port.queue[p].pop_front();
        if (!node.host) depart(node, port, packet);
      } else {
        packet = next_packet(port, p);
      }
      look(port);
      return packet;
    }
    return std::nullopt;
  }

  // ---- the host: go-back-N ----
  void start(std::size_t number) {
    for (Flow& flow : flows_) {  // the connection manager closes what was over the shortest link delay ago
      if (flow.over_at != kNever && flow.over_at + shortest_delay_ <= now_) flow.open = false;
    }
    flows_[number].open = true;
    wake(number);
  }
  /// A flow stands in the ring of its priority while it has something to send.
  void wake(std::size_t number) {
    const Flow& flow = flows_[number];
    Node& node = nodes_[network_.topology.node_of(flow.spec.source).index()];
    auto& ring = node.ports[0].senders[flow.spec.priority];
    const auto found = std::find(ring.begin(), ring.end(), number);
    if (flow.next < flow.packets && found == ring.end()) ring.push_back(number);
    if (flow.next == flow.packets && found != ring.end()) ring.erase(found);
    kick(node, node.ports[0]);
  }
  Packet next_packet(Port& port, int priority) {
    const std::size_t number = port.senders[priority].front();
    port.senders[priority].pop_front();
    Flow& flow = flows_[number];
    Packet packet{.flow = number};
    packet.seen = {.source = flow.spec.source, .destination = flow.spec.destination, .sequence = flow.next};
    packet.seen.bytes = network_.framing.data(payload_of(flow.spec, flow.next));
    packet.seen.priority = priority;
    packet.seen.ecn = Ecn::capable;
    flow.highest = std::max(flow.highest, ++flow.next);
    packet.asks = ++flow.unasked >= hosts_.acknowledge_every || flow.next == flow.packets;
    if (packet.asks) flow.unasked = 0;
    if (flow.deadline == kNever) watch(number);
    if (flow.next < flow.packets) port.senders[priority].push_back(number);
    return packet;
  }
  void receive_at_host(Node& node, Port& port, const Packet& packet) {
    Flow& flow = flows_[packet.flow];
    const Seen& seen = packet.seen;
    if (!flow.open) return;
    if (seen.kind != FrameKind::data) {
      hear(packet.flow, seen.sequence, seen.kind == FrameKind::nack);
    } else if (seen.sequence > flow.expected) {
      const auto interval = of<Duration>(hosts_.loss_recovery, "nack_interval").picoseconds();
      if (flow.reported && flow.reported->first == flow.expected && now_ - flow.reported->second < interval) return;
      flow.reported = {flow.expected, now_};
      answer(node, port, packet, FrameKind::nack);
    } else {
      const bool duplicate = seen.sequence < flow.expected;
      if (!duplicate) ++flow.expected;
      if (duplicate || packet.asks) answer(node, port, packet, FrameKind::ack);
    }
  }
  void answer(Node& node, Port& port, const Packet& data, FrameKind kind) {
    Packet reply{.flow = data.flow};
    reply.seen = {.kind = kind, .source = data.seen.destination, .destination = data.seen.source};
    reply.seen.sequence = flows_[data.flow].expected;
    reply.seen.bytes = network_.framing.acknowledge();
    reply.seen.priority = hosts_.acknowledge_priority ? *hosts_.acknowledge_priority : data.seen.priority;
    port.queue[reply.seen.priority].push_back(reply);
    kick(node, port);
  }
  /// All before `sequence` has come; `missing`: and this one is to be sent again.
  void hear(std::size_t number, std::uint32_t sequence, bool missing) {
    Flow& flow = flows_[number];
    if (sequence < flow.unacknowledged || sequence > flow.highest) return;
    const bool progress = sequence > flow.unacknowledged;
    flow.unacknowledged = sequence;
    flow.next = missing ? sequence : std::max(flow.next, sequence);
    if (progress) {
      flow.timeouts = 0;
      watch(number);
    }
    if (flow.unacknowledged == flow.packets && flow.over_at == kNever) flow.over_at = now_;
    wake(number);
  }
  /// The timer begins anew; with nothing in flight it stands still, unless it has just run out.
  void watch(std::size_t number, bool ran_out = false) {
    Flow& flow = flows_[number];
    const auto timeout = of<Duration>(hosts_.loss_recovery, "timeout").picoseconds();
    const auto doublings = std::min(flow.timeouts, of<std::int64_t>(hosts_.loss_recovery, "timeout_doublings"));
    const bool idle = flow.next == flow.unacknowledged && !ran_out;
    flow.deadline = timeout == 0 || idle ? kNever : now_ + (timeout << doublings);
    if (flow.deadline == kNever) return;
    at(flow.deadline, Phase::timers, number, [this, number, &flow] {
      if (flow.deadline != now_) return;
      ++flow.timeouts;
      flow.next = flow.unacknowledged;
      watch(number, true);
      wake(number);
    });
  }

  // ---- the switch ----
  static std::int64_t free_in(const Node& node) { return node.pool_size - node.pool_used; }
  std::int64_t shared(std::int64_t kept) const { return std::max<std::int64_t>(0, kept - reserve()); }
  bool may_resume(const Node& node, const Port& port, const Ingress& in) const {
    const std::int64_t xon = xoff(free_in(node), port.rate) - resume_offset();
    return in.headroom == 0 && shared(in.kept) <= std::max<std::int64_t>(0, xon);
  }
  /// Charges the buffer; false when there is no room.
  bool admit(Node& node, Port& from, const Port& to, const Seen& seen) const {
    Ingress& in = from.ingress[seen.priority];
    const bool lossy = !lossless(seen.priority);
    const std::int64_t taken = lossy ? seen.bytes : shared(in.kept + seen.bytes) - shared(in.kept);
    const bool fits = taken == 0 || node.pool_used + taken <= node.pool_size;
    if (lossy) {
      if (!fits || to.egress_bytes[seen.priority] + seen.bytes > egress_limit(free_in(node))) return false;
    } else if (fits && (taken == 0 || shared(in.kept + seen.bytes) <= xoff(free_in(node), from.rate))) {
      in.kept += seen.bytes;
    } else {
      if (in.headroom + seen.bytes > headroom(from.rate, from.delay)) return false;
      in.headroom += seen.bytes;
      return true;
    }
    node.pool_used += taken;
    return true;
  }
  FlowKey key_of(const Packet& packet) const {
    return {packet.seen.source, packet.seen.destination, flows_[packet.flow].entropy};
  }
  void receive_at_switch(Node& node, std::size_t from, Packet packet) {
    const int p = packet.seen.priority;
    Port& in = node.ports[from];
    Port& out = node.ports[choose(ports_towards(node.number, packet.seen.destination), node.hash_seed, key_of(packet))];
    Ingress& ingress = in.ingress[p];
    packet.account = Account::ingress;
    packet.ingress = from;
    if (!admit(node, in, out, packet.seen)) {
      const bool control = packet.seen.kind != FrameKind::data;
      if (!control || out.in_control_reserve + packet.seen.bytes > switches_.control_reserve.count()) {
        if (lossless(p) && !ingress.paused && ingress.kept + ingress.headroom > 0) pause(node, in, p);
        return;
      }
      packet.account = Account::control_reserve;
      out.in_control_reserve += packet.seen.bytes;
    }
    const bool idle = out.free_at != 0 && out.free_at <= now_ && !has_ready(out);  // it has sent before
    out.queue[p].push_back(packet);
    out.egress_bytes[p] += packet.seen.bytes;
    judge("enqueue", node, out, out.queue[p].back().seen);
    if (lossless(p) && packet.account == Account::ingress && !ingress.paused) {
      const std::int64_t held = shared(ingress.kept);
      if (ingress.headroom > 0 || (held > 0 && held >= xoff(free_in(node), in.rate))) pause(node, in, p);
    }
    look(out);
    idle ? transmit(node, out) : kick(node, out);
  }
  /// A packet has left its queue for the wire.
  void depart(Node& node, Port& port, Packet& packet) {
    const int p = packet.seen.priority;
    port.egress_bytes[p] -= packet.seen.bytes;
    judge("dequeue", node, port, packet.seen);
    if (packet.account == Account::control_reserve) {
      port.in_control_reserve -= packet.seen.bytes;
    } else if (!lossless(p)) {
      node.pool_used -= packet.seen.bytes;
    } else {
      Port& from = node.ports[packet.ingress];
      Ingress& in = from.ingress[p];
      const std::int64_t before = shared(in.kept);
      const std::int64_t from_headroom = std::min<std::int64_t>(packet.seen.bytes, in.headroom);
      in.headroom -= from_headroom;
      in.kept -= packet.seen.bytes - from_headroom;
      node.pool_used -= before - shared(in.kept);
      if (in.paused && may_resume(node, from, in)) resume(node, from, p);
    }
  }
  /// RED, at one of two places.
  void judge(const char* place, Node& node, const Port& port, Seen& seen) const {
    if (seen.ecn != Ecn::capable || marks_at() != place) return;
    const double chance = marking_chance(port.rate, port.egress_bytes[seen.priority]);
    if (chance >= 1 || (chance > 0 && node.random.uniform() < chance)) seen.ecn = Ecn::congestion_experienced;
  }

  // ---- PFC ----
  /// The PFC frame that waits for the wire; a new one when none does.
  std::map<int, int>& message(Node& node, Port& port) {
    if (!port.pfc) {
      port.pfc.emplace();
      port.pfc->seen.kind = FrameKind::pfc;
      port.pfc->seen.bytes = network_.framing.pfc;
      kick(node, port);
    }
    return port.pfc->seen.quanta;
  }
  /// Says that this priority is paused, and which others are.
  void pause(Node& node, Port& port, int priority) {
    const auto quanta = static_cast<int>(of<std::int64_t>(switches_.flow_control[0], "quanta"));
    port.ingress[priority].paused = true;
    for (int p = 0; p < kPriorities; ++p) {
      if (p == priority || (port.ingress[p].paused && !binary())) message(node, port)[p] = quanta;
    }
    if (binary()) return;
    port.repeat_at = now_ + time_of(512 * quanta, port.rate) / 2;
    at(port.repeat_at, Phase::timers, rank(port), [this, &node, &port] { repeat(node, port); });
  }
  void resume(Node& node, Port& port, int priority) {
    port.ingress[priority].paused = false;
    message(node, port)[priority] = 0;
  }
  void repeat(Node& node, Port& port) {
    if (port.repeat_at != now_) return;
    int still = -1;
    for (int p = 0; p < kPriorities; ++p) {
      if (!port.ingress[p].paused) continue;
      may_resume(node, port, port.ingress[p]) ? resume(node, port, p) : void(still = p);
    }
    if (still >= 0) pause(node, port, still);
  }
  void obey(Node& node, Port& port, const std::map<int, int>& said) {
    for (const auto& [priority, quanta] : said) {
      if (!node.host && !lossless(priority)) continue;
      Picoseconds& until = port.closed_until[priority];
      until = quanta == 0 ? now_ : binary() ? kNever : now_ + time_of(512 * quanta, port.rate);
      if (until != kNever) at(until, Phase::timers, rank(port), [this, &node, &port] { kick(node, port); });
    }
    kick(node, port);
  }

  std::vector<Node> nodes_;
  std::vector<Flow> flows_;
  std::priority_queue<Event> events_;
  std::vector<std::vector<Seen>> seen_;  // by direction
  Picoseconds shortest_delay_ = kNever;
  Picoseconds now_ = 0;
  std::uint64_t events_made_ = 0;
};

}  // namespace weir::oracle
