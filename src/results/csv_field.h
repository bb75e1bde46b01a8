// SPDX-License-Identifier: Apache-2.0
// The parts of a CSV row.
#pragma once

#include <string>
#include <string_view>

#include "units/time.h"

namespace weir {

/// `text` as one field: in quotes where it must be (RFC 4180), and after an apostrophe where a spreadsheet would take
/// it for a formula (=, +, - or @ at its beginning). Not for numbers.
std::string csv_field(std::string_view text);

/// `name` as part of a column's or a quantity's: "buffer full" is "buffer_full".
std::string csv_name(std::string_view name);

/// Microseconds with all picoseconds: "1.234567". `time` must not be negative.
std::string csv_us(Duration time);

}  // namespace weir
