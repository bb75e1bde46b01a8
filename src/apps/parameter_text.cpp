// SPDX-License-Identifier: Apache-2.0
#include "apps/parameter_text.h"

#include <string>
#include <utility>
#include <vector>

#include "results/table.h"
#include "scenario/parameter_words.h"
#include "scenario/scheme_slot.h"

namespace weir::apps {

namespace {

/// The table with a column after the name, if `tables` has values for it.
std::string text_of(std::span<const ParameterSpec> parameters, std::span<const std::string> tables) {
  constexpr auto left = Column::Align::left;
  std::vector<Column> columns = {{"", "parameter", "", left}};
  if (!tables.empty()) columns.push_back({"", "in", "", left});
  columns.insert(columns.end(), {{"", "kind", "", left},
                                 {"", "default", "", left},
                                 {"", "meaning", "", left},
                                 {"", "source of the default", "", left}});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ParameterSpec& spec = parameters[i];
    std::vector<std::string> row = {std::string(spec.name)};
    if (!tables.empty()) row.push_back(tables[i]);
    row.insert(row.end(), {kind_noun(spec), default_text(spec), std::string(spec.meaning), std::string(spec.source)});
    table.add_row(std::move(row));
  }
  return table.format(0);
}

}  // namespace

std::string parameters_text(std::span<const ParameterSpec> parameters) {
  return text_of(parameters, {});
}

std::string parameters_text(const Scheme& scheme) {
  std::vector<std::string> tables;
  if (has_parameters_of_roles(scheme)) {
    for (const ParameterSpec& spec : scheme.parameters) tables.push_back(tables_of(scheme, spec, ", "));
  }
  return text_of(scheme.parameters, tables);
}

}  // namespace weir::apps
