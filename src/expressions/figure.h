// SPDX-License-Identifier: Apache-2.0
// What an expression of a criterion stands for: a truth, a number with its dimension, a text, or a list of these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weir {

/// What a number measures: powers of a byte and of a picosecond. A plain number has neither, a rate is {1, -1}.
struct Dimension {
  std::int8_t bytes = 0;
  std::int8_t picoseconds = 0;
  constexpr bool operator==(const Dimension&) const = default;

  friend constexpr Dimension operator+(Dimension a, Dimension b) {
    return {static_cast<std::int8_t>(a.bytes + b.bytes), static_cast<std::int8_t>(a.picoseconds + b.picoseconds)};
  }
  friend constexpr Dimension operator-(Dimension a, Dimension b) {
    return {static_cast<std::int8_t>(a.bytes - b.bytes), static_cast<std::int8_t>(a.picoseconds - b.picoseconds)};
  }
};

inline constexpr Dimension kPlain{};
inline constexpr Dimension kSize{1, 0};
inline constexpr Dimension kTime{0, 1};
inline constexpr Dimension kRate{1, -1};

/// "a number", "a size", "a duration", "a rate", or powers of these.
std::string name_of(Dimension dimension);

/// A unit that a number may be written with.
struct Unit {
  std::string_view name;
  Dimension dimension;
  double factor = 1;  ///< times this makes bytes, picoseconds, or bytes a picosecond
};
/// The unit of this name: those of scenarios, and "%"; nullptr when there is none.
const Unit* find_unit(std::string_view name);

/// A value in an expression.
struct Figure {
  using Numbers = std::vector<double>;
  using Texts = std::vector<std::string>;
  using Data = std::variant<bool, double, std::string, Numbers, Texts>;

  Data data = 0.0;
  Dimension dimension;  ///< of a number, or of each number of a list

  static Figure truth(bool value) { return {value, {}}; }
  static Figure number(double value, Dimension dimension = {}) { return {value, dimension}; }
  static Figure text(std::string value) { return {std::move(value), {}}; }
  static Figure numbers(Numbers values, Dimension dimension = {}) { return {std::move(values), dimension}; }
  static Figure texts(Texts values) { return {std::move(values), {}}; }

  [[nodiscard]] const bool* as_truth() const { return std::get_if<bool>(&data); }
  [[nodiscard]] const double* as_number() const { return std::get_if<double>(&data); }
  [[nodiscard]] const std::string* as_text() const { return std::get_if<std::string>(&data); }
  [[nodiscard]] const Numbers* as_numbers() const { return std::get_if<Numbers>(&data); }
  [[nodiscard]] const Texts* as_texts() const { return std::get_if<Texts>(&data); }

  bool operator==(const Figure&) const = default;
};

/// "a truth", "a size", "a text", "a list of rates": for messages.
std::string kind_of(const Figure& figure);
/// For a person: three or four digits, with a unit that suits: "2.31", "24.1 KB", "8.20 us", "95.2 Gbit/s", "holds".
/// A list of more than eight numbers is told by its length, mean and ends.
std::string to_text(const Figure& figure);

/// The same where a figure is a name, as the value of a sweep is: a plain number in full.
std::string label_of(const Figure& figure);

}  // namespace weir
