// SPDX-License-Identifier: Apache-2.0
#include "pictures/picture.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "expressions/figure.h"

namespace weir {
namespace {

/// "queue (KB)": a quantity in a unit of expressions. Text in parentheses that is not a unit belongs to the name.
analysis::Quantity quantity_of(const std::string& title) {
  const std::size_t open = title.rfind(" (");
  if (open == std::string::npos || !title.ends_with(')')) return {.name = title};
  const std::string unit = title.substr(open + 2, title.size() - open - 3);
  if (find_unit(unit) == nullptr) return {.name = title};
  return {.name = title.substr(0, open), .unit = unit};
}

analysis::Axis read_axis(Reader& entry, std::string_view key) {
  static constexpr Named<analysis::Scale> kScales[] = {{"linear", analysis::Scale::linear},
                                                       {"logarithmic", analysis::Scale::logarithmic}};
  std::string title;
  analysis::Axis out;
  entry.required(key, title, "title of the axis with its unit, such as \"queue (KB)\"");
  entry.choice<analysis::Scale>(fmt::format("{}_scale", key), out.scale, kScales, "scale of the axis");
  out.quantity = quantity_of(title);
  return out;
}

/// Lists over time, and the measure that gives their times.
struct Timed {
  std::string_view measure;
  std::string_view times;
};
constexpr std::array kTimed = {Timed{"series", "series_times"}, Timed{"size_series", "series_times"},
                               Timed{"rate_series", "series_times"}, Timed{"link_rates", "link_times"}};

/// The times of the values, if they are of one series: requested with the same arguments.
std::optional<RowExpression> times_of(const RowExpression& value) {
  const Expression& expression = *value.expression;
  if (expression.kind != Expression::Kind::call) return std::nullopt;
  for (const Timed& timed : kTimed) {
    if (expression.name != timed.measure) continue;
    auto parsed = parse_expression(fmt::format(
        "{}{}", timed.times, std::string_view(value.text).substr(expression.begin + expression.name.size())));
    auto* times = std::get_if<ExpressionPointer>(&parsed);
    if (times == nullptr) return std::nullopt;
    RowExpression out = value;
    out.expression = std::move(*times);
    return out;
  }
  return std::nullopt;
}

/// One value per value of a sweep, as expressions: a list of the values, and a list of their positions.
bool spread(Reader& entry, const std::string& over, PictureLine& line) {
  const auto listed = [&](const std::string& text) {
    auto parsed = parse_expression(fmt::format("[{} for {}]", text, over));
    auto* expression = std::get_if<ExpressionPointer>(&parsed);
    return expression == nullptr ? nullptr : std::shared_ptr<const Expression>(std::move(*expression));
  };
  auto values = listed(line.value.text);
  auto places = listed(over);
  if (values == nullptr || places == nullptr) {
    entry.refuse(*entry.value()->find("over"), fmt::format("is \"{}\", expected the name of a sweep", over));
    return false;
  }
  line.at = line.value;
  line.at->expression = std::move(places);
  line.value.expression = std::move(values);
  return true;
}

void read_line(Reader& entry, std::string_view row_text, bool paper, bool of_row, std::vector<PictureLine>& out) {
  PictureLine line;
  line.paper = paper;
  if (paper) line.name = "the paper";
  entry.optional("name", line.name, "name in the legend");
  entry.list("each", line.each, "\"variant\", \"seed\" or names of sweeps: one line per value");
  if (entry.has("each")) line.each_origin = entry.value()->find("each")->value.origin;
  entry.optional("over", line.over, "name of a sweep along x; value is evaluated once per value of the sweep");
  bool good = read_expression_at(entry, "value", row_text, line.value);
  if (!line.over.empty()) {
    if (entry.has("at")) entry.refuse("has both at and over, expected only one of the two");
    good = good && spread(entry, line.over, line);
  } else if (entry.describing()) {
    std::optional<std::string> at;
    entry.optional("at", at, "an expression: the list of x coordinates of the values; if omitted, 0, 1, 2 and so on");
  } else if (entry.has("at")) {
    line.at.emplace();
    good = read_expression_at(entry, "at", row_text, *line.at) && good;
  } else if (good) {
    line.at = times_of(line.value);
  }
  if (of_row) line.value.full_only = read_full_only(entry);
  if (entry.describing()) return;
  if (line.name.empty() && line.each.empty()) {
    entry.refuse("has no name, expected name (for the legend) or each (one line per value)");
  }
  entry.finish();
  if (good) out.push_back(std::move(line));
}

}  // namespace

std::vector<Picture> read_pictures(Reader& root, std::string_view file_text) {
  std::vector<Picture> out;
  // The paper's lines, and forms, exist only in rows.
  const bool of_row = !root.path().empty();
  for (Reader& entry : root.tables("picture", "a picture of the results")) {
    Picture& picture = out.emplace_back();
    entry.required("name", picture.name, "title of the picture");
    picture.x = read_axis(entry, "x");
    picture.y = read_axis(entry, "y");
    std::vector<Reader> lines = entry.tables("line", "a measured line");
    for (Reader& line : lines) read_line(line, file_text, false, of_row, picture.lines);
    if (of_row) {
      for (Reader& line : entry.tables("paper", "a line from the paper")) {
        read_line(line, file_text, true, of_row, picture.lines);
      }
    }
    if (lines.empty() && !entry.describing()) {
      entry.refuse(fmt::format("has no line, expected [[{}picture.line]] tables", of_row ? root.path() + "." : ""));
    }
    entry.finish();
  }
  return out;
}

}  // namespace weir
