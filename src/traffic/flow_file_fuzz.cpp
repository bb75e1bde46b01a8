// SPDX-License-Identifier: Apache-2.0
// Any text is either a list of valid flows or causes errors: the first byte selects the format and the origin.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "traffic/flow_file.h"
#include "traffic/flow_list.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::uint8_t kFormats = 3;
  weir::FlowFileOptions options;
  options.format = static_cast<weir::FlowFileFormat>(data[0] % kFormats);
  if (data[0] >= 128) options.origin = weir::Time::picoseconds(2'000'000'000'000);
  options.host = [](std::uint64_t number) {
    constexpr std::uint64_t kHosts = 16;
    return number < kHosts ? weir::HostId(static_cast<std::size_t>(number)) : weir::HostId::none();
  };
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto read = weir::read_flows(text, "f", options);
  if (read.value.has_value() != read.errors.empty()) std::abort();
  if (!read.value) return 0;
  const std::vector<weir::FlowSpec>& flows = *read.value;
  const bool sorted =
      std::is_sorted(flows.begin(), flows.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  if (!sorted || !weir::problems(flows).empty()) std::abort();
  return 0;
}
