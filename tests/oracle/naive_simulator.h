// A second simulator, slow and obvious: one list of events, one kind of node, standard containers. It is written from
// the standards and from what the documentation says of Weir, and uses nothing of its switch, NIC, schemes and engine,
// so that what both get wrong alike is wrong in the documentation too.
//
// It knows: NICs at line rate, go-back-N, PFC, the dynamic threshold, RED, strict priority, deficit round robin, ECMP,
// damaged frames. What a scheme of the settings is called it does not look at. The definitions that decide ties and
// chance (ARCHITECTURE.md, "Definitions") it shares with Weir: mix, RandomStream, flow_hash.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <ostream>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "fabric/settings.h"
#include "policy/flow_hash.h"
#include "traffic/flow.h"
#include "units/random.h"
#include "wire/pfc.h"

namespace weir::oracle {

using Picoseconds = std::int64_t;
inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

/// What somebody who listens to a wire notes of a frame.
struct Seen {
  Picoseconds first_bit = 0;  ///< leaves the sender
  FrameKind kind = FrameKind::data;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint32_t sequence = 0;
  int bytes = 0;
  int priority = 0;
  Ecn ecn = Ecn::not_capable;
  bool damaged = false;
  std::map<int, int> quanta{};  ///< PFC: of the priorities that it names

  bool operator==(const Seen&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Seen& s) {
    constexpr std::array<const char*, 8> kKinds{"data", "ack", "nack", "cnp", "pfc", "hop", "host", "mark"};
    out << s.first_bit << " ps: " << kKinds[static_cast<std::size_t>(s.kind)];
    if (s.kind != FrameKind::pfc) out << " h" << s.source << " to h" << s.destination << " sequence " << s.sequence;
    for (const auto& [priority, quanta] : s.quanta) out << " priority " << priority << ": " << quanta << " quanta,";
    out << " bytes " << s.bytes << " priority " << s.priority << " ecn " << static_cast<int>(s.ecn);
    return out << (s.damaged ? " damaged" : "");
  }
};

/// Whose turn it is among numbered queues: deficit round robin (Shreedhar and Varghese 1995). A queue that becomes
/// active goes behind the others and may send a quantum when its turn comes; what it leaves of it, it keeps while it is
/// active.
class Turns {
 public:
  void set_active(int queue, bool active, int quantum) {
    const auto found = std::find(ring_.begin(), ring_.end(), queue);
    if (active && found == ring_.end()) {
      ring_.push_back(queue);
      deficit_[queue] = quantum;
    } else if (!active && found != ring_.end()) {
      ring_.erase(found);
    }
  }
  [[nodiscard]] bool empty() const { return ring_.empty(); }
  /// The queue that sends now; head(queue) is the size of its next frame, for which it is charged.
  template <class Head>
  int take(const Head& head, int quantum) {
    while (head(ring_.front()) > deficit_[ring_.front()]) {
      deficit_[ring_.front()] += quantum;
      ring_.splice(ring_.end(), ring_, ring_.begin());
    }
    deficit_[ring_.front()] -= head(ring_.front());
    return ring_.front();
  }

