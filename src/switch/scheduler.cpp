#include "switch/scheduler.h"

namespace weir {

QueueId Scheduler::add_queue(const QueueState& queue) {
  const QueueId id(all_queues_.size());
  all_queues_.push_back(queue);
  all_queues_.back().level = level_of_priority_[queue.priority];
  ports_ = all_ports_.data();
  queues_ = all_queues_.data();
  egress_ = all_egress_.data();
  all_queues_.back().barred = bars(queue);
  std::uint32_t stage = 0;
  if (queue.service == Service::at_rate) {
    while (stage < stages_.size() && (stages_[stage].port != queue.port || stages_[stage].number != queue.stage))
      ++stage;
    if (stage == stages_.size())
      stages_.push_back({.port = queue.port, .number = queue.stage, .ring = {}, .free_at = {}});
  }
  beside_.push_back({.next = {}, .stage = stage});
  ends_.resize(all_egress_.size());
  if (queue.port.exists()) {
    Ends& ends = ends_[queue.port.index() * kPriorities + queue.priority];
    (ends.first.exists() ? beside_[ends.last.index()].next : ends.first) = id;
    ends.last = id;
  }
  return id;
}

bool Scheduler::set_priority_gate(PortId port, Priority priority, GateOwner owner, bool open) {
  EgressState& egress = egress_[port.index() * kPriorities + priority];
  const std::uint8_t before = egress.closed_by;
  egress.closed_by = with(before, owner, open);
  if ((before == 0) == (egress.closed_by == 0)) return false;
  bool any = false;
  for_each_queue_of(port, priority, [&](QueueId id) {
    QueueState& queue = queues_[id.index()];
    queue.barred = bars(queue);
    any |= refresh(id, queue);
  });
  return any;
}

QueueId Scheduler::pick_among(LevelState& ring, Discipline discipline) {
  switch (discipline) {
    case Discipline::round_robin: {
      const QueueId queue = ring.ring;
      ring.ring = queues_[queue.index()].next_active;
      return queue;
    }
    case Discipline::rank: {
      QueueId best = ring.ring;
      for (QueueId at = queues_[best.index()].next_active; at != ring.ring; at = queues_[at.index()].next_active) {
        const std::uint64_t rank = queues_[at.index()].rank;
        const std::uint64_t least = queues_[best.index()].rank;
        if (rank < least || (rank == least && at < best)) best = at;
      }
      return best;
    }
    case Discipline::deficit_round_robin:
      break;
  }
  for (;;) {  // a quantum is at least a largest frame, so this ends within one round
    const QueueId id = ring.ring;
    QueueState& queue = queues_[id.index()];
    const std::int64_t bytes = frames_[queue.head].frame_bytes;
    if (queue.deficit >= bytes) {
      queue.deficit -= bytes;
      return id;
    }
    queue.deficit += queue.quantum;
    ring.ring = queue.next_active;
  }
}

}  // namespace weir
