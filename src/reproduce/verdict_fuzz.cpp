// SPDX-License-Identifier: Apache-2.0
// Any text is either a stored verdict or none; a verdict reads back to itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "reproduce/verdict.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto verdict = weir::read_verdict(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!verdict) return 0;
  const std::string kept = weir::to_toml(*verdict);
  const auto again = weir::read_verdict(kept);
  if (!again || weir::to_toml(*again) != kept) std::abort();
  return 0;
}
