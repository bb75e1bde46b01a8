// SPDX-License-Identifier: Apache-2.0
// A scenario file, read: the validated settings of each of its variants, or all that is wrong with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/effective.h"
#include "config/value.h"
#include "fabric/settings.h"
#include "scenario/traffic_entry.h"

namespace weir {

/// What the command line changes.
struct ScenarioOptions {
  std::vector<std::string> variants = {};  ///< to give, in this order; none: all
  std::vector<std::string> set = {};       ///< key.path=value, laid over everything, in this order
  std::optional<std::uint64_t> seed = std::nullopt;
};

/// One configuration of a scenario.
struct ScenarioVariant {
  std::string name;  ///< empty in a scenario without variants
  Settings settings;
  EffectiveTable effective;
  std::vector<TrafficEntry> traffic;
};

/// What a scenario file becomes. Nothing of it is valid when there are errors.
struct Scenario {
  std::string file;
  std::string title;
  std::string question;
  std::vector<ScenarioVariant> variants;  ///< in the order of the file; at least one
  std::vector<std::string> errors;        ///< one line each, in the order of the file
  std::vector<std::string> notes;         ///< what a user should know although nothing is wrong

  [[nodiscard]] bool ok() const { return errors.empty(); }
};

/// Reads the file; paths in it are relative to its folder. All variants are validated, also those that are not given.
Scenario load_scenario(const std::string& path, const ScenarioOptions& options = {});
/// The same from text; `file` stands in messages.
Scenario read_scenario(std::string_view text, const std::string& file, const std::filesystem::path& directory,
                       const ScenarioOptions& options = {});
/// The same from values that were read before, of which `diagnostics` may hold complaints already.
Scenario read_scenario(const Value& root, const std::filesystem::path& directory, Diagnostics& diagnostics);

}  // namespace weir