 private:
  std::list<int> ring_;
  std::map<int, int> deficit_;
};

class NaiveSimulator {
 public:
  /// `flows` in order of start, each on a queue pair of its own.
  NaiveSimulator(const Settings& settings, const std::vector<FlowSpec>& flows) : settings_(settings) {
    const Topology& topology = settings.network.topology;
    for (std::size_t i = 0; i < topology.nodes().size(); ++i) {
      Node node;
      node.number = i;
      node.host = topology.nodes()[i].is_host();
      for (const PortEnd& end : topology.ports(NodeId(i))) {
        const Link& link = topology.link(end.link);
        Port port;
        port.direction = directions_++;
        port.peer = end.peer.index();
        port.peer_port = end.peer_port.index();
        port.rate = link.rate.bits_per_second();
        port.delay = link.delay.picoseconds();
        port.error_rate = link.error_rate;
        port.damage = RandomStream(settings.run.seed, port.direction, 0x64616d);
        shortest_delay_ = std::min(shortest_delay_, port.delay);
        node.ports.push_back(port);
      }
      if (!node.host) {
        const std::uint32_t id = topology.nodes()[i].switch_id.value;
        node.random = RandomStream(settings.run.seed, id, 0x73776974);
        node.hash_seed = static_cast<std::uint32_t>(mix(forwarding_seed(), id));
        node.pool_size = settings.switches.buffer.count();
        for (const Port& port : node.ports) {
          for (int p = 0; p < kPriorities; ++p) node.pool_size -= lossless(p) ? reserve() + headroom(port) : 0;
        }
      }
      nodes_.push_back(node);
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
      Flow flow;
      flow.spec = flows[i];
      flow.entropy = static_cast<std::uint16_t>(0xc000u | (mix(settings.run.seed, i) & 0x3fffu));
      flow.packets = static_cast<std::uint32_t>((flows[i].size.count() + payload() - 1) / payload());
      flows_.push_back(flow);
      at(flows[i].start.picoseconds(), Phase::flows, i, [this, i] { start(i); });
    }
  }

  /// What was seen on each direction of a link, by its number (Topology::direction_number), before `end`.
  std::vector<std::vector<Seen>> run(Picoseconds end) {
    seen_.resize(directions_);
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
    bool operator<(const Event& o) const {  // the first one has the highest place
      return std::tie(o.at, o.phase, o.rank, o.number) < std::tie(at, phase, rank, number);
    }
  };
  struct Packet {
    Seen seen;
    std::size_t flow = 0;
    bool asks = false;  // for an acknowledgement
    int charged_to = -1;  // the ingress whose counts hold it
  };
  struct Ingress {
    int kept = 0;  // in reserve and pool
    int headroom = 0;
    bool paused = false;  // the neighbour
  };
  struct Port {
    std::size_t direction = 0, peer = 0, peer_port = 0;
    std::int64_t rate = 0;
    Picoseconds delay = 0;
    double error_rate = 0;
    RandomStream damage;
    Picoseconds free_at = 0;
    std::optional<Packet> pfc;                         // waits for the wire
    std::array<std::deque<Packet>, kPriorities> queue;  // at a host: acknowledgements
    std::array<std::list<std::size_t>, kPriorities> senders;  // at a host: flows that have something to send
    std::array<Picoseconds, kPriorities> closed_until{};
    std::array<Turns, kPriorities> turns;  // by level
    std::array<Ingress, kPriorities> ingress;
    std::array<int, kPriorities> egress_bytes{};
    int in_control_reserve = 0;
    Picoseconds repeat_at = kNever;
  };
  struct Node {
    std::size_t number = 0;
    bool host = false;
    std::vector<Port> ports;
    RandomStream random;
    std::uint32_t hash_seed = 0;
    std::int64_t pool_size = 0;
    std::int64_t pool_used = 0;
  };
  struct Flow {
    FlowSpec spec;
    std::uint16_t entropy = 0;
    std::uint32_t packets = 0;
    bool open = false;
    Picoseconds over_at = kNever;
    std::uint32_t unacknowledged = 0, next = 0, highest = 0, unasked = 0;  // the sender
    Picoseconds deadline = kNever;
    std::int64_t timeouts = 0;
    std::uint32_t expected = 0;  // the receiver
    std::optional<std::pair<std::uint32_t, Picoseconds>> reported;
  };

