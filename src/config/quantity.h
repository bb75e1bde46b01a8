// SPDX-License-Identifier: Apache-2.0
// Quantities with units, as written in scenarios, to and from integer picoseconds, bytes and bits per second.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"

namespace weir {

/// The maximum of a quantity in its base unit: the sum of four is still in range. As a time it is 26 days, the limit of
/// a run.
inline constexpr std::int64_t kLargestQuantity = (std::int64_t{1} << 61) - 1;

/// The result of parsing. Decimals are converted exactly, never through a double: "0.1 us" is 100 000 ps.
template <class Amount>
struct Quantity {
  Amount value;
  std::string wrong;       ///< empty: `value` is valid
  std::string suggestion;  ///< a valid text near the invalid one, or empty

  [[nodiscard]] bool ok() const { return wrong.empty(); }
};

/// A duration in ps, ns, us, ms or s. At least zero and at most kLargestQuantity, like the other two.
Quantity<Duration> parse_duration(std::string_view text);
/// A size in B, KB, MB, GB (powers of ten) or KiB, MiB, GiB (powers of two). At least zero.
Quantity<Bytes> parse_bytes(std::string_view text);
/// A rate in bit/s, kbit/s, Mbit/s, Gbit/s or Tbit/s. At least zero.
Quantity<BitRate> parse_bit_rate(std::string_view text);

/// The shortest exact text in the largest unit that needs at most three decimals; parsing it gives the same value.
std::string to_text(Duration value);
std::string to_text(Bytes value);
std::string to_text(BitRate value);

}  // namespace weir
