// SPDX-License-Identifier: Apache-2.0
#include "traffic/flow_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "units/random.h"

namespace weir {

std::vector<std::string> problems(const std::vector<FlowSpec>& flows) {
  constexpr std::size_t kMostLines = 20;
  std::vector<std::string> problems;
  const auto add = [&](std::size_t i, const char* what) {
    problems.push_back(fmt::format("flow {}: {}", i + 1, what));
  };
  for (std::size_t i = 0; i < flows.size() && problems.size() < kMostLines; ++i) {
    const FlowSpec& flow = flows[i];
    if (!flow.source.exists() || !flow.destination.exists()) add(i, "lacks a source or a destination");
    if (flow.source == flow.destination) add(i, "sends to itself");
    if (flow.size <= Bytes(0)) add(i, "the size is not above zero");
    if (flow.start < Time() || flow.start == Time::never()) add(i, "the start is out of range");
    if (flow.stop <= flow.start) add(i, "stops before it starts");
    if (flow.rate_limit < BitRate(0)) add(i, "the rate limit is negative");
    if (flow.priority >= kPriorities) add(i, "the priority is above 7");
  }
  if (problems.size() > kMostLines) problems.resize(kMostLines);
  return problems;
}

FlowListSource::FlowListSource(std::vector<FlowSpec> flows, Duration window)
    : flows_(std::move(flows)), window_(window) {
  std::stable_sort(flows_.begin(), flows_.end(),
                   [](const FlowSpec& a, const FlowSpec& b) { return a.start < b.start; });
  for (const FlowSpec& flow : flows_) {
    if (flow.connection.exists()) connections_ = std::max<std::uint64_t>(connections_, flow.connection.index() + 1);
  }
}

void FlowListSource::offered(const OfferedRate& visit) const {
  for (const FlowSpec& flow : flows_) {
    if (window_ > Duration()) {
      visit(flow.source, flow.destination, static_cast<double>(flow.size.count()) * 8.0 / window_.seconds());
    } else if (flow.rate_limit > BitRate(0)) {
      visit(flow.source, flow.destination, static_cast<double>(flow.rate_limit.bits_per_second()));
    }
  }
}

std::vector<FlowSpec> with_sizes(std::vector<FlowSpec> flows, const std::vector<FlowSize>& sizes, std::uint64_t seed) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    RandomStream random(seed, i, 0);
    flows[i].size = sizes[i].draw(random);
  }
  return flows;
}

std::vector<FlowSpec> flows_on_pairs(const std::vector<HostPair>& pairs, const FlowSize& size,
                                     const SourceSettings& settings, std::uint64_t seed, Duration jitter) {
  RandomStream sizes(seed, 0, 0);
  RandomStream shifts(seed, 0, 1);
  const auto bound = static_cast<std::uint64_t>(jitter.picoseconds()) + 1;
  std::vector<FlowSpec> flows;
  for (const HostPair& pair : pairs) {
    if (flows.size() >= settings.flow_limit) break;
    const auto shift = Duration::picoseconds(static_cast<std::int64_t>(shifts.below(bound)));
    FlowSpec flow = settings.flow(saturating_add(settings.start, shift));
    flow.source = pair.source;
    flow.destination = pair.destination;
    flow.size = size.draw(sizes);
    flow.synchronous = pairs.size() > 1;
    if (flow.start < settings.no_start_from()) flows.push_back(flow);
  }
  return flows;
}

}  // namespace weir
