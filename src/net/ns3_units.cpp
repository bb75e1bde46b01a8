// SPDX-License-Identifier: Apache-2.0
#include "net/ns3_units.h"

#include <array>
#include <cstdint>
#include <limits>

#include "units/int128.h"

namespace weir {
namespace {

// A decimal number and the text after it: digits / 10^decimals.
struct Quantity {
  Int128 digits = 0;  // below 10^25, so that the product with the largest unit fits
  int decimals = 0;
  std::string_view unit;
};

constexpr Int128 kMostDigits = static_cast<Int128>(1'000'000'000'000) * 1'000'000'000'000;  // 10^24

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<Quantity> split(std::string_view text) {
  Quantity quantity;
  std::size_t at = 0;
  bool any = false;
  bool fraction = false;
  int zeros = 0;  // zeros of the fraction that are not counted until a digit follows them
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(text[at])) break;
    any = true;
    if (fraction && text[at] == '0') {
      ++zeros;
      continue;
    }
    const int places = fraction ? zeros + 1 : 1;
    for (int i = 0; i < places; ++i) {
      quantity.digits *= 10;
      if (quantity.digits > kMostDigits) return std::nullopt;
    }
    quantity.digits += text[at] - '0';
    if (fraction) quantity.decimals += places;
    zeros = 0;
  }
  if (!any) return std::nullopt;
  quantity.unit = text.substr(at);
  return quantity;
}

// The number times `unit`, if that is a whole number and in range.
std::optional<std::int64_t> in_units(const Quantity& quantity, std::int64_t unit) {
  Int128 product = quantity.digits * unit;
  for (int i = 0; i < quantity.decimals; ++i) {
    if (product % 10 != 0) return std::nullopt;
    product /= 10;
  }
  if (product > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(product);
}

struct Unit {
  std::string_view name;
  std::int64_t size;
};

// The size of a unit of rate in bit/s, 0 if unknown.
std::int64_t rate_unit(std::string_view name) {
  // No powers of two: Gibps is usually written by mistake for Gbps, and no such links exist.
  static constexpr std::array<Unit, 6> kPrefixes = {
      {{"k", 1'000}, {"K", 1'000}, {"M", 1'000'000}, {"G", 1'000'000'000}, {"T", 1'000'000'000'000}, {"", 1}}};
  for (const Unit& prefix : kPrefixes) {
    if (name.substr(0, prefix.name.size()) != prefix.name) continue;
    const std::string_view base = name.substr(prefix.name.size());
    if (base == "bps" || base == "b/s") return prefix.size;
    if (base == "Bps" || base == "B/s") return prefix.size * 8;
  }
  return 0;
}

// The same for time, in picoseconds.
std::int64_t time_unit(std::string_view name) {
  static constexpr std::array<Unit, 5> kUnits = {
      {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}}};
  for (const Unit& unit : kUnits) {
    if (name == unit.name) return unit.size;
  }
  return 0;
}

}  // namespace

std::optional<BitRate> parse_ns3_rate(std::string_view text, std::int64_t bare_unit) {
  const std::optional<Quantity> quantity = split(text);
  if (!quantity) return std::nullopt;
  const std::int64_t unit = quantity->unit.empty() ? bare_unit : rate_unit(quantity->unit);
  if (unit == 0) return std::nullopt;
  const std::optional<std::int64_t> value = in_units(*quantity, unit);
  if (!value) return std::nullopt;
  return BitRate(*value);
}

std::string ns3_rate_meant(std::string_view text) {
  const std::size_t at = text.find('i');
  if (at == std::string_view::npos || parse_ns3_rate(text)) return {};
  std::string meant(text);
  meant.erase(at, 1);
  return parse_ns3_rate(meant) ? meant : std::string();
}

std::optional<Duration> parse_ns3_time(std::string_view text, Duration bare_unit) {
  const std::optional<Quantity> quantity = split(text);
  if (!quantity) return std::nullopt;
  if (quantity->unit.empty() && quantity->digits == 0) return Duration();
  const std::int64_t unit = quantity->unit.empty() ? bare_unit.picoseconds() : time_unit(quantity->unit);
  if (unit == 0) return std::nullopt;
  const std::optional<std::int64_t> value = in_units(*quantity, unit);
  if (!value) return std::nullopt;
  return Duration::picoseconds(*value);
}

}  // namespace weir
