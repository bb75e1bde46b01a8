// SPDX-License-Identifier: Apache-2.0
// Any text gives a network that can run or a list of errors: the first byte selects the format.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/topology_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::uint8_t kFormats = 5;
  const auto format = static_cast<weir::TopologyFormat>(data[0] % kFormats);
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const weir::TopologyFile file = weir::parse_topology(text, "t", format);
  for (const std::string& error : file.errors) {
    if (!error.starts_with("t:")) std::abort();
  }
  if (file.errors.empty() && !file.topology.errors().empty()) std::abort();
  return 0;
}
