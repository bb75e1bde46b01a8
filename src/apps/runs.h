// Several runs side by side.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/run_record.h"
#include "scenario/scenario.h"

namespace weir::apps {

/// What became of one variant.
struct RunOutcome {
  bool started = false;  ///< false: an interrupt came first
  RunRecord record;      ///< of a run that ended or was interrupted
  std::string error;     ///< why there is no record; empty: there is
};

/// Runs the variants on at most `jobs` threads (0: one a core), shows how far they are on stderr if that is a terminal,
/// and gives the outcomes in their order. An interrupt stops the runs at their next safe point; none starts after it.
std::vector<RunOutcome> run_all(const std::vector<ScenarioVariant>& variants, std::size_t jobs);

}  // namespace weir::apps
