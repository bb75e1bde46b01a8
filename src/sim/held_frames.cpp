#include "sim/held_frames.h"

#include <algorithm>
#include <optional>

namespace weir {

HeldFrames::HeldFrames(const Fabric& fabric)
    : fabric_(fabric),
      gate_at_(fabric.channels().size() * kPriorities, kNone),
      latest_portion_(fabric.channels().size() * kPriorities, kNone) {}

void HeldFrames::find() {
  holds_.clear();
  portions_.clear();
  find_gates();
  find_pauses();
  leave_out_ends();
  if (holds_.empty()) return;
  number();
  std::vector<NodeId> pausing;
  for (const Hold& hold : holds_) pausing.push_back(fabric_.channels()[hold.channel].to);
  std::sort(pausing.begin(), pausing.end());
  pausing.erase(std::unique(pausing.begin(), pausing.end()), pausing.end());
  for (const NodeId node : pausing) find_portions(node);
  for (std::uint32_t i = 0; i < portions_.size(); ++i) {
    const Portion& portion = portions_[i];
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
      gate.channel = channel;
      gate.priority = priority;
      holds_.push_back(std::move(gate));
    }
  }
}

void HeldFrames::find_pauses() {
  std::vector<std::uint64_t> names;
  for (std::size_t i = 0; i < fabric_.switches(); ++i) {
    const NodeId node = fabric_.topology().node_of(SwitchId(i));
    const Switch& at = *fabric_.switch_at(node);
    const Classifier* control = at.classifier();
    if (control == nullptr) continue;
    for (std::size_t number = 0; number < at.queues(); ++number) {
      const QueueState& queue = at.queue(QueueId(number));
      if (queue.closed_by == 0 || queue.empty() || !queue.port.exists()) continue;
      if (at.port(queue.port).peer.is_host()) continue;
      names.clear();
      control->pauses_of(at, QueueId(number), names);
      for (const std::uint64_t name : names) {
        Hold pause;
        pause.channel = fabric_.channel(node, queue.port);
        pause.queue = QueueId(number);
        pause.name = name;
        pause.first = queue.head;
        pause.arrival = at.frames()[queue.head].arrival;
        holds_.push_back(std::move(pause));
      }
    }
  }
}

/// What cannot be part of a circle: at the switch behind it nothing is closed, or only what cannot.
void HeldFrames::leave_out_ends() {
  std::vector<std::uint32_t> leaving(fabric_.nodes());
  for (const Hold& hold : holds_) ++leaving[fabric_.channels()[hold.channel].from.index()];
  for (bool changed = true; changed;) {
    changed = false;
    std::erase_if(holds_, [&](const Hold& hold) {
      const ChannelSpec& channel = fabric_.channels()[hold.channel];
      if (leaving[channel.to.index()] > 0) return false;
      --leaving[channel.from.index()];
      return changed = true;
    });
  }
}

void HeldFrames::number() {
  std::fill(gate_at_.begin(), gate_at_.end(), kNone);
  std::fill(latest_portion_.begin(), latest_portion_.end(), kNone);
  queue_at_.clear();
  pause_at_.clear();
  for (std::uint32_t i = 0; i < holds_.size(); ++i) {
    const Hold& hold = holds_[i];
    const ChannelSpec& channel = fabric_.channels()[hold.channel];
    if (hold.is_gate()) {
      gate_at_[slot(hold.channel, hold.priority)] = i;
    } else {
      queue_at_.try_emplace({channel.from, hold.queue}, i);
      pause_at_[{channel.to, channel.to_port, hold.name}] = i;
    }
  }
}

void HeldFrames::find_portions(NodeId node) {
  const Switch& at = *fabric_.switch_at(node);
  const std::size_t of_node = portions_.size();
  const Classifier* control = pause_at_.empty() ? nullptr : at.classifier();
  for (std::size_t number = 0; number < at.queues(); ++number) {
    const QueueState& queue = at.queue(QueueId(number));
    const auto closed = queue_at_.find({node, QueueId(number)});
    const std::uint32_t pauses = closed == queue_at_.end() ? kNone : closed->second;
    const std::size_t first = pauses == kNone ? of_node : portions_.size();
    for (FrameId id = queue.head; id.exists(); id = at.frames()[id].next) {
      const Frame& frame = at.frames()[id];
      if (!frame.ingress.exists()) continue;  // an order mark, or a frame of the switch's own
      const std::uint32_t gate = gate_at_[slot(fabric_.channel(node, frame.egress), queue.priority)];
      std::uint32_t portion = kNone;
      if (gate != kNone || pauses != kNone) portion = portion_of({node, gate, pauses, 0, id, 0}, frame, first);
      const std::optional<HopPause> keeps = control == nullptr ? std::nullopt : control->keeps_paused(frame);
      if (!keeps) continue;
      const auto waiting = pause_at_.find({node, keeps->ingress, keeps->name});
      if (waiting == pause_at_.end()) continue;
      Hold& pause = holds_[waiting->second];
      if (portion == kNone) {
        pause.drains = true;
      } else if (pause.waits_for.empty() || pause.waits_for.back() != portion) {
        pause.waits_for.push_back(portion);
      }
    }
  }
}

/// The portion like `wanted` that the frame belongs to, among those from `first` on, or a new one.
std::uint32_t HeldFrames::portion_of(Portion wanted, const Frame& frame, std::size_t first) {
  wanted.ingress = slot(fabric_.channel(wanted.node, frame.ingress), frame.ingress_priority);
  std::uint32_t& latest = latest_portion_[wanted.ingress];
  const auto is_it = [&wanted](const Portion& portion) {
    return portion.node == wanted.node && portion.gate == wanted.gate && portion.queue == wanted.queue &&
           portion.ingress == wanted.ingress;
  };
  if (latest == kNone || !is_it(portions_[latest])) {
    const auto same = std::find_if(portions_.begin() + static_cast<std::ptrdiff_t>(first), portions_.end(), is_it);
    latest = static_cast<std::uint32_t>(same - portions_.begin());
    if (same == portions_.end()) portions_.push_back(wanted);
  }
  portions_[latest].bytes += frame.charged_bytes;
  return latest;
}

}  // namespace weir
