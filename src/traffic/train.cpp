// SPDX-License-Identifier: Apache-2.0
#include "traffic/train.h"

#include <utility>

#include "units/int128.h"
#include "units/random.h"

namespace weir {

std::vector<std::string> problems(const TrainSettings& settings) {
  std::vector<std::string> problems;
  if (settings.pairs.empty()) problems.emplace_back("no pair of hosts, expected at least one");
  if (settings.size <= Bytes(0)) problems.emplace_back("the size is not above zero");
  if (settings.rate <= BitRate(0)) problems.emplace_back("the rate is not above zero");
  if (settings.jitter < Duration()) problems.emplace_back("the jitter is negative");
  return problems;
}

TrainSource::TrainSource(TrainSettings settings, std::uint64_t seed) : settings_(std::move(settings)) {
  RandomStream random(seed, 0, 0);
  due_.resize(settings_.pairs.size());
  const auto bound = static_cast<std::uint64_t>(settings_.jitter.picoseconds()) + 1;
  for (std::size_t i = 0; i < settings_.pairs.size(); ++i) {
    const auto shift = Duration::picoseconds(static_cast<std::int64_t>(random.below(bound)));
    trains_.push_back({saturating_add(settings_.flows.start, shift)});
    schedule(static_cast<std::uint32_t>(i));
  }
}

void TrainSource::schedule(std::uint32_t train) {
  const Train& state = trains_[train];
  // Relative to the first flow, not the last, so that rounding errors do not accumulate.
  constexpr std::int64_t kBitPicoseconds = 8'000'000'000'000;
  const auto bit_picoseconds =
      static_cast<Int128>(settings_.size.count()) * kBitPicoseconds * static_cast<Int128>(state.flows);
  const Int128 after = bit_picoseconds / settings_.rate.bits_per_second();
  const bool in_range = after < Duration::max().picoseconds();
  const Time start =
      in_range ? saturating_add(state.first, Duration::picoseconds(static_cast<std::int64_t>(after))) : Time::never();
  if (start < settings_.flows.no_start_from() && start != Time::never() && state.flows < settings_.flows_per_train &&
      taken_ < settings_.flows.flow_limit) {
    due_.arm(train, start);
  } else {
    due_.cancel(train);
  }
}

FlowSpec TrainSource::take() {
  const std::uint32_t train = due_.first();
  FlowSpec flow = settings_.flows.flow(due_.earliest());
  flow.source = settings_.pairs[train].source;
  flow.destination = settings_.pairs[train].destination;
  flow.size = settings_.size;
  flow.synchronous = settings_.pairs.size() > 1;
  ++trains_[train].flows;
  ++taken_;
  if (taken_ < settings_.flows.flow_limit) {
    schedule(train);
  } else {
    for (std::size_t i = 0; i < trains_.size(); ++i) due_.cancel(static_cast<std::uint32_t>(i));
  }
  return flow;
}

void TrainSource::offered(const OfferedRate& visit) const {
  const auto rate = static_cast<double>(settings_.rate.bits_per_second());
  for (const HostPair& pair : settings_.pairs) visit(pair.source, pair.destination, rate);
}

}  // namespace weir
