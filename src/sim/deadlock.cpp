#include "sim/deadlock.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace weir {

DeadlockWatch::DeadlockWatch(const Fabric& fabric)
    : fabric_(fabric),
      number_of_gate_(fabric.channels().size() * kPriorities, kNone),
      latest_portion_(fabric.channels().size() * kPriorities),
      held_bytes_(fabric.channels().size() * kPriorities) {}

std::optional<DeadlockCycle> DeadlockWatch::look(Time now) {
  std::vector<Held> set = without_ends(closed_gates(now));
  find_waits(set);
  set = stuck_in(std::move(set), [](const Held&) { return true; });
  keep_since(set);
  suspected_ = set;
  if (set.empty()) return std::nullopt;
  std::vector<Held> deadlocked = stuck_in(set, [this, now](const Held& held) { return !may_resume(held, now); });
  if (deadlocked.empty()) {
    deadlocked = stuck_in(set, [now](const Held& held) { return now - held.since >= kPatience; });
  }
  if (deadlocked.empty()) return std::nullopt;
  return cycle_in(deadlocked);
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

/// Without those that cannot be part of a cycle: their frames come to a switch all of whose gates are open, or only to
/// such as cannot.
std::vector<DeadlockWatch::Held> DeadlockWatch::without_ends(std::vector<Held> closed) const {
  std::vector<std::uint32_t> leaving(fabric_.nodes());
  for (const Held& held : closed) ++leaving[fabric_.channels()[held.channel].from.index()];
  for (bool changed = true; changed;) {
    changed = false;
    std::erase_if(closed, [&](const Held& held) {
      const ChannelSpec& channel = fabric_.channels()[held.channel];
      if (leaving[channel.to.index()] > 0) return false;
      --leaving[channel.from.index()];
      return changed = true;
    });
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
  portions_.clear();
  std::vector<NodeId> pausing;
  for (const Held& held : set) pausing.push_back(fabric_.channels()[held.channel].to);
  std::sort(pausing.begin(), pausing.end());
  pausing.erase(std::unique(pausing.begin(), pausing.end()), pausing.end());
  for (const NodeId node : pausing) find_portions(*fabric_.switch_at(node), node);
  for (const Portion& portion : portions_) {
    const std::uint32_t channel = fabric_.channels()[portion.ingress / kPriorities].reverse;
    const std::uint32_t waiting = number_of_gate_[gate(channel, portion.ingress % kPriorities)];
    if (waiting == kNone) continue;
    Held& held = set[waiting];
    if (held.waits_for.empty()) {
      held.first = portion.first;
      held.arrival = fabric_.switch_at(portion.node)->frames()[portion.first].arrival;
    }
    held.bytes += portion.bytes;
    held.waits_for.push_back(portion.gate);
  }
}

void DeadlockWatch::find_portions(const Switch& at, NodeId node) {
  const std::size_t begin = portions_.size();
  for (std::size_t i = 0; i < at.queues(); ++i) {
    const QueueState& queue = at.queue(QueueId(i));
    const auto gate_before = [&](PortId egress) { return gate(fabric_.channel(node, egress), queue.priority); };
    if (queue.port.exists() && number_of_gate_[gate_before(queue.port)] == kNone) continue;
    for (FrameId id = queue.head; id.exists(); id = at.frames()[id].next) {
      const Frame& frame = at.frames()[id];
      if (frame.kind == FrameKind::mark || !frame.ingress.exists()) continue;
      const std::uint32_t before = gate_before(frame.egress);
      if (number_of_gate_[before] == kNone) continue;
      const std::uint32_t ingress = gate(fabric_.channel(node, frame.ingress), frame.ingress_priority);
      std::size_t& latest = latest_portion_[ingress];
      if (latest < begin || latest >= portions_.size() || portions_[latest].gate != before ||
          portions_[latest].ingress != ingress) {
        const auto same =
            std::find_if(portions_.begin() + static_cast<std::ptrdiff_t>(begin), portions_.end(),
                         [&](const Portion& other) { return other.gate == before && other.ingress == ingress; });
        latest = static_cast<std::size_t>(same - portions_.begin());
        if (same == portions_.end()) portions_.push_back({node, before, ingress, id, 0});
      }
      portions_[latest].bytes += frame.charged_bytes;
    }
  }
}

/// Adds up what lies behind gates of the set.
void DeadlockWatch::count_held(const std::vector<Held>& set) {
  number(set);
  std::fill(held_bytes_.begin(), held_bytes_.end(), 0);
  for (const Portion& portion : portions_) {
    if (number_of_gate_[portion.gate] != kNone) held_bytes_[portion.ingress] += portion.bytes;
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
    count_held(set);
    std::vector<Held> rest;
    std::copy_if(set.begin(), set.end(), std::back_inserter(rest), [&](const Held& held) {
      const ChannelSpec& channel = fabric_.channels()[held.channel];
      const bool drains = held.bytes < fabric_.switch_at(channel.to)->ingress(channel.to_port, held.priority).used ||
                          std::any_of(held.waits_for.begin(), held.waits_for.end(),
                                      [&](std::uint32_t other) { return number_of_gate_[other] == kNone; });
      return !drains && !held.waits_for.empty() && stays(held);
    });
    if (rest.size() == set.size()) return rest;
    set = std::move(rest);
  }
}

bool DeadlockWatch::may_resume(const Held& held, Time now) const {
  const ChannelSpec& channel = fabric_.channels()[held.channel];
  if (fabric_.channels()[channel.reverse].error_rate > 0) return true;
  const Switch& at = *fabric_.switch_at(channel.to);
  const IngressState& ingress = at.ingress(channel.to_port, held.priority);
  if (ingress.xoff_base > 0 || ingress.xoff_share > 0) {
    const PoolState& pool = at.pool_of(held.priority);
    // All that it uses is stuck. With its headroom empty, what is above its reserve is shared.
    const std::int64_t shared = std::max(ingress.shared, ingress.used - ingress.reserve_size);
    const std::int64_t rest = held_in_pool(at, channel.to, held.priority) - ingress.shared;
    const auto free = static_cast<double>(std::max<std::int64_t>(0, pool.size - rest - shared));
    const std::int64_t highest = ingress.xoff_share > 0
                                     ? ingress.xoff_base + static_cast<std::int64_t>(ingress.xoff_share * free)
                                     : at.xon(channel.to_port, held.priority);
    if (shared > highest) return false;
  }
  return ingress.headroom == 0 || may_be_under_way(held, now);
}

/// Whether a frame may be on the wire towards the ingress. Such a frame may be charged to the pool when it comes and,
/// when it goes on elsewhere, give back headroom.
bool DeadlockWatch::may_be_under_way(const Held& held, Time now) const {
  const ChannelSpec& channel = fabric_.channels()[held.channel];
  const Switch& from = *fabric_.switch_at(channel.from);
  const Switch& to = *fabric_.switch_at(channel.to);
  if (from.port(channel.from_port).frames_sent == to.port(channel.to_port).frames_received) return false;
  const Bytes longest(from.maximum_frame() + from.framing().wire_overhead);
  return now - held.since <= channel.delay + time_to_send(longest, channel.rate);
}

/// Bytes of the pool of `priority` that are never given back while the set at hand is stuck.
std::int64_t DeadlockWatch::held_in_pool(const Switch& at, NodeId node, Priority priority) const {
  const BufferState& buffer = at.buffer();
  std::int64_t held = 0;
  for (std::size_t port = 0; port < at.ports(); ++port) {
    for (Priority other = 0; other < kPriorities; ++other) {
      if (buffer.pool_of_priority[other] != buffer.pool_of_priority[priority]) continue;
      const IngressState& ingress = at.ingress(PortId(port), other);
      // What leaves gives back headroom first, then of the pool, then of the reserve.
      const std::int64_t stays = held_bytes_[gate(fabric_.channel(node, PortId(port)), other)] - ingress.reserve_size;
      held += std::clamp<std::int64_t>(stays, 0, ingress.shared);
    }
  }
  return held;
}

DeadlockCycle DeadlockWatch::cycle_in(const std::vector<Held>& set) {
  number(set);
  // Every gate of the set waits for another of it, so any way through them comes to a cycle.
  std::vector<const Held*> way;
  const Held* at = &set.front();
  while (std::find(way.begin(), way.end(), at) == way.end()) {
    way.push_back(at);
    at = &set[number_of_gate_[at->waits_for.front()]];
  }
  way.erase(way.begin(), std::find(way.begin(), way.end(), at));
  std::vector<WaitingPort> ports;
  for (const Held* held : way) ports.push_back({held->channel, "priority " + std::to_string(held->priority)});
  return deadlock_cycle(fabric_, std::to_string(set.size()) + " ports", std::move(ports));
}

}  // namespace weir
