// SPDX-License-Identifier: Apache-2.0
// The queues of a switch: their lists of frames, their gates, and the order of service.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "policy/switch_state.h"
#include "units/hot_path.h"
#include "wire/frame_pool.h"

namespace weir {

/// Works on the state that SwitchContext holds. A queue is active while it is non-empty, all its gates are open, and it
/// does not lack tokens. Active queues are in the ring of their level (scheduled queues) or of their stage (queues with
/// Service::at_rate); the scheduler serves only queues in rings.
class Scheduler {
 public:
  static constexpr std::uint32_t kNoTimer = ~std::uint32_t{0};
  /// Queues with Service::at_rate of one port and stage, and the timer that serves them.
  struct Stage {
    PortId port;
    std::uint8_t number = 0;
    QueueId ring;                    // of its active queues, the one to be served next
    std::uint32_t timer = kNoTimer;  // set by the caller
    Time free_at;
  };

  Scheduler(FramePool& frames, std::vector<PortState>& ports, std::vector<QueueState>& queues,
            std::vector<EgressState>& egress)
      : frames_(frames), all_ports_(ports), all_queues_(queues), all_egress_(egress) {}

  /// Sets the maximum frame size in bytes.
  void set_maximum_frame(std::int64_t bytes) { maximum_frame_ = bytes; }
  /// The number of a level of priorities, or of the level behind it, as in QueueState::level.
  [[nodiscard]] static std::uint8_t level_number(std::uint8_t level, bool behind) {
    return static_cast<std::uint8_t>(2 * level + (behind ? 1 : 0));
  }
  /// For a level of priorities, and the level behind it.
  void set_discipline(std::uint8_t level, Discipline discipline) {
    discipline_of_level_[level_number(level, false)] = discipline;
    discipline_of_level_[level_number(level, true)] = discipline;
  }
  /// Adds a queue, whose level is set; its ring follows from its service.
  QueueId add_queue(const QueueState& queue);
  /// An empty queue without a port has been given a port and new settings.
  void bind(QueueId id);
  /// The queue is about to lose its port: to be called while it still has it.
  void unbind(QueueId id);
  /// The stage of a queue with Service::at_rate.
  [[nodiscard]] std::uint32_t stage_of(QueueId queue) const { return beside_[queue.index()].stage; }
  /// The number of the bucket of a shaped queue: assigned and used by the caller.
  void set_bucket(QueueId queue, std::uint32_t bucket) { beside_[queue.index()].stage = bucket; }
  [[nodiscard]] std::uint32_t bucket_of(QueueId queue) const { return beside_[queue.index()].stage; }
  [[nodiscard]] std::size_t stages() const { return stages_.size(); }
  [[nodiscard]] Stage& stage(std::uint32_t index) { return stages_[index]; }

  /// Appends a frame. True if the queue became active.
  WEIR_HOT_INLINE bool push(QueueId id, QueueState& queue, FrameId frame, Frame& item) {
    append(queue, frame, item);
    ++queue.frames;
    queue.bytes += item.charged_bytes;
    if (queue.port.exists()) {
      ports_[queue.port.index()].queued_bytes += item.charged_bytes;
      egress_[queue.port.index() * kPriorities + queue.priority].bytes += item.charged_bytes;
    } else {
      wide_bytes_[item.egress.index()] += item.charged_bytes;
    }
    if (queue.active || queue.blocked) return false;
    activate(id, queue);
    return true;
  }
  /// Appends an order marker of zero bytes; the queue must not be empty.
  void push_marker(QueueState& queue, FrameId marker) {
    append(queue, marker, frames_[marker]);
    ++queue.markers;
  }

