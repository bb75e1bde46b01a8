#include "sim/hop_deadlock.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace weir {

HopDeadlockWatch::HopDeadlockWatch(const Fabric& fabric) : fabric_(fabric) {
  for (const ChannelSpec& channel : fabric_.channels()) {
    const Switch* from = fabric_.switch_at(channel.from);
    if (from == nullptr) continue;
    const Bytes longest(from->maximum_frame() + from->framing().wire_overhead);
    longest_crossing_ = std::max(longest_crossing_, channel.delay + time_to_send(longest, channel.rate));
  }
}

std::optional<DeadlockCycle> HopDeadlockWatch::look(Time now) {
  std::vector<Held> set = without_ends(closed_queues(now));
  find_waits(set);
  set = stuck_in(std::move(set));
  for (Held& held : set) {
    const auto same = std::find(suspected_.begin(), suspected_.end(), held);
    if (same != suspected_.end()) held.since = same->since;
  }
  suspected_ = set;
  // A frame waits for the wire, and then crosses it.
  std::erase_if(set, [&](const Held& held) { return now - held.since <= 2 * longest_crossing_; });
  if (set.size() < suspected_.size()) {
    // What was not there long may let the others go.
    find_waits(set);
    set = stuck_in(std::move(set));
  }
  if (set.empty()) return std::nullopt;
  return cycle_in(set);
}

const PortEnd& HopDeadlockWatch::end_of(const Held& held) const {
  return fabric_.topology().port(held.node, fabric_.switch_at(held.node)->queue(held.queue).port);
}

std::vector<HopDeadlockWatch::Held> HopDeadlockWatch::closed_queues(Time now) const {
  std::vector<Held> closed;
  for (std::size_t i = 0; i < fabric_.switches(); ++i) {
    const NodeId node = fabric_.topology().node_of(SwitchId(i));
    const Switch& at = *fabric_.switch_at(node);
    const FlowControl* control = at.classifier();
    if (control == nullptr) continue;
    for (std::size_t number = 0; number < at.queues(); ++number) {
      const QueueState& queue = at.queue(QueueId(number));
      if (queue.closed_by == 0 || queue.empty() || !queue.port.exists()) continue;
      if (at.port(queue.port).peer.is_host()) continue;
      const auto name = control->pause_name(at, QueueId(number));
      if (!name) continue;
      closed.push_back({node, QueueId(number), *name, queue.head, at.frames()[queue.head].arrival, now, false, {}});
    }
  }
  return closed;
}

/// Without those that cannot be part of a cycle: at the switch behind them no queue is closed, or only such.
std::vector<HopDeadlockWatch::Held> HopDeadlockWatch::without_ends(std::vector<Held> closed) const {
  std::vector<std::uint32_t> leaving(fabric_.nodes());
  for (const Held& held : closed) ++leaving[held.node.index()];
  for (bool changed = true; changed;) {
    changed = false;
    std::erase_if(closed, [&](const Held& held) {
      if (leaving[end_of(held).peer.index()] > 0) return false;
      --leaving[held.node.index()];
      return changed = true;
    });
  }
  return closed;
}

void HopDeadlockWatch::find_waits(std::vector<Held>& set) const {
  // What is paused, as the switch that pauses it knows it; and the queues of the set.
  std::map<std::tuple<NodeId, PortId, std::uint64_t>, std::uint32_t> paused;
  std::map<std::pair<NodeId, QueueId>, std::uint32_t> number;
  std::vector<NodeId> pausing;
  for (std::uint32_t i = 0; i < set.size(); ++i) {
    set[i].drains = false;
    set[i].waits_for.clear();
    const PortEnd& end = end_of(set[i]);
    paused[{end.peer, end.peer_port, set[i].name}] = i;
    number[{set[i].node, set[i].queue}] = i;
    pausing.push_back(end.peer);
  }
  std::sort(pausing.begin(), pausing.end());
  pausing.erase(std::unique(pausing.begin(), pausing.end()), pausing.end());
  for (const NodeId node : pausing) {
    const Switch& at = *fabric_.switch_at(node);
    if (at.classifier() == nullptr) continue;
    for (std::size_t queue = 0; queue < at.queues(); ++queue) {
      const auto waited = number.find({node, QueueId(queue)});
      for (FrameId id = at.queue(QueueId(queue)).head; id.exists(); id = at.frames()[id].next) {
        const Frame& frame = at.frames()[id];
        if (frame.kind == FrameKind::mark || !frame.ingress.exists()) continue;
        const auto name = at.classifier()->keeps_paused(frame);
        if (!name) continue;
        const auto waiting = paused.find({node, frame.ingress, *name});
        if (waiting == paused.end()) continue;
        Held& held = set[waiting->second];
        if (waited == number.end()) {
          held.drains = true;
        } else if (held.waits_for.empty() || held.waits_for.back() != waited->second) {
          held.waits_for.push_back(waited->second);
        }
      }
    }
  }
}

std::vector<HopDeadlockWatch::Held> HopDeadlockWatch::stuck_in(std::vector<Held> set) {
  std::vector<bool> moves(set.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const Held& held = set[i];
      if (moves[i]) continue;
      // Nothing keeps it paused: a RESUME is under way, or a bitmap will say so.
      moves[i] = held.drains || held.waits_for.empty() ||
                 std::any_of(held.waits_for.begin(), held.waits_for.end(), [&](std::uint32_t o) { return moves[o]; });
      changed |= moves[i];
    }
  }
  // The others keep their numbers among themselves.
  std::vector<std::uint32_t> number(set.size());
  std::vector<Held> stuck;
  for (std::size_t i = 0; i < set.size(); ++i) {
    number[i] = static_cast<std::uint32_t>(stuck.size());
    if (!moves[i]) stuck.push_back(std::move(set[i]));
  }
  for (Held& held : stuck) {
    for (std::uint32_t& other : held.waits_for) other = number[other];
  }
  return stuck;
}

DeadlockCycle HopDeadlockWatch::cycle_in(const std::vector<Held>& set) const {
  // Every queue of the set waits for another of it, so any way through them comes to a cycle.
  std::vector<const Held*> way;
  const Held* at = &set.front();
  while (std::find(way.begin(), way.end(), at) == way.end()) {
    way.push_back(at);
    at = &set[at->waits_for.front()];
  }
  way.erase(way.begin(), std::find(way.begin(), way.end(), at));
  std::vector<WaitingPort> ports;
  for (const Held* held : way) {
    const PortId port = fabric_.switch_at(held->node)->queue(held->queue).port;
    ports.push_back({fabric_.channel(held->node, port), "queue " + std::to_string(held->name)});
  }
  return deadlock_cycle(fabric_, std::to_string(set.size()) + " queues", std::move(ports));
}

}  // namespace weir
