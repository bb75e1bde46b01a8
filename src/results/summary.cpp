// SPDX-License-Identifier: Apache-2.0
#include "results/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "results/counters.h"

namespace weir {
namespace {

template <class Wanted>
FctSummary summarise_flows(const std::vector<FlowRecord>& flows, const Wanted& wanted) {
  FctSummary result;
  std::vector<double> fct_us;
  std::vector<double> receiver_fct_us;
  std::vector<double> slowdown;
  for (const FlowRecord& flow : flows) {
    if (!wanted(flow)) continue;
    ++result.flows;
    result.retransmitted_packets += flow.retransmitted;
    result.out_of_order_packets += flow.out_of_order;
    if (flow.stopped) {
      ++result.stopped;
      continue;
    }
    if (flow.receiver_completion > Duration()) receiver_fct_us.push_back(flow.receiver_completion.microseconds());
    if (!flow.completed()) continue;
    ++result.completed;
    fct_us.push_back(flow.sender_completion.microseconds());
    if (flow.ideal_fct <= Duration()) continue;
    slowdown.push_back(slowdown_of(flow));
    if (flow.sender_completion < flow.ideal_fct) ++result.clipped;
  }
  result.fct_us = distribution_of(std::move(fct_us));
  result.receiver_fct_us = distribution_of(std::move(receiver_fct_us));
  result.slowdown = distribution_of(std::move(slowdown));
  return result;
}

/// Over the flows for which `wanted` holds, by group.
template <class Wanted>
std::array<FctSummary, kFlowGroups> summarise_groups(const std::vector<FlowRecord>& flows, const Wanted& wanted) {
  std::array<FctSummary, kFlowGroups> result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto group = static_cast<FlowGroup>(i);
    result[i] =
        summarise_flows(flows, [&](const FlowRecord& flow) { return is_in(group, flow.flow_class) && wanted(flow); });
  }
  return result;
}

std::vector<LabelSummary> summarise_labels(const RunRecord& record) {
  std::vector<LabelSummary> result;
  std::array<bool, 256> present{};
  for (const FlowRecord& flow : record.flows) present[flow.label] = true;
  for (std::size_t label = 0; label < present.size(); ++label) {
    if (!present[label]) continue;
    result.push_back({label_name(record, static_cast<std::uint8_t>(label)),
                      summarise_flows(record.flows, [&](const FlowRecord& flow) { return flow.label == label; })});
  }
  return result;
}

SeriesSummary summarise_series(const Series& series) {
  SeriesSummary result;
  std::tie(result.name, result.unit) = name_and_unit(series);
  result.samples = series.values.size();
  if (series.values.empty()) return result;
  result.mean =
      std::accumulate(series.values.begin(), series.values.end(), 0.0) / static_cast<double>(series.values.size());
  result.maximum = *std::max_element(series.values.begin(), series.values.end());
  return result;
}

std::vector<TierSummary> summarise_tiers(const RunRecord& run, int highest) {
  std::map<int, TierSummary> tiers;
  for (const SwitchRecord& record : run.switches) {
    TierSummary& tier = tiers[record.tier];
    tier.tier = record.tier;
    tier.name = tier_name(record.tier, highest);
    if (tier.switches++ == 0 || record.buffer_maximum > tier.buffer_maximum) {
      tier.buffer_maximum = record.buffer_maximum;
      tier.fullest = record.name;
    }
    tier.occupancy.merge(record.occupancy);
    tier.occupancy_at_pause.merge(record.occupancy_at_pause);
    tier.pauses_sent += record.pauses_sent;
    for (std::size_t reason = 0; reason < record.drops.size(); ++reason) tier.drops[reason] += record.drops[reason];
  }
  std::vector<TierSummary> result;
  for (auto& [number, tier] : tiers) {
    const auto place = static_cast<std::size_t>(number);
    if (place < run.queueing_by_tier.size()) tier.queueing = run.queueing_by_tier[place];
    result.push_back(std::move(tier));
  }
  return result;
}

double share_of_time(Duration paused, std::size_t links, Time simulated) {
  const double whole = static_cast<double>(links) * static_cast<double>(simulated.picoseconds());
  return whole > 0 ? static_cast<double>(paused.picoseconds()) / whole : 0.0;
}

std::vector<TierPairSummary> summarise_tier_pairs(const RunRecord& record, int highest) {
  std::map<std::pair<int, int>, std::pair<TierPairSummary, Duration>> pairs;
  for (const LinkRecord& link : record.links) {
    auto& [pair, paused] = pairs[{link.from_tier, link.to_tier}];
    pair.paused_tier = link.from_tier;
    pair.pausing_tier = link.to_tier;
    ++pair.links;
    if (link.paused > Duration() || link.pauses > 0) ++pair.links_paused;
    pair.pauses += link.pauses;
    pair.largest_paused_share = std::max(pair.largest_paused_share, share_of_time(link.paused, 1, record.simulated));
    paused += link.paused;
  }
  std::vector<TierPairSummary> result;
  for (auto& [tiers, entry] : pairs) {
    auto& [pair, paused] = entry;
    pair.paused = tier_name(pair.paused_tier, highest);
    pair.pausing = tier_name(pair.pausing_tier, highest);
    pair.paused_share = share_of_time(paused, pair.links, record.simulated);
    result.push_back(std::move(pair));
  }
  return result;
}

PauseHoldSummary summarise_hold(const std::array<PauseHold, kFlowClasses>& holds, FlowGroup group) {
  PauseHoldSummary result;
  Duration held;
  Duration innocent;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (!is_in(group, static_cast<FlowClass>(i))) continue;
    result.packets += holds[i].packets;
    held += holds[i].held;
    innocent += holds[i].innocent;
  }
  if (result.packets == 0) return result;
  const auto packets = static_cast<double>(result.packets);
  result.mean_held_us = held.microseconds() / packets;
  result.mean_innocent_us = innocent.microseconds() / packets;
  if (held > Duration()) {
    result.innocent_share = static_cast<double>(innocent.picoseconds()) / static_cast<double>(held.picoseconds());
  }
  return result;
}

}  // namespace

