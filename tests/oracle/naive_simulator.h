// SPDX-License-Identifier: Apache-2.0
// A second simulator, slow and simple: it stores nothing that can be recomputed. It is written from the standards and
// the documentation and uses nothing of Weir's switch, NIC, schemes and engine. Errors that both share stay hidden.
//
// It implements line rate, go-back-N, PFC with headroom, the dynamic threshold, RED, strict priority, deficit round
// robin, ECMP and damaged frames; the settings must name just these. At its rates a byte takes whole picoseconds.
// Rules for ties and randomness are those of ARCHITECTURE.md ("Time, order, randomness").
#pragma once

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <tuple>
#include <vector>

#include "fabric/settings.h"
#include "policy/flow_hash.h"
#include "units/random.h"

namespace weir::oracle {

using Picoseconds = std::int64_t;
inline constexpr Picoseconds kNever = INT64_MAX;

/// What an observer of a wire notes of a frame.
struct Seen {
  Picoseconds first_bit = 0;  ///< when it leaves the sender
  FrameKind kind = FrameKind::data;
  HostId source{}, destination{};
  std::uint32_t sequence = 0;
  int bytes = 0, priority = 0;
  Ecn ecn = Ecn::not_capable;
  bool damaged = false;
  std::map<int, int> quanta{};  ///< PFC: of the priorities that it names
  bool operator==(const Seen&) const = default;
};

class NaiveSimulator {
 public:
  /// `flows` in order of start, each on a queue pair of its own.
  NaiveSimulator(const Settings& settings, const std::vector<FlowSpec>& flows)
      : network_(settings.network), switches_(settings.switches), hosts_(settings.hosts), seed_(settings.run.seed) {
    const Topology& topology = network_.topology;
    for (std::size_t node = 0; node < topology.nodes().size(); ++node) {
      random_.emplace_back(seed_, topology.nodes()[node].switch_id.value, 0x73776974);
      for (const PortEnd& end : topology.ports(NodeId(node))) {
        ports_.push_back({ports_.size(), node, topology.direction_number(end.peer, end.peer_port),
                          topology.nodes()[node].is_host(), topology.link(end.link),
                          RandomStream(seed_, ports_.size(), 0x64616d)});
        shortest_delay_ = std::min(shortest_delay_, topology.link(end.link).delay.picoseconds());
      }
    }
    for (const FlowSpec& spec : flows) {
      const auto packets = (spec.size.count() + hosts_.payload - 1) / hosts_.payload;
      const std::size_t port = topology.direction_number(topology.node_of(spec.source), PortId(0));
      Flow& flow = flows_.emplace_back(Flow{spec, flows_.size(), port, static_cast<std::uint32_t>(packets)});
      at(spec.start.picoseconds(), Phase::flows, flow.number, [this, &flow] {
        last_start_ = now_;
        wake(flow);
      });
    }
  }

  /// The frames seen on each direction of a link, by its number (Topology::direction_number), before `end`. Call once.
  std::vector<std::vector<Seen>> run(Picoseconds end) {
    for (seen_.resize(ports_.size()); !events_.empty() && std::get<0>(events_.begin()->first) < end;) {
      const auto event = events_.extract(events_.begin());
      now_ = std::get<0>(event.key());
      event.mapped()();
    }
    return seen_;
  }