  /// Removes the head frame or marker; the queue must not be empty.
  WEIR_HOT_INLINE FrameId pop(QueueId id, QueueState& queue) {
    const FrameId frame = queue.head;
    const Frame& item = frames_[frame];
    queue.head = item.next;
    if (queue.head.exists()) {
      frames_.prefetch(queue.head);
    } else if (queue.active) {
      deactivate(id, queue);
    }
    if (item.kind == FrameKind::marker) {
      --queue.markers;
      return frame;
    }
    --queue.frames;
    queue.bytes -= item.charged_bytes;
    if (queue.port.exists()) {
      ports_[queue.port.index()].queued_bytes -= item.charged_bytes;
      egress_[queue.port.index() * kPriorities + queue.priority].bytes -= item.charged_bytes;
    } else {
      wide_bytes_[item.egress.index()] -= item.charged_bytes;
    }
    return frame;
  }

  /// Charged bytes of frames for this egress in queues without a port.
  [[nodiscard]] std::int64_t wide_bytes(PortId egress) const {
    return wide_bytes_.empty() ? 0 : wide_bytes_[egress.index()];
  }

  /// Removes the frame at the tail; the queue must not be empty, nor its tail a marker. Takes time proportional to the
  /// number of frames.
  FrameId pop_tail(QueueId id, QueueState& queue);

  /// The scheduled queue of this port to be served next, or none(). Call pop() on it next: it has been charged for its
  /// head frame.
  WEIR_HOT_INLINE QueueId pick(PortState& state) {
    if (state.ready_levels == 0) return QueueId::none();
    const int level = std::countr_zero(state.ready_levels);
    QueueId& ring = state.levels[static_cast<std::size_t>(level)];
    if (state.active_queues == 1 || is_alone(ring)) return ring;
    return pick_among(ring, discipline_of_level_[static_cast<std::size_t>(level)]);
  }
  /// One of the scheduled queues of this port that pick() may choose, usually the one; none() for none.
  [[nodiscard]] WEIR_HOT_INLINE static QueueId peek(const PortState& state) {
    if (state.ready_levels == 0) return QueueId::none();
    return state.levels[static_cast<std::size_t>(std::countr_zero(state.ready_levels))];
  }
  /// The queue of this stage to be served next (round robin), or none().
  QueueId pick(Stage& stage) {
    const QueueId queue = stage.ring;
    if (queue.exists()) stage.ring = queues_[queue.index()].next_active;
    return queue;
  }
  /// Whether this active queue is the only one in its ring.
  [[nodiscard]] bool is_alone(QueueId queue) const { return queues_[queue.index()].next_active == queue; }

  /// Closes or opens one owner's gate of a queue. True if the queue became active.
  bool set_gate(QueueId id, GateOwner owner, bool open) {
    QueueState& queue = queues_[id.index()];
    queue.closed_by = with(queue.closed_by, owner, open);
    queue.blocked = must_block(queue);
    return refresh(id, queue);
  }
  /// Sets whether a shaped queue lacks tokens. True if the queue became active.
  bool set_lacks_tokens(QueueId id, bool lacks) {
    QueueState& queue = queues_[id.index()];
    queue.lacks_tokens = lacks;
    queue.blocked = must_block(queue);
    return refresh(id, queue);
  }
  /// The same for a priority at a port; returns whether a queue became active.
  bool set_priority_gate(PortId port, Priority priority, GateOwner owner, bool open);

  /// Calls visit(QueueId) for every queue that ends at this port and priority, in the order of their numbers; also for
  /// queues added or bound meanwhile, if their numbers are higher. Iterates over all queues.
  template <class Visit>
  void for_each_queue_of(PortId port, Priority priority, Visit visit) const {
    for (std::size_t i = 0; i < all_queues_.size(); ++i) {
      if (all_queues_[i].port == port && all_queues_[i].priority == priority) visit(QueueId(i));
    }
  }
  /// The value that QueueState::blocked must have.
  [[nodiscard]] bool must_block(const QueueState& queue) const {
    return queue.closed_by != 0 || queue.lacks_tokens || queue.service == Service::released ||
           (queue.service == Service::scheduled &&
            egress_[queue.port.index() * kPriorities + queue.priority].closed_by != 0);
  }

