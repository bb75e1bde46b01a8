// SPDX-License-Identifier: Apache-2.0
// Tables for a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct Column {
  std::string group;  ///< adjacent columns of one group share a head; "" for none
  std::string name;
  std::string unit;  ///< below the name; "" for none
  enum class Align : std::uint8_t { left, right } align = Align::right;
};

/// Columns of text, aligned, two blanks apart, with a line of dashes under the heads and no other ornament. UTF-8.
///
///               victim slowdown
///     variant       avg     p99
///     ---------  ------  ------
///     pfc          4.10    40.2
class Table {
 public:
  /// `repeated`: number of leading columns that identify a row; they are repeated in each part of a table that is too
  /// wide.
  explicit Table(std::vector<Column> columns, std::size_t repeated = 1);

  /// One cell per column.
  void add_row(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// The lines of the table, each with a line break. A table wider than `width` columns is split into parts below each
  /// other, between groups if possible. Zero: any width. A single column is never split.
  [[nodiscard]] std::string format(std::size_t width) const;

 private:
  /// Columns of one part, by index, in order.
  using Part = std::vector<std::size_t>;
  [[nodiscard]] std::vector<std::size_t> widths(const Part& part) const;
  [[nodiscard]] std::size_t total_width(const Part& part) const;
  [[nodiscard]] std::vector<Part> parts(std::size_t width) const;
  [[nodiscard]] std::string format_part(const Part& part) const;
  [[nodiscard]] std::string group_heads(const Part& part, const std::vector<std::size_t>& widths) const;
  /// The end of the columns of `part` that share the group head of the column at `first`.
  [[nodiscard]] std::size_t end_of_group(const Part& part, std::size_t first) const;

  std::vector<Column> columns_;
  std::size_t repeated_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weir
