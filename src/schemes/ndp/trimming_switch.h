// SPDX-License-Identifier: Apache-2.0
// NDP's switch: short data queues, trimming, a header queue that is served first, return to sender.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/switch_policy.h"
#include "schemes/declared_needs.h"
#include "schemes/ndp/settings.h"

namespace weir::ndp {

/// Applies to data of lossy priorities. Each of them has a data queue (its default queue) and a header queue at every
/// port. The two share the level of the priority, and the switch serves the one whose head frame has the lower rank.
class TrimmingSwitch final : public Classifier, public DeclaresNeeds {
 public:
  explicit TrimmingSwitch(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] Hooks hooks() const override { return {.depart = true, .rescue = true, .trim = true}; }
  void attach(SwitchContext& context) override;
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext& context, const Frame& frame) const override;
  QueueId classify(QueueContext& context, Frame& frame) override;
  [[nodiscard]] std::uint64_t rank(const SwitchContext& context, const Frame& frame) const override;
  Rescue rescue(SwitchContext& context, const Frame& frame, DropReason) override;
  void on_trim(SwitchContext&, QueueId, Frame& frame, std::int64_t) override;
  void on_depart(SwitchContext& context, QueueId, Frame& frame) override {
    if (frame.trimmed()) count_header(context, frame);
  }
  void on_timer(SwitchContext& context, TimerId) override;

  [[nodiscard]] std::span<const GaugeSpec> gauges() const override;
  [[nodiscard]] double gauge(std::size_t which, PortId port) const override;
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t group) const override;

  [[nodiscard]] std::vector<std::string> warnings(const PartPlace& place) const override;

 private:
  struct Port {
    std::uint64_t trimmed = 0;
    std::uint64_t returned = 0;
    std::int64_t header_bytes = 0;  // on the wire, of trimmed frames, in the present interval
    double share = 0;               // of the link, that they took in the last interval
  };

  /// Frames in a header queue.
  [[nodiscard]] std::uint32_t header_limit(const Framing& framing, std::int64_t maximum_frame) const;
  [[nodiscard]] QueueId queue_of(const SwitchContext& context, const Frame& frame) const;
  [[nodiscard]] QueueId header_queue(const Frame& frame) const;
  [[nodiscard]] bool can_trim_tail(const SwitchContext& context, QueueId queue) const;
  void count_header(SwitchContext& context, const Frame& frame);

  Settings settings_;
  std::uint32_t header_limit_ = 0;
  RandomStream coin_;             // its own, so that other schemes that draw numbers do not change what is trimmed
  std::vector<QueueId> headers_;  // by port and priority; none(): a lossless priority
  std::vector<Port> ports_;
  mutable std::vector<std::uint64_t> next_header_;  // by port: the rank of the next frame at the head of a header queue
  TimerId timer_;
  bool timing_ = false;
};

}  // namespace weir::ndp
