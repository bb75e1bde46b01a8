// SPDX-License-Identifier: Apache-2.0
// Exact parsing of decimal numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir {

struct ScaledDecimal {
  std::int64_t value = 0;
  bool exact = true;  ///< false: digits beyond the scale were rounded, half away from zero
};

/// `word` times 10^scale as an integer, without floating point: "2.0000001" at scale 12 is 2000000100000. Accepts an
/// optional sign, digits, '.', digits, and an exponent ("1e-05"). nullopt if it is not such a number or out of range.
std::optional<ScaledDecimal> parse_scaled_decimal(std::string_view word, int scale);

}  // namespace weir
