// SPDX-License-Identifier: Apache-2.0
#include "results/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "results/any_run.h"
#include "results/comparison_legend.h"
#include "results/labels.h"
#include "results/replicates.h"
#include "results/statements.h"
#include "results/summary_figures.h"
#include "results/table.h"
#include "results/text.h"
#include "results/warning_text.h"

namespace weir {
namespace {

using Runs = std::vector<RunSummary>;

std::string mean_of(const Distribution& values) {
  return values.empty() ? std::string(kNothing) : format_number(values.mean);
}

std::string p99_of(const Distribution& values) {
  return values.empty() ? std::string(kNothing) : format_number(values.p99);
}

std::string marked(const std::string& label, const RunSummary& run) {
  if (!run.failure.empty()) return label + " (FAILED)";
  if (run.interrupted) return label + " (INTERRUPTED)";
  return label;
}

/// The reasons for the marks of runs.
std::string reasons(const Runs& runs, const std::vector<std::string>& labels, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string at = fmt::format("{:.3f} ms", runs[i].simulated.seconds() * 1e3);
    if (!runs[i].failure.empty()) {
      text +=
          wrap(fmt::format("{} FAILED: {}. Its row shows the results until then, {}.", labels[i], runs[i].failure, at),
               width);
    } else if (runs[i].interrupted) {
      text +=
          wrap(fmt::format("{} was INTERRUPTED at {}. Its row shows the results until then.", labels[i], at), width);
    }
  }
  return text;
}

/// The runs side by side, one row per size bin.
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
  if (are_replicates(runs)) return format_replicates(runs, width);
  std::vector<std::string> labels = run_labels(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) labels[i] = marked(labels[i], runs[i]);

  const std::vector<SummaryFigure> figures = summary_figures(runs);
  std::vector<Column> columns{{"", "variant", "", Column::Align::left}};
  for (const SummaryFigure& figure : figures) columns.push_back(figure.column);
  columns.push_back({"", "completed", "flows"});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<std::string> cells{labels[i]};
    for (const SummaryFigure& figure : figures) cells.push_back(figure.text(runs[i]));
    const FctSummary& flows = runs[i].of(FlowGroup::all);
    cells.push_back(fmt::format("{}/{}", flows.completed, flows.due()));
    table.add_row(std::move(cells));
  }

  std::string text = table.format(width);
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += "\n" + part;
  };
  add(reasons(runs, run_labels(runs), width));
  add(format_sizes(runs, labels, width));
  add(wrap(comparison_legend(runs), width));
  add(wrap(fmt::format("{}", fmt::join(statements_on(runs), " ")), width));
  add(warning_text(runs, width));
  return text;
}

}  // namespace weir
