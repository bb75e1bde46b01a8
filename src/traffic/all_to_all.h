// SPDX-License-Identifier: Apache-2.0
// Collectives: steps in which every host of a group sends to every other.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "traffic/hosts.h"
#include "traffic/pending_flows.h"
#include "traffic/source.h"
#include "units/bytes.h"
#include "units/random.h"

namespace weir {

struct AllToAllSettings {
  SourceSettings flows;
  HostSet senders;
  std::vector<HostId> receivers;
  std::vector<double> weights;  ///< of the receivers; empty: equal
  Bytes bytes_per_sender;       ///< sent by each sender per step
  std::uint32_t bursts = 1;     ///< a step's bytes are sent in this number of equal parts ...
  Duration burst_interval;      ///< ... with this interval
  enum class Split : std::uint8_t {
    divided,  ///< each burst is divided among all receivers by weight: one flow each
    drawn     ///< each burst is one flow to a receiver drawn by weight
  } split = Split::divided;
  /// Traffic from a sender to itself: false redistributes it to the others by weight, true omits it.
  bool keep_local = false;
  enum class Pace : std::uint8_t {
    periodic,         ///< a step begins step_interval after the beginning of the previous one
    after_completion  ///< a step begins step_interval after the completion of the previous step's last flow
  } pace = Pace::periodic;
  Duration step_interval;
  std::uint64_t step_limit = std::numeric_limits<std::uint64_t>::max();
  Duration jitter;  ///< each flow starts after its burst by a time uniform in [0, jitter]
};

/// Errors in the settings; empty if there are none.
std::vector<std::string> problems(const AllToAllSettings& settings);

/// A periodic all-to-all. With weights it models the traffic of a mixture of experts, where a few "hot" experts receive
/// most of the tokens (pyrrha 2.2: an imbalanced all-to-all with on-off pattern; two groups of it whose phases collide
/// or interleave are two sources with different starts). In the authors' simulator each sender sends 8 MB per step in
/// 100 bursts one round trip apart, and two of sixteen experts get 41 % and 45 %.
///
/// Memory: the flows of one burst, and of those that overlap it due to jitter.
class AllToAllSource final : public TrafficSource {
 public:
  /// `settings` must pass problems(); sources of one run need different seeds.
  AllToAllSource(AllToAllSettings settings, std::uint64_t seed);

  [[nodiscard]] Time next_start() const override { return pending_.next_start(); }
  FlowSpec take() override;
  [[nodiscard]] bool follows_completions() const override {
    return settings_.pace == AllToAllSettings::Pace::after_completion;
  }
  void on_completed(const FlowSpec& flow, Time now) override;
  /// Visits nothing if steps wait for completion, because the flows are elastic.
  void offered(const OfferedRate& visit) const override;

 private:
  /// Draws bursts until the earliest flow is known.
  void prepare();
  void draw_burst();
  void draw_divided(HostId sender, Bytes bytes);
  void draw_one(HostId sender, Bytes bytes);
  void push(HostId sender, HostId receiver, Bytes bytes);
  void schedule_step(Time at);
  /// The sum of the weights by which a sender's bytes are divided.
  [[nodiscard]] double weight_of_others(HostId sender) const;

  AllToAllSettings settings_;
  double weight_ = 0.0;  // of all receivers
  RandomStream receivers_;
  RandomStream jitter_;
  Time step_start_;
  Time next_burst_;
  std::uint64_t steps_ = 0;         // number of steps begun
  std::uint32_t bursts_drawn_ = 0;  // of this step
  std::uint64_t incomplete_ = 0;    // flows drawn but not completed
  std::uint64_t taken_ = 0;
  PendingFlows pending_;
};

}  // namespace weir
