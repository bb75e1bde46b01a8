// SPDX-License-Identifier: Apache-2.0
// PFC in a NIC: obeys the pauses of its switch, and pauses the switch when the receive buffer fills, if it has one.
#pragma once

#include "policy/nic_policy.h"
#include "schemes/pfc/pending_pauses.h"
#include "schemes/pfc/settings.h"

namespace weir::pfc {

class PfcNic final : public NicFlowControl {
 public:
  explicit PfcNic(const Settings& settings) : settings_(settings) {}

  void attach(NicContext& context) override;
  bool on_control(NicContext& context, const Frame& frame) override;
  void on_timer(NicContext& context, TimerId timer) override;
  void on_link(NicContext& context, bool up) override;
  [[nodiscard]] bool watches_receive_buffer() const override { return true; }
  void on_receive_buffer(NicContext& context, Priority priority) override;
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override { return kStatistics; }
  [[nodiscard]] Statistic statistic(std::size_t which, std::size_t) const override {
    if (which == 4) return {static_cast<double>(buffer_->used), static_cast<double>(buffer_->maximum)};
    const std::uint64_t counts[] = {obeyed_, paused_, resumed_, repeated_};
    return Statistic::of_counter(counts[which]);
  }

 private:
  static constexpr StatisticSpec kStatistics[] = {
      {.name = "pfc.pauses_obeyed", .unit = ""},
      {.name = "pfc.host_pauses_sent", .unit = ""},
      {.name = "pfc.host_resumes_sent", .unit = ""},
      {.name = "pfc.host_pauses_repeated", .unit = ""},
      {.name = "pfc.receive_buffer", .unit = "B", .kind = StatisticSpec::Kind::gauge}};

  /// Tells the switch to pause, or to resume, all lossless priorities. False: the pool has no frame.
  static bool tell(NicContext& context, std::uint16_t quanta);
  /// The switch is paused from now on, or not any more.
  void hold(NicContext& context, bool paused);
  [[nodiscard]] ReceiveLimits limits(const NicContext& context) const {
    return receive_limits(buffer_->size, buffer_->headroom, context.maximum_frame());
  }
  void refresh(NicContext& context);
  void obey(NicContext& context, const PfcQuanta& said);

  Settings settings_;
  GateOwner owner_ = 0;
  TimerId respond_;
  PendingPauses pending_;
  std::uint64_t obeyed_ = 0;  // of priorities
  // With a receive buffer:
  const ReceiveBufferState* buffer_ = &kNoReceiveBuffer;
  TimerId refresh_;
  bool holds_ = false;  // the switch is paused
  // Frames sent.
  std::uint64_t paused_ = 0;
  std::uint64_t resumed_ = 0;
  std::uint64_t repeated_ = 0;
};

}  // namespace weir::pfc
