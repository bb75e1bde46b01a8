// SPDX-License-Identifier: Apache-2.0
#include "results/table.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string_view>
#include <utility>

#include "results/text.h"

namespace weir {
namespace {

constexpr std::size_t kGap = 2;

void append_aligned(std::string& line, std::string_view text, std::size_t width, Column::Align align) {
  const std::string padding(width - display_width(text), ' ');
  if (align == Column::Align::right) line += padding;
  line += text;
  if (align == Column::Align::left) line += padding;
}

void end_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line;
  text += '\n';
}

}  // namespace

Table::Table(std::vector<Column> columns, std::size_t repeated) : columns_(std::move(columns)), repeated_(repeated) {
  assert(repeated_ <= columns_.size());
}

void Table::add_row(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::format(std::size_t width) const {
  std::string text;
  for (const Part& part : parts(width)) {
    if (!text.empty()) text += '\n';
    text += format_part(part);
  }
  return text;
}

std::size_t Table::end_of_group(const Part& part, std::size_t first) const {
  const std::string& group = columns_[part[first]].group;
  std::size_t end = first + 1;
  while (!group.empty() && end < part.size() && columns_[part[end]].group == group) ++end;
  return end;
}

std::vector<std::size_t> Table::widths(const Part& part) const {
  std::vector<std::size_t> result;
  for (const std::size_t column : part) {
    std::size_t width = std::max(display_width(columns_[column].name), display_width(columns_[column].unit));
    for (const auto& row : rows_) width = std::max(width, display_width(row[column]));
    result.push_back(width);
  }
  // If columns are together narrower than the head above them, each gets an equal part of the missing width.
  for (std::size_t first = 0, end = 0; first < part.size(); first = end) {
    end = end_of_group(part, first);
    const std::size_t head = display_width(columns_[part[first]].group);
    std::size_t width = std::accumulate(result.begin() + static_cast<std::ptrdiff_t>(first),
                                        result.begin() + static_cast<std::ptrdiff_t>(end), (end - first - 1) * kGap);
    for (std::size_t at = first; width < head; ++width, at = at + 1 == end ? first : at + 1) ++result[at];
  }
  return result;
}

std::size_t Table::total_width(const Part& part) const {
  const std::vector<std::size_t> all = widths(part);
  return std::accumulate(all.begin(), all.end(), part.empty() ? 0 : (part.size() - 1) * kGap);
}

std::vector<Table::Part> Table::parts(std::size_t width) const {
  Part names(repeated_);
  std::iota(names.begin(), names.end(), std::size_t{0});
  Part all(columns_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});

  std::vector<Part> result{names};
  const auto fits = [&](const Part& part) { return width == 0 || total_width(part) <= width; };
  // Appends columns [first, end) to the last part, or to a new one if they do not fit.
  const auto add = [&](std::size_t first, std::size_t end) {
    Part grown = result.back();
    for (std::size_t column = first; column < end; ++column) grown.push_back(column);
    if (result.back().size() == repeated_ || fits(grown)) {
      result.back() = std::move(grown);
      return;
    }
    result.push_back(names);
    for (std::size_t column = first; column < end; ++column) result.back().push_back(column);
  };
  for (std::size_t first = repeated_, end = 0; first < columns_.size(); first = end) {
    end = end_of_group(all, first);
    Part alone = names;
    for (std::size_t column = first; column < end; ++column) alone.push_back(column);
    if (fits(alone)) {
      add(first, end);
    } else {
      for (std::size_t column = first; column < end; ++column) add(column, column + 1);
    }
  }
  return result;
}

std::string Table::group_heads(const Part& part, const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t first = 0, end = 0; first < part.size(); first = end) {
    end = end_of_group(part, first);
    std::size_t width = (end - first - 1) * kGap;
    for (std::size_t at = first; at < end; ++at) width += widths[at];
    const std::string& group = columns_[part[first]].group;
    const std::size_t before = (width - display_width(group)) / 2;
    if (first > 0) line.append(kGap, ' ');
    line.append(before, ' ');
    append_aligned(line, group, width - before, Column::Align::left);
  }
  return line;
}

std::string Table::format_part(const Part& part) const {
  const std::vector<std::size_t> width = widths(part);
  std::string text;
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (std::size_t at = 0; at < part.size(); ++at) {
      if (at > 0) line.append(kGap, ' ');
      append_aligned(line, cell(at), width[at], columns_[part[at]].align);
    }
    end_line(text, std::move(line));
  };
  const auto any = [&](const auto& has) { return std::any_of(part.begin(), part.end(), has); };

  if (any([this](std::size_t column) { return !columns_[column].group.empty(); })) {
    end_line(text, group_heads(part, width));
  }
  add_line([&](std::size_t at) { return columns_[part[at]].name; });
  if (any([this](std::size_t column) { return !columns_[column].unit.empty(); })) {
    add_line([&](std::size_t at) { return columns_[part[at]].unit; });
  }
  add_line([&](std::size_t at) { return std::string(width[at], '-'); });
  for (const auto& row : rows_) {
    add_line([&](std::size_t at) { return row[part[at]]; });
  }
  return text;
}

}  // namespace weir
