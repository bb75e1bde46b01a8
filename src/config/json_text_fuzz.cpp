// SPDX-License-Identifier: Apache-2.0
// Any text is either JSON, or causes one error that names the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/json_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::Diagnostics diagnostics("t");
  const auto value = weir::parse_json({reinterpret_cast<const char*>(data), size}, diagnostics);
  if (value.has_value() != diagnostics.empty()) std::abort();
  for (const std::string& line : diagnostics.lines()) {
    if (!line.starts_with("t:")) std::abort();
  }
  return 0;
}
