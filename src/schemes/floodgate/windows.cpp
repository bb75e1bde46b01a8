// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/windows.h"

#include <algorithm>
#include <utility>

namespace weir::floodgate {

void Windows::attach(QueueContext& context, SwitchPolicy& policy, const std::vector<bool>& downstream) {
  keeps_statistics_ = context.keeps_statistics();
  ports_.resize(context.ports());
  std::size_t windowed = 0;
  bool up = false;
  bool down = false;
  const std::int64_t packet = context.maximum_frame() + context.framing().wire_overhead;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const PortState& port = context.port(PortId(i));
    ports_[i].direction = port.peer.above ? kUp : port.peer.beside ? kBeside : kDown;
    if (!downstream[i]) continue;
    ports_[i].window = window_of(settings_, port.rate, port.delay, packet);
    ports_[i].group = port.peer.above ? 1 : 0;
    (port.peer.above ? up : down) = true;
    ++windowed;
  }
  // [FLOODGATE-V-4] Groups are for switches that forward packets both up and down between switches.
  const std::size_t groups = up && down ? settings_.groups : 1;
  if (groups == 1) {
    for (Port& port : ports_) port.group = 0;
  }
  if (windowed == 0) return;  // nothing ever waits
  if (by_port()) owner_ = context.new_gate_owner();
  if (settings_.recovers) syn_timer_ = context.new_timer(policy);
  ways_ = RecordTable<Way>(table_size(settings_, context, windowed));
  destinations_ = RecordTable<Destination>(table_size(settings_, context, windowed));
  voqs_.attach(context, settings_, groups, windowed);
  std::vector<bool> hosts(ports_.size());
  for (std::size_t i = 0; settings_.pauses_hosts && i < hosts.size(); ++i) {
    hosts[i] = context.port(PortId(i)).peer.is_host() && takes_part(context, PortId(i), settings_.announced());
  }
  pauses_.attach(context, std::move(hosts), voqs_.size());
  limits_.pause =
      settings_.pause_threshold > Bytes() ? settings_.pause_threshold.count() : largest_hop_product(context);
  limits_.resume = settings_.resume_threshold > Bytes() ? settings_.resume_threshold.count() : limits_.pause;
}

// ---- records ----

std::uint32_t Windows::way_of(PortId port, std::uint32_t name) {
  const std::uint64_t key = key_of(port.index(), name);
  if (const std::uint32_t found = ways_.find(key); found != kNone) return found;
  const std::uint32_t number = ways_.insert(key, [this](std::uint32_t way) { evict(way); });
  if (number == kNone) return kNone;
  const std::uint64_t whose = destination_key(ports_[port.index()].direction, name);
  std::uint32_t destination = destinations_.find(whose);
  if (destination == kNone) destination = destinations_.insert(whose, [](std::uint32_t) {});
  ways_[number].destination = destination;
  ways_[number].sibling = destinations_[destination].ways;
  destinations_[destination].ways = number;
  return number;
}

/// The last way of a destination takes it along: its window is full.
void Windows::evict(std::uint32_t way) {
  const std::uint32_t number = ways_[way].destination;
  std::uint32_t* at = &destinations_[number].ways;
  while (*at != way) at = &ways_[*at].sibling;
  *at = ways_[way].sibling;
  if (destinations_[number].ways == kNone) destinations_.erase(number);
}

// ---- windows ----

/// [FLOODGATE-W-2] A packet larger than its window may go alone. What is for a dead link will be dropped.
bool Windows::has_room(const SwitchContext& context, const Way& way, std::uint32_t weight) const {
  const std::size_t port = port_in(way.key);
  const std::uint32_t used =
      settings_.window_of_port ? way.queued + way.uncredited() : destinations_[way.destination].used;
  return used == 0 || used + weight <= ports_[port].window || !context.port(PortId(port)).up;
}

