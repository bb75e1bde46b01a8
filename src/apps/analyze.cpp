// SPDX-License-Identifier: Apache-2.0
#include "apps/analyze.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/forms.h"
#include "apps/commands.h"
#include "apps/console.h"
#include "apps/parameter_text.h"
#include "config/diagnostics.h"
#include "config/effective.h"
#include "config/nearest_name.h"
#include "config/overlay.h"
#include "config/reader.h"
#include "config/toml_file.h"
#include "results/table.h"
#include "scenario/parameter_reader.h"

namespace weir::apps {
namespace {

using analysis::all_analyses;
using analysis::Analysis;
using analysis::Findings;

constexpr std::size_t kShownRows = 24;  // of a table on a terminal

int list_all() {
  constexpr auto kLeft = Column::Align::left;
  Table table({{"", "analysis", "", kLeft}, {"", "description", "", kLeft}, {"", "source", "", kLeft}});
  for (const Analysis* each : all_analyses()) {
    table.add_row({std::string(each->name), std::string(each->summary), std::string(each->source)});
  }
  return print("Analyses (weir analyze <name> --list shows the parameters of one)\n\n" + table.format(0)) ? kDone
                                                                                                          : kFailed;
}

std::string heading_of(const Analysis& chosen) {
  return fmt::format("{}: {}\nfrom: {}\n", chosen.name, chosen.summary, chosen.source);
}

int refuse_name(const std::string& name) {
  std::vector<std::string> names;
  for (const Analysis* each : all_analyses()) names.emplace_back(each->name);
  const std::string nearest = nearest_name(name, names);
  print_diagnostic(fmt::format("weir: unknown analysis \"{}\"{}", name,
                               nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest)));
  return kWrongInput;
}

/// The parameters set on the command line; nullopt, with an error message, if something is invalid.
std::optional<Parameters> read_parameters(const Analysis& chosen, const std::vector<std::string>& set) {
  Diagnostics diagnostics(std::string(chosen.name));
  Value given;
  for (const std::string& assignment : set) {
    if (const auto value = parse_assignment(assignment, diagnostics)) lay_over(given, *value, {}, diagnostics);
  }
  EffectiveTable effective;
  Reader reader(diagnostics, &given, {}, {}, effective);
  Parameters parameters(chosen.parameters);
  for (const ParameterSpec& spec : chosen.parameters) read_parameter(reader, spec, parameters);
  reader.finish();
  for (const std::string& line : diagnostics.lines()) print_diagnostic(line);
  if (!diagnostics.empty()) return std::nullopt;
  if (chosen.errors == nullptr) return parameters;
  const std::vector<std::string> errors = chosen.errors(parameters);
  for (const std::string& error : errors) print_diagnostic(fmt::format("weir: {}: {}", chosen.name, error));
  return errors.empty() ? std::optional(parameters) : std::nullopt;
}

int show(const Analysis& chosen, const Findings& findings, const std::string& out) {
  std::string text = heading_of(chosen);
  for (const analysis::NumberTable& table : findings.tables) {
    text += "\n" + to_text(table, stdout_width(), kShownRows);
  }
  if (out.empty()) return print(text) ? kDone : kFailed;
  const std::vector<std::string> wrong = write_files(findings, out);
  for (const std::string& line : wrong) print_diagnostic(fmt::format("weir: {}", line));
  text += fmt::format("\n{} tables and {} charts in {}\n", findings.tables.size(), findings.charts.size(), out);
  return print(text) && wrong.empty() ? kDone : kFailed;
}

}  // namespace

int analyze(const AnalyzeCommand& command) {
  if (command.name.empty()) return list_all();
  const Analysis* chosen = analysis::find_analysis(command.name);
  if (chosen == nullptr) return refuse_name(command.name);
  if (command.list) {
    return print(heading_of(*chosen) + "\n" + parameters_text(chosen->parameters)) ? kDone : kFailed;
  }
  const std::optional<Parameters> parameters = read_parameters(*chosen, command.set);
  return parameters ? show(*chosen, chosen->findings(*parameters), command.out) : kWrongInput;
}

}  // namespace weir::apps