 private:
  static std::uint8_t with(std::uint8_t mask, GateOwner owner, bool open) {
    const unsigned bit = 1u << owner;
    return static_cast<std::uint8_t>(open ? mask & ~bit : mask | bit);
  }
  WEIR_HOT_INLINE void append(QueueState& queue, FrameId frame, Frame& item) {
    item.next = FrameId::none();
    if (queue.head.exists()) {
      frames_[queue.tail].next = frame;
    } else {
      queue.head = frame;
    }
    queue.tail = frame;
  }
  /// Adds the queue to its ring or removes it, as its state requires. True if it was added.
  bool refresh(QueueId id, QueueState& queue) {
    const bool should = !queue.empty() && !queue.blocked;
    if (should == queue.active) return false;
    if (should) {
      activate(id, queue);
    } else {
      deactivate(id, queue);
    }
    return should;
  }
  WEIR_HOT_INLINE QueueId& ring_of(QueueId id, const QueueState& queue) {
    if (queue.service == Service::at_rate) return stages_[beside_[id.index()].stage].ring;
    return ports_[queue.port.index()].levels[queue.level];
  }
  WEIR_HOT_INLINE void activate(QueueId id, QueueState& queue) {
    QueueId& ring = ring_of(id, queue);
    queue.active = true;
    queue.deficit = queue.quantum;  // served in its first turn, not one round later
    if (!ring.exists()) {
      ring = queue.next_active = queue.previous_active = id;
    } else {  // behind all other queues
      QueueState& first = queues_[ring.index()];
      queue.next_active = ring;
      queue.previous_active = first.previous_active;
      queues_[first.previous_active.index()].next_active = id;
      first.previous_active = id;
    }
    if (queue.service == Service::scheduled) {
      PortState& port = ports_[queue.port.index()];
      ++port.active_queues;
      port.ready_levels = static_cast<std::uint16_t>(port.ready_levels | (1u << queue.level));
    }
  }
  WEIR_HOT_INLINE void deactivate(QueueId id, QueueState& queue) {
    QueueId& ring = ring_of(id, queue);
    queue.active = false;
    if (queue.next_active == id) {
      ring = QueueId::none();
    } else {
      queues_[queue.previous_active.index()].next_active = queue.next_active;
      queues_[queue.next_active.index()].previous_active = queue.previous_active;
      if (ring == id) ring = queue.next_active;
    }
    if (queue.service == Service::scheduled) {
      PortState& port = ports_[queue.port.index()];
      --port.active_queues;
      if (!ring.exists()) {
        port.ready_levels = static_cast<std::uint16_t>(port.ready_levels & ~(1u << queue.level));
      }
    }
  }
  QueueId pick_among(QueueId& ring, Discipline discipline);
  template <class Cost>
  QueueId pick_by_deficit(QueueId& ring, Cost cost);
  void join_port(QueueId id);

  FrameTable frames_;
  // The vectors that add_queue() extends, and pointers to their elements.
  std::vector<PortState>& all_ports_;
  std::vector<QueueState>& all_queues_;
  std::vector<EgressState>& all_egress_;
  PortState* ports_ = nullptr;
  QueueState* queues_ = nullptr;
  EgressState* egress_ = nullptr;
  /// The queues of a port and priority are a list.
  struct Ends {
    QueueId first;
    QueueId last;
  };
  std::vector<Ends> ends_;  // by port * kPriorities + priority
  /// The rarely used state of a queue.
  struct Beside {
    QueueId next;             // queue of the same port and priority
    std::uint32_t stage = 0;  // of a queue with Service::at_rate; for a shaped queue, its bucket
  };
  std::vector<Beside> beside_;  // by queue
  std::vector<Stage> stages_;
  std::vector<std::int64_t> wide_bytes_;  // by egress, in queues without a port; empty until there is such a queue
  std::int64_t maximum_frame_ = 0;
  std::array<Discipline, kLevels> discipline_of_level_{};
};

}  // namespace weir
