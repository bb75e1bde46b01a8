// SPDX-License-Identifier: Apache-2.0
#include "analysis/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

#include "results/csv_field.h"
#include "results/output_file.h"
#include "results/table.h"

namespace weir::analysis {
namespace {

/// Five digits, more than the accuracy of a model.
std::string cell(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : "none";
}

std::vector<std::string> cells(const std::vector<double>& row) {
  std::vector<std::string> out;
  for (const double value : row) out.push_back(cell(value));
  return out;
}

std::string column_name(const Quantity& quantity) {
  if (quantity.unit.empty()) return csv_name(quantity.name);
  std::string unit = quantity.unit;
  std::replace(unit.begin(), unit.end(), '/', '_');
  return csv_name(quantity.name + " " + unit);
}

std::optional<std::string> write_file(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  return file.commit();
}

}  // namespace

std::string to_text(const NumberTable& table, std::size_t width, std::size_t rows) {
  std::vector<Column> columns;
  for (const Quantity& quantity : table.columns) columns.push_back({"", quantity.name, quantity.unit});
  Table text(columns, table.keys);
  const std::size_t count = table.rows.size();
  const bool cut = rows > 1 && count > rows;
  const std::size_t head = cut ? rows / 2 : count;
  for (std::size_t i = 0; i < head; ++i) text.add_row(cells(table.rows[i]));
  if (cut) {
    text.add_row(std::vector<std::string>(columns.size(), "..."));
    for (std::size_t i = count - (rows - head); i < count; ++i) text.add_row(cells(table.rows[i]));
  }
  const std::string left_out = cut ? fmt::format(" ({} of {} rows)", rows, count) : "";
  return fmt::format("{}{}\n\n{}", table.title, left_out, text.format(width));
}

std::string to_csv(const NumberTable& table) {
  std::string out;
  for (const Quantity& quantity : table.columns) out += (out.empty() ? "" : ",") + csv_field(column_name(quantity));
  out += "\n";
  for (const std::vector<double>& row : table.rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += ",";
      if (std::isfinite(row[i])) line += fmt::format("{}", row[i]);
    }
    out += line + "\n";
  }
  return out;
}

std::vector<std::string> write_files(const Findings& findings, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return {fmt::format("{}: {}", folder.string(), error.message())};
  std::vector<std::string> wrong;
  const auto write = [&](const std::string& name, const std::string& text) {
    if (auto reason = write_file(folder / name, text)) wrong.push_back(*reason);
  };
  for (const NumberTable& table : findings.tables) write(table.name + ".csv", to_csv(table));
  for (const Chart& chart : findings.charts) write(chart.name + ".svg", to_svg(chart));
  return wrong;
}

}  // namespace weir::analysis