void Windows::charge(const SwitchContext& context, Way& way, std::uint32_t weight) {
  way.queued += weight;
  Destination& destination = destinations_[way.destination];
  destination.used += weight;
  if (!keeps_statistics_) return;
  uncredited_.add(weight);
  // What is for a dead link is dropped without having been sent.
  if (!context.port(PortId(port_in(way.key))).up) return;
  const std::uint32_t used = settings_.window_of_port ? way.queued + way.uncredited() : destination.used;
  fullest_.set(static_cast<double>(used) / ports_[port_in(way.key)].window);
}

void Windows::uncharge(Way& way, std::uint32_t units) {
  destinations_[way.destination].used -= units;
  if (keeps_statistics_) uncredited_.add(-static_cast<double>(units));
}

// ---- a packet's way ----

QueueId Windows::enter(QueueContext& context, Frame& frame, Note& note) {
  const QueueId fifo = context.default_queue(frame.egress, frame.priority);
  const std::uint32_t name = settings_.name_of(frame.destination);
  const std::uint32_t number = way_of(frame.egress, name);
  if (number == kNone) {  // [FLOODGATE-T-3]
    ++counts_.untracked;
    return fifo;
  }
  Way& way = ways_[number];
  Destination& destination = destinations_[way.destination];
  note.set_way(number);
  ++way.here;
  ++destination.here;
  // [FLOODGATE-V-2] No packet overtakes one of its destination.
  if (destination.waiting == 0 && has_room(context, way, note.weight())) {
    charge(context, way, note.weight());
    note.set_charged();
    return fifo;
  }
  ++counts_.delayed_packets;
  note.set_of_incast();
  std::uint16_t& voq = voq_ref(way);
  if (voq == VoqPool::kNone) {
    voq = voqs_.take(context, ports_[frame.egress.index()].group, name, frame.egress);
  }
  add_to_voq(way, frame);
  const VoqPool::Voq& into = voqs_[voq];
  const QueueState& queue = context.queue(into.queue);
  if (by_port() && queue.empty()) {
    context.set_gate(into.queue, owner_, has_room(context, way, note.weight()));
  }
  if (frame.ingress.exists()) pauses_.enter(context, frame, voq, limits_, queue.bytes + frame.charged_bytes);
  return into.queue;
}

void Windows::leave(QueueContext& context, QueueId queue, const Frame& frame, Note& note) {
  Way& way = ways_[note.way()];
  take_from_voq(way, frame);
  charge(context, way, note.weight());
  note.set_charged();
  left_voq(context, voqs_.of(queue));
}

std::uint32_t Windows::depart(QueueContext& context, QueueId queue, const Frame& frame, Note& note) {
  const std::uint32_t number = note.way();
  if (number == kNone) return 0;
  Way& way = ways_[number];
  const std::uint32_t destination = way.destination;
  const bool from_voq = !note.charged();  // in the port pipeline
  if (from_voq) {
    take_from_voq(way, frame);
    charge(context, way, note.weight());
  }
  way.queued -= note.weight();
  way.sent = (way.sent + note.weight()) & kSequenceMask;
  const std::uint32_t field = field_of(way.sent);
  if (settings_.recovers && !way.waits) wait(context, number);
  left(context, way);
  if (from_voq) {
    if (const std::uint16_t voq = voqs_.of(queue); !context.queue(queue).empty()) {
      set_gate(context, voq);
      left_voq(context, voq);
    }
    set_gates(context, destination);
  }
  return field;
}

void Windows::lose(QueueContext& context, const Frame& frame, Note& note) {
  const std::uint32_t number = note.way();
  if (number == kNone) return;
  note.set_way(Note::kNone);
  Way& way = ways_[number];
  if (note.charged()) {
    way.queued -= note.weight();
    uncharge(way, note.weight());
  } else {
    take_from_voq(way, frame);
    left_voq(context, voq_ref(way));
  }
  left(context, way);
}

void Windows::add_to_voq(Way& way, const Frame& frame) {
  ++way.waiting;
  ++destinations_[way.destination].waiting;
  ports_[frame.egress.index()].voq_bytes += frame.charged_bytes;
  voq_bytes_.add(frame.charged_bytes);
}

