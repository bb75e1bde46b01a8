// SPDX-License-Identifier: Apache-2.0
// Runs a row of the ledger and evaluates it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "campaign/runner.h"
#include "reproduce/evaluate_row.h"
#include "reproduce/row.h"
#include "reproduce/verdict.h"

namespace weir {

/// Whether the other choices of a row's assumptions are tried too, one at a time.
enum class OtherChoices : std::uint8_t {
  none,
  undecided,  ///< of rows that do not hold as they stand
  all
};

struct RunRowOptions {
  std::size_t jobs = 1;          ///< runs side by side
  std::filesystem::path folder;  ///< where finished runs are kept; empty: nowhere
  OtherChoices choices = OtherChoices::none;
  std::string assumption = {};        ///< only of assumptions whose value contains it
  bool again = false;                 ///< runs that are kept are repeated
  const RowVerdict* known = nullptr;  ///< by this version, of the row as it stands, which is then not run
  /// Called several times a second by the caller's thread: how many runs are done, of how many, and which are underway.
  /// False asks for the end.
  std::function<bool(std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway)> watch;
};

struct RowResult {
  std::vector<std::string> errors;    ///< the row makes no sense: nothing was run
  std::vector<std::string> failures;  ///< runs that broke, and files that could not be written
  bool interrupted = false;           ///< there is no verdict
  bool choices_left = false;          ///< there is one, but not all other choices were tried before the interrupt
  bool broken = false;                ///< a run broke: the verdict is of those that did not, and they are still kept
  RowVerdict verdict;
  std::vector<analysis::Chart> pictures;  ///< the row's, in its order; one without curves has nothing to show
};

/// Everything that can be known of a form without running it: what its criteria ask for, its scenarios, their networks,
/// buffers and offered loads; schemes that do not exist are left out of it. One line per error.
std::vector<std::string> check_row(const Row& row, RowForm form, const RowSetup& setup);

/// What the runs that a form asks for lack, each thing once: what the row needs, schemes, an analysis.
std::vector<std::string> missing_in(const Row& row, RowForm form, const RowSetup& setup);

/// Whether a choice that the row states is yet to be tried by this version.
bool is_untried(const RowVerdict& verdict, const Assumption& assumption);

/// Whether the row states another choice, and the assumption's value contains `text`.
bool has_choice(const Assumption& assumption, std::string_view text);

/// Runs what the expressions ask for that can be evaluated. What names a scheme that does not exist is not run, and its
/// criteria are not evaluated. Of other choices only runs are made whose configuration they change, and which criteria
/// ask for.
RowResult run_row(const Row& row, RowForm form, const RowSetup& setup, const RunRowOptions& options);

}  // namespace weir
