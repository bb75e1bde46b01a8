// SPDX-License-Identifier: Apache-2.0
// Numbers and paragraphs in human-readable form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// Shown if there is no value, such as the mean of no values.
inline constexpr std::string_view kNothing = "-";

/// `value` with three significant digits and at least its integer part: "0", "<0.001", "0.042", "1.50", "12.3", "1234".
/// `value` must not be negative; kNothing if it is not finite.
std::string format_number(double value);

/// A fraction as a percentage without its sign: 0.0123 is "1.23".
std::string format_percent(double share);

/// Bytes in megabytes (10^6) without the unit.
std::string format_megabytes(std::int64_t bytes);

/// The columns that `text` takes in a terminal, one per code point. UTF-8.
std::size_t display_width(std::string_view text);

/// Breaks at blanks so that lines take at most `width` columns; a longer word gets its own line. Zero: no breaks. Ends
/// with a line break unless `text` is empty.
std::string wrap(std::string_view text, std::size_t width);

}  // namespace weir
