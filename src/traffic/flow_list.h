// SPDX-License-Identifier: Apache-2.0
// Individually listed flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "traffic/flow_size.h"
#include "traffic/hosts.h"
#include "traffic/source.h"

namespace weir {

/// Errors in these flows: "flow 3: ..."; at most 20 lines. Empty if there are none.
std::vector<std::string> problems(const std::vector<FlowSpec>& flows);

/// Flows of a list, in order of start and then of the list: long-running flows with a rate limit (rocc 6.1) or with a
/// stop (rocc fig. 9, fig. 19), the flows of a file, a permutation.
class FlowListSource final : public TrafficSource {
 public:
  /// `flows` must pass problems(). Their id, traffic_source and slot are ignored. If `window` is above zero, the list
  /// counts as offered load: its bytes over this time.
  explicit FlowListSource(std::vector<FlowSpec> flows, Duration window = Duration());

  [[nodiscard]] Time next_start() const override { return next_ < flows_.size() ? flows_[next_].start : Time::never(); }
  FlowSpec take() override { return flows_[next_++]; }
  [[nodiscard]] std::uint64_t connections() const override { return connections_; }
  /// Without a window only flows with a rate limit are visited, each with its limit: the others are elastic.
  void offered(const OfferedRate& visit) const override;

 private:
  std::vector<FlowSpec> flows_;
  std::size_t next_ = 0;
  std::uint64_t connections_ = 0;
  Duration window_;
};

/// `flows` with sizes[i] drawn for flow i, from a separate random stream.
std::vector<FlowSpec> with_sizes(std::vector<FlowSpec> flows, const std::vector<FlowSize>& sizes, std::uint64_t seed);

/// One flow per pair, with its own size, at `settings.start` plus a time uniform in [0, jitter]. settings.flow_limit
/// limits their number.
std::vector<FlowSpec> flows_on_pairs(const std::vector<HostPair>& pairs, const FlowSize& size,
                                     const SourceSettings& settings, std::uint64_t seed, Duration jitter = Duration());

}  // namespace weir