void Windows::take_from_voq(Way& way, const Frame& frame) {
  --way.waiting;
  --destinations_[way.destination].waiting;
  ports_[frame.egress.index()].voq_bytes -= frame.charged_bytes;
  voq_bytes_.add(-static_cast<double>(frame.charged_bytes));
}

/// A packet of this way has left the switch. [FLOODGATE-V-5] In the port pipeline what has left the VOQ has done so.
void Windows::left(QueueContext& context, Way& way) {
  --way.here;
  Destination& destination = destinations_[way.destination];
  --destination.here;
  std::uint16_t& voq = voq_ref(way);
  if (voq == VoqPool::kNone || (by_port() ? way.waiting : destination.here) > 0) return;
  left_voq(context, voq);
  voqs_.leave(context, voq);
  voq = VoqPool::kNone;
}

void Windows::left_voq(QueueContext& context, std::uint16_t voq) {
  pauses_.leave(context, voq, limits_, context.queue(voqs_[voq].queue).bytes);
}

// ---- service of VOQs ----

void Windows::serve(QueueContext& context, std::uint32_t destination) {
  if (by_port()) return set_gates(context, destination);
  if (const std::uint16_t voq = destinations_[destination].voq; voq != VoqPool::kNone) serve_voq(context, voq);
}

/// [FLOODGATE-V-3] The window of the head packet decides.
void Windows::serve_voq(QueueContext& context, std::uint16_t voq) {
  const QueueId queue = voqs_[voq].queue;
  while (const Frame* head = context.peek(queue)) {
    const Note note(*head);
    if (!has_room(context, ways_[note.way()], note.weight()) || !context.release(queue)) return;
  }
}

void Windows::set_gate(QueueContext& context, std::uint16_t voq) {
  const QueueId queue = voqs_[voq].queue;
  const Frame* head = context.peek(queue);
  if (head == nullptr) return;
  const Note note(*head);
  context.set_gate(queue, owner_, has_room(context, ways_[note.way()], note.weight()));
}

void Windows::set_gates(QueueContext& context, std::uint32_t destination) {
  if (!destinations_[destination].in_use || destinations_[destination].waiting == 0) return;
  for (std::uint32_t at = destinations_[destination].ways; at != kNone; at = ways_[at].sibling) {
    if (ways_[at].voq != VoqPool::kNone) set_gate(context, ways_[at].voq);
  }
}

void Windows::serve_all(QueueContext& context) {
  for (std::size_t number = 0; number < voqs_.size() && voqs_.in_use() > 0; ++number) {
    const auto voq = static_cast<std::uint16_t>(number);
    if (voqs_[voq].users == 0) continue;
    if (by_port()) {
      set_gate(context, voq);
    } else {
      serve_voq(context, voq);
    }
  }
}

// ---- credits ----

void Windows::credit(QueueContext& context, PortId port, const Credit& credit) {
  if (!has_window(port)) return;
  const std::uint32_t number = ways_.find(key_of(port.index(), credit.name));
  if (number == kNone) {
    counts_.ignored += credit.units > 0 ? 1 : 0;
    return;
  }
  Way& way = ways_[number];
  const std::uint32_t uncredited = way.uncredited();
  std::uint32_t units = credit.units;
  if (settings_.recovers) {
    // [FLOODGATE-R-2] What lies behind the PSN is no more in flight, whatever has become of it.
    units = distance(way.credited, credit.psn);
    if (units > uncredited) {
      ++counts_.ignored;
      return;
    }
    if (units > credit.units) counts_.recovered += units - credit.units;
  } else if (units > uncredited) {
    ++counts_.ignored;
    units = uncredited;
  }
  way.credited = (way.credited + units) & kSequenceMask;
  way.heard = context.now();
  if (way.waits) {
    unlink(number);
    if (way.sent != way.credited) wait(context, number);
  }
  if (units == 0) return;
  uncharge(way, units);
  serve(context, way.destination);
}

// ---- switchSYN ----

