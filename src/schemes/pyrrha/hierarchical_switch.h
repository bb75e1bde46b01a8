// SPDX-License-Identifier: Apache-2.0
// Pyrrha in a switch with isolation queues in levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schemes/pyrrha/flow_order.h"
#include "schemes/pyrrha/pyrrha_switch.h"

namespace weir::pyrrha {

/// Each root has one isolation queue; a packet passes those of all roots that it meets, and then the output queue.
class HierarchicalSwitch : public PyrrhaSwitch {
 public:
  using PyrrhaSwitch::PyrrhaSwitch;

  QueueId on_leave(QueueContext& context, QueueId queue, Frame& frame) override;
  void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const override;
  [[nodiscard]] std::int64_t signalled_length(const SwitchContext& context, QueueId queue,
                                              const Frame& frame) const override;
  [[nodiscard]] QueueId queue_of(PortId port, Root root) const override;

 protected:
  void attach_queues(QueueContext& context) override;
  QueueId arrive(QueueContext& context, Frame& frame) override;
  void grew_long(SwitchContext& context, std::uint32_t queue, PortId ingress) override;
  using PyrrhaSwitch::shrank;
  void shrank(SwitchContext& context, std::uint32_t queue) override;
  void changed(QueueContext& context, std::uint32_t number, State before) override;
  [[nodiscard]] bool is_empty(const SwitchContext& context, const Record& record) const override;
  void unassign(QueueContext& context, std::uint32_t number) override;
  void lost(const Frame& frame) override { order_.forget(frame); }
  [[nodiscard]] std::uint64_t untracked() const override { return order_.untracked(); }
  void list_pauses(std::uint32_t queue, std::vector<HopPause>& out) const override;
  [[nodiscard]] std::string audit_queue(const SwitchContext& context, std::uint32_t queue) const override;

 private:
  /// The order in which packets pass isolation queues: by level, and within a level by number. So no packet passes the
  /// queue of a root that it meets, even if two roots on its path have the same level.
  using Position = std::uint64_t;
  [[nodiscard]] Position position_of(std::uint32_t queue) const { return Position{queues_[queue].level} << 32 | queue; }

  /// [PYRRHA-ORDER-1] From the first packet after a change of routes until no packet is isolated, the order of flows is
  /// kept. At other times their packets meet the same roots, so they stay in order by themselves.
  void follow_routes(const SwitchContext& context);
  QueueId join(const SwitchContext& context, Frame& frame, std::uint32_t queue);
  /// The first queue at `from` or later in which the packet must wait; kNone: none.
  std::uint32_t next_queue(QueueContext& context, const Frame& frame, Position from);
  void assign_queue(QueueContext& context, std::uint32_t number, std::size_t level);
  void note_held(const SwitchContext& context, const Frame& frame, std::uint32_t queue);

  std::vector<std::uint32_t> first_user_;  // record of an isolation queue
  std::uint64_t version_ = 0;              // of the routes that the last packet met
  bool keeps_order_ = false;               // order_ has all isolated packets; otherwise none
  FlowOrder order_;
};

}  // namespace weir::pyrrha
