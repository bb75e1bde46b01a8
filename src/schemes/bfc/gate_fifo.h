// SPDX-License-Identifier: Apache-2.0
// The FIFO between the gates of a port's queues and the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/switch_context.h"
#include "schemes/bfc/egress_queues.h"
#include "schemes/bfc/settings.h"

namespace weir::bfc {

/// [BFC-R-3] The queues of a port and class are served in deficit round robin, with a quantum of one largest frame,
/// into a FIFO of Settings::gate_fifo bytes behind their gates. An empty FIFO accepts a frame of any size. Pauses do
/// not affect frames in the FIFO. Fixed memory.
class GateFifo {
 public:
  GateFifo() = default;
  /// Requests the FIFOs from the switch. Call before the queues of flows are requested.
  GateFifo(QueueContext& context, const Settings& settings);

  [[nodiscard]] bool exists() const { return bytes_ > 0; }
  [[nodiscard]] QueueId id(PortId port, std::size_t of_class) const {
    return QueueId(first_ + port.index() * classes_ + of_class);
  }
  /// The number of queues of a port, of all classes, that are non-empty and open.
  [[nodiscard]] std::size_t ready(PortId port) const {
    std::size_t ready = 0;
    for (std::size_t of_class = 0; of_class < classes_; ++of_class) ready += groups_[group(port, of_class)].ready;
    return ready;
  }
  /// A queue has become non-empty and open, or no longer is.
  void set_ready(PortId port, std::size_t number, bool ready);
  /// Moves frames past the gates of all ports while there is room.
  void fill(QueueContext& context, const EgressQueues& queues);
  /// The port has lost all its frames.
  void forget(PortId port);

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  struct Group {
    std::uint16_t turn = kNone;  // number in the port of the queue whose turn it is
    bool granted = false;        // it has received the quantum of this turn
    std::uint16_t ready = 0;
  };
  struct Queue {
    std::uint16_t next = kNone;  // ring of the ready queues
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
