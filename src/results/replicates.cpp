// SPDX-License-Identifier: Apache-2.0
#include "results/replicates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "results/comparison_legend.h"
#include "results/table.h"
#include "results/text.h"
#include "results/warning_text.h"
#include "units/words.h"

namespace weir {
namespace {

std::string text_of(const std::vector<RunParameter>& parameters) {
  std::string out;
  for (const RunParameter& parameter : parameters) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", parameter.name, parameter.value);
  }
  return out;
}

/// The names of all parameters, in the order in which runs have them.
std::vector<std::string> names_of(const std::vector<ReplicateGroup>& groups) {
  std::vector<std::string> out;
  for (const ReplicateGroup& group : groups) {
    for (const RunParameter& parameter : group.parameters) {
      if (std::find(out.begin(), out.end(), parameter.name) == out.end()) out.push_back(parameter.name);
    }
  }
  return out;
}

std::string value_of(const ReplicateGroup& group, const std::string& name) {
  for (const RunParameter& parameter : group.parameters) {
    if (parameter.name == name) return parameter.value;
  }
  return std::string(kNothing);
}

std::string completed_text(const ReplicateGroup& group, const std::vector<RunSummary>& runs) {
  std::uint64_t completed = 0;
  std::uint64_t due = 0;
  for (const std::size_t run : group.whole) {
    completed += runs[run].of(FlowGroup::all).completed;
    due += runs[run].of(FlowGroup::all).due();
  }
  return group.whole.empty() ? std::string(kNothing) : fmt::format("{}/{}", completed, due);
}

// ---- sentences ----

/// What is compared at one point.
struct Compared {
  std::string label;
  Estimate estimate;
};

/// The result without figures, which may be the same at several points.
struct Outcome {
  std::string with_figures;
  std::string without;
};

std::string shown(const Compared& of, const SummaryFigure& figure) {
  return figure.text(std::optional(of.estimate));
}

std::vector<std::string> labels_of(const std::vector<Compared>& all) {
  std::vector<std::string> out;
  for (const Compared& each : all) out.push_back(each.label);
  return out;
}

std::string with_figures(const std::vector<Compared>& all, const SummaryFigure& figure) {
  std::vector<std::string> out;
  for (const Compared& each : all) out.push_back(fmt::format("{} ({})", each.label, shown(each, figure)));
  return join_words(out);
}

/// Requires at least two groups with intervals.
Outcome outcome_of(const std::vector<Compared>& all, const SummaryFigure& figure) {
  const Compared& best = *std::min_element(
      all.begin(), all.end(), [](const Compared& a, const Compared& b) { return a.estimate.mean < b.estimate.mean; });
  std::vector<Compared> unclear;
  std::vector<Compared> higher;
  bool equal = true;
  for (const Compared& each : all) {
    equal = equal && each.estimate.low == best.estimate.high && each.estimate.high == best.estimate.low;
    if (each.label == best.label) continue;
    (each.estimate.low > best.estimate.high ? higher : unclear).push_back(each);
  }
  if (equal) {
    return {fmt::format("the same with {}: {}", join_words(labels_of(all)), shown(best, figure)),
            fmt::format("the same with {}", join_words(labels_of(all)))};
  }
  if (higher.empty()) {
    return {fmt::format("no difference shown between {}", with_figures(all, figure)),
            fmt::format("no difference shown between {}", join_words(labels_of(all)))};
  }
  if (unclear.empty()) {
    return {fmt::format("{} has the lowest: {}; higher with {}", best.label, shown(best, figure),
                        with_figures(higher, figure)),
            fmt::format("{} has the lowest", best.label)};
  }
  return {fmt::format("lower with {} ({}) than with {}; no difference shown from {}", best.label, shown(best, figure),
                      with_figures(higher, figure), with_figures(unclear, figure)),
          fmt::format("lower with {} than with {} (no difference shown from {})", best.label,
                      join_words(labels_of(higher)), join_words(labels_of(unclear)))};
}

/// The groups that are compared with each other, by point.
std::vector<std::pair<std::string, std::vector<const ReplicateGroup*>>> contests_of(
    const std::vector<ReplicateGroup>& groups) {
  std::set<std::string> variants;
  for (const ReplicateGroup& group : groups) variants.insert(group.variant);
  std::vector<std::pair<std::string, std::vector<const ReplicateGroup*>>> out;
  for (const ReplicateGroup& group : groups) {
    const std::string point = variants.size() > 1 ? text_of(group.parameters) : std::string();
    auto at = std::find_if(out.begin(), out.end(), [&](const auto& contest) { return contest.first == point; });
    if (at == out.end()) at = out.insert(out.end(), {point, {}});
    at->second.push_back(&group);
  }
  return out;
}

/// "Victims' p99 slowdown: ..." of one figure at all points; empty if nothing can be compared.
std::string statement_on(const SummaryFigure& figure, const std::vector<ReplicateGroup>& groups,
                         const std::vector<RunSummary>& runs) {
  const auto contests = contests_of(groups);
  std::vector<std::pair<Outcome, std::vector<std::string>>> outcomes;
  for (const auto& [point, members] : contests) {
    std::vector<Compared> compared;
    for (const ReplicateGroup* group : members) {
      const std::optional<Estimate> estimate = estimate_of(*group, figure, runs);
      if (!estimate || !estimate->has_interval()) continue;
      const bool by_point = contests.size() == 1 && point.empty() && !group->parameters.empty();
      compared.push_back({by_point ? text_of(group->parameters) : group->variant, *estimate});
    }
    if (compared.size() < 2) continue;
    Outcome outcome = outcome_of(compared, figure);
    const auto known = std::find_if(outcomes.begin(), outcomes.end(),
                                    [&](const auto& other) { return other.first.without == outcome.without; });
    if (known != outcomes.end()) {
      known->second.push_back(point);
    } else {
      outcomes.push_back({std::move(outcome), {point}});
    }
  }
  if (outcomes.empty()) return {};
  std::vector<std::string> told;
  for (const auto& [outcome, points] : outcomes) {
    if (contests.size() == 1) {
      told.push_back(outcome.with_figures);
    } else if (points.size() == contests.size()) {
      told.push_back(fmt::format("{} at all points", outcome.without));
    } else {
      told.push_back(fmt::format("{} at {}", outcome.without, join_words(points)));
    }
  }
  return fmt::format("{}: {}.", figure.subject, fmt::join(told, "; "));
}

}  // namespace

