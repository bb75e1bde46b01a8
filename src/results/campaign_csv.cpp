// SPDX-License-Identifier: Apache-2.0
#include "results/campaign_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "results/csv_field.h"
#include "results/output_file.h"
#include "results/quantities.h"

namespace weir {
namespace {

/// The names of all parameters, in the order in which runs have them.
std::vector<std::string> parameters_of(const std::vector<RunSummary>& runs) {
  std::vector<std::string> out;
  for (const RunSummary& run : runs) {
    for (const RunParameter& parameter : run.parameters) {
      if (std::find(out.begin(), out.end(), parameter.name) == out.end()) out.push_back(parameter.name);
    }
  }
  return out;
}

/// ",0.8,12 MB": empty if there is no such parameter.
std::string fields_of(const std::vector<RunParameter>& parameters, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    out += ",";
    for (const RunParameter& parameter : parameters) {
      if (parameter.name == name) out += parameter.number ? parameter.value : csv_field(parameter.value);
    }
  }
  return out;
}

std::string head_of(const std::vector<std::string>& names) {
  std::string out = "scenario,variant";
  for (const std::string& name : names) out += "," + csv_field(name);
  return out;
}

std::string column_of(const SummaryValue& value) {
  std::string out = fmt::format("{}.{}", value.of, value.quantity);
  if (!value.unit.empty()) out += fmt::format("_{}", value.unit);
  return csv_name(out);
}

void write_runs(const std::vector<RunSummary>& runs, const std::vector<std::string>& names, OutputFile& file) {
  std::map<std::string, std::size_t> number;
  std::vector<std::string> columns;
  for (const RunSummary& run : runs) {
    for_each_value(run, [&](const SummaryValue& value) {
      if (!value.number || !value.size.empty()) return;
      if (number.try_emplace(column_of(value), columns.size()).second) columns.push_back(column_of(value));
    });
  }
  std::string line = head_of(names) + ",seed,digest,interrupted,failure";
  for (const std::string& column : columns) line += "," + csv_field(column);
  file.write(line + "\n");
  for (const RunSummary& run : runs) {
    std::vector<std::string> fields(columns.size());
    for_each_value(run, [&](const SummaryValue& value) {
      if (value.number && value.size.empty()) fields[number.at(column_of(value))] = value.text;
    });
    line = fmt::format("{},{}{},{},{},{},{}", csv_field(run.scenario), csv_field(run.variant),
                       fields_of(run.parameters, names), run.seed, run.digest, int{run.interrupted},
                       csv_field(run.failure));
    for (const std::string& field : fields) line += "," + field;
    file.write(line + "\n");
  }
}

void write_means(const std::vector<RunSummary>& runs, const std::vector<std::string>& names, OutputFile& file) {
  file.write(head_of(names) + ",of,size,quantity,unit,seeds,mean,low,high\n");
  for (const ReplicateGroup& group : group_replicates(runs)) {
    if (group.whole.empty()) continue;
    const RunSummary& run = runs[group.whole.front()];
    const std::string about =
        fmt::format("{},{}{}", csv_field(run.scenario), csv_field(run.variant), fields_of(run.parameters, names));
    for (const MeanValue& value : means_of(group, runs)) {
      const Estimate& is = value.estimate;
      file.write(fmt::format("{},{},{},{},{},{},{},{}\n", about, csv_field(value.of), csv_field(value.size),
                             value.quantity, value.unit, is.n, is.mean,
                             is.has_interval() ? fmt::format("{},{}", is.low, is.high) : std::string(",")));
    }
  }
}

}  // namespace

std::vector<MeanValue> means_of(const ReplicateGroup& group, const std::vector<RunSummary>& runs) {
  std::vector<MeanValue> out;
  std::vector<std::vector<double>> values;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> known;
  for (const std::size_t run : group.whole) {
    for_each_value(runs[run], [&](const SummaryValue& value) {
      if (!value.number) return;
      const auto [at, is_new] =
          known.try_emplace({std::string(value.of), std::string(value.size), std::string(value.quantity)}, out.size());
      if (is_new) {
        out.push_back({std::string(value.of), std::string(value.size), std::string(value.quantity),
                       std::string(value.unit), Estimate()});
        values.emplace_back();
      }
      values[at->second].push_back(*value.number);
    });
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i].estimate = estimate_of(values[i]);
  return out;
}

std::vector<std::string> write_campaign_csv(const std::vector<RunSummary>& runs,
                                            const std::filesystem::path& directory) {
  const std::vector<std::string> names = parameters_of(runs);
  std::vector<std::string> errors;
  const auto write = [&](const char* name, auto content) {
    OutputFile file(directory / name);
    content(runs, names, file);
    if (auto error = file.commit()) errors.push_back(std::move(*error));
  };
  write("runs.csv", write_runs);
  write("means.csv", write_means);
  return errors;
}

}  // namespace weir
