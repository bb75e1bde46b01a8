// The commands of `weir`. Each gives the exit status: 0 done, 1 a run failed, 2 the input is wrong, 130 interrupted.
#pragma once

#include <cstddef>
#include <string>

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

struct RunCommand {
  ScenarioCommand scenario;
  std::string out;       ///< folder for files; empty: none
  std::size_t jobs = 0;  ///< runs side by side; 0: one a core
};

/// Runs each variant and prints its tables.
int run(const RunCommand& command);
/// Runs all variants side by side and prints one table of them.
int compare(const RunCommand& command);
/// Prints round trips, buffer arithmetic and offered load of each variant. `links`: of every link.
int check(const ScenarioCommand& command, bool links);
/// Prints what scenarios can be made of; or one scheme with its parameters.
int list(const std::string& scheme);

}  // namespace weir::apps
