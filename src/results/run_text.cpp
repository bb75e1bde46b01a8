// SPDX-License-Identifier: Apache-2.0
#include "results/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "results/labels.h"
#include "results/table.h"
#include "results/text.h"
#include "results/warning_text.h"

namespace weir {
namespace {

std::vector<Column> fct_columns(std::string first) {
  std::vector<Column> columns{
      {"", std::move(first), "", Column::Align::left}, {"flows", "started", ""}, {"flows", "completed", ""}};
  for (const char* name : {"avg", "p50", "p90", "p95", "p99"}) columns.push_back({"FCT", name, "µs"});
  for (const char* name : {"avg", "p50", "p90", "p95", "p99"}) columns.push_back({"slowdown", name, ""});
  return columns;
}

void add_distribution(const Distribution& values, std::vector<std::string>& cells) {
  for (const double value : {values.mean, values.p50, values.p90, values.p95, values.p99}) {
    cells.push_back(values.empty() ? std::string(kNothing) : format_number(value));
  }
}

void add_flows(std::string label, const FctSummary& flows, Table& table) {
  if (flows.flows == 0) return;
  std::vector<std::string> cells{std::move(label), std::to_string(flows.flows), std::to_string(flows.completed)};
  add_distribution(flows.fct_us, cells);
  add_distribution(flows.slowdown, cells);
  table.add_row(std::move(cells));
}

std::string title(const RunSummary& run, std::size_t width) {
  std::string text = run.scenario.empty() ? "run" : run.scenario;
  if (!run.variant.empty()) text += fmt::format(", {}", run.variant);
  text +=
      fmt::format(", seed {}: {:.3f} ms simulated, digest {}.", run.seed, run.simulated.seconds() * 1e3, run.digest);
  if (!run.failure.empty())
    text += fmt::format(" FAILED: {}. The following results are those until then.", run.failure);
  if (run.failure.empty() && run.interrupted) text += " INTERRUPTED: the following results are those until then.";
  return wrap(text, width);
}

std::string flows_by_class(const RunSummary& run, std::size_t width) {
  Table table(fct_columns("class"));
  const bool one_class = std::count_if(run.groups.begin(), run.groups.begin() + kFlowClasses,
                                       [](const FctSummary& flows) { return flows.flows > 0; }) == 1;
  for (const FlowGroup group : {FlowGroup::incast, FlowGroup::victim, FlowGroup::background, FlowGroup::all}) {
    if (group == FlowGroup::all && one_class) continue;  // would repeat the same row
    add_flows(std::string(kFlowGroupNames[static_cast<std::size_t>(group)]), run.of(group), table);
  }
  return table.empty() ? "" : table.format(width);
}

std::string flows_by_size(const RunSummary& run, std::size_t width) {
  Table table(fct_columns("size"));
  for (const SizeBinSummary& size : run.sizes) {
    add_flows(size.bin.label, size.groups[static_cast<std::size_t>(FlowGroup::all)], table);
  }
  return table.empty() ? "" : table.format(width);
}

/// If labels distinguish more flows than the classes do.
std::string flows_by_label(const RunSummary& run, std::size_t width) {
  Table table(fct_columns("label"));
  const bool more = std::any_of(run.labels.begin(), run.labels.end(), [](const LabelSummary& label) {
    return label.name != "plain" && label.name != kFlowGroupNames[static_cast<std::size_t>(FlowGroup::incast)];
  });
  if (run.labels.size() < 2 || !more) return "";
  for (const LabelSummary& label : run.labels) add_flows(label.name, label.flows, table);
  return table.format(width);
}

/// Mean, quantiles and maximum of values of which `scale` make one displayed unit.
void add_histogram(const Histogram& values, double scale, std::vector<std::string>& cells) {
  for (const double value : {values.mean(), static_cast<double>(values.quantile(0.5)),
                             static_cast<double>(values.quantile(0.99)), static_cast<double>(values.maximum())}) {
    cells.push_back(values.count() == 0 ? std::string(kNothing) : format_number(value / scale));
  }
}

std::string switches(const RunSummary& run, std::size_t width) {
  std::vector<Column> columns{{"", "switches", "", Column::Align::left},
                              {"", "number", ""},
                              {"buffer", "max", "MB"},
                              {"buffer", "p99", "MB"},
                              {"pauses", "sent", ""},
                              {"pauses", "at buffer", "MB"}};
  const bool queueing = std::any_of(run.tiers.begin(), run.tiers.end(),
                                    [](const TierSummary& tier) { return tier.queueing.count() > 0; });
  if (queueing) {
    for (const char* name : {"avg", "p50", "p99", "max"}) columns.push_back({"data waited", name, "µs"});
  }
  std::vector<std::size_t> reasons;  // that occurred
  for (std::size_t reason = 0; reason < run.drops.size(); ++reason) {
    if (run.drops[reason] == 0) continue;
    reasons.push_back(reason);
    columns.push_back({"dropped frames", std::string(kDropReasonNames[reason]), ""});
  }
  if (reasons.empty()) columns.push_back({"", "dropped", "frames"});
  Table table(std::move(columns));
  for (const TierSummary& tier : run.tiers) {
    const bool sampled = tier.occupancy.count() > 0;
    const bool paused = tier.occupancy_at_pause.count() > 0;
    std::vector<std::string> cells{
        tier.name,
        std::to_string(tier.switches),
        format_megabytes(tier.buffer_maximum),
        sampled ? format_megabytes(tier.occupancy.quantile(0.99)) : std::string(kNothing),
        std::to_string(tier.pauses_sent),
        paused ? format_number(tier.occupancy_at_pause.mean() * 1e-6) : std::string(kNothing)};
    constexpr double kMicrosecond = 1e6;  // picoseconds
    if (queueing) add_histogram(tier.queueing, kMicrosecond, cells);
    for (const std::size_t reason : reasons) cells.push_back(std::to_string(tier.drops[reason]));
    if (reasons.empty()) cells.emplace_back("0");
    table.add_row(std::move(cells));
  }
  return table.empty() ? "" : table.format(width);
}

std::string pauses(const RunSummary& run, std::size_t width) {
  Table table({{"", "paused", "", Column::Align::left},
               {"", "by", "", Column::Align::left},
               {"", "pauses", ""},
               {"links", "all", ""},
               {"links", "paused", ""},
               {"paused time", "mean", "%"},
               {"paused time", "max", "%"}},
              2);
  for (const TierPairSummary& pair : run.tier_pairs) {
    if (pair.links_paused == 0) continue;
    table.add_row({pair.paused, pair.pausing, std::to_string(pair.pauses), std::to_string(pair.links),
                   std::to_string(pair.links_paused), format_percent(pair.paused_share),
                   format_percent(pair.largest_paused_share)});
  }
  return table.empty() ? "" : table.format(width);
}

std::string holds(const RunSummary& run, std::size_t width) {
  Table table({{"", "class", "", Column::Align::left},
               {"held by pauses", "packets", ""},
               {"held by pauses", "mean", "µs"},
               {"innocently", "mean", "µs"},
               {"innocently", "of held", "%"}});
  for (const FlowGroup group : {FlowGroup::incast, FlowGroup::victim, FlowGroup::background}) {
    const PauseHoldSummary& hold = run.hold_of(group);
    if (hold.packets == 0) continue;
    table.add_row({std::string(kFlowGroupNames[static_cast<std::size_t>(group)]), std::to_string(hold.packets),
                   format_number(hold.mean_held_us), format_number(hold.mean_innocent_us),
                   format_percent(hold.innocent_share)});
  }
  return table.empty() ? "" : table.format(width);
}

std::string ports(const RunSummary& run, std::size_t width) {
  Table table({{"", "active", "", Column::Align::left},
               {"a port of a switch", "avg", ""},
               {"a port of a switch", "p50", ""},
               {"a port of a switch", "p99", ""},
               {"a port of a switch", "max", ""}});
  for (const auto& [name, values] : {std::pair{"flows", &run.active_flows}, {"queues", &run.active_queues}}) {
    if (values->count() == 0) continue;
    std::vector<std::string> cells{name};
    add_histogram(*values, 1, cells);
    table.add_row(std::move(cells));
  }
  return table.empty() ? "" : table.format(width);
}

std::string frames(const RunSummary& run, std::size_t width) {
  const auto all =
      static_cast<double>(std::accumulate(run.bytes_by_kind.begin(), run.bytes_by_kind.end(), std::int64_t{0}));
  Table table(
      {{"", "frames", "", Column::Align::left}, {"sent on links", "bytes", "MB"}, {"sent on links", "of all", "%"}});
  for (std::size_t kind = 0; kind < run.bytes_by_kind.size(); ++kind) {
    if (run.bytes_by_kind[kind] == 0) continue;
    table.add_row({std::string(kFrameKindNames[kind]), format_megabytes(run.bytes_by_kind[kind]),
                   format_percent(static_cast<double>(run.bytes_by_kind[kind]) / all)});
  }
  return table.empty() ? "" : table.format(width);
}

std::string series(const RunSummary& run, std::size_t width) {
  Table table({{"", "over time", "", Column::Align::left},
               {"", "samples", ""},
               {"", "mean", ""},
               {"", "max", ""},
               {"", "unit", "", Column::Align::left}});
  for (const SeriesSummary& series : run.series) {
    if (series.samples == 0) continue;
    // Rates are shown in billions, bytes in millions.
    const bool rate = series.unit == "bit/s";
    const bool bytes = series.unit == "bytes";
    const double scale = rate ? 1e9 : bytes ? 1e6 : 1;
    table.add_row({series.name, std::to_string(series.samples), format_number(series.mean / scale),
                   format_number(series.maximum / scale),
                   rate    ? "Gbit/s"
                   : bytes ? "MB"
                           : series.unit});
  }
  return table.empty() ? "" : table.format(width);
}

}  // namespace

std::string format_run(const RunSummary& run, std::size_t width) {
  std::string text = title(run, width);
  for (const std::string& part :
       {flows_by_class(run, width), flows_by_label(run, width), flows_by_size(run, width), switches(run, width),
        ports(run, width), pauses(run, width), holds(run, width), frames(run, width), series(run, width)}) {
    if (!part.empty()) text += "\n" + part;
  }
  const FctSummary& flows = run.of(FlowGroup::all);
  std::string totals = fmt::format("Retransmitted: {} of {} data frames ({} %).", run.retransmitted_frames,
                                   run.data_frames, format_percent(run.retransmitted_share()));
  if (flows.completed < flows.due()) {
    totals += fmt::format(" {} of {} flows had not completed at the end; times refer to the others.",
                          flows.due() - flows.completed, flows.due());
  }
  if (run.lost > 0) totals += fmt::format(" Frames lost in flight on links that failed: {}.", run.lost);
  if (run.packet_hops > 0) totals += fmt::format(" Packet-hops: {}.", run.packet_hops);
  if (flows.stopped > 0) totals += fmt::format(" Flows stopped by their stop time: {}.", flows.stopped);
  text += "\n" + wrap(totals, width);
  const std::string warnings = warning_text({run}, width);
  return warnings.empty() ? text : text + "\n" + warnings;
}

}  // namespace weir
