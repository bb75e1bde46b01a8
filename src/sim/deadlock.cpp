#include "sim/deadlock.h"

#include <algorithm>

namespace weir {

DeadlockWatch::DeadlockWatch(const Fabric& fabric)
    : fabric_(fabric), number_of_gate_(fabric.channels().size() * kPriorities, kNone) {}

std::string DeadlockWatch::look(Time now) {
  std::vector<Held> set = closed_gates(now);
  find_waits(set);
  set = stuck_in(std::move(set), [](const Held&) { return true; });
  keep_since(set);
  suspected_ = set;
  if (set.empty()) return {};
  std::vector<Held> deadlocked = stuck_in(set, [this](const Held& held) { return !may_resume(held); });
  if (deadlocked.empty()) {
    deadlocked = stuck_in(set, [now](const Held& held) { return now - held.since >= kPatience; });
  }
  return deadlocked.empty() ? std::string() : cycle_in(deadlocked);
}

std::vector<DeadlockWatch::Held> DeadlockWatch::closed_gates(Time now) const {
  std::vector<Held> closed;
  for (std::uint32_t channel = 0; channel < fabric_.channels().size(); ++channel) {
    const ChannelSpec& spec = fabric_.channels()[channel];
    const Switch* from = fabric_.switch_at(spec.from);
    const Switch* to = fabric_.switch_at(spec.to);
    if (from == nullptr || to == nullptr) continue;
    for (Priority priority = 0; priority < kPriorities; ++priority) {
      if (from->priority_gate_open(spec.from_port, priority) || !to->ingress(spec.to_port, priority).paused) continue;
      Held held;
      held.channel = channel;
      held.priority = priority;
      held.since = now;
      closed.push_back(std::move(held));
    }
  }
  return closed;
}

void DeadlockWatch::number(const std::vector<Held>& set) {
  std::fill(number_of_gate_.begin(), number_of_gate_.end(), kNone);
  for (std::size_t i = 0; i < set.size(); ++i) {
    number_of_gate_[gate(set[i].channel, set[i].priority)] = static_cast<std::uint32_t>(i);
  }
}

void DeadlockWatch::find_waits(std::vector<Held>& set) {
  number(set);
  std::vector<NodeId> pausing;
  for (const Held& held : set) pausing.push_back(fabric_.channels()[held.channel].to);
  std::sort(pausing.begin(), pausing.end());
  pausing.erase(std::unique(pausing.begin(), pausing.end()), pausing.end());
  for (const NodeId node : pausing) find_waits_in(*fabric_.switch_at(node), node, set);
}

void DeadlockWatch::find_waits_in(const Switch& at, NodeId node, std::vector<Held>& set) {
  for (std::size_t i = 0; i < at.queues(); ++i) {
    const QueueState& queue = at.queue(QueueId(i));
    for (FrameId id = queue.head; id.exists(); id = at.frames()[id].next) {
      const Frame& frame = at.frames()[id];
      if (frame.kind == FrameKind::mark || !frame.ingress.exists()) continue;
      const std::uint32_t channel = fabric_.channels()[fabric_.channel(node, frame.ingress)].reverse;
      const std::uint32_t number = number_of_gate_[gate(channel, frame.ingress_priority)];
      if (number == kNone) continue;
      Held& held = set[number];
      if (held.waits_for.empty()) {
        held.first = id;
        held.arrival = frame.arrival;
      }
      const std::uint32_t before = gate(fabric_.channel(node, frame.egress), queue.priority);
      if (std::find(held.waits_for.begin(), held.waits_for.end(), before) == held.waits_for.end()) {
        held.waits_for.push_back(before);
      }
    }
  }
}

void DeadlockWatch::keep_since(std::vector<Held>& set) const {
  for (Held& held : set) {
    const auto same = std::find_if(suspected_.begin(), suspected_.end(), [&held](const Held& other) {
      return other.channel == held.channel && other.priority == held.priority && other.first == held.first &&
             other.arrival == held.arrival;
    });
    if (same != suspected_.end()) held.since = same->since;
  }
}

template <class Stays>
std::vector<DeadlockWatch::Held> DeadlockWatch::stuck_in(std::vector<Held> set, Stays stays) {
  for (;;) {
    number(set);
    std::vector<Held> rest;
    std::copy_if(set.begin(), set.end(), std::back_inserter(rest), [&](const Held& held) {
      const bool drains = std::any_of(held.waits_for.begin(), held.waits_for.end(),
                                      [&](std::uint32_t other) { return number_of_gate_[other] == kNone; });
      return !drains && !held.waits_for.empty() && stays(held);
    });
    if (rest.size() == set.size()) return rest;
    set = std::move(rest);
  }
}

bool DeadlockWatch::may_resume(const Held& held) const {
  const ChannelSpec& channel = fabric_.channels()[held.channel];
  if (fabric_.channels()[channel.reverse].error_rate > 0) return true;
  const Switch& at = *fabric_.switch_at(channel.to);
  const IngressState& ingress = at.ingress(channel.to_port, held.priority);
  if (ingress.headroom > 0) return false;
  const bool fixed = ingress.xoff_base > 0 && ingress.xoff_share == 0;
  return !fixed || ingress.shared <= at.xon(channel.to_port, held.priority);
}

std::string DeadlockWatch::cycle_in(const std::vector<Held>& set) {
  number(set);
  // Every gate of the set waits for another of it, so any way through them comes to a cycle.
  std::vector<const Held*> way;
  const Held* at = &set.front();
  while (std::find(way.begin(), way.end(), at) == way.end()) {
    way.push_back(at);
    at = &set[number_of_gate_[at->waits_for.front()]];
  }
  way.erase(way.begin(), std::find(way.begin(), way.end(), at));
  const Topology& topology = fabric_.topology();
  std::string text = "deadlock: " + std::to_string(set.size()) + " ports are held for good; ";
  for (const Held* held : way) {
    const ChannelSpec& channel = fabric_.channels()[held->channel];
    text += topology.node(channel.from).name + " -> " + topology.node(channel.to).name + " (priority " +
            std::to_string(held->priority) + ") waits for ";
  }
  const ChannelSpec& first = fabric_.channels()[way.front()->channel];
  return text + topology.node(first.from).name + " -> " + topology.node(first.to).name;
}

}  // namespace weir
