// SPDX-License-Identifier: Apache-2.0
// The values of expressions: a truth, a number with its dimension, a text, or a list of these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weir {

/// The dimension of a number: powers of byte and picosecond. A plain number has neither, a rate is {1, -1}.
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

/// A unit of a number.
struct Unit {
  std::string_view name;
  Dimension dimension;
  double factor = 1;  ///< conversion factor to bytes, picoseconds, or bytes per picosecond
};
/// The unit with this name: those of scenarios, and "%"; nullptr if there is none.
const Unit* find_unit(std::string_view name);

/// A value in an expression.
struct Figure {
  using Numbers = std::vector<double>;
  using Texts = std::vector<std::string>;
  using Data = std::variant<bool, double, std::string, Numbers, Texts>;

  Data data = 0.0;
  Dimension dimension;  ///< for a number, or for each number of a list

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
/// In readable form: three or four digits with a suitable unit: "2.31", "24.1 KB", "8.20 us", "95.2 Gbit/s", "holds". A
/// list of more than eight numbers is summarised by its length, mean and ends.
std::string to_text(const Figure& figure);

/// The same for figures used as names, such as values of a sweep: plain numbers with all digits.
std::string label_of(const Figure& figure);

}  // namespace weir
