// SPDX-License-Identifier: Apache-2.0
#include "report/replicate_data.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "results/summary_figures.h"

namespace weir {
namespace {

using nlohmann::json;

/// The values of one sweep, in the order of the runs.
struct Values {
  std::string name;
  std::vector<RunParameter> values;
};

std::vector<Values> values_of(const std::vector<RunSummary>& runs) {
  std::vector<Values> out;
  for (const RunSummary& run : runs) {
    for (const RunParameter& parameter : run.parameters) {
      auto at = std::find_if(out.begin(), out.end(), [&](const Values& each) { return each.name == parameter.name; });
      if (at == out.end()) at = out.insert(out.end(), {parameter.name, {}});
      if (std::find(at->values.begin(), at->values.end(), parameter) == at->values.end()) {
        at->values.push_back(parameter);
      }
    }
  }
  return out;
}

json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json of(const std::optional<Estimate>& estimate, double scale) {
  if (!estimate) return nullptr;
  const bool known = estimate->has_interval();
  return {{"n", estimate->n},
          {"mean", number(estimate->mean * scale)},
          {"low", known ? number(estimate->low * scale) : json(nullptr)},
          {"high", known ? number(estimate->high * scale) : json(nullptr)}};
}

/// For flows outside incasts in one size bin.
json size_of(const ReplicateGroup& group, const std::vector<RunSummary>& runs, std::size_t bin) {
  const auto estimate = [&](double Distribution::*what) {
    std::vector<double> values;
    for (const std::size_t run : group.whole) {
      const Distribution& slowdown =
          runs[run].sizes[bin].groups[static_cast<std::size_t>(FlowGroup::not_incast)].slowdown;
      if (!slowdown.empty()) values.push_back(slowdown.*what);
    }
    return of(values.empty() ? std::nullopt : std::optional(estimate_of(values)), 1);
  };
  return {{"mean", estimate(&Distribution::mean)}, {"p99", estimate(&Distribution::p99)}};
}

bool is_same_run(const RunRecord& record, const RunSummary& run) {
  return record.scenario == run.scenario && record.variant == run.variant && record.seed == run.seed &&
         record.parameters == run.parameters;
}

bool is_in(const RunRecord& record, const ReplicateGroup& group, const std::vector<RunSummary>& runs) {
  const auto is_it = [&](std::size_t run) { return is_same_run(record, runs[run]); };
  return std::any_of(group.whole.begin(), group.whole.end(), is_it) ||
         std::any_of(group.left_out.begin(), group.left_out.end(), is_it);
}

json seeds_of(const std::vector<std::size_t>& numbers, const std::vector<RunSummary>& runs) {
  json out = json::array();
  // A seed may have more digits than a JavaScript number can represent.
  for (const std::size_t run : numbers) out.push_back(std::to_string(runs[run].seed));
  return out;
}

}  // namespace

json parameters_data(const std::vector<RunSummary>& runs) {
  json out = json::array();
  for (const auto& [name, values] : values_of(runs)) {
    json all = json::array();
    for (const RunParameter& value : values) {
      all.push_back({{"label", value.value}, {"number", value.number ? number(*value.number) : json(nullptr)}});
    }
    out.push_back({{"name", name}, {"values", std::move(all)}});
  }
  return out;
}

json quantities_data(const std::vector<RunSummary>& runs) {
  json out = json::array();
  for (const SummaryFigure& figure : summary_figures(runs)) {
    out.push_back({{"group", figure.column.group},
                   {"name", figure.column.name},
                   {"unit", figure.column.unit},
                   {"title", figure.title()}});
  }
  return out;
}

json replicates_data(const std::vector<RunSummary>& runs, const std::vector<RunRecord>& shown) {
  const std::vector<Values> sweeps = values_of(runs);
  const std::vector<SummaryFigure> figures = summary_figures(runs);
  json out = json::array();
  for (const ReplicateGroup& group : group_replicates(runs)) {
    const RunSummary& first = runs[group.whole.empty() ? group.left_out.front() : group.whole.front()];
    json point = json::array();
    for (const auto& [name, values] : sweeps) {
      const auto at = std::find_if(values.begin(), values.end(), [&](const RunParameter& value) {
        return std::find(group.parameters.begin(), group.parameters.end(), value) != group.parameters.end();
      });
      point.push_back(at == values.end() ? json(nullptr) : json(at - values.begin()));
    }
    json estimates = json::array();
    for (const SummaryFigure& figure : figures)
      estimates.push_back(of(estimate_of(group, figure, runs), figure.scale()));
    json sizes = json::array();
    for (std::size_t bin = 0; bin < first.sizes.size(); ++bin) sizes.push_back(size_of(group, runs, bin));
    const auto run =
        std::find_if(shown.begin(), shown.end(), [&](const RunRecord& record) { return is_in(record, group, runs); });
    out.push_back({{"label", group.label},
                   {"variant", first.variant},
                   {"scenario", first.scenario},
                   {"point", std::move(point)},
                   {"seeds", seeds_of(group.whole, runs)},
                   {"left_out", seeds_of(group.left_out, runs)},
                   {"run", run == shown.end() ? json(nullptr) : json(run - shown.begin())},
                   {"estimates", std::move(estimates)},
                   {"sizes", std::move(sizes)}});
  }
  return out;
}

json replicate_of(const RunRecord& record, const std::vector<ReplicateGroup>& groups,
                  const std::vector<RunSummary>& runs) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (is_in(record, groups[i], runs)) return i;
  }
  return nullptr;
}

}  // namespace weir
