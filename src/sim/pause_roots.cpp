// SPDX-License-Identifier: Apache-2.0
#include "sim/pause_roots.h"

#include <algorithm>
#include <tuple>

namespace weir {

PauseRoots::PauseRoots(Fabric& fabric, ClassOf class_of)
    : fabric_(fabric), class_of_(std::move(class_of)), controls_(fabric), rows_(fabric, controls_) {
  for (std::size_t i = 0; i < fabric.switches(); ++i) {
    Switched& at = switched_.emplace_back();
    at.ports = fabric.switch_by(SwitchId(i)).ports();
    at.held.resize(at.ports * at.ports * kPriorities);
  }
  pauses_.resize(fabric.channels().size() * kPriorities);
  for (std::size_t i = 0; i < fabric.switches(); ++i) {
    // Other switches are followed from the first gate of a queue on.
    const Switch& at = fabric.switch_by(SwitchId(i));
    if (at.queues() > at.ports() * kPriorities) rows_.watch(SwitchId(i));
  }
}

// ---- during a window ----

void PauseRoots::make_room(SwitchId node) {
  Switched& at = switched_[node.index()];
  constexpr std::size_t kLeast = 64;
  if (at.count == 0) changed_.push_back(node);
  if (at.count == at.changes.size()) at.changes.resize(std::max(kLeast, 2 * at.count));
  at.room = at.changes.size();
}

std::uint32_t PauseRoots::order_of(NodeId node) const {
  if (const Switch* at = fabric_.switch_at(node); at != nullptr) return at->id().value;
  return static_cast<std::uint32_t>(fabric_.switches()) + fabric_.nic_at(node)->host().value;
}

/// The state that is visible to a node at this instant.
PauseRoots::Moment PauseRoots::moment_at(NodeId node, Time now) const {
  Moment moment{now, order_of(node), 0};
  if (const Switch* at = fabric_.switch_at(node); at != nullptr) {
    moment.own = rows_.watches(at->id()) ? rows_.changes(at->id())
                                         : static_cast<std::uint32_t>(switched_[at->id().index()].count);
  }
  return moment;
}

void PauseRoots::on_gate(NodeId node, PortId port, Priority priority, bool open, Time now) {
  suspend(node, port, priority, open, now);
  GateChange gate{.moment = moment_at(node, now), .node = node, .port = port, .priority = priority, .open = open};
  gate.first_held = static_cast<std::uint32_t>(waited_.size());
  if (open) collect(node, port, priority, now, waited_);
  gate.last_held = static_cast<std::uint32_t>(waited_.size());
  gates_.push_back(gate);
}

void PauseRoots::end_window() {
  if (!gates_.empty()) {
    std::stable_sort(gates_.begin(), gates_.end(), [](const GateChange& a, const GateChange& b) {
      return std::tie(a.moment.at, a.moment.order) < std::tie(b.moment.at, b.moment.order);
    });
    for (const GateChange& gate : gates_) take_in(gate);
    gates_.clear();
    waited_.clear();
    said_.clear();
  }
  rows_.end_window();
  for (const SwitchId node : changed_) switched_[node.index()].count = switched_[node.index()].room = 0;
  changed_.clear();
}

void PauseRoots::take_in(const GateChange& gate) {
  if (gate.kind == GateChange::Kind::gate) return take_in_gate(gate);
  take_in_place(gate);
}

void PauseRoots::take_in_gate(const GateChange& gate) {
  Pause& pause = pauses_[fabric_.channel(gate.node, gate.port) * kPriorities + gate.priority];
  if (gate.open) {
    const std::span<const Held> held(waited_);
    if (pause.in_force) {
      close_segment(gate.node, gate.port, pause, held.subspan(gate.first_held, gate.last_held - gate.first_held),
                    gate.moment.at);
    }
    pause.in_force = false;
  } else if (!pause.in_force) {
    pause.in_force = true;
    pause.fresh = true;
    pause.since = gate.moment.at;
    find_roots(gate.node, gate.port, gate.priority, gate.moment, pause.roots);
  }
}

// ---- between windows ----

void PauseRoots::end(Time now) {
  end_window();
  for (std::uint32_t channel = 0; channel < fabric_.channels().size(); ++channel) {
    const ChannelSpec& spec = fabric_.channels()[channel];
    for (Priority priority = 0; priority < kPriorities; ++priority) {
      Pause& pause = pauses_[channel * kPriorities + priority];
      if (!pause.in_force) continue;
      holding_.clear();
      collect(spec.from, spec.from_port, priority, now, holding_);
      close_segment(spec.from, spec.from_port, pause, holding_, now);
    }
  }
  for (const auto& [place, hold] : places_) {
    holding_.clear();
    collect(place, now, {}, holding_);
    account_all(place.node, PortId(0), hold.roots, hold.since, hold.fresh, holding_, now);
  }
}

void PauseRoots::sample(Time now) {
  end_window();  // a link may have failed at this instant
  for (std::uint32_t channel = 0; channel < fabric_.channels().size(); ++channel) {
    const ChannelSpec& spec = fabric_.channels()[channel];
    for (Priority priority = 0; priority < kPriorities; ++priority) {
      Pause& pause = pauses_[channel * kPriorities + priority];
      if (!pause.in_force) continue;
      // While the roots stay the same the segment continues: its frames are examined once, when it ends.
      find_roots(spec.from, spec.from_port, priority, {}, found_);
      if (found_.empty() || found_ == pause.roots) continue;
      holding_.clear();
      collect(spec.from, spec.from_port, priority, now, holding_);
      close_segment(spec.from, spec.from_port, pause, holding_, now);
      std::swap(found_, pause.roots);
    }
  }
  sample_places(now);
}

// ---- roots ----

void PauseRoots::look_at_row(SwitchId node, std::uint32_t row, const Moment& moment,
                             std::vector<std::uint32_t>& counts) const {
  const Switched& at = switched_[node.index()];
  const auto first = at.held.begin() + static_cast<std::ptrdiff_t>(row * at.ports);
  counts.assign(first, first + static_cast<std::ptrdiff_t>(at.ports));
  // Reverts later changes.
  for (std::size_t i = at.count; i-- > 0;) {
    const Change& change = at.changes[i];
    const bool seen = node.value == moment.order
                          ? i < moment.own
                          : change.at < moment.at || (change.at == moment.at && node.value < moment.order);
    if (seen) return;
    if (change.row == row) counts[change.egress] -= static_cast<std::uint32_t>(change.by);
  }
}

void PauseRoots::find_roots(NodeId node, PortId port, Priority priority, const Moment& moment,
                            std::vector<Hop>& roots) {
  roots.clear();
  followed_.clear();
  follow_pause(fabric_.channels()[fabric_.channel(node, port)], priority, moment, roots, 0);
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
}

void PauseRoots::follow_pause(const ChannelSpec& paused, Priority priority, const Moment& moment,
                              std::vector<Hop>& roots, std::size_t depth) {
  const Switch* from = fabric_.switch_at(paused.from);
  if (from != nullptr && fabric_.switch_at(paused.to) == nullptr) {
    // A host that drains slowly: all that takes this port meets it.
    roots.push_back({from->id(), paused.from_port});
    return;
  }
  follow(paused.to, paused.to_port, priority, moment, roots, depth);
}

void PauseRoots::follow(NodeId node, PortId ingress, Priority priority, const Moment& moment, std::vector<Hop>& roots,
                        std::size_t depth) {
  const Switch* paused_by = fabric_.switch_at(node);
  if (paused_by == nullptr || depth > kMaximumHops) return;  // a host, or a cycle of pauses
  if (rows_.watches(paused_by->id())) return follow_kept(node, {ingress, false, priority}, moment, roots, depth);
  std::vector<std::uint32_t>& counts = counts_[depth];
  look_at_row(paused_by->id(), row_of(ingress, priority), moment, counts);
  for (std::size_t egress = 0; egress < counts.size(); ++egress) {
    if (counts[egress] == 0) continue;
    const std::uint32_t channel = fabric_.channel(node, PortId(egress));
    if (pauses_[channel * kPriorities + priority].in_force) {
      follow_pause(fabric_.channels()[channel], priority, moment, roots, depth + 1);
    } else {
      roots.push_back({paused_by->id(), PortId(egress)});
    }
  }
}

// ---- blocked packets ----

void PauseRoots::collect(NodeId from, PortId port, Priority priority, Time now, std::vector<Held>& held) const {
  if (const Switch* node = fabric_.switch_at(from); node != nullptr) {
    const FramePool& frames = node->frames();
    for (std::size_t i = 0; i < node->queues(); ++i) {
      const QueueState& queue = node->queue(QueueId(i));
      if (queue.port != port || queue.priority != priority || queue.service != Service::scheduled) continue;
      for (FrameId id = queue.head; id.exists(); id = frames[id].next) {
        const Frame& frame = frames[id];
        if (frame.kind == FrameKind::data) held.push_back({FlowKey::of(frame), frame.queue_pair, frame.arrival, port});
      }
    }
  } else if (Nic* nic = fabric_.nic_at(from); nic != nullptr) {
    nic->watch_senders([&](const SendState& sender) {
      if (sender.priority == priority) collect(*nic, sender, Time(), now, held);
    });
  }
}

void PauseRoots::collect(Nic& nic, const SendState& sender, Time since, Time now, std::vector<Held>& held) const {
  // Retransmissions need no window: they are in flight already.
  if (!sender.resend && (sender.next == sender.end || !sender.has_window())) return;
  const Time ready = std::max(sender.ready_at, sender.next_send);
  if (ready > now) return;  // blocked by its rate, not by the pause
  held.push_back(
      {{nic.host(), sender.remote, sender.entropy}, sender.remote_number, std::max(since, ready), PortId::none()});
}

template <class Evaluate>
PauseRoots::Verdict PauseRoots::verdict_on(const Held& held, Evaluate evaluate) {
  const std::uint64_t key = mix(held.key.destination.value, held.receiver.value);
  Verdict& verdict = verdicts_[key % verdicts_.size()];
  if (verdict.segment != segment_ || verdict.key != key) {
    verdict = {key, segment_, class_of_(held.key.source, held.key.destination, held.receiver), evaluate()};
  }
  return verdict;
}

void PauseRoots::close_segment(NodeId node, PortId port, Pause& pause, std::span<const Held> held, Time now) {
  account_all(node, port, pause.roots, pause.since, pause.fresh, held, now);
  pause.since = now;
  pause.fresh = false;
}

void PauseRoots::account_all(NodeId node, PortId port, const std::vector<Hop>& roots, Time since, bool fresh,
                             std::span<const Held> held, Time now) {
  ++segment_;
  const Switch* at = fabric_.switch_at(node);
  std::array<Hop, kMaximumHops> path;
  for (const Held& packet : held) {
    const Verdict verdict = verdict_on(packet, [&] {
      if (roots.empty()) return false;
      const PortId egress = packet.egress.exists() ? packet.egress : port;
      if (at != nullptr && std::binary_search(roots.begin(), roots.end(), Hop{at->id(), egress})) return false;
      const std::size_t hops = at != nullptr ? fabric_.paths().beyond(at->id(), egress, packet.key, path)
                                             : fabric_.paths().from_host(packet.key.source, packet.key, path);
      const auto is_root = [&](const Hop& hop) { return std::binary_search(roots.begin(), roots.end(), hop); };
      if (std::any_of(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(hops), is_root)) return false;
      // Wherever packets are sprayed, the last hop follows from the destination.
      return fabric_.paths().from_host(packet.key.destination, packet.key, std::span(path).first(1)) == 0 ||
             !is_root(path.front());
    });
    account(verdict.flow_class, now - std::max(since, packet.since), verdict.innocent, fresh || packet.since > since);
  }
}

void PauseRoots::account(FlowClass flow_class, Duration held, bool innocent, bool first) {
  PauseHold& hold = hold_[static_cast<std::size_t>(flow_class)];
  hold.held += held;
  if (innocent) hold.innocent += held;
  if (first) ++hold.packets;
}

}  // namespace weir