  // ---- the settings ----
  template <class Value>
  [[nodiscard]] Value of(const PolicyChoice& choice, const char* name) const {
    return choice.parameters.get<Value>(name);
  }
  [[nodiscard]] const SwitchSettings& switches() const { return settings_.switches; }
  [[nodiscard]] const Framing& framing() const { return settings_.network.framing; }
  [[nodiscard]] std::int64_t payload() const { return settings_.hosts.payload; }
  [[nodiscard]] int largest_frame() const { return framing().data(static_cast<std::uint32_t>(payload())); }
  [[nodiscard]] bool lossless(int priority) const { return switches().lossless[static_cast<std::size_t>(priority)]; }
  [[nodiscard]] int reserve() const { return static_cast<int>(switches().reserve.count()); }
  [[nodiscard]] std::uint64_t forwarding_seed() const {
    return static_cast<std::uint64_t>(of<std::int64_t>(switches().forwarding, "seed"));
  }
  [[nodiscard]] int headroom(const Port& port) const {
    if (switches().headroom.kind == HeadroomRule::Kind::bytes) return static_cast<int>(switches().headroom.bytes.count());
    // policy/headroom.h: the frame that crosses the threshold, our frame on the wire, the PAUSE, what flies both ways,
    // the response, and the neighbour's frame.
    const int overhead = framing().wire_overhead;
    const auto bytes_in = [&](Picoseconds time) {
      return static_cast<int>(std::ceil(static_cast<double>(time) * 1e-12 * static_cast<double>(port.rate) / 8 - 1e-9));
    };
    return largest_frame() + 2 * (largest_frame() + overhead) + framing().pfc + overhead + bytes_in(2 * port.delay) +
           bytes_in(switches().pause_response.picoseconds());
  }
  [[nodiscard]] Picoseconds serialisation(const Port& port, std::int64_t bytes) const {
    return (bytes * 8'000'000'000'000 + port.rate - 1) / port.rate;
  }

  // ---- events and wires ----
  void at(Picoseconds time, Phase phase, std::uint64_t rank, std::function<void()> act) {
    events_.push({time, phase, rank, ++events_made_, std::move(act)});
  }
  [[nodiscard]] std::uint64_t rank(const Port& port) const { return mix(settings_.run.seed, port.direction); }

  /// Something may be sendable at this port.
  void kick(Node& node, Port& port) {
    at(std::max(now_, port.free_at), Phase::transmissions, rank(port), [this, &node, &port] { transmit(node, port); });
  }
  void transmit(Node& node, Port& port) {
    if (port.free_at > now_) return;
    std::optional<Packet> taken = take(node, port);
    if (!taken) return;
    Packet& packet = *taken;
    if (port.error_rate > 0) {
      packet.seen.damaged = static_cast<double>(port.damage.next()) < std::ldexp(port.error_rate, 64);
    }
    packet.seen.first_bit = now_;
    seen_[port.direction].push_back(packet.seen);
    port.free_at = now_ + serialisation(port, packet.seen.bytes + framing().wire_overhead);
    at(port.free_at + port.delay, Phase::arrivals, rank(port), [this, &port, packet] { arrive(port, packet); });
    kick(node, port);
  }
  void arrive(const Port& from, Packet packet) {
    Node& node = nodes_[from.peer];
    Port& port = node.ports[from.peer_port];
    if (packet.seen.damaged) return;
    if (packet.seen.kind == FrameKind::pfc) {
      const auto response = of<Duration>(switches().flow_control.front(), "response").picoseconds();
      const auto heed = [this, &node, &port, said = packet.seen.quanta] { obey(node, port, said); };
      response == 0 ? heed() : at(now_ + response, Phase::timers, rank(port), heed);
    } else if (node.host) {
      receive_at_host(node, port, packet);
    } else {
      receive_at_switch(node, from.peer_port, packet);
    }
  }

