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
#include "results/run_record.h"
#include "scenario/sweep.h"
#include "scenario/traffic_entry.h"

namespace weir {

/// What the command line changes.
struct ScenarioOptions {
  std::vector<std::string> variants = {};  ///< to give, in this order; none: all
  std::vector<std::string> set = {};       ///< key.path=value, laid over everything, in this order
  std::optional<std::uint64_t> seed = std::nullopt;
  std::vector<std::uint64_t> seeds = {};  ///< instead of run.seed and run.seeds; none: those
};

/// A scenario has at most so many runs.
inline constexpr std::size_t kMostRuns = 10'000;

/// One configuration of a scenario: a variant, with a value of each sweep. Its runs, one per seed, are replicates.
struct ScenarioVariant {
  std::string name;                      ///< of the variant; empty in a scenario without variants
  std::vector<RunParameter> parameters;  ///< of the sweeps, in their order
  std::vector<std::size_t> point;        ///< the numbers of these values in Scenario::sweeps
  std::vector<std::uint64_t> seeds;      ///< at least one; the first is that of the settings
  Settings settings;
  EffectiveTable effective;
  std::vector<TrafficEntry> traffic;

  /// "pfc, load 0.8": for messages; empty when there is neither a variant nor a sweep.
  [[nodiscard]] std::string label() const;
};

/// One run of a scenario.
struct ScenarioRun {
  std::size_t variant = 0;  ///< of Scenario::variants
  std::uint64_t seed = 0;
};

/// What a scenario file becomes. Nothing of it is valid when there are errors.
struct Scenario {
  std::string file;
  std::string title;
  std::string question;
  std::vector<ScenarioVariant>
      variants;  ///< in the order of the file, each with all points of its sweeps; at least one
  std::vector<Sweep> sweeps;
  std::vector<Value::Member> pictures;  ///< the [[picture]] tables, unread (src/pictures/): one member or none
  std::vector<std::string> errors;      ///< one line each, in the order of the file
  std::vector<std::string> notes;       ///< what a user should know although nothing is wrong

  [[nodiscard]] bool ok() const { return errors.empty(); }
  /// It has a sweep, or a configuration with more than one seed.
  [[nodiscard]] bool has_replicates() const;
};

/// All runs, by configuration and then by seed.
std::vector<ScenarioRun> runs_of(const Scenario& scenario);
/// What one of the runs of a configuration is made with: as if run.seed were `seed`.
Settings settings_of(const ScenarioVariant& variant, std::uint64_t seed);
/// RunRecord::effective_configuration of that run.
std::string configuration_of(const ScenarioVariant& variant, std::uint64_t seed);
/// "pfc, load 0.8, seed 3"; without the seed where the configuration has one run.
std::string run_name(const ScenarioVariant& variant, std::uint64_t seed);

/// Reads the file; paths in it are relative to its folder. All variants are validated, also those that are not given.
Scenario load_scenario(const std::string& path, const ScenarioOptions& options = {});
/// The same from text; `file` stands in messages.
Scenario read_scenario(std::string_view text, const std::string& file, const std::filesystem::path& directory,
                       const ScenarioOptions& options = {});
/// The same from values that were read before, of which `diagnostics` may hold errors already.
Scenario read_scenario(const Value& root, const std::filesystem::path& directory, Diagnostics& diagnostics);

}  // namespace weir
