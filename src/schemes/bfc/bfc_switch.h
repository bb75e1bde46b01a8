// SPDX-License-Identifier: Apache-2.0
// BFC in a switch: assigns queues to flows, pauses the upstream queues that feed a queue above its threshold, and obeys
// the pauses of downstream neighbours.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/bfc/backpressure.h"
#include "schemes/bfc/egress_queues.h"
#include "schemes/bfc/flow_table.h"
#include "schemes/bfc/frame_notes.h"
#include "schemes/bfc/gate_fifo.h"
#include "schemes/bfc/message.h"
#include "schemes/bfc/settings.h"
#include "schemes/bfc/thresholds.h"
#include "units/hot_path.h"

namespace weir::bfc {

class BfcSwitch final : public Classifier {
 public:
  explicit BfcSwitch(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    hooks.drop = true;
    hooks.withdraw = true;
    hooks.enter = settings_.gate_fifo > Bytes();
    return hooks;
  }
  void attach(SwitchContext& context) override;
  QueueId classify(QueueContext& context, Frame& frame) override;
  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override;
  QueueId on_leave(QueueContext& context, QueueId queue, Frame& frame) override;
  void on_more(SwitchContext& context) override;
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) override;
  void on_withdraw(SwitchContext& context, QueueId queue, Frame& frame) override;
  [[nodiscard]] std::uint64_t rank(const SwitchContext& context, const Frame& frame) const override;
  [[nodiscard]] std::optional<HopPause> keeps_paused(const Frame& frame) const override;
  void pauses_of(const SwitchContext& context, QueueId queue, std::vector<std::uint64_t>& names) const override;
  [[nodiscard]] std::string pause_text(std::uint64_t name) const override { return "queue " + std::to_string(name); }
  void on_timer(SwitchContext& context, TimerId timer) override;
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override;
  [[nodiscard]] std::optional<ControlVerdict> judge(const SwitchContext& context, PortId port,
                                                    const Frame& frame) const override;
  void on_link(SwitchContext& context, PortId port, bool up) override;
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t group) const override;

  [[nodiscard]] const PauseCounters& counters() const { return backpressure_.counters(); }
  [[nodiscard]] const FlowTable& flows() const { return flows_; }
  [[nodiscard]] const EgressQueues& queues() const { return queues_; }
  [[nodiscard]] const GateFifo& fifo() const { return fifo_; }
  /// The pause threshold in bytes if `active` queues share `egress`.
  [[nodiscard]] std::int64_t threshold(PortId egress, std::size_t active) const {
    return thresholds_.at(egress, active);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> upstream_of(const SwitchContext& context, const Frame& frame) const;
  WEIR_HOT_INLINE std::uint16_t queue_of(SwitchContext& context, const Frame& frame, FrameNotes& notes);
  WEIR_HOT_INLINE std::uint16_t assign(SwitchContext& context, const Frame& frame, FrameNotes& notes,
                                       std::uint32_t hash);
  WEIR_HOT_INLINE FlowEntry& enter(const Frame& frame, FrameNotes& notes, std::uint32_t hash);
  /// The first pipeline for a frame that is charged to no ingress.
  [[nodiscard]] std::size_t pipeline_of(const Frame& frame) const {
    return frame.ingress.exists() ? pipeline_of_[frame.ingress.index()] : 0;
  }
  /// [BFC-W-1] The upstream queue that the frame names.
  [[nodiscard]] std::optional<std::size_t> noted_queue(const Frame& frame) const {
    return queue_in(fields_.upstream_queue.read(frame), backpressure_.counters().queues());
  }
  [[nodiscard]] bool is_of_incast(const Frame& frame) const {
    return (fields_.upstream_queue.read(frame) & kIncastBit) != 0;
  }
  [[nodiscard]] WEIR_HOT_INLINE bool may_pause(const FrameNotes& notes);
  [[nodiscard]] WEIR_HOT_INLINE bool is_over(const SwitchContext& context, const Frame& frame,
                                             const QueueState& queue) const;
  WEIR_HOT_INLINE void note_left(SwitchContext& context, QueueId queue, const Frame& frame);
  WEIR_HOT_INLINE void pass_gate(SwitchContext& context, QueueId queue, Frame& frame);
  WEIR_HOT_INLINE void leave(SwitchContext& context, const Frame& frame);
  void set_gate(SwitchContext& context, PortId port, std::size_t queue, bool open);
  void look_again(SwitchContext& context);
  void look(SwitchContext& context);
  [[nodiscard]] bool samples(SwitchContext& context) const {
    return settings_.sampling >= 1 || context.random().uniform() < settings_.sampling;
  }

  Settings settings_;
  GateOwner owner_ = 0;
  FrameFields fields_;
  Duration sticky_;
  std::vector<std::uint8_t> pipeline_of_;  // by ingress port
  EgressQueues queues_;
  FlowTable flows_;
  Thresholds thresholds_;
  Backpressure backpressure_;
  std::vector<std::uint64_t> obeyed_;  // by port: pauses that closed a queue
  TimerId look_;                       // the next reading of which queues are empty
  bool looking_ = false;
  GateFifo fifo_;  // behind the gates, if configured
};

}  // namespace weir::bfc