  // ---- who sends next ----
  /// The size of what a priority would send at a port; nothing when it may send nothing.
  [[nodiscard]] std::optional<int> head(const Port& port, int priority) const {
    const auto p = static_cast<std::size_t>(priority);
    const bool closed = port.closed_until[p] > now_;
    if (!port.queue[p].empty()) {
      const bool ignores = port.queue[p].front().charged_to == kOwn && settings_.hosts.acknowledgements_ignore_pause;
      if (!closed || ignores) return port.queue[p].front().seen.bytes;
    }
    if (closed || port.senders[p].empty()) return std::nullopt;
    const Flow& flow = flows_[port.senders[p].front()];
    return framing().data(payload_of(flow, flow.next));
  }
  void look(Port& port) {
    for (int p = 0; p < kPriorities; ++p) {
      const std::size_t level = switches().level_of_priority[static_cast<std::size_t>(p)];
      port.turns[level].set_active(p, head(port, p).has_value(), largest_frame());
    }
  }
  [[nodiscard]] static bool has_ready(const Port& port) {
    return port.pfc || std::any_of(port.turns.begin(), port.turns.end(), [](const Turns& t) { return !t.empty(); });
  }
  std::optional<Packet> take(Node& node, Port& port) {
    look(port);
    if (port.pfc) return std::exchange(port.pfc, std::nullopt);
    for (Turns& turns : port.turns) {
      if (turns.empty()) continue;
      const int priority = turns.take([&](int p) { return *head(port, p); }, largest_frame());
      auto& queue = port.queue[static_cast<std::size_t>(priority)];
      if (queue.empty()) return next_packet(port, priority);
      Packet packet = queue.front();
      queue.pop_front();
      if (!node.host) depart(node, port, packet);
      look(port);
      return packet;
    }
    return std::nullopt;
  }

  // ---- the host ----
  [[nodiscard]] std::uint32_t payload_of(const Flow& flow, std::uint32_t sequence) const {
    return static_cast<std::uint32_t>(std::min(payload(), flow.spec.size.count() - sequence * payload()));
  }
  [[nodiscard]] Port& port_of(HostId host) {
    return nodes_[settings_.network.topology.node_of(host).index()].ports.front();
  }
  [[nodiscard]] Node& node_of(HostId host) { return nodes_[settings_.network.topology.node_of(host).index()]; }

  void start(std::size_t number) {
    // The connection manager closes what was over the shortest link delay ago.
    for (Flow& flow : flows_) {
      if (flow.over_at != kNever && flow.over_at + shortest_delay_ <= now_) flow.open = false;
    }
    flows_[number].open = true;
    wake(number);
  }
  /// The flow stands in its sender's ring when it has something to send.
  void wake(std::size_t number) {
    Flow& flow = flows_[number];
    Port& port = port_of(flow.spec.source);
    auto& ring = port.senders[flow.spec.priority];
    const auto found = std::find(ring.begin(), ring.end(), number);
    if (flow.next < flow.packets && found == ring.end()) ring.push_back(number);
    if (flow.next >= flow.packets && found != ring.end()) ring.erase(found);
    look(port);
    kick(node_of(flow.spec.source), port);
  }
  Packet next_packet(Port& port, int priority) {
    auto& ring = port.senders[static_cast<std::size_t>(priority)];
    const std::size_t number = ring.front();
    ring.pop_front();
    Flow& flow = flows_[number];
    Packet packet;
    packet.flow = number;
    packet.seen = {.source = flow.spec.source.value,
                   .destination = flow.spec.destination.value,
                   .sequence = flow.next,
                   .bytes = framing().data(payload_of(flow, flow.next)),
                   .priority = priority,
                   .ecn = Ecn::capable};
    packet.asks = ++flow.unasked >= settings_.hosts.acknowledge_every || flow.next + 1 == flow.packets;
    if (packet.asks) flow.unasked = 0;
    if (flow.next == flow.unacknowledged && flow.deadline == kNever) watch(number);
    flow.highest = std::max(flow.highest, ++flow.next);
    if (flow.next < flow.packets) ring.push_back(number);
    look(port);
    return packet;
  }
  void receive_at_host(Node& node, Port& port, const Packet& packet) {
    Flow& flow = flows_[packet.flow];
    if (!flow.open) return;
    const std::uint32_t sequence = packet.seen.sequence;
    if (packet.seen.kind != FrameKind::data) {
      hear(packet.flow, sequence, packet.seen.kind == FrameKind::nack);
    } else if (sequence > flow.expected) {
      const auto interval = of<Duration>(settings_.hosts.loss_recovery, "nack_interval").picoseconds();
      if (flow.reported && flow.reported->first == flow.expected && now_ - flow.reported->second < interval) return;
      flow.reported = {flow.expected, now_};
      answer(node, port, packet, FrameKind::nack);
    } else {
      if (sequence == flow.expected) ++flow.expected;
      if (packet.asks) answer(node, port, packet, FrameKind::ack);
    }
  }
  void answer(Node& node, Port& port, const Packet& data, FrameKind kind) {
    Packet reply;
    reply.flow = data.flow;
    reply.charged_to = kOwn;
    reply.seen = {.kind = kind,
                  .source = data.seen.destination,
                  .destination = data.seen.source,
                  .sequence = flows_[data.flow].expected,
                  .bytes = framing().acknowledge(),
                  .priority = settings_.hosts.acknowledge_priority.value_or(static_cast<Priority>(data.seen.priority))};
    port.queue[static_cast<std::size_t>(reply.seen.priority)].push_back(reply);
    look(port);
    kick(node, port);
  }
  /// An acknowledgement of all before `sequence`, or the news that this one is missing.
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
  /// The timer begins anew.
  void watch(std::size_t number) {
    Flow& flow = flows_[number];
    const auto timeout = of<Duration>(settings_.hosts.loss_recovery, "timeout").picoseconds();
    const std::int64_t doublings =
        std::min(flow.timeouts, of<std::int64_t>(settings_.hosts.loss_recovery, "timeout_doublings"));
    flow.deadline = timeout == 0 || flow.unacknowledged == flow.packets ? kNever : now_ + (timeout << doublings);
    if (flow.deadline == kNever) return;
    at(flow.deadline, Phase::timers, number, [this, number] {
      Flow& late = flows_[number];
      if (late.deadline != now_) return;
      ++late.timeouts;
      late.next = late.unacknowledged;
      watch(number);
      wake(number);
    });
  }

