// SPDX-License-Identifier: Apache-2.0
// A parsed scenario file: the validated settings of each of its variants, or all errors.
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

/// Changes from the command line.
struct ScenarioOptions {
  std::vector<std::string> variants = {};  ///< requested, in this order; none: all
  std::vector<std::string> set = {};       ///< key.path=value, applied last, in this order
  std::optional<std::uint64_t> seed = std::nullopt;
  std::vector<std::uint64_t> seeds = {};  ///< replace run.seed and run.seeds; none: those apply
};

/// Maximum number of runs of a scenario.
inline constexpr std::size_t kMostRuns = 10'000;

/// One configuration of a scenario: a variant with one value of each sweep. Its runs, one per seed, are replicates.
struct ScenarioVariant {
  std::string name;                      ///< of the variant; empty in a scenario without variants
  std::vector<RunParameter> parameters;  ///< of the sweeps, in their order
  std::vector<std::size_t> point;        ///< the indices of these values in Scenario::sweeps
  std::vector<std::uint64_t> seeds;      ///< at least one; the first is that of the settings
  Settings settings;
  EffectiveTable effective;
  std::vector<TrafficEntry> traffic;

  /// "pfc, load 0.8", for messages; empty if there is neither a variant nor a sweep.
  [[nodiscard]] std::string label() const;
};

/// One run of a scenario.
struct ScenarioRun {
  std::size_t variant = 0;  ///< index into Scenario::variants
  std::uint64_t seed = 0;
};

/// The result of reading a scenario file. If there are errors, nothing else is valid.
struct Scenario {
  std::string file;
  std::string title;
  std::string question;
  std::vector<ScenarioVariant>
      variants;  ///< in the order of the file, each with all points of its sweeps; at least one
  std::vector<Sweep> sweeps;
  std::vector<Value::Member> pictures;  ///< the [[picture]] tables, unread (src/pictures/): one member or none
  std::vector<std::string> errors;      ///< one line each, in the order of the file
  std::vector<std::string> notes;       ///< remarks for the user that are not errors

  [[nodiscard]] bool ok() const { return errors.empty(); }
  /// Whether it has a sweep, or a configuration with more than one seed.
  [[nodiscard]] bool has_replicates() const;
};

/// All runs, by configuration and then by seed.
std::vector<ScenarioRun> runs_of(const Scenario& scenario);
/// The settings of one run of a configuration: as if run.seed were `seed`.
Settings settings_of(const ScenarioVariant& variant, std::uint64_t seed);
/// RunRecord::effective_configuration of that run.
std::string configuration_of(const ScenarioVariant& variant, std::uint64_t seed);
/// "pfc, load 0.8, seed 3"; without the seed if the configuration has only one run.
std::string run_name(const ScenarioVariant& variant, std::uint64_t seed);

/// Reads the file; its paths are relative to its folder. All variants are validated, including those not returned.
Scenario load_scenario(const std::string& path, const ScenarioOptions& options = {});
/// The same from text; `file` is the name used in messages.
Scenario read_scenario(std::string_view text, const std::string& file, const std::filesystem::path& directory,
                       const ScenarioOptions& options = {});
/// The same from parsed values; `diagnostics` may already contain errors.
Scenario read_scenario(const Value& root, const std::filesystem::path& directory, Diagnostics& diagnostics);

/// Reads the sections of a scenario that describe a network and its nodes, from a file without variants, sweeps and
/// traffic: for a driver of real ports. Nullopt if there are errors, which go to the diagnostics.
std::optional<Settings> read_nodes(Value root, const std::filesystem::path& directory, Diagnostics& diagnostics,
                                   std::vector<std::string>& notes);
/// The same for a driver of real hosts: traffic and [run] may be there, too.
std::optional<Settings> read_hosts(Value root, const std::filesystem::path& directory, Diagnostics& diagnostics,
                                   std::vector<std::string>& notes);

}  // namespace weir
