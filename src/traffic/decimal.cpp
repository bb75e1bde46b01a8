// SPDX-License-Identifier: Apache-2.0
#include "traffic/decimal.h"

#include <charconv>
#include <limits>
#include <system_error>

#include "units/int128.h"

namespace weir {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr Int128 kLimit = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::optional<ScaledDecimal> parse_scaled_decimal(std::string_view word, int scale) {
  bool negative = false;
  if (!word.empty() && (word.front() == '-' || word.front() == '+')) {
    negative = word.front() == '-';
    word.remove_prefix(1);
  }

  // The digits as an integer times 10^exponent; digits after 36 significant ones only determine whether it is exact.
  constexpr int kMostDigits = 36;
  Int128 digits = 0;
  int significant = 0;
  std::int64_t exponent = scale;
  bool exact = true;
  bool any_digit = false;
  bool fraction = false;
  std::size_t at = 0;
  for (; at < word.size(); ++at) {
    const char c = word[at];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    any_digit = true;
    if (significant < kMostDigits) {
      digits = digits * 10 + (c - '0');
      if (digits != 0) ++significant;
      if (fraction) --exponent;
    } else {
      exact = exact && c == '0';
      if (!fraction) ++exponent;
    }
  }
  if (!any_digit) return std::nullopt;

  if (at < word.size()) {
    if (word[at] != 'e' && word[at] != 'E') return std::nullopt;
    std::string_view power = word.substr(at + 1);
    if (power.size() > 1 && power.front() == '+' && is_digit(power[1])) power.remove_prefix(1);
    int number = 0;
    const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), number);
    if (error != std::errc() || end != power.data() + power.size()) return std::nullopt;
    exponent += number;
  }

  for (; exponent > 0 && digits != 0; --exponent) {
    if (digits > kLimit / 10) return std::nullopt;
    digits *= 10;
  }
  for (int last = 0; exponent < 0 && digits != 0; ++exponent) {
    last = static_cast<int>(digits % 10);
    digits /= 10;
    exact = exact && last == 0;
    if (exponent == -1 && last >= 5) ++digits;
  }
  if (digits > kLimit) return std::nullopt;
  const auto value = static_cast<std::int64_t>(digits);
  return ScaledDecimal{negative ? -value : value, exact};
}

}  // namespace weir
