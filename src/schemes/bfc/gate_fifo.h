// SPDX-License-Identifier: Apache-2.0
// The FIFO between the gates of a port's queues and its wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/switch_context.h"
#include "schemes/bfc/egress_queues.h"
#include "schemes/bfc/settings.h"

namespace weir::bfc {

/// [BFC-R-3] The queues of a port and class take turns by bytes (deficit round robin, a largest frame a turn) to fill a
/// FIFO of Settings::gate_fifo bytes behind their gates; whatever its size it takes a frame when it is empty. What has
/// passed a gate is beyond pauses. Fixed memory.
class GateFifo {
 public:
  GateFifo() = default;
  /// Asks the switch for the FIFOs. Before the queues of flows are.
  GateFifo(QueueContext& context, const Settings& settings);

  [[nodiscard]] bool exists() const { return bytes_ > 0; }
  [[nodiscard]] QueueId id(PortId port, std::size_t of_class) const {
    return QueueId(first_ + port.index() * classes_ + of_class);
  }
  /// How many of the queues of a port, of all classes, have frames and are open.
  [[nodiscard]] std::size_t ready(PortId port) const {
    std::size_t ready = 0;
    for (std::size_t of_class = 0; of_class < classes_; ++of_class) ready += groups_[group(port, of_class)].ready;
    return ready;
  }
  /// A queue has frames and is open, or not.
  void set_ready(PortId port, std::size_t number, bool ready);
  /// Lets frames pass the gates of all ports as long as there is room.
  void fill(QueueContext& context, const EgressQueues& queues);
  /// A port has lost all its frames.
  void forget(PortId port);

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  struct Group {
    std::uint16_t turn = kNone;  // the queue whose turn it is, by its number in the port
    bool granted = false;        // it has had its quantum of this turn
    std::uint16_t ready = 0;
  };
  struct Queue {
    std::uint16_t next = kNone;  // ring of those that are ready
    std::uint16_t previous = kNone;
    bool ready = false;
    std::int64_t deficit = 0;
  };

  [[nodiscard]] std::size_t group(PortId port, std::size_t of_class) const {
    return port.index() * classes_ + of_class;
  }
  [[nodiscard]] Queue& at(std::size_t port, std::size_t number) { return queues_[port * of_port_ + number]; }
  void fill(QueueContext& context, const EgressQueues& queues, PortId port, std::size_t of_class);

  std::int64_t bytes_ = 0;
  std::int64_t quantum_ = 0;
  std::size_t first_ = 0;
  std::size_t classes_ = 1;
  std::size_t of_class_ = 0;
  std::size_t of_port_ = 0;
  std::size_t ports_ = 0;
  std::vector<Group> groups_;
  std::vector<Queue> queues_;  // by port and number
};

}  // namespace weir::bfc