bool is_in(FlowGroup group, FlowClass flow_class) {
  switch (group) {
    case FlowGroup::incast:
      return flow_class == FlowClass::incast;
    case FlowGroup::victim:
      return flow_class == FlowClass::victim;
    case FlowGroup::background:
      return flow_class == FlowClass::background;
    case FlowGroup::not_incast:
      return flow_class != FlowClass::incast;
    case FlowGroup::all:
      return true;
  }
  return false;
}

std::string label_name(const RunRecord& record, std::uint8_t label) {
  return label < record.labels.size() ? record.labels[label] : std::to_string(label);
}

std::pair<std::string, std::string> name_and_unit(const Series& series) {
  const std::size_t blank = series.name.rfind(' ');  // names may contain blanks, units do not
  if (blank == std::string::npos) return {series.name, {}};
  return {series.name.substr(0, blank), series.name.substr(blank + 1)};
}

double slowdown_of(const FlowRecord& flow) {
  const auto fct = static_cast<double>(flow.sender_completion.picoseconds());
  return std::max(1.0, fct / static_cast<double>(flow.ideal_fct.picoseconds()));
}

double RunSummary::retransmitted_share() const {
  return data_frames == 0 ? 0.0 : static_cast<double>(retransmitted_frames) / static_cast<double>(data_frames);
}

std::string tier_name(int tier, int highest) {
  if (tier == 0) return "host";
  if (tier == 1) return "ToR";
  if (tier == highest) return "core";
  if (highest == 3) return "aggregation";
  return fmt::format("tier {}", tier);
}

RunSummary summarise(const RunRecord& record, const std::vector<SizeBin>& bins) {
  RunSummary result;
  result.scenario = record.scenario;
  result.variant = record.variant;
  result.parameters = record.parameters;
  result.seed = record.seed;
  result.version = record.version;
  result.digest = record.digest;
  result.interrupted = record.interrupted;
  result.failure = record.failure;
  result.findings = record.findings;
  result.simulated = record.simulated;
  result.data_frames = record.data_frames;
  result.retransmitted_frames = record.retransmitted_frames;
  result.out_of_order_frames = record.out_of_order_frames;
  for (const Counter<RunRecord>& counter : kRunCounters) {
    const std::int64_t value = counter.get(record);
    if (!counter.csv.empty() && value != 0) result.counters.emplace_back(counter.csv, value);
  }
  result.packet_hops = record.packet_hops;
  result.bytes_by_kind = record.bytes_by_kind;
  result.active_flows = record.active_flows;
  result.active_queues = record.active_queues;
  for (const Series& series : record.series) result.series.push_back(summarise_series(series));

  result.groups = summarise_groups(record.flows, [](const FlowRecord&) { return true; });
  for (const SizeBin& bin : bins) {
    result.sizes.push_back(
        {bin, summarise_groups(record.flows, [&bin](const FlowRecord& flow) { return bin.contains(flow.size); })});
  }
  result.labels = summarise_labels(record);

  int highest = 0;
  for (const SwitchRecord& at : record.switches) highest = std::max(highest, at.tier);
  for (const LinkRecord& link : record.links) highest = std::max({highest, link.from_tier, link.to_tier});
  result.tiers = summarise_tiers(record, highest);
  result.tier_pairs = summarise_tier_pairs(record, highest);
  Duration paused;
  for (const LinkRecord& link : record.links) {
    paused += link.paused;
    result.lost += link.lost;
    if (link.to_tier == 0) result.pauses += link.pauses;  // by hosts; the tiers have those by switches
  }
  result.paused_share = share_of_time(paused, record.links.size(), record.simulated);
  for (const TierSummary& tier : result.tiers) {
    result.pauses += tier.pauses_sent;
    for (std::size_t reason = 0; reason < tier.drops.size(); ++reason) result.drops[reason] += tier.drops[reason];
  }
  result.dropped =
      std::accumulate(result.drops.begin(), result.drops.end(), std::uint64_t{0}) - result.drops[kDroppedOnPurpose];
  for (std::size_t i = 0; i < result.pause_hold.size(); ++i) {
    result.pause_hold[i] = summarise_hold(record.pause_hold, static_cast<FlowGroup>(i));
  }
  return result;
}

}  // namespace weir
