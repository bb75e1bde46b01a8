// SPDX-License-Identifier: Apache-2.0
// The queues in which packets wait for congestion roots.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/pyrrha/root.h"
#include "schemes/pyrrha/settings.h"

namespace weir::pyrrha {

/// [PYRRHA-IQ-1] Isolation queues in levels, one level per distance to the root. Each is served at its port's rate into
/// the next level or the output queue; with one tier, in round robin with the output queue [PYRRHA-ONE-3], and levels
/// only decide which queues may be shared. A queue is bound to a port and level when it is assigned. The number per
/// port is limited; when it is reached, roots of a level share a queue by hash. [PYRRHA-IQ-5]
class IsolationQueues {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Queue {
    QueueId queue;
    PortId port;                ///< none: not assigned
    std::uint8_t level = 0;     ///< 0: the roots of the next switch
    std::uint32_t users = 0;    ///< roots, or sets of roots, that have it
    std::uint32_t closers = 0;  ///< reasons for which it is closed
  };

  explicit IsolationQueues(const Settings& settings) : settings_(settings) {}

  /// `levels`: by port, how many it has.
  void attach(QueueContext& context, std::vector<std::uint8_t> levels);

  /// A queue of this level for another root, which does not close it; the level is reduced to the port's last one.
  std::uint32_t assign(QueueContext& context, PortId port, Root root, std::size_t level);
  /// A set of roots had to be treated as another one.
  void note_shared() { ++shared_; }
  /// Whether assign() would return one that has no other user.
  [[nodiscard]] bool has_free(PortId port, std::size_t level) const {
    const Port& at = ports_[port.index()];
    return may_take(at, std::min<std::size_t>(level, at.levels - 1u));
  }
  /// An assigned queue gets one more user.
  std::uint32_t share(std::uint32_t number) {
    ++queues_[number].users;
    ++shared_;
    return number;
  }
  /// A root gives up its queue. If it was the last one, the queue must be empty.
  void give_up(QueueContext& context, std::uint32_t number);
  /// One reason more for which it is closed, such as a paused root of it, or one fewer. [PYRRHA-IQ-6]
  void set_closed(QueueContext& context, std::uint32_t number, bool closed);

  [[nodiscard]] const Queue& operator[](std::uint32_t number) const { return queues_[number]; }
  /// The number of a switch's queue; kNone: it is no isolation queue.
  [[nodiscard]] std::uint32_t number_of(QueueId queue) const {
    return queue.index() - first_ < queues_.size() ? static_cast<std::uint32_t>(queue.index() - first_) : kNone;
  }
  [[nodiscard]] std::size_t size() const { return queues_.size(); }
  [[nodiscard]] std::size_t in_use(PortId port) const { return ports_[port.index()].in_use; }
  [[nodiscard]] std::size_t most(PortId port) const { return ports_[port.index()].most; }
  /// Assignments for which a queue had to be shared.
  [[nodiscard]] std::uint64_t shared() const { return shared_; }
  [[nodiscard]] std::size_t levels(PortId port) const { return ports_[port.index()].levels; }

 private:
  struct Port {
    std::uint8_t levels = 1;
    std::uint32_t in_use = 0;
    std::uint32_t most = 0;
    std::array<std::uint32_t, kMostLevels> of_level{};
  };
  [[nodiscard]] bool may_take(const Port& port, std::size_t level) const;
  [[nodiscard]] std::uint32_t pick(PortId port, Root root, std::size_t level) const;
  [[nodiscard]] QueueSpec spec_of(PortId port, std::size_t level) const;
  [[nodiscard]] static std::uint8_t stage_of(std::size_t level) {
    return static_cast<std::uint8_t>(kMostLevels - level);
  }

  const Settings& settings_;
  GateOwner owner_ = 0;
  std::size_t first_ = 0;  // index of the first queue
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> free_;
  std::vector<Port> ports_;
  std::uint64_t shared_ = 0;
};

}  // namespace weir::pyrrha
