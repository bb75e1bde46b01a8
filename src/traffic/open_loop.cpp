// SPDX-License-Identifier: Apache-2.0
#include "traffic/open_loop.h"

#include <utility>

#include "traffic/load.h"

namespace weir {

namespace {
enum Purpose : std::uint64_t { kIntervals, kPairs, kSizes };
}  // namespace

std::vector<std::string> problems(const OpenLoopSettings& settings) {
  std::vector<std::string> problems = shape_problems(settings.arrivals);
  if (settings.matrix.empty()) problems.emplace_back("no pair of hosts, expected a traffic matrix");
  if (!settings.size.valid()) problems.emplace_back("sizes can be zero, expected at least one byte");
  if (settings.offered <= BitRate(0)) problems.emplace_back("offers nothing, expected a rate above zero");
  constexpr std::size_t kMostPairedHosts = 0xffff;
  if (settings.persistent_queue_pairs && settings.matrix.host_bound() > kMostPairedHosts) {
    problems.emplace_back("persistent queue pairs between more than 65535 hosts, expected fewer");
  }
  return problems;
}

OpenLoopSource::OpenLoopSource(OpenLoopSettings settings, std::uint64_t seed)
    : settings_(std::move(settings)),
      arrivals_(settings_.arrivals, mean_interval(settings_.size.mean(), settings_.offered)),
      intervals_(seed, 0, kIntervals),
      pairs_(seed, 0, kPairs),
      sizes_(seed, 0, kSizes) {
  advance(settings_.flows.start);
}

void OpenLoopSource::advance(Time from) {
  next_ = taken_ < settings_.flows.flow_limit ? saturating_add(from, arrivals_.next(intervals_)) : Time::never();
  if (next_ >= settings_.flows.no_start_from()) next_ = Time::never();
}

FlowSpec OpenLoopSource::take() {
  FlowSpec flow = settings_.flows.flow(next_);
  const HostPair pair = settings_.matrix.draw(pairs_);
  flow.source = pair.source;
  flow.destination = pair.destination;
  flow.size = settings_.size.draw(sizes_);
  if (settings_.persistent_queue_pairs) {
    flow.connection = ConnectionId(pair.source.index() * settings_.matrix.host_bound() + pair.destination.index());
  }
  ++taken_;
  advance(next_);
  return flow;
}

std::uint64_t OpenLoopSource::connections() const {
  const std::uint64_t hosts = settings_.matrix.host_bound();
  return settings_.persistent_queue_pairs ? hosts * hosts : 0;
}

void OpenLoopSource::offered(const OfferedRate& visit) const {
  const auto rate = static_cast<double>(settings_.offered.bits_per_second());
  settings_.matrix.for_each([&](HostPair pair, double share) { visit(pair.source, pair.destination, share * rate); });
}

void OpenLoopSource::offered_runs(const std::function<void(const TrafficRun&)>& visit) const {
  const auto rate = static_cast<double>(settings_.offered.bits_per_second());
  settings_.matrix.for_each_run([&](TrafficRun run) {
    run.share *= rate;
    visit(run);
  });
}

}  // namespace weir
