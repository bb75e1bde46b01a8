// SPDX-License-Identifier: Apache-2.0
#include "report/report_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "report/base64.h"
#include "report/configuration.h"
#include "report/curves.h"
#include "report/network_series.h"
#include "report/packed_timeline.h"
#include "report/replicate_data.h"
#include "results/labels.h"
#include "results/replicates.h"
#include "results/statements.h"
#include "results/statistics.h"
#include "results/summary.h"

namespace weir {
namespace {

using nlohmann::json;

/// Maximum number of points of a series, about the resolution of a screen.
constexpr std::size_t kSeriesPoints = 1'024;
/// Minimum number of intervals of a timeline: fewer are not informative.
constexpr std::size_t kLeastIntervals = 32;

/// Six significant digits are sufficient for drawing, and halve the length of the text.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

json rounded(const std::vector<double>& values) {
  json out = json::array();
  for (const double value : values) {
    const double number = rounded(value);
    // Integers are shorter without a decimal point.
    if (number == std::floor(number) && std::abs(number) < 1e15) {
      out.push_back(static_cast<std::int64_t>(number));
    } else {
      out.push_back(number);
    }
  }
  return out;
}

json of(const Distribution& distribution) {
  if (distribution.empty()) return nullptr;
  return {{"count", distribution.count},         {"mean", rounded(distribution.mean)},
          {"p50", rounded(distribution.p50)},    {"p90", rounded(distribution.p90)},
          {"p95", rounded(distribution.p95)},    {"p99", rounded(distribution.p99)},
          {"max", rounded(distribution.maximum)}};
}

json of(const FctSummary& flows) {
  return {{"flows", flows.flows},
          {"due", flows.due()},
          {"completed", flows.completed},
          {"retransmitted", flows.retransmitted_packets},
          {"outOfOrder", flows.out_of_order_packets},
          {"fctUs", of(flows.fct_us)},
          {"slowdown", of(flows.slowdown)}};
}

json of(const std::array<FctSummary, kFlowGroups>& groups) {
  json out = json::array();
  for (const FctSummary& group : groups) out.push_back(of(group));
  return out;
}

json of(const std::vector<LabelSummary>& labels) {
  json out = json::array();
  for (const LabelSummary& label : labels) out.push_back({{"name", label.name}, {"flows", of(label.flows)}});
  return out;
}

json of(const std::vector<CurvePoint>& points) {
  std::vector<double> shares;
  std::vector<double> values;
  for (const CurvePoint& point : points) {
    shares.push_back(point.share);
    values.push_back(point.value);
  }
  return {{"shares", rounded(shares)}, {"values", rounded(values)}};
}

json of(const PackedRows& rows) {
  return {{"links", rows.links}, {"values", base64(rows.values)}};
}

json of(const TierSummary& tier) {
  const auto quantile = [&tier](double p) { return tier.occupancy.quantile(p); };
  return {{"tier", tier.tier},
          {"name", tier.name},
          {"switches", tier.switches},
          {"maximum", tier.buffer_maximum},
          {"fullest", tier.fullest},
          {"samples", tier.occupancy.count()},
          {"mean", rounded(tier.occupancy.mean())},
          {"p50", quantile(0.5)},
          {"p95", quantile(0.95)},
          {"p99", quantile(0.99)},
          {"curve", of(curve_of(tier.occupancy))},
          {"pauses", tier.pauses_sent},
          {"drops", tier.drops}};
}

json of(const TierPairSummary& pair) {
  return {{"pausedTier", pair.paused_tier},
          {"pausingTier", pair.pausing_tier},
          {"paused", pair.paused},
          {"pausing", pair.pausing},
          {"links", pair.links},
          {"linksPaused", pair.links_paused},
          {"pauses", pair.pauses},
          {"share", rounded(pair.paused_share)},
          {"largestShare", rounded(pair.largest_paused_share)}};
}

json of(const PauseHoldSummary& hold) {
  if (hold.packets == 0) return nullptr;
  return {{"packets", hold.packets},
          {"heldUs", rounded(hold.mean_held_us)},
          {"innocentUs", rounded(hold.mean_innocent_us)},
          {"innocentShare", rounded(hold.innocent_share)}};
}

/// The slowdowns of each group as curves.
json slowdown_curves(const std::vector<FlowRecord>& flows) {
  json out = json::array();
  for (int i = 0; i < kFlowGroups; ++i) {
    std::vector<double> values;
    for (const FlowRecord& flow : flows) {
      // As in summarise().
      const bool counts = !flow.stopped && flow.completed() && flow.ideal_fct > Duration();
      if (counts && is_in(static_cast<FlowGroup>(i), flow.flow_class)) values.push_back(slowdown_of(flow));
    }
    out.push_back(of(curve_of(std::move(values))));
  }
  return out;
}

/// A recorded series; its name ends with its unit.
json of(const Series& series) {
  const std::size_t blank = series.name.rfind(' ');
  const std::string unit = blank == std::string::npos ? "" : series.name.substr(blank + 1);
  const bool maximum = unit == "bytes";
  const Series few = thinned(series, kSeriesPoints, maximum);
  return {{"name", series.name.substr(0, blank)},
          {"unit", unit},
          {"intervalUs", few.interval.microseconds()},
          {"maximum", maximum},
          {"values", rounded(few.values)}};
}

json of(const RunFinding& finding) {
  json ports = json::array();
  for (const FoundPort& port : finding.ports) ports.push_back({{"link", port.link}, {"what", port.what}});
  return {{"kind", kFindingKindNames[static_cast<std::size_t>(finding.kind)]},
          {"text", finding.text},
          {"failed", finding.failed},
          {"ports", std::move(ports)}};
}

/// The network's nodes and links; runs on the same network share it.
json network_of(const RunRecord& record) {
  json nodes = json::array();
  json links = json::array();
  std::map<std::string, std::size_t> number;
  const auto node = [&](const std::string& name, int tier) {
    const auto [at, is_new] = number.try_emplace(name, number.size());
    if (is_new) nodes.push_back({name, tier});
    return at->second;
  };
  for (const LinkRecord& link : record.links) {
    const std::size_t from = node(link.from, link.from_tier);
    links.push_back({from, node(link.to, link.to_tier), link.rate.gigabits_per_second()});
  }
  return {{"nodes", std::move(nodes)}, {"links", std::move(links)}};
}

json timeline_of(const RunRecord& record, std::size_t most_intervals) {
  if (!record.timeline.recorded()) return nullptr;
  const PackedTimeline packed = pack_timeline(record, most_intervals);
  json queues = json::array();
  for (const TierQueues& tier : queues_by_tier(record)) {
    queues.push_back({{"tier", tier.tier}, {"total", rounded(tier.total)}, {"fullest", rounded(tier.fullest)}});
  }
  json pauses = json::array();
  for (const TierPairPauses& pair : pauses_by_tiers(record)) {
    pauses.push_back(
        {{"pausedTier", pair.paused_tier}, {"pausingTier", pair.pausing_tier}, {"held", rounded(pair.held)}});
  }
  std::optional<double> complete_until;
  if (record.timeline.pauses_left_out > 0 && !record.timeline.pauses.empty()) {
    complete_until = record.timeline.pauses.back().begin.microseconds();
  }
  return {{"intervalUs", packed.interval.microseconds()},
          {"intervals", packed.intervals},
          {"leastQueue", PackedTimeline::kLeastQueue},
          {"queueStep", packed.queue_step},
          {"load", of(packed.load)},
          {"queued", of(packed.queued)},
          {"paused", of(packed.paused)},
          {"pausesLeftOut", record.timeline.pauses_left_out},
          {"pausesUntilUs", complete_until ? json(*complete_until) : json(nullptr)},
          {"series",
           {{"intervalUs", record.timeline.interval.microseconds()},
            {"delivered", rounded(delivered_rate(record))},
            {"queues", std::move(queues)},
            {"pauses", std::move(pauses)}}}};
}

/// The maximum number of intervals per timeline such that all timelines together stay within their limit of bytes.
std::size_t most_intervals_of(const std::vector<RunRecord>& records, std::size_t timeline_bytes) {
  std::size_t rows = 0;
  for (const RunRecord& record : records) {
    const PackedTimeline packed = pack_timeline(record, kLeastIntervals);
    rows += packed.load.links.size() + packed.queued.links.size() + packed.paused.links.size();
  }
  return std::max(kLeastIntervals, timeline_bytes / std::max<std::size_t>(rows, 1));
}

json of(const StatisticValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* number = std::get_if<double>(&value)) return rounded(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

/// By kind: the names of its columns, and its rows. Kinds without rows are omitted.
json of(const Statistics& statistics) {
  json out = json::object();
  for_each_statistic(statistics, [&out](const auto& rows) {
    using Row = StatisticRow<decltype(rows)>;
    if (rows.empty()) return;
    json columns = json::array();
    for_each_column(Row(), false, [&](const std::string& name, const StatisticValue&) { columns.push_back(name); });
    json values = json::array();
    for (const Row& row : rows) {
      json fields = json::array();
      for_each_column(row, false,
                      [&](const std::string&, const StatisticValue& value) { fields.push_back(of(value)); });
      values.push_back(std::move(fields));
    }
    out[std::string(StatisticTable<Row>::kName)] = {{"columns", std::move(columns)}, {"rows", std::move(values)}};
  });
  return out;
}

json run_of(const RunRecord& record, const RunSummary& summary, const std::string& label, std::size_t most_intervals) {
  json sizes = json::array();
  for (const SizeBinSummary& size : summary.sizes) sizes.push_back(of(size.groups));
  json tiers = json::array();
  for (const TierSummary& tier : summary.tiers) tiers.push_back(of(tier));
  json pairs = json::array();
  for (const TierPairSummary& pair : summary.tier_pairs) pairs.push_back(of(pair));
  json holds = json::array();
  for (const PauseHoldSummary& hold : summary.pause_hold) holds.push_back(of(hold));
  json series = json::array();
  for (const Series& at : record.series) series.push_back(of(at));
  json findings = json::array();
  for (const RunFinding& finding : record.findings) findings.push_back(of(finding));
  return {{"label", label},
          {"scenario", record.scenario},
          {"variant", record.variant},
          // A seed may have more digits than a JavaScript number can represent.
          {"seed", std::to_string(record.seed)},
          {"version", record.version},
          {"digest", record.digest},
          {"interrupted", record.interrupted},
          {"failure", record.failure},
          {"findings", std::move(findings)},
          {"simulatedUs", record.simulated.microseconds()},
          {"wallSeconds", rounded(record.wall_seconds)},
          {"packetHops", record.packet_hops},
          {"configuration", record.effective_configuration},
          {"groups", of(summary.groups)},
          {"sizes", std::move(sizes)},
          {"labels", of(summary.labels)},
          {"curves", slowdown_curves(record.flows)},
          {"tiers", std::move(tiers)},
          {"tierPairs", std::move(pairs)},
          {"pausedShare", rounded(summary.paused_share)},
          {"pauses", summary.pauses},
          {"drops", summary.drops},
          {"dropped", summary.dropped},
          {"holds", std::move(holds)},
          {"dataFrames", summary.data_frames},
          {"retransmittedFrames", summary.retransmitted_frames},
          {"outOfOrderFrames", summary.out_of_order_frames},
          {"retransmittedShare", rounded(summary.retransmitted_share())},
          {"counters", summary.counters},
          {"series", std::move(series)},
          {"statistics", of(record.statistics)},
          {"timeline", timeline_of(record, most_intervals)}};
}

/// The common text value of a key of all configurations, or "" if the values differ.
std::string common_text(const std::vector<std::vector<ConfigurationKey>>& configurations, std::string_view path) {
  std::set<std::string> texts;
  for (const auto& keys : configurations) texts.insert(configuration_text(keys, path));
  return texts.size() == 1 ? *texts.begin() : "";
}

}  // namespace

json report_data(const std::vector<RunRecord>& records, const std::vector<std::string>& missing,
                 std::size_t timeline_bytes, const std::vector<RunSummary>& all) {
  std::vector<RunSummary> summaries;
  std::vector<std::vector<ConfigurationKey>> configurations;
  for (const RunRecord& record : records) {
    summaries.push_back(summarise(record));
    configurations.push_back(configuration_keys(record.effective_configuration));
  }
  const std::vector<std::string> labels = run_labels(summaries);
  const std::size_t most_intervals = most_intervals_of(records, timeline_bytes);

  const std::vector<ReplicateGroup> groups = group_replicates(all);
  json runs = json::array();
  json networks = json::array();
  for (std::size_t i = 0; i < records.size(); ++i) {
    json run = run_of(records[i], summaries[i], labels[i], most_intervals);
    const json network = network_of(records[i]);
    const auto known = std::find(networks.begin(), networks.end(), network);
    run["replicate"] = all.empty() ? json(nullptr) : replicate_of(records[i], groups, all);
    run["network"] = known - networks.begin();
    if (known == networks.end()) networks.push_back(network);
    runs.push_back(std::move(run));
  }
  json bins = json::array();
  for (const SizeBin& bin : field_size_bins()) bins.push_back(bin.label);
  json differences = json::array();
  for (const ConfigurationDifference& difference : configuration_differences(configurations)) {
    differences.push_back({{"path", difference.path}, {"values", difference.values}});
  }
  const std::string title = common_text(configurations, "scenario.title");
  const bool one_scenario = std::all_of(records.begin(), records.end(), [&](const RunRecord& record) {
    return record.scenario == records.front().scenario;
  });
  return {{"title", !title.empty() || records.empty() || !one_scenario ? title : records.front().scenario},
          {"question", common_text(configurations, "scenario.question")},
          {"statements", statements_on(all.empty() ? summaries : all)},
          {"parameters", parameters_data(all)},
          {"quantities", all.empty() ? json::array() : quantities_data(all)},
          {"replicates", all.empty() ? json::array() : replicates_data(all, records)},
          {"missing", missing},
          {"sizeBins", std::move(bins)},
          {"groups", kFlowGroupNames},
          {"dropReasons", kDropReasonNames},
          {"differences", std::move(differences)},
          {"networks", std::move(networks)},
          {"runs", std::move(runs)}};
}

}  // namespace weir
