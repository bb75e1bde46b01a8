// SPDX-License-Identifier: Apache-2.0
#include "results/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "results/labels.h"
#include "results/statements.h"
#include "results/table.h"
#include "results/text.h"
#include "results/warning_text.h"

namespace weir {
namespace {

using Runs = std::vector<RunSummary>;

/// A column and what stands in it.
struct Field {
  Column column;
  std::function<std::string(const RunSummary&)> cell;
};

bool any_run(const Runs& runs, const std::function<bool(const RunSummary&)>& has) {
  return std::any_of(runs.begin(), runs.end(), has);
}

std::string mean_of(const Distribution& values) {
  return values.empty() ? std::string(kNothing) : format_number(values.mean);
}

std::string p99_of(const Distribution& values) {
  return values.empty() ? std::string(kNothing) : format_number(values.p99);
}

void add_slowdown(const Runs& runs, FlowGroup group, std::vector<Field>& fields) {
  if (!any_run(runs, [group](const RunSummary& run) { return run.of(group).flows > 0; })) return;
  const std::string head = fmt::format("{} slowdown", kFlowGroupNames[static_cast<std::size_t>(group)]);
  fields.push_back({{head, "avg", ""}, [group](const RunSummary& run) { return mean_of(run.of(group).slowdown); }});
  fields.push_back({{head, "p99", ""}, [group](const RunSummary& run) { return p99_of(run.of(group).slowdown); }});
}

void add_buffers(const Runs& runs, std::vector<Field>& fields) {
  std::map<int, std::string> tiers;
  for (const RunSummary& run : runs) {
    for (const TierSummary& tier : run.tiers) tiers.emplace(tier.tier, tier.name);
  }
  for (const auto& [number, name] : tiers) {
    fields.push_back({{"max buffer", name, "MB"}, [number = number](const RunSummary& run) {
                        for (const TierSummary& tier : run.tiers) {
                          if (tier.tier == number) return format_megabytes(tier.buffer_maximum);
                        }
                        return std::string(kNothing);
                      }});
  }
}

void add_pauses(const Runs& runs, std::vector<Field>& fields) {
  fields.push_back({{"pauses", "sent", ""}, [](const RunSummary& run) { return std::to_string(run.pauses); }});
  fields.push_back({{"pauses", "time", "%"}, [](const RunSummary& run) { return format_percent(run.paused_share); }});
  const auto held = [](const RunSummary& run) { return run.hold_of(FlowGroup::not_incast).packets > 0; };
  if (!any_run(runs, held)) return;
  fields.push_back({{"innocent pause", "mean", "µs"}, [held](const RunSummary& run) {
                      return held(run) ? format_number(run.hold_of(FlowGroup::not_incast).mean_innocent_us)
                                       : std::string(kNothing);
                    }});
  fields.push_back({{"innocent pause", "of held", "%"}, [held](const RunSummary& run) {
                      return held(run) ? format_percent(run.hold_of(FlowGroup::not_incast).innocent_share)
                                       : std::string(kNothing);
                    }});
}

std::vector<Field> fields_of(const Runs& runs) {
  std::vector<Field> fields;
  for (const FlowGroup group : {FlowGroup::victim, FlowGroup::background, FlowGroup::incast}) {
    add_slowdown(runs, group, fields);
  }
  add_buffers(runs, fields);
  add_pauses(runs, fields);
  fields.push_back({{"", "drops", "frames"}, [](const RunSummary& run) { return std::to_string(run.dropped); }});
  fields.push_back(
      {{"", "resent", "%"}, [](const RunSummary& run) { return format_percent(run.retransmitted_share()); }});
  fields.push_back({{"", "completed", "flows"}, [](const RunSummary& run) {
                      const FctSummary& flows = run.of(FlowGroup::all);
                      return fmt::format("{}/{}", flows.completed, flows.due());
                    }});
  return fields;
}

std::string marked(const std::string& label, const RunSummary& run) {
  if (!run.failure.empty()) return label + " (FAILED)";
  if (run.interrupted) return label + " (INTERRUPTED)";
  return label;
}

/// Why marked runs are marked.
std::string reasons(const Runs& runs, const std::vector<std::string>& labels, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string at = fmt::format("{:.3f} ms", runs[i].simulated.seconds() * 1e3);
    if (!runs[i].failure.empty()) {
      text += wrap(fmt::format("{} FAILED: {}. Its row is of what ran until then, {}.", labels[i], runs[i].failure, at),
                   width);
    } else if (runs[i].interrupted) {
      text += wrap(fmt::format("{} was INTERRUPTED at {}. Its row is of what ran until then.", labels[i], at), width);
    }
  }
  return text;
}

/// What the heads mean, of those that are there.
std::string legend(const Runs& runs) {
  std::string text =
      "Slowdown: a flow's completion time over that of the same flow alone on its path, never below 1; of flows that "
      "completed.";
  const auto is_few = [](const std::array<FctSummary, kFlowGroups>& groups) {
    return std::any_of(groups.begin(), groups.end(),
                       [](const FctSummary& flows) { return flows.slowdown.count > 0 && flows.slowdown.count < 100; });
  };
  const bool few = any_run(runs, [is_few](const RunSummary& run) {
    return is_few(run.groups) || std::any_of(run.sizes.begin(), run.sizes.end(),
                                             [is_few](const SizeBinSummary& size) { return is_few(size.groups); });
  });
  if (few) text += " The p99 of fewer than 100 flows is their maximum.";
  text += " Max buffer: of the fullest switch.";
  text += " Pauses: of priorities or queues, sent by switches; time: mean over all links, each direction.";
  if (any_run(runs, [](const RunSummary& run) { return run.hold_of(FlowGroup::not_incast).packets > 0; })) {
    text +=
        " Innocent pause: what packets of flows outside an incast were held for congestion that is not on their path, "
        "a "
        "held packet and of all the time held.";
  }
  return text;
}

/// The runs side by side, a row a size bin.
std::string format_sizes(const Runs& runs, const std::vector<std::string>& labels, std::size_t width) {
  const auto flows_in = [](const RunSummary& run, std::size_t bin) -> const FctSummary& {
    return run.sizes[bin].groups[static_cast<std::size_t>(FlowGroup::not_incast)];
  };
  const std::size_t bins = runs.front().sizes.size();
  bool same = true;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (const RunSummary& run : runs) {
      same = same && flows_in(run, bin).completed == flows_in(runs.front(), bin).completed;
    }
  }
  std::vector<Column> columns{{"", "size", "", Column::Align::left}};
  if (same) columns.push_back({"", "flows", ""});
  for (const std::string& label : labels) {
    if (!same) columns.push_back({label, "flows", ""});
    columns.push_back({label, "avg", ""});
    columns.push_back({label, "p99", ""});
  }
  Table table(std::move(columns), same ? 2 : 1);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    if (!any_run(runs, [&](const RunSummary& run) { return flows_in(run, bin).completed > 0; })) continue;
    std::vector<std::string> cells{runs.front().sizes[bin].bin.label};
    if (same) cells.push_back(std::to_string(flows_in(runs.front(), bin).completed));
    for (const RunSummary& run : runs) {
      const FctSummary& flows = flows_in(run, bin);
      if (!same) cells.push_back(std::to_string(flows.completed));
      cells.push_back(mean_of(flows.slowdown));
      cells.push_back(p99_of(flows.slowdown));
    }
    table.add_row(std::move(cells));
  }
  if (table.empty()) return "";
  const bool incast = any_run(runs, [](const RunSummary& run) { return run.of(FlowGroup::incast).flows > 0; });
  const std::string_view title = incast ? "Slowdown by flow size, victims and background:" : "Slowdown by flow size:";
  return fmt::format("{}\n\n{}", title, table.format(width));
}

}  // namespace

std::string format_comparison(const std::vector<RunSummary>& runs, std::size_t width) {
  if (runs.empty()) return "";
  std::vector<std::string> labels = run_labels(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) labels[i] = marked(labels[i], runs[i]);

  const std::vector<Field> fields = fields_of(runs);
  std::vector<Column> columns{{"", "variant", "", Column::Align::left}};
  for (const Field& field : fields) columns.push_back(field.column);
  Table table(std::move(columns));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<std::string> cells{labels[i]};
    for (const Field& field : fields) cells.push_back(field.cell(runs[i]));
    table.add_row(std::move(cells));
  }

  std::string text = table.format(width);
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += "\n" + part;
  };
  add(reasons(runs, run_labels(runs), width));
  add(format_sizes(runs, labels, width));
  add(wrap(legend(runs), width));
  add(wrap(fmt::format("{}", fmt::join(statements_on(runs), " ")), width));
  add(warning_text(runs, width));
  return text;
}

}  // namespace weir
