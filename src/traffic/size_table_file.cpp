// SPDX-License-Identifier: Apache-2.0
#include "traffic/size_table_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "traffic/text_file.h"

namespace weir {

namespace {

std::optional<double> parse_number(std::string_view word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

struct Row {
  std::size_t line;
  SizePoint point;
};

std::vector<Row> parse_rows(const std::vector<TextLine>& lines, std::size_t first, FileErrors& errors) {
  std::vector<Row> rows;
  for (std::size_t i = first; i < lines.size(); ++i) {
    const TextLine& line = lines[i];
    if (line.words.size() != 2) {
      errors.add(line.number, fmt::format("{} words, expected two: a size and a probability", line.words.size()));
      continue;
    }
    const auto size = parse_number(line.words[0]);
    const auto probability = parse_number(line.words[1]);
    if (!size) errors.add(line.number, fmt::format("\"{}\" is not a number, expected a size", line.words[0]));
    if (!probability) {
      errors.add(line.number, fmt::format("\"{}\" is not a number, expected a probability", line.words[1]));
    }
    if (size && probability) rows.push_back({line.number, {*size, *probability}});
  }
  return rows;
}

}  // namespace

ReadResult<SizeTable> read_size_table(std::string_view text, std::string_view file, std::string name,
                                      SizeTableFormat format, double unit_bytes) {
  ReadResult<SizeTable> result;
  FileErrors errors(file);
  const auto fail = [&] {
    result.errors = errors.messages();
    return std::move(result);
  };

  const std::vector<TextLine> lines = split_lines(text, errors);
  if (!errors.empty()) return fail();
  if (lines.empty()) {
    errors.add(0, "is empty, expected a size and a probability per line");
    return fail();
  }

  const bool has_mean = lines.front().words.size() == 1;
  if (format == SizeTableFormat::detect && has_mean) format = SizeTableFormat::homa;
  std::optional<double> stated_mean;
  if (format == SizeTableFormat::homa) {
    stated_mean = has_mean ? parse_number(lines.front().words.front()) : std::nullopt;
    if (!stated_mean) errors.add(lines.front().number, "expected the mean size as the only number of the first line");
  }
  const std::vector<Row> rows = parse_rows(lines, format == SizeTableFormat::homa && has_mean ? 1 : 0, errors);
  if (!errors.empty()) return fail();
  if (rows.empty()) {
    errors.add(lines.back().number, "no points follow, expected a size and a probability per line");
    return fail();
  }
  if (format == SizeTableFormat::detect) {
    format = rows.back().point.probability > 1.5 ? SizeTableFormat::percent : SizeTableFormat::probability;
  }

  const bool percent = format == SizeTableFormat::percent;
  std::vector<SizePoint> points;
  for (const Row& row : rows) {
    // A division, not a product with 0.01: 53 % must be the double nearest to 0.53.
    points.push_back({row.point.bytes * unit_bytes, percent ? row.point.probability / 100.0 : row.point.probability});
  }
  for (const SizeTable::Problem& problem : SizeTable::problems(points)) {
    errors.add(rows[problem.point].line, percent ? problem.what + " (after division by 100)" : problem.what);
  }
  if (!errors.empty()) return fail();

  const auto form = format == SizeTableFormat::homa ? SizeTable::Form::steps : SizeTable::Form::linear;
  result.value.emplace(std::move(name), std::move(points), form);
  if (stated_mean) {
    const double stated = *stated_mean * unit_bytes;
    const double difference = stated - result.value->mean();
    if (difference > 0.01 * stated || difference < -0.01 * stated) {
      result.notes.push_back(fmt::format("{}:{}: the stated mean is {} bytes, that of the points is {:.1f}", file,
                                         lines.front().number, stated, result.value->mean()));
    }
  }
  return result;
}

ReadResult<SizeTable> load_size_table(const std::string& path, SizeTableFormat format, double unit_bytes) {
  ReadResult<std::string> text = read_text_file(path, std::size_t{1} << 24);
  if (!text.value) return {std::nullopt, std::move(text.errors), {}};
  return read_size_table(*text.value, path, path, format, unit_bytes);
}

}  // namespace weir
