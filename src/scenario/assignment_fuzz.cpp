// SPDX-License-Identifier: Apache-2.0
// Treats any lines as assignments for --set: each changes a scenario or is an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "scenario/scenario.h"

namespace {

constexpr std::string_view kScenario = R"(
topology = { kind = "single_switch", hosts = 4, link = { rate = "100 Gbit/s", delay = "1 us" } }
[switch]
flow_control = ["pfc"]
[run]
stop = "1 ms"
[[traffic]]
name = "incast"
kind = "incast"
destinations = "h3"
degree = 2
size = "10 KB"
interval = "100 us"
[variants.one]
[variants.two]
switch.buffer = "8 MB"
)";

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
  weir::ScenarioOptions options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) options.set.push_back(line);
  const weir::Scenario scenario = weir::read_scenario(kScenario, "fuzz.toml", ".", options);
  if (!scenario.ok()) return 0;
  // A valid configuration must read back to itself.
  for (const weir::ScenarioVariant& variant : scenario.variants) {
    const std::string& again = variant.settings.effective_configuration;
    const weir::Scenario reread = weir::read_scenario(again, "again.toml", ".");
    if (!reread.ok() || reread.variants.front().settings.effective_configuration != again) std::abort();
  }
  return 0;
}
