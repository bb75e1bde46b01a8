// SPDX-License-Identifier: Apache-2.0
// Floodgate in a NIC: it obeys dstPause and dstResume.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/nic_policy.h"
#include "schemes/floodgate/settings.h"

namespace weir::floodgate {

/// A gate for each destination that is paused, behind which the queue pairs to it stand: a queue per destination, made
/// when it is needed. [FLOODGATE-D-4]
class FloodgateNic final : public NicFlowControl {
 public:
  explicit FloodgateNic(const Settings& settings) : settings_(settings) {}

  void attach(NicContext& context) override;
  bool on_control(NicContext& context, const Frame& frame) override;
  GateId gate_of(NicContext& context, SendState& sender) override;
  void on_timer(NicContext& context, TimerId timer) override;
  void on_link(NicContext& context, bool up) override;
  void held_by(const NicContext& context, GateId gate, std::vector<HeldBy>& out) const override;

  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, std::size_t group) const override;

  /// The most destinations that are paused at once; for more a dstPause is not obeyed.
  static constexpr std::size_t kMostPaused = 256;

 private:
  struct Paused {
    std::uint32_t name = 0;
    GateId gate;
    Time until;
  };
  [[nodiscard]] bool in_use() const { return settings_.pauses_hosts; }
  Paused* find(std::uint32_t name);
  void pause(NicContext& context, std::uint32_t name);
  void resume(NicContext& context, Paused& paused);
  void move(NicContext& context, std::uint32_t name, GateId gate);

  Settings settings_;
  TimerId timer_;
  std::vector<Paused> paused_;  // no order
  std::uint64_t obeyed_ = 0;
  std::uint64_t ignored_ = 0;
  std::uint64_t expired_ = 0;
};

}  // namespace weir::floodgate
