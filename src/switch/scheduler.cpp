// SPDX-License-Identifier: Apache-2.0
#include "switch/scheduler.h"

namespace weir {

QueueId Scheduler::add_queue(const QueueState& queue) {
  const QueueId id(all_queues_.size());
  all_queues_.push_back(queue);
  ports_ = all_ports_.data();
  queues_ = all_queues_.data();
  egress_ = all_egress_.data();
  beside_.push_back({});
  ends_.resize(all_egress_.size());
  queues_[id.index()].blocked = must_block(queue);
  if (queue.port.exists()) {
    join_port(id);
  } else {
    wide_bytes_.resize(all_ports_.size());
  }
  return id;
}

void Scheduler::join_port(QueueId id) {
  const QueueState& queue = queues_[id.index()];
  Beside& beside = beside_[id.index()];
  if (queue.service == Service::at_rate) {
    beside.stage = 0;
    while (beside.stage < stages_.size() &&
           (stages_[beside.stage].port != queue.port || stages_[beside.stage].number != queue.stage)) {
      ++beside.stage;
    }
    if (beside.stage == stages_.size()) {
      stages_.push_back({.port = queue.port, .number = queue.stage, .ring = {}, .timer = kNoTimer, .free_at = {}});
    }
  }
  Ends& ends = ends_[queue.port.index() * kPriorities + queue.priority];
  (ends.first.exists() ? beside_[ends.last.index()].next : ends.first) = id;
  ends.last = id;
}

void Scheduler::bind(QueueId id) {
  QueueState& queue = queues_[id.index()];
  queue.blocked = must_block(queue);
  join_port(id);
}

void Scheduler::unbind(QueueId id) {
  const QueueState& queue = queues_[id.index()];
  Ends& ends = ends_[queue.port.index() * kPriorities + queue.priority];
  QueueId before;
  for (QueueId at = ends.first; at != id; at = beside_[at.index()].next) before = at;
  (before.exists() ? beside_[before.index()].next : ends.first) = beside_[id.index()].next;
  if (ends.last == id) ends.last = before;
  beside_[id.index()].next = QueueId::none();
}

FrameId Scheduler::pop_tail(QueueId id, QueueState& queue) {
  const FrameId tail = queue.tail;
  if (queue.head == tail) return pop(id, queue);
  FrameId before = queue.head;
  while (frames_[before].next != tail) before = frames_[before].next;
  frames_[before].next = FrameId::none();
  queue.tail = before;
  --queue.frames;
  const Frame& item = frames_[tail];
  queue.bytes -= item.charged_bytes;
  if (queue.port.exists()) {
    ports_[queue.port.index()].queued_bytes -= item.charged_bytes;
    egress_[queue.port.index() * kPriorities + queue.priority].bytes -= item.charged_bytes;
  } else {
    wide_bytes_[item.egress.index()] -= item.charged_bytes;
  }
  return tail;
}

bool Scheduler::set_priority_gate(PortId port, Priority priority, GateOwner owner, bool open) {
  EgressState& egress = egress_[port.index() * kPriorities + priority];
  const std::uint8_t before = egress.closed_by;
  egress.closed_by = with(before, owner, open);
  if ((before == 0) == (egress.closed_by == 0)) return false;
  bool any = false;
  QueueId id = ends_[port.index() * kPriorities + priority].first;
  for (; id.exists(); id = beside_[id.index()].next) {
    QueueState& queue = queues_[id.index()];
    queue.blocked = must_block(queue);
    any |= refresh(id, queue);
  }
  return any;
}

template <class Cost>
QueueId Scheduler::pick_by_deficit(QueueId& ring, Cost cost) {
  for (;;) {  // a quantum is at least one frame of maximum size, so this ends within one round
    const QueueId id = ring;
    QueueState& queue = queues_[id.index()];
    const std::int64_t bytes = cost(queue);
    if (queue.deficit >= bytes) {
      queue.deficit -= bytes;
      return id;
    }
    queue.deficit += queue.quantum;
    ring = queue.next_active;
  }
}

QueueId Scheduler::pick_among(QueueId& ring, Discipline discipline) {
  switch (discipline) {
    case Discipline::round_robin: {
      const QueueId queue = ring;
      ring = queues_[queue.index()].next_active;
      return queue;
    }
    case Discipline::rank: {
      QueueId best = ring;
      for (QueueId at = queues_[best.index()].next_active; at != ring; at = queues_[at.index()].next_active) {
        const std::uint64_t rank = queues_[at.index()].rank;
        const std::uint64_t least = queues_[best.index()].rank;
        if (rank < least || (rank == least && at < best)) best = at;
      }
      return best;
    }
    case Discipline::weighted_round_robin:
      return pick_by_deficit(ring, [this](const QueueState&) { return maximum_frame_; });
    case Discipline::deficit_round_robin:
      break;
  }
  return pick_by_deficit(ring,
                         [this](const QueueState& queue) { return std::int64_t{frames_[queue.head].frame_bytes}; });
}

}  // namespace weir
