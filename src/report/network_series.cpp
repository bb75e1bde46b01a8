// SPDX-License-Identifier: Apache-2.0
#include "report/network_series.h"

#include <algorithm>
#include <map>
#include <utility>

#include "report/packed_timeline.h"

namespace weir {

std::vector<double> delivered_rate(const RunRecord& record) {
  const Timeline& timeline = record.timeline;
  std::vector<double> rate(timeline.intervals);
  for (std::size_t link = 0; link < record.links.size(); ++link) {
    if (record.links[link].to_tier != 0) continue;
    for (std::size_t i = 0; i < timeline.intervals; ++i) rate[i] += timeline.carried[link * timeline.intervals + i];
  }
  for (std::size_t i = 0; i < timeline.intervals; ++i) {
    rate[i] *= 8 / length_of(timeline, i, record.simulated).seconds();
  }
  return rate;
}

std::vector<TierQueues> queues_by_tier(const RunRecord& record) {
  const Timeline& timeline = record.timeline;
  std::map<int, std::map<std::string, std::vector<double>>> switches;
  for (std::size_t link = 0; link < record.links.size(); ++link) {
    const LinkRecord& at = record.links[link];
    if (at.from_tier == 0) continue;
    std::vector<double>& bytes = switches[at.from_tier][at.from];
    bytes.resize(timeline.intervals);
    for (std::size_t i = 0; i < timeline.intervals; ++i) bytes[i] += timeline.queued[link * timeline.intervals + i];
  }
  std::vector<TierQueues> tiers;
  for (const auto& [number, members] : switches) {
    TierQueues tier{number, std::vector<double>(timeline.intervals), std::vector<double>(timeline.intervals)};
    for (const auto& [name, bytes] : members) {
      for (std::size_t i = 0; i < timeline.intervals; ++i) {
        tier.total[i] += bytes[i];
        tier.fullest[i] = std::max(tier.fullest[i], bytes[i]);
      }
    }
    tiers.push_back(std::move(tier));
  }
  return tiers;
}

std::vector<TierPairPauses> pauses_by_tiers(const RunRecord& record) {
  const Timeline& timeline = record.timeline;
  const std::vector<std::int64_t> paused = paused_time(timeline, record.links.size());
  std::map<std::pair<int, int>, std::vector<double>> pairs;
  for (const PauseSpan& span : timeline.pauses) {
    const LinkRecord& link = record.links[span.link];
    pairs[{link.from_tier, link.to_tier}].resize(timeline.intervals);
  }
  for (std::size_t link = 0; link < record.links.size(); ++link) {
    const auto pair = pairs.find({record.links[link].from_tier, record.links[link].to_tier});
    if (pair == pairs.end()) continue;
    for (std::size_t i = 0; i < timeline.intervals; ++i) {
      const auto length = static_cast<double>(length_of(timeline, i, record.simulated).picoseconds());
      pair->second[i] += static_cast<double>(paused[link * timeline.intervals + i]) / length;
    }
  }
  std::vector<TierPairPauses> out;
  for (auto& [tiers, held] : pairs) out.push_back({tiers.first, tiers.second, std::move(held)});
  return out;
}

Series thinned(const Series& series, std::size_t most, bool maximum) {
  const std::size_t group = most == 0 ? 1 : std::max<std::size_t>(1, (series.values.size() + most - 1) / most);
  Series out{series.name, series.interval * static_cast<std::int64_t>(group), {}};
  for (std::size_t begin = 0; begin < series.values.size(); begin += group) {
    const std::size_t end = std::min(begin + group, series.values.size());
    double sum = 0;
    double largest = series.values[begin];
    for (std::size_t i = begin; i < end; ++i) {
      sum += series.values[i];
      largest = std::max(largest, series.values[i]);
    }
    out.values.push_back(maximum ? largest : sum / static_cast<double>(end - begin));
  }
  return out;
}

}  // namespace weir
