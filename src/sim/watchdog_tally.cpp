// SPDX-License-Identifier: Apache-2.0
#include "sim/watchdog_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "units/words.h"

namespace weir {
namespace {

std::string microseconds(Duration duration) {
  constexpr double kPicoseconds = 1e6;
  return fmt::format("{:.1f} us", static_cast<double>(duration.picoseconds()) / kPicoseconds);
}

}  // namespace

void WatchdogTally::on_storm(const SwitchContext& context, PortId port, Priority priority, QueueId queue, bool begins) {
  const std::uint32_t channel = fabric_.channel(fabric_.topology().node_of(context.id()), port);
  Storms& storms = storms_[{channel, priority, queue}];
  if (begins) {
    if (storms.number++ == 0) storms.first = context.now();
    storms.since = context.now();
  } else {
    storms.total = storms.total + (context.now() - storms.since);
  }
  storms.goes_on = begins;
}

void WatchdogTally::on_drop(const SwitchContext& context, const Frame& frame, DropReason reason) {
  if (reason != DropReason::watchdog) return;
  ++dropped_[fabric_.channel(fabric_.topology().node_of(context.id()), frame.egress)];
}

std::optional<RunFinding> WatchdogTally::finding(Time end) const {
  if (storms_.empty()) return std::nullopt;
  std::vector<std::pair<Place, Storms>> places(storms_.begin(), storms_.end());
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.second.number > b.second.number; });
  std::uint64_t all = 0;
  std::uint64_t going_on = 0;
  Duration total;
  Time first = Time::never();
  std::vector<WatchdogAction> actions;
  for (const auto& [place, storms] : places) {
    all += storms.number;
    going_on += storms.goes_on ? 1 : 0;
    total = total + storms.total + (storms.goes_on ? end - storms.since : Duration());
    first = std::min(first, storms.first);
    const SwitchId at = fabric_.switch_at(fabric_.channels()[std::get<0>(place)].from)->id();
    const WatchdogAction action = settings_.switches_of(at).watchdog->action;
    if (std::find(actions.begin(), actions.end(), action) == actions.end()) actions.push_back(action);
  }

  constexpr std::size_t kTold = 3;
  RunFinding out;
  out.kind = FindingKind::watchdog;
  std::vector<std::string> told;
  std::uint64_t others = all;
  for (std::size_t i = 0; i < std::min(kTold, places.size()); ++i) {
    const auto& [channel, priority, queue] = places[i].first;
    const ChannelSpec& spec = fabric_.channels()[channel];
    const std::string what =
        queue.exists() ? fmt::format("queue {}", queue.value) : fmt::format("priority {}", priority);
    told.push_back(fmt::format("{} at {} -> {} ({})", places[i].second.number, fabric_.topology().node(spec.from).name,
                               fabric_.topology().node(spec.to).name, what));
    out.ports.push_back({channel, fmt::format("{}: {}", what, places[i].second.number)});
    others -= places[i].second.number;
  }
  if (others > 0) told.push_back(fmt::format("{} elsewhere", others));

  std::vector<std::string> did;
  for (const WatchdogAction action : actions) {
    if (action == WatchdogAction::drop) {
      const std::uint64_t dropped =
          std::accumulate(dropped_.begin(), dropped_.end(), std::uint64_t{0},
                          [](std::uint64_t sum, const auto& each) { return sum + each.second; });
      did.push_back("dropped " + counted(dropped, "frame", "frames"));
    } else {
      did.emplace_back(action == WatchdogAction::forward ? "forwarded frames despite the pauses" : "only counted them");
    }
  }
  out.text = fmt::format("pause watchdogs found {} and {}: {}; the first began at {}, and together they lasted {}",
                         counted(all, "storm", "storms"), join_words(did), join_words(told),
                         microseconds(first.since_start()), microseconds(total));
  if (going_on > 0)
    out.text += fmt::format("; {} of them {} not over at the end", going_on, going_on == 1 ? "was" : "were");
  return out;
}

}  // namespace weir
