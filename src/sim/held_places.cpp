// SPDX-License-Identifier: Apache-2.0
// Innocent pause by causes other than the gate of a priority: queues of switches, gates and queue pairs of NICs.
#include <algorithm>

#include "sim/pause_roots.h"

namespace weir {

// ---- during a window ----

void PauseRoots::enter(const SwitchContext& at, QueueId queue, const Frame& frame) {
  rows_.on_enter(at, queue, frame);
  // A queue blocked by its gates is blocked with or without the frame.
  if (at.queue(queue).service == Service::released)
    settle({fabric_.topology().node_of(at.id()), {}, queue.value}, at.now());
}

void PauseRoots::on_queue_left(const SwitchContext& at, QueueId queue, const Frame& frame) {
  if (!rows_.watches(at.id())) return;
  const Place place{fabric_.topology().node_of(at.id()), Place::Kind::queue, queue.value};
  if (told_.contains(place)) {
    GateChange& change = note(place, GateChange::Kind::pass, at.now());
    if (frame.kind == FrameKind::data) {
      waited_.push_back({FlowKey::of(frame), frame.queue_pair, rows_.entered(at.frames().id_of(frame)), frame.egress});
      ++change.last_held;
    }
  }
  rows_.on_leave(at, frame);
  if (at.queue(queue).service == Service::released) settle(place, at.now());
}

void PauseRoots::on_queue_gate(const SwitchContext& at, QueueId queue) {
  rows_.watch(at.id());
  settle({fabric_.topology().node_of(at.id()), Place::Kind::queue, queue.value}, at.now());
}

void PauseRoots::on_nic_gate(Nic& nic, GateId gate, bool) {
  settle({fabric_.topology().node_of(nic.host()), Place::Kind::gate, gate.value}, nic.now());
}

void PauseRoots::on_sender_gate(Nic& nic, const SendState& sender, bool) {
  settle({fabric_.topology().node_of(nic.host()), Place::Kind::sender, sender.number.value}, nic.now());
}

bool PauseRoots::ask(const Place& place, std::vector<HeldBy>& by) const {
  by.clear();
  if (place.kind == Place::Kind::queue) {
    const Switch& at = *fabric_.switch_at(place.node);
    controls_.held_by(place.node, at, QueueId(place.number), by);
    return is_held(at.queue(QueueId(place.number)), by);
  }
  Nic& nic = *fabric_.nic_at(place.node);
  if (place.kind == Place::Kind::gate) {
    if (nic.gate_open(GateId(place.number))) return false;
    for (const auto& control : nic.flow_controls()) control->held_by(nic, GateId(place.number), by);
    return true;
  }
  const SendState* sender = nic.peek_sender(QueuePairId(place.number));
  if (sender == nullptr || !Nic::held_by_itself(*sender)) return false;
  for (const auto& control : nic.flow_controls()) control->held_by(nic, *sender, by);
  return true;
}

/// Records a change of the hold of a place.
void PauseRoots::settle(const Place& place, Time now) {
  const bool held = ask(place, asked_);
  const auto told = told_.find(place);
  if (told != told_.end()) {
    if (held && told->second.by == asked_) return;
    note_held(place, GateChange::Kind::end, {}, now);
    told_.erase(told);
  }
  if (!held) return;
  GateChange& change = note(place, GateChange::Kind::begin, now);
  said_.insert(said_.end(), asked_.begin(), asked_.end());
  change.last_by = static_cast<std::uint32_t>(said_.size());
  told_[place].by = asked_;
}

PauseRoots::GateChange& PauseRoots::note(const Place& place, GateChange::Kind kind, Time now) {
  GateChange& change = gates_.emplace_back();
  change.moment = moment_at(place.node, now);
  change.kind = kind;
  change.place = place;
  change.first_held = change.last_held = static_cast<std::uint32_t>(waited_.size());
  change.first_by = change.last_by = static_cast<std::uint32_t>(said_.size());
  return change;
}

void PauseRoots::note_held(const Place& place, GateChange::Kind kind, std::optional<Priority> of, Time now) {
  GateChange& change = note(place, kind, now);
  collect(place, now, of, waited_);
  change.last_held = static_cast<std::uint32_t>(waited_.size());
}

/// The gate of a priority has closed or opened, which also blocks frames of places there: they no longer count as
/// blocked by these places, or count again.
void PauseRoots::suspend(NodeId node, PortId port, Priority priority, bool open, Time now) {
  const Switch* at = fabric_.switch_at(node);
  for (auto told = told_.lower_bound({node, {}, 0}); told != told_.end() && told->first.node == node; ++told) {
    if (at != nullptr) {
      const QueueState& queue = at->queue(QueueId(told->first.number));
      if (queue.service != Service::scheduled || queue.port != port || queue.priority != priority) continue;
    }
    if (open) {
      told->second.resumed[priority] = now;
    } else {
      note_held(told->first, GateChange::Kind::pass, priority, now);
    }
  }
}

// ---- at the end of a window ----

void PauseRoots::take_in_place(const GateChange& change) {
  if (change.kind == GateChange::Kind::begin) {
    PlaceHold& hold = places_[change.place];
    hold.fresh = true;
    hold.since = change.moment.at;
    hold.by.assign(said_.begin() + change.first_by, said_.begin() + change.last_by);
    find_roots(change.place.node, hold.by, change.moment, hold.roots);
    return;
  }
  const auto found = places_.find(change.place);
  if (found == places_.end()) return;
  const PlaceHold& hold = found->second;
  account_all(change.place.node, PortId(0), hold.roots, hold.since, hold.fresh,
              std::span<const Held>(waited_).subspan(change.first_held, change.last_held - change.first_held),
              change.moment.at);
  if (change.kind == GateChange::Kind::end) places_.erase(found);
}

void PauseRoots::sample_places(Time now) {
  for (auto at = places_.begin(); at != places_.end();) {
    const Place& place = at->first;
    PlaceHold& hold = at->second;
    if (!ask(place, asked_)) {  // a queue pair that has closed
      told_.erase(place);
      at = places_.erase(at);
      continue;
    }
    hold.by = told_[place].by = asked_;
    find_roots(place.node, hold.by, {}, found_);
    if (!found_.empty() && found_ != hold.roots) {
      holding_.clear();
      collect(place, now, {}, holding_);
      account_all(place.node, PortId(0), hold.roots, hold.since, hold.fresh, holding_, now);
      hold.since = now;
      hold.fresh = false;
      std::swap(found_, hold.roots);
    }
    ++at;
  }
}

// ---- roots ----

void PauseRoots::find_roots(NodeId node, const std::vector<HeldBy>& by, const Moment& moment, std::vector<Hop>& roots) {
  roots.clear();
  followed_.clear();
  for (const HeldBy& each : by) follow_by(node, each, moment, roots, 0);
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
}

void PauseRoots::follow_by(NodeId node, const HeldBy& by, const Moment& moment, std::vector<Hop>& roots,
                           std::size_t depth) {
  if (by.port.exists()) {
    const ChannelSpec& channel = fabric_.channels()[fabric_.channel(node, by.port)];
    const Switch* at = fabric_.switch_at(node);
    if (at != nullptr && fabric_.switch_at(channel.to) == nullptr) {
      roots.push_back({at->id(), by.port});  // a host that drains slowly
      return;
    }
    follow_kept(channel.to, {channel.to_port, true, by.name}, moment, roots, depth);
  } else if (const Switch* at = fabric_.switch_at(node); at != nullptr && by.queue.exists()) {
    if (depth > kMaximumHops) return;
    follow_cell(*at, node, {by.queue, at->queue(by.queue).port, 1}, moment, roots, depth + 1);
  }
}

void PauseRoots::follow_kept(NodeId node, const KeptRows::Key& key, const Moment& moment, std::vector<Hop>& roots,
                             std::size_t depth) {
  const Switch* at = fabric_.switch_at(node);
  if (at == nullptr || depth > kMaximumHops || !rows_.watches(at->id())) return;
  if (std::find(followed_.begin(), followed_.end(), std::tuple(node, key)) != followed_.end()) return;
  followed_.emplace_back(node, key);
  std::vector<KeptRows::Cell>& cells = cells_[depth];
  rows_.look(at->id(), key, moment, cells);
  for (const KeptRows::Cell& cell : cells) follow_cell(*at, node, cell, moment, roots, depth + 1);
}

void PauseRoots::follow_cell(const Switch& at, NodeId node, const KeptRows::Cell& cell, const Moment& moment,
                             std::vector<Hop>& roots, std::size_t depth) {
  const auto hold = places_.find({node, Place::Kind::queue, cell.queue.value});
  if (hold != places_.end() && !hold->second.by.empty()) {
    for (const HeldBy& by : hold->second.by) follow_by(node, by, moment, roots, depth);
    return;
  }
  if (!cell.egress.exists()) return;
  const Priority priority = at.queue(cell.queue).priority;
  const std::uint32_t channel = fabric_.channel(node, cell.egress);
  if (pauses_[channel * kPriorities + priority].in_force) {
    follow_pause(fabric_.channels()[channel], priority, moment, roots, depth);
  } else {
    roots.push_back({at.id(), cell.egress});
  }
}

// ---- blocked packets ----

void PauseRoots::collect(const Place& place, Time now, std::optional<Priority> of, std::vector<Held>& held) const {
  const auto told = told_.find(place);
  const auto resumed = [&](Priority priority) { return told == told_.end() ? Time() : told->second.resumed[priority]; };
  if (place.kind == Place::Kind::queue) {
    const Switch& at = *fabric_.switch_at(place.node);
    const QueueState& queue = at.queue(QueueId(place.number));
    const bool gated = queue.service == Service::scheduled && !at.priority_gate_open(queue.port, queue.priority);
    if (gated && of != queue.priority) return;  // blocked by the gate of the priority
    for (FrameId id = queue.head; id.exists(); id = at.frames()[id].next) {
      const Frame& frame = at.frames()[id];
      if (frame.kind != FrameKind::data) continue;
      const Time since = std::max(rows_.entered(id), resumed(queue.priority));
      held.push_back({FlowKey::of(frame), frame.queue_pair, since, frame.egress});
    }
    return;
  }
  Nic& nic = *fabric_.nic_at(place.node);
  nic.watch_senders([&](const SendState& sender) {
    if (of ? sender.priority != *of : !nic.priority_gate_open(sender.priority)) return;
    const bool is_there = place.kind == Place::Kind::sender
                              ? sender.number.value == place.number
                              : Nic::stands_behind(sender, GateId(place.number)) && !Nic::held_by_itself(sender);
    if (is_there) collect(nic, sender, resumed(sender.priority), now, held);
  });
}

}  // namespace weir