/// Puts the way behind all others that wait for credit.
void Windows::wait(SwitchContext& context, std::uint32_t number) {
  Way& way = ways_[number];
  way.waits = true;
  way.heard = context.now();
  way.older = newest_;
  way.newer = kNone;
  (newest_ == kNone ? oldest_ : ways_[newest_].newer) = number;
  newest_ = number;
  if (syn_armed_) return;
  syn_armed_ = true;
  context.arm(syn_timer_, context.now() + settings_.syn_timeout);
}

void Windows::unlink(std::uint32_t number) {
  Way& way = ways_[number];
  way.waits = false;
  (way.older == kNone ? oldest_ : ways_[way.older].newer) = way.newer;
  (way.newer == kNone ? newest_ : ways_[way.newer].older) = way.older;
}

bool Windows::on_timer(SwitchContext& context, TimerId timer) {
  if (timer != syn_timer_ || !syn_timer_.exists()) return false;
  syn_armed_ = false;
  while (oldest_ != kNone) {
    const std::uint32_t number = oldest_;
    const Time due = ways_[number].heard + settings_.syn_timeout;
    if (due > context.now()) {
      syn_armed_ = true;
      context.arm(syn_timer_, due);
      break;
    }
    // [FLOODGATE-R-4] And once more after as long a time, if nothing is heard.
    const Way& way = ways_[number];
    const FrameId id = make_message(context.frames(), context.framing(), Say::syn, {name_in(way.key), 0, way.sent});
    if (id.exists()) {
      ++counts_.syns;
      context.send(PortId(port_in(way.key)), id);
    }
    unlink(number);
    wait(context, number);
  }
  return true;
}

void Windows::reset(QueueContext& context, PortId port) {
  pauses_.reset(context, port);
  if (!has_window(port)) return;
  for (std::uint32_t number = 0; number < ways_.touched(); ++number) {
    Way& way = ways_[number];
    if (!way.in_use || port_in(way.key) != port.index()) continue;
    if (way.waits) unlink(number);
    uncharge(way, way.uncredited());
    way.credited = way.sent;
  }
  serve_all(context);
}

// ---- what others ask ----

/// [FLOODGATE-C-8] [FLOODGATE-T-4]
bool Windows::delays(const SwitchContext& context, PortId ingress, std::uint32_t name) const {
  if (!settings_.delays_credit || settings_.per_packet || voqs_.in_use() == 0) return false;
  const std::int64_t threshold = settings_.credit_threshold.count();
  for (std::uint32_t direction = 0; direction < directions(); ++direction) {
    if (may_go(ingress, direction) && waiting_bytes(context, direction, name) > threshold) return true;
  }
  return false;
}

/// The bytes in VOQs that the destination, or the entry in this direction, has.
std::int64_t Windows::waiting_bytes(const SwitchContext& context, std::uint32_t direction, std::uint32_t name) const {
  const std::uint32_t number = destinations_.find(destination_key(direction, name));
  if (number == kNone) return 0;
  const Destination& destination = destinations_[number];
  std::int64_t bytes = 0;
  if (destination.voq != VoqPool::kNone) bytes = context.queue(voqs_[destination.voq].queue).bytes;
  if (by_port()) {
    for (std::uint32_t at = destination.ways; at != kNone; at = ways_[at].sibling) {
      if (ways_[at].voq != VoqPool::kNone) bytes += context.queue(voqs_[ways_[at].voq].queue).bytes;
    }
  }
  return bytes;
}

/// [FLOODGATE-S-1] [FLOODGATE-S-2] In the port pipeline the bytes of VOQs are among those queued at the port, which who
/// asks adds (policy/switch_context.h): there the answer makes up for it.
std::int64_t Windows::signalled(const SwitchContext& context, QueueId queue, const Frame& frame, bool split) const {
  const std::int64_t here = context.queue(queue).bytes;
  if (!frame.egress.exists() || context.queue(queue).priority != settings_.priority) return here;
  const std::int64_t of_port = ports_[frame.egress.index()].voq_bytes;
  const QueueId fifo_id = context.default_queue(frame.egress, settings_.priority);
  const std::int64_t fifo = context.queue(fifo_id).bytes;
  if (!split) return fifo + of_port;
  const bool of_incast = frame.kind == FrameKind::data && Note(frame).of_incast();
  const auto all = static_cast<std::int64_t>(voq_bytes_.value());
  if (!by_port()) return of_incast ? all : fifo;
  return of_incast ? all - of_port - fifo + here : fifo - of_port;
}

