// SPDX-License-Identifier: Apache-2.0
// Rates and times in ns-3 notation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "units/bit_rate.h"
#include "units/time.h"

namespace weir {

/// Reads an ns-3 DataRate exactly: a decimal number and a unit (bps, kbps, Mbps, Gbps, Tbps; b/s for bps; B for bytes),
/// as in "100Gbps". Powers of 1024 such as Gibps are rejected. A number without a unit is in units of `bare_unit`
/// bit/s. Nothing if it is malformed, negative, not a whole number of bit/s, or out of range.
std::optional<BitRate> parse_ns3_rate(std::string_view text, std::int64_t bare_unit = 1);
/// The probable meaning of a rate that is rejected because of a prefix of 1024: "100Gbps" for "100Gibps". Empty for all
/// others.
std::string ns3_rate_meant(std::string_view text);

/// Reads an ns-3 Time exactly: a decimal number and a unit (s, ms, us, ns, ps), as in "1000ns" or "0.2ms". A number
/// without a unit is in units of `bare_unit`, and is rejected if that is zero, unless the number is 0. (ns-3 itself
/// assumes seconds, which in a topology is always a mistake.) Nothing if it is malformed, negative, not a whole number
/// of picoseconds, or out of range.
std::optional<Duration> parse_ns3_time(std::string_view text, Duration bare_unit = {});

}  // namespace weir
