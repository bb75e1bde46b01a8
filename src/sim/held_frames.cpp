// SPDX-License-Identifier: Apache-2.0
#include "sim/held_frames.h"

#include <algorithm>
#include <optional>

namespace weir {

HeldFrames::HeldFrames(const Fabric& fabric)
    : fabric_(fabric),
      gate_at_(fabric.channels().size() * kPriorities, kNone),
      latest_portion_(fabric.channels().size() * kPriorities, kNone),
      controls_(fabric),
      leaving_(fabric.nodes()) {}

void HeldFrames::find() {
  holds_.clear();
  portions_.clear();
  find_gates();
  find_pauses();
  leave_out_ends();
  if (holds_.empty()) return;
  number();
  std::vector<NodeId> pausing;
  for (const Hold& hold : holds_) pausing.push_back(hold.acts);
  std::sort(pausing.begin(), pausing.end());
  pausing.erase(std::unique(pausing.begin(), pausing.end()), pausing.end());
  for (const NodeId node : pausing) find_portions(node);
  for (std::uint32_t i = 0; i < portions_.size(); ++i) {
    const Portion& portion = portions_[i];
    if (portion.bytes == 0) continue;  // its frames are counted in another portion
    const std::uint32_t channel = fabric_.channels()[portion.ingress / kPriorities].reverse;
    const std::uint32_t waiting = gate_at_[slot(channel, portion.ingress % kPriorities)];
    if (waiting == kNone) continue;
    Hold& gate = holds_[waiting];
    if (gate.waits_for.empty()) {
      gate.first = portion.first;
      gate.arrival = fabric_.switch_at(portion.node)->frames()[portion.first].arrival;
    }
    gate.bytes += portion.bytes;
    gate.waits_for.push_back(i);
  }
}

void HeldFrames::find_gates() {
  for (std::uint32_t channel = 0; channel < fabric_.channels().size(); ++channel) {
    const ChannelSpec& spec = fabric_.channels()[channel];
    const Switch* from = fabric_.switch_at(spec.from);
    const Switch* to = fabric_.switch_at(spec.to);
    if (from == nullptr || to == nullptr) continue;
    for (Priority priority = 0; priority < kPriorities; ++priority) {
      if (from->priority_gate_open(spec.from_port, priority) || !to->ingress(spec.to_port, priority).paused) continue;
      Hold gate;
      gate.node = spec.from;
      gate.acts = spec.to;
      gate.channel = channel;
      gate.priority = priority;
      holds_.push_back(std::move(gate));
    }
  }
}

void HeldFrames::find_pauses() {
  for (std::size_t i = 0; i < fabric_.switches(); ++i) {
    const NodeId node = fabric_.topology().node_of(SwitchId(i));
    if (controls_.of(node).empty()) continue;
    const Switch& at = *fabric_.switch_at(node);
    const std::size_t default_queues = at.ports() * kPriorities;
    for (std::size_t number = 0; number < at.queues(); ++number) {
      // The default queues of a port are adjacent, and most ports are empty.
      if (number < default_queues && number % kPriorities == 0 &&
          at.port(PortId(number / kPriorities)).queued_bytes == 0) {
        number += kPriorities - 1;
        continue;
      }
      const QueueState& queue = at.queue(QueueId(number));
      if (queue.empty() || (queue.closed_by == 0 && queue.service != Service::released)) continue;
      if (queue.port.exists() && at.port(queue.port).peer.is_host()) continue;
      for (const FlowControl* control : controls_.of(node)) add_holds(node, at, *control, QueueId(number));
    }
  }
}

void HeldFrames::add_holds(NodeId node, const Switch& at, const FlowControl& control, QueueId queue) {
  by_.clear();
  control.held_by(at, queue, by_);
  for (const HeldBy& by : by_) {
    // Hosts never wait for anything, and timers expire.
    if (by.port.exists() ? at.port(by.port).peer.is_host() : !by.queue.exists()) continue;
    Hold hold;
    hold.node = node;
    hold.queue = queue;
    hold.control = &control;
    hold.first = at.queue(queue).head;
    const Frame& first = at.frames()[hold.first];
    hold.arrival = first.arrival;
    if (by.port.exists()) {
      hold.channel = fabric_.channel(node, by.port);
      hold.acts = fabric_.channels()[hold.channel].to;
      hold.name = by.name;
    } else {
      const PortId port = at.queue(queue).port;
      if (!port.exists() && !first.egress.exists()) continue;  // an order marker
      hold.channel = fabric_.channel(node, port.exists() ? port : first.egress);
      hold.acts = node;
      hold.behind = by.queue;
    }
    holds_.push_back(std::move(hold));
  }
}

/// Removes holds that cannot be part of a cycle: at the node that must act there is no hold, or only such holds.
void HeldFrames::leave_out_ends() {
  std::fill(leaving_.begin(), leaving_.end(), 0);
  for (const Hold& hold : holds_) ++leaving_[hold.node.index()];
  for (bool changed = true; changed;) {
    changed = false;
    std::erase_if(holds_, [&](const Hold& hold) {
      if (leaving_[hold.acts.index()] > 0) return false;
      --leaving_[hold.node.index()];
      return changed = true;
    });
  }
}

void HeldFrames::number() {
  std::fill(gate_at_.begin(), gate_at_.end(), kNone);
  std::fill(latest_portion_.begin(), latest_portion_.end(), kNone);
  queue_at_.clear();
  pause_at_.clear();
  behind_.clear();
  for (std::uint32_t i = 0; i < holds_.size(); ++i) {
    const Hold& hold = holds_[i];
    const ChannelSpec& channel = fabric_.channels()[hold.channel];
    if (hold.is_gate()) {
      gate_at_[slot(hold.channel, hold.priority)] = i;
    } else {
      queue_at_.try_emplace({hold.node, hold.queue}, i);
      if (hold.behind.exists()) {
        behind_[{hold.node, hold.behind}].push_back(i);
      } else {
        pause_at_[{channel.to, channel.to_port, hold.name}].push_back(i);
      }
    }
  }
}

void HeldFrames::find_portions(NodeId node) {
  const Switch& at = *fabric_.switch_at(node);
  const std::size_t of_node = portions_.size();
  for (std::size_t number = 0; number < at.queues(); ++number) {
    const QueueState& queue = at.queue(QueueId(number));
    const auto closed = queue_at_.find({node, QueueId(number)});
    const std::uint32_t pauses = closed == queue_at_.end() ? kNone : closed->second;
    const auto waited_for = behind_.find({node, QueueId(number)});
    const std::size_t first = pauses == kNone ? of_node : portions_.size();
    for (FrameId id = queue.head; id.exists(); id = at.frames()[id].next) {
      const Frame& frame = at.frames()[id];
      if (!frame.ingress.exists()) continue;  // an order marker, or a frame made by the switch
      const std::uint32_t gate = gate_at_[slot(fabric_.channel(node, frame.egress), queue.priority)];
      std::uint32_t portion = kNone;
      if (gate != kNone || pauses != kNone) portion = portion_of({node, gate, pauses, 0, id, 0}, frame, first, true);
      // The gate of its priority does not prevent a frame from moving within the switch.
      std::uint32_t in_queue = portion;
      if (queue.service != Service::scheduled && gate != kNone) {
        in_queue = pauses == kNone ? kNone : portion_of({node, kNone, pauses, 0, id, 0}, frame, first, false);
      }
      if (waited_for != behind_.end()) {
        for (const std::uint32_t hold : waited_for->second) wait_for(hold, in_queue);
      }
      if (pause_at_.empty()) continue;
      controls_.keeps(node, at, QueueId(number), frame, keeps_);
      for (const HopPause& keeps : keeps_) {
        const auto waiting = pause_at_.find({node, keeps.ingress, keeps.name});
        if (waiting == pause_at_.end()) continue;
        for (const std::uint32_t hold : waiting->second) wait_for(hold, keeps.in_switch ? portion : in_queue);
      }
    }
  }
}

/// A hold waits for frames of a portion; kNone: for an unblocked frame.
void HeldFrames::wait_for(std::uint32_t number, std::uint32_t portion) {
  Hold& hold = holds_[number];
  if (portion == kNone) {
    hold.drains = true;
  } else if (hold.waits_for.empty() || hold.waits_for.back() != portion) {
    hold.waits_for.push_back(portion);
  }
}

/// The portion like `wanted` to which the frame belongs, among those from `first` on, or a new one. `counts`: no other
/// portion of the same frame counts its bytes.
std::uint32_t HeldFrames::portion_of(Portion wanted, const Frame& frame, std::size_t first, bool counts) {
  wanted.ingress = slot(fabric_.channel(wanted.node, frame.ingress), frame.ingress_priority);
  std::uint32_t& latest = latest_portion_[wanted.ingress];
  const auto is_it = [&](const Portion& portion) {
    return portion.node == wanted.node && portion.gate == wanted.gate && portion.queue == wanted.queue &&
           portion.ingress == wanted.ingress;
  };
  if (latest == kNone || !is_it(portions_[latest])) {
    const auto same = std::find_if(portions_.begin() + static_cast<std::ptrdiff_t>(first), portions_.end(), is_it);
    latest = static_cast<std::uint32_t>(same - portions_.begin());
    if (same == portions_.end()) portions_.push_back(wanted);
  }
  if (counts) portions_[latest].bytes += frame.charged_bytes;
  return latest;
}

}  // namespace weir
