// SPDX-License-Identifier: Apache-2.0
// The commands of `weir`. Each returns the exit status: 0 done, 1 a run failed, 2 invalid input, 130 interrupted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace weir::apps {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongInput = 2;
inline constexpr int kInterrupted = 130;

/// Arguments common to run, compare and check.
struct ScenarioCommand {
  std::string file;
  ScenarioOptions options;
  bool print_config = false;  ///< show the effective configuration with its origins, and stop
};

/// A part of a campaign's runs: every count-th of them, from the index-th on.
struct Shard {
  std::size_t index = 1;  ///< from 1 to count
  std::size_t count = 1;
};

struct RunCommand {
  ScenarioCommand scenario;
  Shard shard;
  bool json = false;       ///< print one JSON object instead of tables
  std::string out;         ///< folder for results; empty: none
  bool resume = false;     ///< continue the results in the folder
  bool set_aside = false;  ///< rename the folder if its results cannot be continued
  std::size_t jobs = 0;    ///< parallel runs; 0: one per core
};

struct ExportCommand {
  std::string results;  ///< folder of results, or a store
  std::string into;     ///< folder for files; empty: the folder of results
  bool csv = false;     ///< which files; all possible ones if none is selected
  bool fct = false;
  bool pfc = false;
  bool perfetto = false;
};

struct MergeCommand {
  std::string into;                  ///< folder for the merged results; must not contain a store
  std::vector<std::string> results;  ///< folders of results, or stores
};

struct ReportCommand {
  std::string results;  ///< folder of results, or a store
  std::string page;     ///< file to write; empty: report.html in the folder of results
};

/// Runs each variant and prints its tables.
int run(const RunCommand& command);
/// Runs all variants in parallel and prints one table of them.
int compare(const RunCommand& command);
/// Prints the contents of a folder of results, or of a store, and what is missing.
int runs(const std::string& results, bool json = false);
/// Merges the runs of several stores into a new one.
int merge(const MergeCommand& command);
/// Writes runs of a store as files in common formats.
int export_runs(const ExportCommand& command);
/// Writes the runs of a store as an HTML page, and prints its path.
int report(const ReportCommand& command);
/// Prints round trips, buffer arithmetic and offered load of each variant. `links`: for every link; `entries`: also the
/// match-action entries that elide backpressure.
int check(const ScenarioCommand& command, bool links, bool entries, bool json = false);
/// Prints what scenarios can contain; or, by name, one scheme with its parameters or one table with its keys; or the
/// whole language as a Markdown page.
int list(const std::string& name, bool reference, bool json = false);

}  // namespace weir::apps