  // ---- the switch ----
  std::size_t route(const Node& node, const Packet& packet) {
    const std::size_t target = settings_.network.topology.node_of(HostId(packet.seen.destination)).index();
    std::vector<std::size_t> equal;
    for (std::size_t i = 0; i < node.ports.size(); ++i) {
      if (distance(node.ports[i].peer, target) + 1 == distance(node.number, target)) equal.push_back(i);
    }
    const FlowKey key{HostId(packet.seen.source), HostId(packet.seen.destination), flows_[packet.flow].entropy};
    const auto kind = of<std::string>(switches().forwarding, "hash");
    const std::uint64_t hash = flow_hash(kind == "crc32"      ? HashKind::crc32
                                         : kind == "xor_fold" ? HashKind::xor_fold
                                                              : HashKind::mix,
                                         node.hash_seed, key);
    return equal[(hash * equal.size()) >> 32];
  }
  /// In links, through switches only.
  std::size_t distance(std::size_t from, std::size_t to) {
    auto& known = distances_[to];
    if (known.empty()) {
      known.assign(nodes_.size(), nodes_.size());
      known[to] = 0;
      for (std::deque<std::size_t> next{to}; !next.empty(); next.pop_front()) {
        for (const Port& port : nodes_[next.front()].ports) {
          if (known[port.peer] < nodes_.size()) continue;
          known[port.peer] = known[next.front()] + 1;
          if (!nodes_[port.peer].host) next.push_back(port.peer);
        }
      }
    }
    return known[from];
  }
  [[nodiscard]] std::int64_t threshold(const Node& node, double alpha) const {
    return static_cast<std::int64_t>(alpha * static_cast<double>(std::max<std::int64_t>(0, node.pool_size - node.pool_used)));
  }
  [[nodiscard]] std::int64_t xoff(const Node& node, const Port& port) const {
    const PolicyChoice& policy = switches().buffer_policy;
    auto alpha = of<double>(policy, "alpha");
    if (of<bool>(policy, "scale_alpha_with_rate")) {
      const std::int64_t reference = of<BitRate>(policy, "reference_rate").bits_per_second();
      for (std::int64_t rate = port.rate; rate > reference && alpha < 1; rate /= 2) alpha = std::min(1.0, alpha * 2);
    }
    return threshold(node, alpha);
  }
  [[nodiscard]] int shared(const Ingress& ingress) const { return std::max(0, ingress.kept - reserve()); }
  [[nodiscard]] bool may_resume(const Node& node, const Port& port, const Ingress& ingress) const {
    const std::int64_t offset = of<Bytes>(switches().buffer_policy, "resume_offset").count();
    return ingress.headroom == 0 && shared(ingress) <= std::max<std::int64_t>(0, xoff(node, port) - offset);
  }
  /// Charges the buffer; false when there is no room.
  bool admit(Node& node, const Port& in, Ingress& ingress, const Port& out, const Packet& packet) {
    const int bytes = packet.seen.bytes;
    const auto p = static_cast<std::size_t>(packet.seen.priority);
    if (!lossless(packet.seen.priority)) {
      if (out.egress_bytes[p] > threshold(node, of<double>(switches().buffer_policy, "egress_alpha"))) return false;
      if (node.pool_used + bytes > node.pool_size) return false;
      node.pool_used += bytes;
      return true;
    }
    const int before = shared(ingress);
    const int after = std::max(0, ingress.kept + bytes - reserve());
    if (after == 0 || (after <= xoff(node, in) && node.pool_used + after - before <= node.pool_size)) {
      ingress.kept += bytes;
      node.pool_used += after - before;
      return true;
    }
    if (ingress.headroom + bytes > headroom(in)) return false;
    ingress.headroom += bytes;
    return true;
  }
  void receive_at_switch(Node& node, std::size_t in, Packet packet) {
    const auto p = static_cast<std::size_t>(packet.seen.priority);
    Port& from = node.ports[in];
    Port& to = node.ports[route(node, packet)];
    Ingress& ingress = from.ingress[p];
    packet.charged_to = static_cast<int>(in);
    if (!admit(node, from, ingress, to, packet)) {
      const bool control = packet.seen.kind != FrameKind::data;
      if (!control || to.in_control_reserve + packet.seen.bytes > switches().control_reserve.count()) {
        if (lossless(packet.seen.priority) && !ingress.paused && ingress.kept + ingress.headroom > 0) {
          pause(node, from, packet.seen.priority);
        }
        return;
      }
      packet.charged_to = kReserve;
      to.in_control_reserve += packet.seen.bytes;
    }
    const bool idle = to.free_at <= now_ && !has_ready(to);
    to.queue[p].push_back(packet);
    to.egress_bytes[p] += packet.seen.bytes;
    judge("enqueue", node, to, to.queue[p].back());
    if (lossless(packet.seen.priority) && packet.charged_to >= 0 && !ingress.paused &&
        (ingress.headroom > 0 || (shared(ingress) > 0 && shared(ingress) >= xoff(node, from)))) {
      pause(node, from, packet.seen.priority);
    }
    look(to);
    idle ? transmit(node, to) : kick(node, to);
  }
  /// A packet has left the queue of this port for the wire.
  void depart(Node& node, Port& port, Packet& packet) {
    const int bytes = packet.seen.bytes;
    const auto p = static_cast<std::size_t>(packet.seen.priority);
    port.egress_bytes[p] -= bytes;
    judge("dequeue", node, port, packet);
    if (packet.charged_to == kReserve) {
      port.in_control_reserve -= bytes;
    } else if (!lossless(packet.seen.priority)) {
      node.pool_used -= bytes;
    } else {
      Port& in = node.ports[static_cast<std::size_t>(packet.charged_to)];
      Ingress& ingress = in.ingress[p];
      const int from_headroom = std::min(bytes, ingress.headroom);
      const int before = shared(ingress);
      ingress.headroom -= from_headroom;
      ingress.kept -= bytes - from_headroom;
      node.pool_used -= before - shared(ingress);
      if (ingress.paused && may_resume(node, in, ingress)) resume(node, in, packet.seen.priority);
    }
  }
  /// RED, at one of the two places.
  void judge(const char* place, Node& node, const Port& port, Packet& packet) {
    if (switches().congestion_point.empty() || packet.seen.ecn != Ecn::capable) return;
    const PolicyChoice& red = switches().congestion_point.front();
    if (of<std::string>(red, "mark_at") != place) return;
    const double scale = of<bool>(red, "scale_with_rate")
                             ? static_cast<double>(port.rate) /
                                   static_cast<double>(of<BitRate>(red, "reference_rate").bits_per_second())
                             : 1;
    const double low = scale * static_cast<double>(of<Bytes>(red, "kmin").count());
    const double high = scale * static_cast<double>(of<Bytes>(red, "kmax").count());
    const double length = port.egress_bytes[static_cast<std::size_t>(packet.seen.priority)];
    if (length <= low) return;
    const double chance = of<double>(red, "pmax") * (length - low) / (high - low);
    if (length > high || node.random.uniform() < chance) packet.seen.ecn = Ecn::congestion_experienced;
  }

