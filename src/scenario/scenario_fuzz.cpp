// SPDX-License-Identifier: Apache-2.0
// Any text is a scenario or a list of errors.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scenario/scenario.h"

namespace {

/// The fuzzer must neither open files nor build a network of a million nodes.
bool reaches_out(std::string_view text) {
  for (const char* word : {"topology", "path", "file", "\\"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (reaches_out(text)) return 0;
  const std::string network =
      "topology = { kind = \"single_switch\", hosts = 4, link = { rate = \"100 Gbit/s\", delay = \"1 us\" } }\n";
  const weir::Scenario scenario = weir::read_scenario(network + text, "fuzz.toml", ".");
  if (!scenario.ok()) return 0;
  // A valid configuration must read back to itself.
  for (const weir::ScenarioVariant& variant : scenario.variants) {
    const std::string& again = variant.settings.effective_configuration;
    const weir::Scenario reread = weir::read_scenario(again, "again.toml", ".");
    if (!reread.ok() || reread.variants.front().settings.effective_configuration != again) std::abort();
  }
  return 0;
}
