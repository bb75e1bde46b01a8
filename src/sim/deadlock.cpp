// SPDX-License-Identifier: Apache-2.0
#include "sim/deadlock.h"

#include <algorithm>
#include <utility>

namespace weir {

namespace {

bool empty(const std::vector<bool>& set) {
  return std::find(set.begin(), set.end(), true) == set.end();
}

}  // namespace

DeadlockWatch::DeadlockWatch(const Fabric& fabric)
    : fabric_(fabric), held_(fabric), held_bytes_(fabric.channels().size() * kPriorities) {
  const FlowControls controls(fabric_);
  for (std::size_t node = 0; node < fabric_.nodes(); ++node) {
    longest_release_.emplace_back();
    for (const FlowControl* control : controls.of(NodeId(node))) {
      longest_release_.back() = std::max(longest_release_.back(), control->longest_release());
    }
  }
  for (const ChannelSpec& channel : fabric_.channels()) {
    const Switch* from = fabric_.switch_at(channel.from);
    if (from == nullptr) continue;
    const Bytes longest(from->maximum_frame() + from->framing().wire_overhead);
    longest_crossing_ = std::max(longest_crossing_, channel.delay + time_to_send(longest, channel.rate));
    longest_response_ = std::max(longest_response_, fabric_.pause_response(channel.from));
  }
}

Duration DeadlockWatch::on_its_way() const {
  return 2 * longest_crossing_ +
         std::max(longest_response_, *std::max_element(longest_release_.begin(), longest_release_.end())) +
         Duration::picoseconds(1);
}

std::optional<DeadlockCycle> DeadlockWatch::look(Time now) {
  held_.find();
  if (held_.holds().empty()) {
    suspected_.clear();
    return std::nullopt;
  }
  const Set stuck = stuck_in(Set(held_.holds().size(), true),
                             [this](std::uint32_t hold) { return !is_ended_by_watchdog(held_.holds()[hold]); });
  keep_since(stuck, now);
  if (suspected_.empty()) return std::nullopt;
  Set deadlocked = stuck_in(stuck, [this, now](std::uint32_t hold) { return !may_end(hold, now); });
  if (empty(deadlocked)) {
    deadlocked = stuck_in(stuck, [this, now](std::uint32_t hold) { return now - since_[hold] >= kPatience; });
  }
  if (empty(deadlocked)) return std::nullopt;
  return circle_in(deadlocked);
}

bool DeadlockWatch::is_ended_by_watchdog(const Hold& hold) const {
  const Switch& at = *fabric_.switch_at(hold.node);
  // The watchdog does not watch the switch's own queues.
  return at.ends_long_pauses() && (hold.is_gate() || at.queue(hold.queue).port.exists());
}

bool DeadlockWatch::lies_behind(const Portion& portion, const Set& set) const {
  return held_.behind(portion, [&set](std::uint32_t hold) { return set[hold]; });
}

/// Adds up the bytes behind the set.
void DeadlockWatch::count_held(const Set& set) {
  std::fill(held_bytes_.begin(), held_bytes_.end(), 0);
  for (const Portion& portion : held_.portions()) {
    if (lies_behind(portion, set)) held_bytes_[portion.ingress] += portion.bytes;
  }
}

void DeadlockWatch::keep_since(const Set& set, Time now) {
  std::vector<Suspect> before = std::exchange(suspected_, {});
  since_.assign(set.size(), now);
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!set[i]) continue;
    const Hold& hold = held_.holds()[i];
    const auto same =
        std::find_if(before.begin(), before.end(), [&hold](const Suspect& other) { return other.hold.same(hold); });
    if (same != before.end()) since_[i] = same->since;
    suspected_.push_back({hold, since_[i]});
  }
}

template <class Stays>
DeadlockWatch::Set DeadlockWatch::stuck_in(Set set, Stays stays) {
  for (;;) {
    count_held(set);
    Set rest(set.size());
    for (std::uint32_t i = 0; i < set.size(); ++i) {
      if (!set[i]) continue;
      const Hold& hold = held_.holds()[i];
      const ChannelSpec& channel = fabric_.channels()[hold.channel];
      bool drains = hold.drains;
      if (hold.is_gate()) {
        drains = hold.bytes < fabric_.switch_at(channel.to)->ingress(channel.to_port, hold.priority).used;
      }
      // If there is nothing to wait for, a RESUME is in flight, or a bitmap will have the effect of one.
      rest[i] = !drains && !hold.waits_for.empty() &&
                std::all_of(hold.waits_for.begin(), hold.waits_for.end(),
                            [&](std::uint32_t portion) { return lies_behind(held_.portions()[portion], set); }) &&
                stays(i);
    }
    if (rest == set) return rest;
    set = std::move(rest);
  }
}

