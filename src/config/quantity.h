// SPDX-License-Identifier: Apache-2.0
// Amounts with their units as scenarios write them, to and from whole picoseconds, bytes and bits a second.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"

namespace weir {

/// The most that an amount may be, in its base unit: the sum of four is still in range. Of time it is 26 days, and no
/// run goes on for longer.
inline constexpr std::int64_t kLargestQuantity = (std::int64_t{1} << 61) - 1;

/// What became of a text. Decimals are read exactly, never through a double: "0.1 us" is 100 000 ps.
template <class Amount>
struct Quantity {
  Amount value;
  std::string wrong;       ///< empty: `value` holds
  std::string suggestion;  ///< a text near the wrong one that would be right, or empty

  [[nodiscard]] bool ok() const { return wrong.empty(); }
};

/// A duration in ps, ns, us, ms or s. At least zero, at most kLargestQuantity, as are the other two.
Quantity<Duration> parse_duration(std::string_view text);
/// A size in B, KB, MB, GB (powers of ten) or KiB, MiB, GiB (powers of two). At least zero.
Quantity<Bytes> parse_bytes(std::string_view text);
/// A rate in bit/s, kbit/s, Mbit/s, Gbit/s or Tbit/s. At least zero.
Quantity<BitRate> parse_bit_rate(std::string_view text);

/// The shortest exact text in the largest unit that needs no more than three decimals; read back it gives the same.
std::string to_text(Duration value);
std::string to_text(Bytes value);
std::string to_text(BitRate value);

}  // namespace weir
