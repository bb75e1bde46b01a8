// SPDX-License-Identifier: Apache-2.0
// The parts of a CSV row.
#pragma once

#include <string>
#include <string_view>

#include "units/time.h"

namespace weir {

/// `text` as one field: quoted if necessary (RFC 4180), and after an apostrophe if a spreadsheet would interpret it as
/// a formula (=, +, - or @ at its beginning). Not for numbers.
std::string csv_field(std::string_view text);

/// `name` as part of the name of a column or quantity: "buffer full" becomes "buffer_full".
std::string csv_name(std::string_view name);

/// Microseconds, exact to the picosecond: "1.234567". `time` must not be negative.
std::string csv_us(Duration time);

}  // namespace weir