bool DeadlockWatch::may_end(std::uint32_t number, Time now) const {
  const Hold& hold = held_.holds()[number];
  const Duration stood = now - since_[number];
  // Allow for a frame that waits for the wire, and then crosses it.
  if (!hold.is_gate()) return stood <= 2 * longest_crossing_ + longest_release_[hold.acts.index()];
  const ChannelSpec& channel = fabric_.channels()[hold.channel];
  if (fabric_.channels()[channel.reverse].error_rate > 0 || resume_may_be_under_way(hold, stood)) return true;
  const Switch& at = *fabric_.switch_at(channel.to);
  const IngressState& ingress = at.ingress(channel.to_port, hold.priority);
  if (ingress.xoff_base > 0 || ingress.xoff_share > 0) {
    const PoolState& pool = at.pool_of(hold.priority);
    // All its bytes are stuck. Once its headroom is empty, the bytes above its reserve are shared.
    const std::int64_t shared = std::max(ingress.shared, ingress.used - ingress.reserve_size);
    const std::int64_t rest = held_in_pool(at, channel.to, hold.priority) - ingress.shared;
    const auto free = static_cast<double>(std::max<std::int64_t>(0, pool.size - rest - shared));
    const std::int64_t highest = ingress.xoff_share > 0
                                     ? ingress.xoff_base + static_cast<std::int64_t>(ingress.xoff_share * free)
                                     : at.xon(channel.to_port, hold.priority);
    // The distance of xon below xoff is constant.
    const std::int64_t below =
        ingress.xoff_share > 0 ? at.xoff(channel.to_port, hold.priority) - at.xon(channel.to_port, hold.priority) : 0;
    if (shared > highest - below) return false;
  }
  return ingress.headroom == 0 || may_be_under_way(hold, stood);
}

/// Whether a frame may be in flight towards the ingress. Such a frame may be charged to the pool on arrival and, when
/// it is forwarded, release headroom.
bool DeadlockWatch::may_be_under_way(const Hold& gate, Duration stood) const {
  const ChannelSpec& channel = fabric_.channels()[gate.channel];
  const Switch& from = *fabric_.switch_at(channel.from);
  const Switch& to = *fabric_.switch_at(channel.to);
  if (from.port(channel.from_port).frames_sent == to.port(channel.to_port).frames_received) return false;
  const Bytes longest(from.maximum_frame() + from.framing().wire_overhead);
  return stood <= channel.delay + time_to_send(longest, channel.rate);
}

/// Whether the ingress may have sent a RESUME followed by a PAUSE, and the gate has received neither yet.
bool DeadlockWatch::resume_may_be_under_way(const Hold& gate, Duration stood) const {
  const ChannelSpec& back = fabric_.channels()[fabric_.channels()[gate.channel].reverse];
  const PortState& told_by = fabric_.switch_at(back.from)->port(back.from_port);
  const PortState& heard_by = fabric_.switch_at(back.to)->port(back.to_port);
  const Duration response = fabric_.pause_response(back.to);
  if (!told_by.control_head.exists() && told_by.frames_sent <= heard_by.frames_received && response == Duration()) {
    return false;
  }
  return stood <= 2 * longest_crossing_ + response;
}

/// Bytes of the pool of `priority` that are never released while the present set is stuck.
std::int64_t DeadlockWatch::held_in_pool(const Switch& at, NodeId node, Priority priority) const {
  const BufferState& buffer = at.buffer();
  std::int64_t held = 0;
  for (std::size_t port = 0; port < at.ports(); ++port) {
    for (Priority other = 0; other < kPriorities; ++other) {
      if (buffer.pool_of_priority[other] != buffer.pool_of_priority[priority]) continue;
      const IngressState& ingress = at.ingress(PortId(port), other);
      // Departing frames release headroom first, then the pool, then the reserve.
      const std::uint32_t slot = HeldFrames::slot(fabric_.channel(node, PortId(port)), other);
      held += std::clamp<std::int64_t>(held_bytes_[slot] - ingress.reserve_size, 0, ingress.shared);
    }
  }
  return held;
}

std::string DeadlockWatch::name_of(const Hold& hold) const {
  if (hold.is_gate()) return "priority " + std::to_string(hold.priority);
  if (hold.behind.exists()) return "a queue that waits for another";
  return hold.control->pause_text(hold.name);
}

DeadlockCycle DeadlockWatch::circle_in(const Set& set) const {
  const std::vector<Hold>& holds = held_.holds();
  std::size_t ports = 0;
  std::size_t queues = 0;
  const Hold* last = nullptr;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!set[i]) continue;
    if (holds[i].is_gate()) {
      ++ports;
    } else if (last == nullptr || last->node != holds[i].node || last->queue != holds[i].queue) {
      ++queues;
      last = &holds[i];
    }
  }
  // Each element of the set waits for another one, so any path through it reaches a cycle.
  std::vector<std::uint32_t> way;
  auto at = static_cast<std::uint32_t>(std::find(set.begin(), set.end(), true) - set.begin());
  while (std::find(way.begin(), way.end(), at) == way.end()) {
    way.push_back(at);
    held_.behind(held_.portions()[holds[at].waits_for.front()], [&](std::uint32_t next) {
      if (set[next]) at = next;
      return static_cast<bool>(set[next]);
    });
  }
  way.erase(way.begin(), std::find(way.begin(), way.end(), at));
  std::string what;
  if (ports > 0) what += std::to_string(ports) + " ports";
  if (ports > 0 && queues > 0) what += " and ";
  if (queues > 0) what += std::to_string(queues) + " queues";
  std::vector<FoundPort> waiting;
  for (const std::uint32_t hold : way) waiting.push_back({holds[hold].channel, name_of(holds[hold])});
  return deadlock_cycle(fabric_, what, std::move(waiting));
}

}  // namespace weir