void Windows::held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const {
  const Frame* head = context.peek(queue);
  if (head == nullptr) return;
  const Note note(*head);
  if (note.way() == kNone) return;
  const Way& way = ways_[note.way()];
  if (by_port() && has_room(context, way, note.weight())) return;
  // Credit for the destination may come from any neighbour that has packets of it: that of the head packet if it has
  // some.
  const Way* by = &way;
  if (way.uncredited() == 0 && !settings_.window_of_port) {
    for (std::uint32_t at = destinations_[way.destination].ways; at != kNone; at = ways_[at].sibling) {
      if (ways_[at].uncredited() > 0) by = &ways_[at];
    }
  }
  out.push_back({PortId(port_in(by->key)), name_in(by->key), QueueId::none()});
}

bool Windows::waits_in(PortId ingress, std::uint32_t name, std::uint16_t voq) const {
  for (std::uint32_t direction = 0; direction < directions(); ++direction) {
    if (may_go(ingress, direction) && waits_in(direction, name, voq)) return true;
  }
  return false;
}

bool Windows::waits_in(std::uint32_t direction, std::uint32_t name, std::uint16_t voq) const {
  const std::uint32_t number = destinations_.find(destination_key(direction, name));
  if (number == kNone) return false;
  if (destinations_[number].voq == voq) return true;
  for (std::uint32_t at = destinations_[number].ways; at != kNone; at = ways_[at].sibling) {
    if (ways_[at].voq == voq) return true;
  }
  return false;
}

std::uint32_t Windows::charged(std::uint32_t name) const {
  std::uint32_t units = 0;
  for (std::uint32_t direction = 0; direction < directions(); ++direction) {
    const std::uint32_t number = destinations_.find(destination_key(direction, name));
    if (number != kNone) units += destinations_[number].used;
  }
  return units;
}

std::uint32_t Windows::in_flight(PortId port, std::uint32_t name) const {
  const std::uint32_t number = ways_.find(key_of(port.index(), name));
  return number == kNone ? 0 : ways_[number].uncredited();
}

std::size_t Windows::active() const {
  std::size_t active = 0;
  for (std::uint32_t number = 0; number < destinations_.touched(); ++number) {
    const Destination& destination = destinations_[number];
    active += destination.in_use && (destination.used > 0 || destination.here > 0) ? 1 : 0;
  }
  return active;
}

std::string Windows::audit() const {
  for (std::uint32_t number = 0; number < destinations_.touched(); ++number) {
    const Destination& destination = destinations_[number];
    if (!destination.in_use) continue;
    const std::string who = " of destination " + std::to_string(name_in(destination.key));
    if (destinations_.find(destination.key) != number) return "no entry" + who;
    std::uint32_t used = 0;
    std::uint32_t here = 0;
    std::uint32_t window = 0;
    std::uint32_t largest = 0;
    for (std::uint32_t at = destination.ways; at != kNone; at = ways_[at].sibling) {
      const Way& way = ways_[at];
      const std::uint32_t of_way = way.queued + way.uncredited();
      used += of_way;
      here += way.here;
      window = std::max(window, ports_[port_in(way.key)].window);
      largest = std::max(largest, of_way);
      if (settings_.recovers && (way.sent != way.credited) != way.waits)
        return "a way waits for credit that is there" + who;
    }
    if (used != destination.used) return "sent and not credited is miscounted" + who;
    if (here != destination.here) return "packets are miscounted" + who;
    if (destination.waiting > here) return "more wait than are here" + who;
    const std::uint32_t most = settings_.window_of_port ? largest : used;
    constexpr std::uint32_t kLargestPacket = 65'535;
    if (most > window && (settings_.counts_bytes ? most > kLargestPacket : most > 1))
      return "a window is exceeded" + who;
  }
  return {};
}

}  // namespace weir::floodgate
