// SPDX-License-Identifier: Apache-2.0
// The commands of `weir`. Each gives the exit status: 0 done, 1 a run failed, 2 the input is wrong, 130 interrupted.
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

/// What run, compare and check have in common.
struct ScenarioCommand {
  std::string file;
  ScenarioOptions options;
  bool print_config = false;  ///< show what takes effect and where it came from, and stop
};

/// A part of a campaign's runs: each count-th of them, from the index-th on.
struct Shard {
  std::size_t index = 1;  ///< from 1 to count
  std::size_t count = 1;
};

struct RunCommand {
  ScenarioCommand scenario;
  Shard shard;
  bool json = false;       ///< print one object of JSON instead of tables
  std::string out;         ///< folder for results; empty: none
  bool resume = false;     ///< go on with what the folder holds
  bool set_aside = false;  ///< move what cannot be gone on with to a folder beside it
  std::size_t jobs = 0;    ///< runs side by side; 0: one a core
};

struct ExportCommand {
  std::string results;  ///< folder of results, or a store
  std::string into;     ///< folder for files; empty: the folder of results
  bool csv = false;     ///< which files; all that there can be when none is asked for
  bool fct = false;
  bool pfc = false;
  bool perfetto = false;
};

struct MergeCommand {
  std::string into;                  ///< folder for the merged results; its store must not be there
  std::vector<std::string> results;  ///< folders of results, or stores
};

struct ReportCommand {
  std::string results;  ///< folder of results, or a store
  std::string page;     ///< file to write; empty: report.html in the folder of results
};

/// Runs each variant and prints its tables.
int run(const RunCommand& command);
/// Runs all variants side by side and prints one table of them.
int compare(const RunCommand& command);
/// Prints what a folder of results, or a store, holds and what is missing.
int runs(const std::string& results, bool json = false);
/// Puts the runs of several stores into a new one.
int merge(const MergeCommand& command);
/// Writes runs of a store as files in the field's forms.
int export_runs(const ExportCommand& command);
/// Writes the runs of a store as a page to look at, and prints where it is.
int report(const ReportCommand& command);
/// Prints round trips, buffer arithmetic and offered load of each variant. `links`: of every link; `entries`:
/// and the match-action entries that elide backpressure.
int check(const ScenarioCommand& command, bool links, bool entries, bool json = false);
/// Prints what scenarios can be made of; or, by name, one scheme with its parameters or one table with its keys; or all
/// of the language as a page of Markdown.
int list(const std::string& name, bool reference, bool json = false);

}  // namespace weir::apps
