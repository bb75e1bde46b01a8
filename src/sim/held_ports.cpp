// SPDX-License-Identifier: Apache-2.0
#include "sim/held_ports.h"

#include <algorithm>

namespace weir {

HeldPorts::HeldPorts(const Fabric& fabric, const FlowControls& controls)
    : fabric_(fabric), controls_(controls), ports_(fabric.channels().size()), held_(fabric.switches()) {
  const Topology& topology = fabric.topology();
  for (std::size_t i = 0; i < fabric.switches(); ++i) {
    const NodeId node = topology.node_of(SwitchId(i));
    const Switch& at = *fabric.switch_at(node);
    plain_.push_back(at.classifier() == nullptr && at.queues() == at.ports() * kPriorities);
    first_channel_.push_back(fabric.channel(node, PortId(0)));
  }
  for (std::size_t i = 0; i < fabric.hosts(); ++i) {
    channel_of_host_.push_back(fabric.channel(topology.node_of(HostId(i)), PortId(0)));
  }
}

HeldPorts::Note& HeldPorts::note_of(const SwitchContext& at, const Frame& frame) {
  const std::size_t number = at.frames().id_of(frame).index();
  if (number >= notes_.size()) notes_.resize(std::max(number + 1, 2 * notes_.size()));
  return notes_[number];
}

void HeldPorts::turn(Port& port, Time now) {
  port.stands_still = !port.stands_still;
  if (port.stands_still) {
    port.since = now;
  } else {
    port.total += now - port.since;
  }
}

void HeldPorts::follow_host(HostId host, bool stands_still, Time now) {
  Port& port = ports_[channel_of_host_[host.index()]];
  if (port.stands_still == stands_still) return;
  turn(port, now);
  hosts_standing_still_ += stands_still ? 1 : std::size_t(-1);
}

Duration HeldPorts::total(std::uint32_t channel, Time now) const {
  const Port& port = ports_[channel];
  return port.stands_still ? port.total + (now - port.since) : port.total;
}

void HeldPorts::admit(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  note = {fabric_.channel(fabric_.topology().node_of(at.id()), frame.egress), true, false};
  Port& port = ports_[note.channel];
  ++port.waiting;
  follow(port, at.now());
}

void HeldPorts::leave(const SwitchContext& at, const Frame& frame) {
  Note& note = note_of(at, frame);
  if (!note.waiting) return;
  Port& port = ports_[note.channel];
  --port.waiting;
  if (note.held) --port.held;
  note = {};
  follow(port, at.now());
}

void HeldPorts::hold(Note& note, bool held, Time now) {
  if (!note.waiting || note.held == held) return;
  note.held = held;
  Port& port = ports_[note.channel];
  if (held) {
    ++port.held;
  } else {
    --port.held;
  }
  follow(port, now);
}

bool HeldPorts::holds(const SwitchContext& at, QueueId id) {
  const QueueState& queue = at.queue(id);
  if (queue.service == Service::scheduled && !at.priority_gate_open(queue.port, queue.priority)) return true;
  if (queue.closed_by != 0) return true;
  if (queue.service != Service::released) return false;
  controls_.held_by(fabric_.topology().node_of(at.id()), at, id, asked_);
  return is_held(queue, asked_);
}

void HeldPorts::enter(const SwitchContext& at, QueueId queue, const Frame& frame) {
  if (!note_of(at, frame).waiting) admit(at, frame);  // it was made in this switch
  look(at, queue);
  std::vector<bool>& held = held_[at.id().index()];
  hold(note_of(at, frame), held[queue.index()], at.now());
}

/// Updates whether a queue is blocked, and with it all its frames.
void HeldPorts::look(const SwitchContext& at, QueueId id) {
  if (is_plain(at)) return look(at, at.queue(id).port);
  std::vector<bool>& held = held_[at.id().index()];
  if (held.size() < at.queues()) held.resize(at.queues());
  const bool now_held = holds(at, id);
  if (held[id.index()] == now_held) return;
  held[id.index()] = now_held;
  for (FrameId frame = at.queue(id).head; frame.exists(); frame = at.frames()[frame].next) {
    if (frame.index() < notes_.size()) hold(notes_[frame.index()], now_held, at.now());
  }
}

void HeldPorts::on_priority_gate(const SwitchContext& at, PortId port, Priority priority) {
  if (is_plain(at)) return look(at, port);
  for (std::size_t i = 0; i < at.queues(); ++i) {
    const QueueState& queue = at.queue(QueueId(i));
    if (queue.port == port && queue.priority == priority) look(at, QueueId(i));
  }
}

}  // namespace weir