  // ---- PFC ----
  [[nodiscard]] int quanta() const {
    return static_cast<int>(of<std::int64_t>(switches().flow_control.front(), "quanta"));
  }
  [[nodiscard]] bool binary() const { return of<bool>(switches().flow_control.front(), "binary"); }
  [[nodiscard]] Picoseconds length_of(const Port& port, int quanta) const { return serialisation(port, quanta * 64); }
  [[nodiscard]] Packet& frame_that_waits(Node& node, Port& port) {
    if (!port.pfc) {
      port.pfc.emplace();
      port.pfc->seen = {.kind = FrameKind::pfc,
                        .source = HostId::none().value,
                        .destination = HostId::none().value,
                        .bytes = framing().pfc};
      kick(node, port);
    }
    return *port.pfc;
  }
  /// Says that this priority is paused, and which others are.
  void pause(Node& node, Port& port, int priority) {
    port.ingress[static_cast<std::size_t>(priority)].paused = true;
    Packet& frame = frame_that_waits(node, port);
    for (int p = 0; p < kPriorities; ++p) {
      if (port.ingress[static_cast<std::size_t>(p)].paused) frame.seen.quanta[p] = quanta();
    }
    if (binary()) return;
    port.repeat_at = now_ + length_of(port, quanta()) / 2;
    at(port.repeat_at, Phase::timers, rank(port), [this, &node, &port] { repeat(node, port); });
  }
  void resume(Node& node, Port& port, int priority) {
    port.ingress[static_cast<std::size_t>(priority)].paused = false;
    frame_that_waits(node, port).seen.quanta[priority] = 0;
  }
  void repeat(Node& node, Port& port) {
    if (port.repeat_at != now_) return;
    int still = -1;
    for (int p = 0; p < kPriorities; ++p) {
      const Ingress& ingress = port.ingress[static_cast<std::size_t>(p)];
      if (!ingress.paused) continue;
      if (may_resume(node, port, ingress)) {
        resume(node, port, p);
      } else {
        still = p;
      }
    }
    if (still >= 0) pause(node, port, still);
  }
  void obey(Node& node, Port& port, const std::map<int, int>& said) {
    for (const auto& [priority, quanta] : said) {
      if (!node.host && !lossless(priority)) continue;
      Picoseconds& until = port.closed_until[static_cast<std::size_t>(priority)];
      until = quanta == 0 ? now_ : binary() ? kNever : now_ + length_of(port, quanta);
      if (until == kNever) continue;
      at(until, Phase::timers, rank(port), [this, &node, &port] {
        look(port);
        kick(node, port);
      });
    }
    look(port);
    kick(node, port);
  }

  static constexpr int kOwn = -1;      // of Packet::charged_to: a host's own
  static constexpr int kReserve = -2;  // the reserve for control frames

  const Settings& settings_;
  std::vector<Node> nodes_;
  std::vector<Flow> flows_;
  std::priority_queue<Event> events_;
  std::vector<std::vector<Seen>> seen_;
  std::map<std::size_t, std::vector<std::size_t>> distances_;  // by where to
  std::size_t directions_ = 0;
  Picoseconds shortest_delay_ = kNever;
  Picoseconds now_ = 0;
  std::uint64_t events_made_ = 0;
};

}  // namespace weir::oracle
