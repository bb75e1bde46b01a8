// SPDX-License-Identifier: Apache-2.0
// QCN's congestion point: a switch that samples frames and reports its congestion to their sources.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policy/switch_policy.h"

namespace weir::qcn {

struct CongestionPointSettings {
  std::int64_t set_point = 0;    ///< bytes
  double weight = 0;             ///< of the change of the length
  std::int64_t sample_base = 0;  ///< bytes between two samples of a queue without congestion
  double jitter = 0;             ///< fraction of that, in both directions
  Priority priority = 0;         ///< of the notifications
};

/// [QCN-CP-1] [QCN-CP-2] Fb, negated so that congestion is positive, in 0 to 63. Lengths in bytes.
std::uint32_t quantised_feedback(const CongestionPointSettings& settings, std::int64_t length, std::int64_t previous);

class SamplingPoint final : public CongestionPoint {
 public:
  explicit SamplingPoint(const CongestionPointSettings& settings) : settings_(settings) {}

  [[nodiscard]] Hooks hooks() const override;
  void attach(SwitchContext& context) override;
  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override;
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t group) const override;

 private:
  struct Point {
    std::int64_t previous = 0;    // length at the last sample
    std::int64_t bytes_left = 0;  // until the next sample
    std::uint64_t samples = 0;
    std::uint64_t congested = 0;  // number of samples with congestion
    Gauge feedback;               // of the last sample, 0 to 63
  };
  [[nodiscard]] std::int64_t next_sample(SwitchContext& context, std::uint32_t feedback) const;
  void notify(SwitchContext& context, const Frame& sampled, std::uint32_t feedback) const;

  CongestionPointSettings settings_;
  std::vector<Point> points_;  // by egress and priority
};

}  // namespace weir::qcn
