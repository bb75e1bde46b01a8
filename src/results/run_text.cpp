#include "results/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "results/labels.h"
#include "results/table.h"
#include "results/text.h"

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
  if (!run.failure.empty()) text += fmt::format(" FAILED: {}. What follows is of what ran until then.", run.failure);
  if (run.failure.empty() && run.interrupted) text += " INTERRUPTED: what follows is of what ran until then.";
  return wrap(text, width);
}

std::string flows_by_class(const RunSummary& run, std::size_t width) {
  Table table(fct_columns("class"));
  const bool one_class = std::count_if(run.groups.begin(), run.groups.begin() + kFlowClasses,
                                       [](const FctSummary& flows) { return flows.flows > 0; }) == 1;
  for (const FlowGroup group : {FlowGroup::incast, FlowGroup::victim, FlowGroup::background, FlowGroup::all}) {
    if (group == FlowGroup::all && one_class) continue;  // it would be the same row again
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

std::string switches(const RunSummary& run, std::size_t width) {
  std::vector<Column> columns{{"", "switches", "", Column::Align::left},
                              {"", "number", ""},
                              {"buffer", "max", "MB"},
                              {"buffer", "p99", "MB"},
                              {"pauses", "sent", ""},
                              {"pauses", "at buffer", "MB"}};
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

}  // namespace

std::string format_run(const RunSummary& run, std::size_t width) {
  std::string text = title(run, width);
  for (const std::string& part : {flows_by_class(run, width), flows_by_size(run, width), switches(run, width),
                                  pauses(run, width), holds(run, width)}) {
    if (!part.empty()) text += "\n" + part;
  }
  const FctSummary& flows = run.of(FlowGroup::all);
  std::string totals = fmt::format("Resent: {} of {} data frames ({} %).", run.retransmitted_frames, run.data_frames,
                                   format_percent(run.retransmitted_share()));
  if (flows.completed < flows.due()) {
    totals += fmt::format(" {} of {} flows had not completed at the end; times are of the others.",
                          flows.due() - flows.completed, flows.due());
  }
  if (flows.stopped > 0) totals += fmt::format(" Flows stopped by their stop time: {}.", flows.stopped);
  return text + "\n" + wrap(totals, width);
}

}  // namespace weir