std::vector<ReplicateGroup> group_replicates(const std::vector<RunSummary>& runs) {
  const bool scenarios = std::any_of(runs.begin(), runs.end(),
                                     [&](const RunSummary& run) { return run.scenario != runs.front().scenario; });
  std::vector<ReplicateGroup> out;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> known;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunSummary& run = runs[i];
    const std::string point = text_of(run.parameters);
    const auto [at, is_new] = known.try_emplace({run.scenario, run.variant, point}, out.size());
    if (is_new) {
      std::string variant = run.variant.empty() ? run.scenario : run.variant;
      if (variant.empty()) variant = "run";
      if (scenarios && !run.variant.empty()) variant = run.scenario + "/" + variant;
      std::replace_if(
          variant.begin(), variant.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
      const std::string label = point.empty() ? variant : fmt::format("{}, {}", variant, point);
      out.push_back({variant, run.parameters, label, {}, {}});
    }
    ReplicateGroup& group = out[at->second];
    (run.whole() ? group.whole : group.left_out).push_back(i);
  }
  return out;
}

bool are_replicates(const std::vector<RunSummary>& runs) {
  if (std::any_of(runs.begin(), runs.end(), [](const RunSummary& run) { return !run.parameters.empty(); })) return true;
  return group_replicates(runs).size() < runs.size();
}

std::optional<Estimate> estimate_of(const ReplicateGroup& group, const SummaryFigure& figure,
                                    const std::vector<RunSummary>& runs) {
  std::vector<double> values;
  for (const std::size_t run : group.whole) {
    if (const std::optional<double> value = figure.value(runs[run])) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return estimate_of(values);
}

std::vector<std::string> statements_on_replicates(const std::vector<RunSummary>& runs) {
  const std::vector<ReplicateGroup> groups = group_replicates(runs);
  std::vector<std::string> sentences;
  std::vector<std::string> left_out;
  bool any_interval = false;
  for (const ReplicateGroup& group : groups) {
    any_interval = any_interval || group.whole.size() > 1;
    if (group.left_out.empty()) continue;
    left_out.push_back(fmt::format("{} of {} with {}", group.left_out.size(),
                                   group.left_out.size() + group.whole.size(), group.label));
  }
  if (!left_out.empty()) {
    sentences.push_back(fmt::format("Failed or interrupted, and not included: {}.", join_words(left_out)));
  }
  if (groups.size() < 2) return sentences;
  if (!any_interval) {
    sentences.emplace_back("Without replicates (run.seeds) no difference is claimed.");
    return sentences;
  }
  for (const SummaryFigure& figure : summary_figures(runs)) {
    if (figure.subject.empty()) continue;
    std::string sentence = statement_on(figure, groups, runs);
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

namespace {

/// Each run may have its own, with different numbers.
std::string first_warnings(const std::vector<RunSummary>& runs, std::size_t width) {
  constexpr std::size_t kMost = 5;
  std::string text;
  std::size_t number = 0;
  std::istringstream lines(warning_text(runs, 0));
  for (std::string line; std::getline(lines, line);) {
    if (++number <= kMost) text += wrap(line, width);
  }
  if (number > kMost) text += wrap(fmt::format("And {} more warnings.", number - kMost), width);
  return text;
}

}  // namespace

std::string format_replicates(const std::vector<RunSummary>& runs, std::size_t width) {
  const std::vector<ReplicateGroup> groups = group_replicates(runs);
  const std::vector<SummaryFigure> figures = summary_figures(runs);
  const std::vector<std::string> names = names_of(groups);
  std::vector<Column> columns{{"", "variant", "", Column::Align::left}};
  for (const std::string& name : names) columns.push_back({"", name, ""});
  columns.push_back({"", "seeds", ""});
  const std::size_t repeated = columns.size();
  for (const SummaryFigure& figure : figures) columns.push_back(figure.column);
  columns.push_back({"", "completed", "flows"});
  Table table(std::move(columns), repeated);
  for (const ReplicateGroup& group : groups) {
    std::vector<std::string> cells{group.variant};
    for (const std::string& name : names) cells.push_back(value_of(group, name));
    cells.push_back(group.left_out.empty()
                        ? std::to_string(group.whole.size())
                        : fmt::format("{} of {}", group.whole.size(), group.whole.size() + group.left_out.size()));
    for (const SummaryFigure& figure : figures) cells.push_back(figure.text(estimate_of(group, figure, runs)));
    cells.push_back(completed_text(group, runs));
    table.add_row(std::move(cells));
  }
  std::string text = table.format(width);
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += "\n" + part;
  };
  add(wrap("Mean over seeds ± half of the 95 % confidence interval (Student's t). " + comparison_legend(runs), width));
  std::string sentences;
  for (const std::string& sentence : statements_on_replicates(runs)) sentences += wrap(sentence, width);
  add(sentences);
  add(first_warnings(runs, width));
  return text;
}

}  // namespace weir
