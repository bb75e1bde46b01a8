// SPDX-License-Identifier: Apache-2.0
// The queues of a switch's ports that BFC assigns to flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/statistics.h"
#include "policy/switch_context.h"
#include "schemes/bfc/free_queues.h"
#include "schemes/bfc/queue_choice.h"
#include "schemes/bfc/settings.h"
#include "units/hot_path.h"

namespace weir::bfc {

/// Each port has `queues` queues per class. Within a port they are numbered from the highest class on; frames and
/// control frames carry this number.
class EgressQueues {
 public:
  EgressQueues() = default;
  /// Requests the queues from the switch.
  EgressQueues(QueueContext& context, const Settings& settings);

  [[nodiscard]] bool owns(QueueId queue) const { return queue.index() >= first_; }
  [[nodiscard]] QueueId id(PortId port, std::size_t number) const {
    return QueueId(first_ + port.index() * of_port_ + number);
  }
  [[nodiscard]] std::size_t number(QueueId queue, PortId port) const {
    return queue.index() - first_ - port.index() * of_port_;
  }
  [[nodiscard]] std::size_t of_port() const { return of_port_; }
  /// The number of a port's class among all classes of the switch.
  [[nodiscard]] std::size_t group_of(PortId port, std::size_t of_class) const {
    return port.index() * classes_ + of_class;
  }

  /// The queue for a flow of this class that has none: an empty one, or any if none is empty. `pipeline` is the one by
  /// which the flow arrived.
  WEIR_HOT_INLINE std::uint16_t choose(SwitchContext& context, PortId port, std::size_t of_class, std::size_t pipeline);
  /// The queue that a hash selects.
  [[nodiscard]] std::uint16_t by_hash(std::size_t of_class, std::uint32_t hash) const {
    return static_cast<std::uint16_t>(first_of(of_class) + ((std::uint64_t{hash} * for_flows_) >> 32));
  }
  /// The first queue of a class.
  [[nodiscard]] std::uint16_t single(std::size_t of_class) const {
    return static_cast<std::uint16_t>(first_of(of_class));
  }
  /// The queue reserved for the incast flows of a class.
  [[nodiscard]] std::uint16_t of_incast(std::size_t of_class) const {
    return static_cast<std::uint16_t>(first_of(of_class) + for_flows_);
  }

  /// A frame enters an empty queue; a queue becomes empty; its gate closes or opens.
  void fill(PortId port, std::size_t number) { set_free(port, number, false); }
  void empty(PortId port, std::size_t number, bool open) {
    set_free(port, number, open || assign_paused_);  // [BFC-Q-7]
  }
  /// The port has lost all its frames, and its gates are open.
  void forget(PortId port);

  /// Reads which queues are empty. If that is not always known, choose() uses this reading.
  void look();
  /// Whether all are empty: until a frame arrives, another reading would find no change.
  [[nodiscard]] bool all_empty() const { return free_.all_free(); }

  /// Queues that choose() has assigned to flows of this port, and how many of them were in use because none was empty.
  [[nodiscard]] std::uint64_t given(PortId port) const { return counts_[port.index()].given; }
  [[nodiscard]] std::uint64_t given_twice(PortId port) const { return counts_[port.index()].given_twice; }
  /// Queues of this port in use: non-empty, or paused and therefore not assignable. Only if statistics are kept
  /// (SwitchContext::keeps_statistics).
  [[nodiscard]] Statistic in_use(PortId port) const { return counts_[port.index()].in_use.statistic(); }

 private:
  [[nodiscard]] std::size_t first_of(std::size_t of_class) const { return of_class * of_class_; }
  WEIR_HOT_INLINE void set_free(PortId port, std::size_t number, bool is_free);
  void count(PortId port, std::size_t number, bool is_free);

  std::size_t first_ = 0;
  std::size_t classes_ = 1;
  std::size_t groups_ = 0;     // ports times classes
  std::size_t of_class_ = 0;   // queues
  std::size_t of_port_ = 0;    // queues
  std::size_t for_flows_ = 0;  // queues per class that choose() assigns
  std::size_t plain_ = 0;      // queues for which only the free state is kept
  bool assign_paused_ = true;
  FreeQueues free_;               // the current state
  std::vector<FreeQueues> seen_;  // as last read by each pipeline; empty if they always know the current state
  QueueChoice choice_;            // by pipeline * groups_ + group
  struct Counts {
    std::uint64_t given = 0;
    std::uint64_t given_twice = 0;
    Gauge in_use;
  };
  std::vector<Counts> counts_;         // by port
  std::vector<std::uint8_t> counted_;  // by port * of_port_ + number: counted in in_use; empty if not observed
};

inline std::uint16_t EgressQueues::choose(SwitchContext& context, PortId port, std::size_t of_class,
                                          std::size_t pipeline) {
  const std::size_t group = group_of(port, of_class);
  FreeQueues& free = seen_.empty() ? free_ : seen_[pipeline];
  const std::size_t found = choice_.next(free, group, pipeline * groups_ + group, context.random());  // [BFC-Q-3]
  ++counts_[port.index()].given;
  if (found == FreeQueues::kNone) {
    ++counts_[port.index()].given_twice;
    return static_cast<std::uint16_t>(first_of(of_class) + context.random().below(for_flows_));  // [BFC-Q-4]
  }
  if (!seen_.empty()) free.clear(group, found);  // [BFC-Q-6] a pipeline knows which queues it has assigned
  return static_cast<std::uint16_t>(first_of(of_class) + found);
}

inline void EgressQueues::set_free(PortId port, std::size_t number, bool is_free) {
  const std::size_t of_class = classes_ == 1 ? 0 : number / of_class_;
  const std::size_t at = number - first_of(of_class);
  if (at >= plain_) [[unlikely]] {
    if (!counted_.empty()) count(port, number, is_free);
    if (at >= for_flows_) return;  // the queue for incasts
  }
  if (is_free) {
    free_.set(group_of(port, of_class), at);
  } else {
    free_.clear(group_of(port, of_class), at);
  }
}

}  // namespace weir::bfc