 private:
  enum class Phase { arrivals, timers, flows, transmissions };
  struct Flow {
    FlowSpec spec;
    std::size_t number = 0, port = 0;
    std::uint32_t packets = 0, unacknowledged = 0, next = 0, unasked = 0;  // the sender, to `deadline`
    std::int64_t timeouts = 0;
    Picoseconds over_at = kNever, deadline = kNever;
    std::uint32_t expected = 0;  // the receiver
    Picoseconds nack_at = 0;     // not before
  };
  struct Packet : Seen {
    Flow* flow = nullptr;
    bool asks = false;                     // for an acknowledgement
    std::optional<std::size_t> charged{};  // in a switch: the ingress port, unless the control reserve has it
  };
  struct Lane {                                        // a priority of a port
    std::list<Packet> queue{};                         // at a host: acknowledgements
    std::list<Flow*> senders{};                        // at a host: flows with data to send
    std::int64_t deficit = 0, kept = 0, headroom = 0;  // as ingress: bytes in reserve and pool; headroom
    bool paused = false;                               // whether this port has paused the neighbour
    Picoseconds closed_until = 0;                      // pause by the neighbour
  };
  struct Port {
    std::size_t number = 0, node = 0, peer = 0;
    bool host = false;
    Link link{};
    RandomStream damage{};
    Picoseconds free_at = 0, repeat_at = kNever;
    std::optional<Packet> pfc{};  // waits for the wire
    std::array<Lane, kPriorities> lanes{};
    std::map<int, std::list<int>> rings{};  // by level: the priorities that may send, the next one first
  };
  template <class Value>
  static Value of(const PolicyChoice& choice, const char* name) {
    return choice.parameters.get<Value>(name);
  }
  static std::int64_t rate_of(const Port& port) { return port.link.rate.bits_per_second(); }
  static Picoseconds time_of_byte(const Port& port) { return 8'000'000'000'000 / rate_of(port); }
  std::int64_t largest_frame() const { return network_.framing.data(static_cast<std::uint32_t>(hosts_.payload)); }
  int next_bytes(const Flow& flow) const {
    const std::int64_t left = flow.spec.size.count() - flow.next * hosts_.payload;
    return network_.framing.data(static_cast<std::uint32_t>(std::min(hosts_.payload, left)));
  }
  // ---- events and wires ----
  void at(Picoseconds time, Phase phase, std::uint64_t rank, std::function<void()> act) {
    events_.emplace(std::tuple(time, phase, rank), std::move(act));  // after the existing events with this key
  }
  void request_transmission(Port& port) {  // transmission may be possible
    look(port);
    at(std::max(now_, port.free_at), Phase::transmissions, mix(seed_, port.number), [this, &port] { transmit(port); });
  }
  void transmit(Port& port) {
    look(port);
    if (port.free_at > now_ || (!port.pfc && port.rings.empty())) return;
    Packet packet = port.pfc ? *std::exchange(port.pfc, std::nullopt) : take(port);
    packet.first_bit = now_;
    if (port.link.error_rate > 0) packet.damaged = double(port.damage.next()) < port.link.error_rate * 0x1p64;
    seen_[port.number].push_back(packet);
    port.free_at = now_ + time_of_byte(port) * (packet.bytes + network_.framing.wire_overhead);
    const bool pfc = packet.kind == FrameKind::pfc;
    const auto wait = pfc ? of<Duration>(switches_.flow_control[0], "response") : Duration();
    const Picoseconds arrival = port.free_at + (port.link.delay + wait).picoseconds();
    at(arrival, wait > Duration() ? Phase::timers : Phase::arrivals, mix(seed_, port.number), [=, this, &port] {
      Port& end = ports_[port.peer];
      if (packet.damaged) return;
      pfc ? obey(end, packet.quanta) : end.host ? receive_at_host(end, packet) : receive_at_switch(end, packet);
    });
    request_transmission(port);
  }
  // ---- scheduling: strict priority among levels, deficit round robin in each (Shreedhar and Varghese 1995) ----
  /// The size of the next frame of a priority at a port; zero if it may not send.
  std::int64_t head(const Port& port, int p) const {
    const Lane& lane = port.lanes[p];
    const bool closed = lane.closed_until > now_;
    const bool held = closed && !(port.host && hosts_.acknowledgements_ignore_pause);
    if (!lane.queue.empty() && !held) return lane.queue.front().bytes;
    return closed || lane.senders.empty() ? 0 : next_bytes(*lane.senders.front());
  }
  /// A priority that becomes active is appended, with a full quantum.
  void look(Port& port) const {
    for (int p = 0; p < kPriorities; ++p) {
      std::list<int>& ring = port.rings[switches_.level_of_priority[p]];
      if (head(port, p) == 0) ring.remove(p);
      if (head(port, p) == 0 || std::count(ring.begin(), ring.end(), p) > 0) continue;
      ring.push_back(p);
      port.lanes[p].deficit = largest_frame();
    }
    std::erase_if(port.rings, [](const auto& level) { return level.second.empty(); });
  }
  Packet take(Port& port) {
    std::list<int>& ring = port.rings.begin()->second;
    while (ring.size() > 1 && head(port, ring.front()) > port.lanes[ring.front()].deficit) {
      port.lanes[ring.front()].deficit += largest_frame();
      ring.splice(ring.end(), ring, ring.begin());
    }
    Lane& lane = port.lanes[ring.front()];
    if (ring.size() > 1) lane.deficit -= head(port, ring.front());  // one without competitors is not charged
    if (lane.queue.empty()) return next_packet(lane);
    Packet packet = lane.queue.front();
    lane.queue.pop_front();
    mark_by_red("dequeue", port, packet);
    if (!packet.charged) return packet;
    Port& from = ports_[*std::exchange(packet.charged, std::nullopt)];  // the next switch charges it, too
    Lane& in = from.lanes[packet.priority];
    in.headroom -= packet.bytes;
    if (in.headroom < 0) in.kept += std::exchange(in.headroom, 0);
    if (in.paused && may_resume(from, in)) pause(from, packet.priority, false);
    return packet;
  }
  // ---- the host: go-back-N ----
  /// A flow is in the ring of its priority while it has data to send.
  void wake(Flow& flow) {
    Port& port = ports_[flow.port];
    std::list<Flow*>& ring = port.lanes[flow.spec.priority].senders;
    if (flow.next == flow.packets) ring.remove(&flow);
    if (flow.next < flow.packets && std::count(ring.begin(), ring.end(), &flow) == 0) ring.push_back(&flow);
    request_transmission(port);
  }
  Packet next_packet(Lane& lane) {
    Flow& flow = *lane.senders.front();
    lane.senders.pop_front();
    const FlowSpec& spec = flow.spec;
    Packet packet{{0, FrameKind::data, spec.source, spec.destination, flow.next, next_bytes(flow), spec.priority},
                  &flow};
    packet.ecn = Ecn::capable;
    ++flow.next;
    packet.asks = ++flow.unasked >= hosts_.acknowledge_every || flow.next == flow.packets;
    if (packet.asks) flow.unasked = 0;
    if (flow.deadline == kNever) watch(flow);
    if (flow.next < flow.packets) lane.senders.push_back(&flow);
    return packet;
  }
  void receive_at_host(Port& port, const Packet& packet) {
    Flow& flow = *packet.flow;
    // When a flow starts, the connection manager closes those that were over the shortest link delay before.
    if (flow.over_at <= last_start_ - shortest_delay_) return;
    if (packet.kind != FrameKind::data) {  // packets before its sequence have arrived; a NACK: this one is missing
      if (packet.sequence < flow.unacknowledged) return;
      const bool progress = packet.sequence > std::exchange(flow.unacknowledged, packet.sequence);
      flow.next = packet.kind == FrameKind::nack ? packet.sequence : std::max(flow.next, packet.sequence);
      if (progress) flow.timeouts = 0;
      if (progress) watch(flow);
      if (packet.sequence == flow.packets) flow.over_at = std::min(flow.over_at, now_);
      return wake(flow);
    }
    const bool gap = packet.sequence > flow.expected;
    if (gap) {
      if (now_ < flow.nack_at) return;
      flow.nack_at = now_ + of<Duration>(hosts_.loss_recovery, "nack_interval").picoseconds();
    } else if (packet.sequence == flow.expected) {
      ++flow.expected;
      flow.nack_at = 0;
      if (!packet.asks) return;
    }
    const int p = hosts_.acknowledge_priority ? *hosts_.acknowledge_priority : packet.priority;
    port.lanes[p].queue.push_back({{now_, gap ? FrameKind::nack : FrameKind::ack, packet.destination, packet.source,
                                    flow.expected, network_.framing.acknowledge(), p},
                                   &flow});
    request_transmission(port);
  }
  /// The timer restarts; with nothing in flight it stops, unless it has just expired.
  void watch(Flow& flow, bool ran_out = false) {
    const auto timeout = of<Duration>(hosts_.loss_recovery, "timeout").picoseconds();
    const auto doublings = std::min(flow.timeouts, of<std::int64_t>(hosts_.loss_recovery, "timeout_doublings"));
    const bool idle = flow.next == flow.unacknowledged && !ran_out;
    flow.deadline = timeout == 0 || idle ? kNever : now_ + (timeout << doublings);
    at(flow.deadline, Phase::timers, flow.number, [this, &flow] {
      if (flow.deadline != now_) return;
      ++flow.timeouts;
      flow.next = flow.unacknowledged;
      watch(flow, true);
      wake(flow);
    });
  }
  // ---- the buffer of a switch: reserves and headroom of ingresses, and a pool below a dynamic threshold ----
  bool lossless(int priority) const { return switches_.lossless[priority]; }
  /// policy/headroom.h: the frame that crosses the threshold, one of this port on the wire, the PAUSE, the frames in
  /// flight in both directions and in the response time, the frame that the neighbour has begun.
  std::int64_t headroom(const Port& port) const {
    if (switches_.headroom.kind == HeadroomRule::Kind::bytes) return switches_.headroom.bytes.count();
    const Picoseconds byte = time_of_byte(port);
    const auto carried = [&](Duration time) { return (time.picoseconds() + byte - 1) / byte; };
    return 3 * largest_frame() + network_.framing.pfc + 2 * network_.framing.wire_overhead +
           carried(2 * port.link.delay) + carried(switches_.pause_response);
  }
  std::int64_t reserve() const { return switches_.reserve.count(); }
  std::int64_t shared(std::int64_t kept) const { return std::max<std::int64_t>(0, kept - reserve()); }
  std::int64_t free_in(std::size_t node) const {
    std::int64_t free = switches_.buffer.count();
    for (const Port& port : ports_)
      for (int p = 0; p < kPriorities && port.node == node; ++p)
        free -= lossless(p) ? headroom(port) + std::max(reserve(), port.lanes[p].kept) : port.lanes[p].kept;
    return free;
  }
  std::int64_t xoff(const Port& port) const {
    auto alpha = of<double>(switches_.buffer_policy, "alpha");
    std::int64_t full = of<BitRate>(switches_.buffer_policy, "reference_rate").bits_per_second();
    if (!of<bool>(switches_.buffer_policy, "scale_alpha_with_rate")) full = rate_of(port);
    for (; full < rate_of(port) && alpha < 1; full *= 2) alpha = std::min(1.0, 2 * alpha);
    return std::int64_t(alpha * double(free_in(port.node)));
  }
  static std::int64_t length(const Lane& lane, bool only_in_control_reserve = false) {
    std::int64_t sum = 0;
    for (const Packet& packet : lane.queue) sum += only_in_control_reserve && packet.charged ? 0 : packet.bytes;
    return sum;
  }
  /// The account to which a packet is charged at its ingress; nullptr if there is no room.
  std::int64_t* admit(Port& from, const Port& to, const Packet& packet) const {
    Lane& in = from.lanes[packet.priority];
    const std::int64_t free = free_in(from.node);
    if (!lossless(packet.priority)) {
      const auto limit = std::int64_t(of<double>(switches_.buffer_policy, "egress_alpha") * double(free));
      return packet.bytes <= free && length(to.lanes[packet.priority]) + packet.bytes <= limit ? &in.kept : nullptr;
    }
    const std::int64_t more = shared(in.kept + packet.bytes) - shared(in.kept);
    if (more == 0 || (more <= free && shared(in.kept + packet.bytes) <= xoff(from))) return &in.kept;
    return in.headroom + packet.bytes <= headroom(from) ? &in.headroom : nullptr;
  }
  void receive_at_switch(Port& from, Packet packet) {
    const int p = packet.priority;
    Port& out = ports_[choose(from.node, packet)];
    const bool idle = out.free_at != 0 && out.free_at <= now_ && !out.pfc && out.rings.empty();  // it has sent before
    Lane& in = from.lanes[p];
    if (std::int64_t* account = admit(from, out, packet)) {
      *account += packet.bytes;
      packet.charged = from.number;
    } else {
      std::int64_t reserved = packet.bytes;
      for (const Lane& lane : out.lanes) reserved += length(lane, true);
      if (packet.kind == FrameKind::data || reserved > switches_.control_reserve.count()) {
        if (lossless(p) && !in.paused && in.kept + in.headroom > 0) pause(from, p, true);
        return;
      }
    }
    out.lanes[p].queue.push_back(packet);
    mark_by_red("enqueue", out, out.lanes[p].queue.back());
    const bool above = in.headroom > 0 || (shared(in.kept) > 0 && shared(in.kept) >= xoff(from));
    if (lossless(p) && packet.charged && !in.paused && above) pause(from, p, true);
    idle ? transmit(out) : request_transmission(out);
  }
  /// RED, where marking is configured: the probability rises from zero at kmin to pmax at kmax; above, all are marked.
  void mark_by_red(const std::string& place, const Port& port, Packet& packet) {
    if (packet.ecn != Ecn::capable || switches_.congestion_point.empty()) return;
    const PolicyChoice& red = switches_.congestion_point[0];
    if (of<std::string>(red, "mark_at") != place) return;
    const std::int64_t reference = of<BitRate>(red, "reference_rate").bits_per_second();
    const auto scaled = [&](const char* name) { return of<Bytes>(red, name).count() * rate_of(port) / reference; };
    const std::int64_t above = length(port.lanes[packet.priority]) - scaled("kmin");
    const std::int64_t range = scaled("kmax") - scaled("kmin");
    const double chance = of<double>(red, "pmax") * double(above) / double(range);
    const bool always = above > range || chance >= 1;
    if (above > 0 && (always || random_[port.node].uniform() < chance)) packet.ecn = Ecn::congestion_experienced;
  }
  // ---- PFC ----
  bool binary() const { return of<bool>(switches_.flow_control[0], "binary"); }
  bool may_resume(const Port& port, const Lane& lane) const {
    const std::int64_t offset = of<Bytes>(switches_.buffer_policy, "resume_offset").count();
    return lane.headroom == 0 && shared(lane.kept) <= std::max<std::int64_t>(0, xoff(port) - offset);
  }
  /// Sends that this priority is paused, and which others are, or that it is resumed: in the frame that waits for the
  /// wire.
  void pause(Port& port, int priority, bool paused) {
    const auto quanta = static_cast<int>(of<std::int64_t>(switches_.flow_control[0], "quanta"));
    port.lanes[priority].paused = paused;
    if (!port.pfc) port.pfc = {{.kind = FrameKind::pfc, .bytes = network_.framing.pfc}};
    for (int p = 0; p < kPriorities; ++p) {
      if (p == priority || (paused && port.lanes[p].paused && !binary())) port.pfc->quanta[p] = paused ? quanta : 0;
    }
    request_transmission(port);
    if (!paused || binary()) return;
    port.repeat_at = now_ + 64 * quanta * time_of_byte(port) / 2;
    at(port.repeat_at, Phase::timers, mix(seed_, port.number), [this, &port] {
      if (port.repeat_at != now_) return;
      for (int p = 0; p < kPriorities; ++p) {
        if (port.lanes[p].paused) pause(port, p, !may_resume(port, port.lanes[p]));
      }
    });
  }
  void obey(Port& port, const std::map<int, int>& said) {
    for (const auto& [priority, quanta] : said) {
      Picoseconds& until = port.lanes[priority].closed_until;
      until = quanta == 0 ? now_ : binary() ? kNever : now_ + 64 * quanta * time_of_byte(port);
      at(until, Phase::timers, mix(seed_, port.number), [this, &port] { request_transmission(port); });
    }
    request_transmission(port);
  }
  // ---- ECMP ----
  bool reaches(const Port& port, std::size_t to, int links) const {
    const std::size_t peer = ports_[port.peer].node;
    const auto next = [&](const Port& one) { return one.node == peer && !one.host && reaches(one, to, links - 1); };
    return peer == to || (links > 1 && std::any_of(ports_.begin(), ports_.end(), next));
  }
  /// One of the ports on the shortest paths through switches (ecmp.md, "Which port").
  std::size_t choose(std::size_t node, const Packet& packet) const {
    const std::size_t to = network_.topology.node_of(packet.destination).index();
    std::vector<std::size_t> equal;
    for (int links = 1; equal.empty(); ++links) {
      for (const Port& port : ports_) {
        if (port.node == node && reaches(port, to, links)) equal.push_back(port.number);
      }
    }
    const std::uint32_t id = network_.topology.nodes()[node].switch_id.value;
    const auto hash_seed = static_cast<std::uint32_t>(mix(of<std::int64_t>(switches_.forwarding, "seed"), id) >> 32);
    const auto entropy = static_cast<std::uint16_t>(0xc000u | (mix(seed_, packet.flow->number) & 0x3fffu));
    const auto name = of<std::string>(switches_.forwarding, "hash");
    const bool folds = name == "xor_fold";
    const HashKind kind = folds ? HashKind::xor_fold : name == "crc32" ? HashKind::crc32 : HashKind::mix;
    std::uint64_t hash = flow_hash(kind, hash_seed, {packet.source, packet.destination, entropy});
    if (folds) hash = (hash << 24 | (hash & 0xff00) << 8 | (hash >> 8 & 0xff00) | hash >> 24) & 0xffffffff;
    return equal[hash * equal.size() >> 32];
  }

  const NetworkSettings& network_;
  const SwitchSettings& switches_;
  const HostSettings& hosts_;
  const std::uint64_t seed_;
  std::vector<RandomStream> random_;  // by node
  std::vector<Port> ports_;           // by the number of their outgoing direction
  std::list<Flow> flows_;
  std::multimap<std::tuple<Picoseconds, Phase, std::uint64_t>, std::function<void()>> events_;
  std::vector<std::vector<Seen>> seen_;  // by direction
  Picoseconds shortest_delay_ = kNever, now_ = 0, last_start_ = 0;
};

}  // namespace weir::oracle
