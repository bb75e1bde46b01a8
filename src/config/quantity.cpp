// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <span>
#include <vector>

#include "config/nearest_name.h"
#include "units/int128.h"

namespace weir {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t scale;
};

/// An alternative notation of a unit.
struct Alias {
  std::string_view written;
  std::string_view meant;
};

/// One kind of quantity. The units are in ascending order.
struct Kind {
  std::string_view what;     ///< "a duration"
  std::string_view example;  ///< "600 ns"
  std::string_view base;     ///< "picoseconds"
  std::span<const Unit> units;
  std::span<const Alias> aliases;
};

constexpr Unit kTimeUnits[] = {
    {"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}};
constexpr Alias kTimeAliases[] = {{"\xC2\xB5s", "us"}, {"\xCE\xBCs", "us"}, {"usec", "us"},  {"msec", "ms"},
                                  {"sec", "s"},        {"nsec", "ns"},      {"seconds", "s"}};
constexpr Kind kTime = {"a duration", "600 ns", "picoseconds", kTimeUnits, kTimeAliases};

constexpr Unit kSizeUnits[] = {{"B", 1},
                               {"KB", 1'000},
                               {"KiB", 1'024},
                               {"MB", 1'000'000},
                               {"MiB", 1'048'576},
                               {"GB", 1'000'000'000},
                               {"GiB", 1'073'741'824},
                               {"TB", 1'000'000'000'000},
                               {"TiB", 1'099'511'627'776}};
constexpr Alias kSizeAliases[] = {{"byte", "B"}, {"bytes", "B"}, {"b", "B"},     {"kB", "KB"}, {"K", "KB"},
                                  {"k", "KB"},   {"kb", "KB"},   {"M", "MB"},    {"G", "GB"},  {"Ki", "KiB"},
                                  {"Mi", "MiB"}, {"Gi", "GiB"},  {"kiB", "KiB"}, {"T", "TB"},  {"Ti", "TiB"}};
constexpr Kind kSize = {"a size", "12 MB", "bytes", kSizeUnits, kSizeAliases};

constexpr Unit kRateUnits[] = {
    {"bit/s", 1}, {"kbit/s", 1'000}, {"Mbit/s", 1'000'000}, {"Gbit/s", 1'000'000'000}, {"Tbit/s", 1'000'000'000'000}};
constexpr Alias kRateAliases[] = {{"bps", "bit/s"},   {"b/s", "bit/s"},   {"kbps", "kbit/s"}, {"Kbps", "kbit/s"},
                                  {"kb/s", "kbit/s"}, {"Mbps", "Mbit/s"}, {"Mb/s", "Mbit/s"}, {"Gbps", "Gbit/s"},
                                  {"Gb/s", "Gbit/s"}, {"gbps", "Gbit/s"}, {"G", "Gbit/s"},    {"Gbit", "Gbit/s"},
                                  {"M", "Mbit/s"},    {"Tbps", "Tbit/s"}, {"Tb/s", "Tbit/s"}};
constexpr Kind kRate = {"a rate", "100 Gbit/s", "bits per second", kRateUnits, kRateAliases};

bool knows(const Kind& kind, std::string_view written) {
  const auto is = [&](const auto& names, auto member) {
    return std::any_of(names.begin(), names.end(), [&](const auto& name) { return name.*member == written; });
  };
  return is(kind.units, &Unit::name) || is(kind.aliases, &Alias::written);
}

/// "GB/s", "MBps": eight times the nearest rate unit.
bool is_bytes_a_second(std::string_view written) {
  return written.ends_with("B/s") || written.ends_with("Bps");
}

/// "Gibit/s", "Gibps": rates have no binary prefixes; the unit without the i is valid.
std::string without_binary_prefix(std::string_view written) {
  std::string out(written);
  if (written.size() > 2 && written[1] == 'i') out.erase(1, 1);
  return out;
}

/// The intended unit; empty if the text is a quantity of another kind.
std::string_view meant_unit(const Kind& kind, std::string_view name) {
  const std::string written = &kind == &kRate ? without_binary_prefix(name) : std::string(name);
  for (const Unit& unit : kind.units) {
    if (unit.name == written) return unit.name;
  }
  for (const Alias& alias : kind.aliases) {
    if (alias.written == written) return alias.meant;
  }
  if (knows(kTime, written) || knows(kSize, written) || knows(kRate, written) || is_bytes_a_second(written)) return {};
  std::vector<std::string_view> names;
  for (const Unit& unit : kind.units) names.push_back(unit.name);
  const std::string nearest = nearest_name(written, names);
  for (const Unit& unit : kind.units) {
    if (unit.name == nearest) return unit.name;
  }
  return {};
}

std::string list_of(std::span<const Unit> units) {
  std::string out;
  for (const Unit& unit : units) out += fmt::format("{}{}", out.empty() ? "" : ", ", unit.name);
  return out;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

Quantity<std::int64_t> wrong(std::string text, std::string suggestion = {}) {
  return {0, std::move(text), std::move(suggestion)};
}

Quantity<std::int64_t> parse(std::string_view text, const Kind& kind) {
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  const std::string_view whole = text.substr(0, at);
  std::string_view fraction;
  if (at < text.size() && text[at] == '.') {
    const std::size_t first = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    fraction = text.substr(first, at - first);
    if (fraction.empty()) return wrong(fmt::format("\"{}\" has no digit after the decimal point", text));
  }
  if (whole.empty()) {
    if (text.starts_with('-'))
      return wrong(fmt::format("\"{}\" is below zero, expected at least 0 {}", text, kind.units.front().name));
    return wrong(fmt::format("\"{}\" is not {}, such as \"{}\"", text, kind.what, kind.example));
  }
  const std::string_view number = text.substr(0, at);
  if (at < text.size() && text[at] == ' ') ++at;
  const std::string_view name = text.substr(at);
  if (name.empty()) return wrong(fmt::format("\"{}\" has no unit, expected one of {}", text, list_of(kind.units)));

  const Unit* unit = nullptr;
  for (const Unit& candidate : kind.units) {
    if (candidate.name == name) unit = &candidate;
  }
  if (unit == nullptr) {
    const std::string_view meant = meant_unit(kind, name);
    return wrong(fmt::format("\"{}\" has an unknown unit \"{}\", expected one of {}", text, name, list_of(kind.units)),
                 meant.empty() ? "" : fmt::format("{} {}", number, meant));
  }

  constexpr Int128 kMaximum = kLargestQuantity;
  const auto too_large = [&] { return wrong(fmt::format("\"{}\" is too large, at most 2^61-1 {}", text, kind.base)); };
  Int128 value = 0;
  for (const char c : whole) {
    value = value * 10 + (c - '0');
    if (value > kMaximum) return too_large();
  }
  value *= unit->scale;
  if (value > kMaximum) return too_large();
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  const auto not_whole = [&] {
    return wrong(fmt::format("\"{}\" is not a whole number of {}, expected a multiple of 1 {}", text, kind.base,
                             kind.units.front().name));
  };
  if (fraction.size() > 18) return not_whole();
  Int128 part = 0;
  Int128 denominator = 1;
  for (const char c : fraction) {
    part = part * 10 + (c - '0');
    denominator *= 10;
  }
  part *= unit->scale;
  if (part % denominator != 0) return not_whole();
  value += part / denominator;
  if (value > kMaximum) return too_large();
  return {static_cast<std::int64_t>(value), {}, {}};
}

std::string format(std::int64_t value, const Kind& kind) {
  const Unit* best = kind.units.data();
  for (const Unit& unit : kind.units) {
    const bool exact = static_cast<Int128>(value) * 1'000 % unit.scale == 0;
    // Binary prefixes are used only if they give an integer and decimal ones do not.
    const bool binary = unit.name.find('i') == 1;
    if (value >= unit.scale && exact && (!binary || (value % unit.scale == 0 && value % 1'000 != 0))) best = &unit;
  }
  const std::int64_t whole = value / best->scale;
  const auto thousandths = static_cast<std::int64_t>(static_cast<Int128>(value % best->scale) * 1'000 / best->scale);
  std::string out = fmt::format("{}", whole);
  if (thousandths != 0) {
    out += fmt::format(".{:03}", thousandths);
    while (out.ends_with('0')) out.pop_back();
  }
  return fmt::format("{} {}", out, best->name);
}

template <class Amount, class Make>
Quantity<Amount> made(Quantity<std::int64_t> parsed, Make make) {
  return {make(parsed.value), std::move(parsed.wrong), std::move(parsed.suggestion)};
}

}  // namespace

Quantity<Duration> parse_duration(std::string_view text) {
  return made<Duration>(parse(text, kTime), [](std::int64_t n) { return Duration::picoseconds(n); });
}
Quantity<Bytes> parse_bytes(std::string_view text) {
  return made<Bytes>(parse(text, kSize), [](std::int64_t n) { return Bytes(n); });
}
Quantity<BitRate> parse_bit_rate(std::string_view text) {
  return made<BitRate>(parse(text, kRate), [](std::int64_t n) { return BitRate(n); });
}

std::string to_text(Duration value) {
  return format(value.picoseconds(), kTime);
}
std::string to_text(Bytes value) {
  return format(value.count(), kSize);
}
std::string to_text(BitRate value) {
  return format(value.bits_per_second(), kRate);
}

}  // namespace weir
