// SPDX-License-Identifier: Apache-2.0
// Any text is either a quantity or refused with a reason; a quantity can be parsed from its own text, and suggestions
// are valid.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/quantity.h"

namespace {

template <class Amount>
void check(std::string_view text, weir::Quantity<Amount> (*parse)(std::string_view)) {
  const weir::Quantity<Amount> read = parse(text);
  if (!read.ok()) {
    if (!read.suggestion.empty() && !parse(read.suggestion).wrong.empty() &&
        parse(read.suggestion).wrong.find("unit") != std::string::npos) {
      std::abort();
    }
    return;
  }
  const weir::Quantity<Amount> again = parse(weir::to_text(read.value));
  if (!again.ok() || again.value != read.value) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, weir::parse_duration);
  check(text, weir::parse_bytes);
  check(text, weir::parse_bit_rate);
  return 0;
}
