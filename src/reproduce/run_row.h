// SPDX-License-Identifier: Apache-2.0
// Runs and evaluates a row.
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

/// Whether the alternatives of a row's assumptions are evaluated too, one at a time.
enum class OtherChoices : std::uint8_t {
  none,
  undecided,  ///< for rows that do not hold
  all
};

struct RunRowOptions {
  std::size_t jobs = 1;          ///< parallel runs
  std::filesystem::path folder;  ///< for results of finished runs; empty: they are not stored
  OtherChoices choices = OtherChoices::none;
  std::string assumption = {};        ///< only assumptions whose value contains this text
  bool again = false;                 ///< repeat stored runs
  const RowVerdict* known = nullptr;  ///< the verdict of the row itself by this version; the row itself is then not run
  /// Called several times per second by the caller's thread with the number of finished runs, of all runs, and the runs
  /// in progress. Returning false requests termination.
  std::function<bool(std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway)> watch;
};

struct RowResult {
  std::vector<std::string> errors;    ///< the row is invalid: nothing was run
  std::vector<std::string> failures;  ///< failed runs, and files that could not be written
  bool interrupted = false;           ///< there is no verdict
  bool choices_left = false;          ///< there is a verdict, but an interrupt prevented some alternatives
  bool broken = false;                ///< a run failed: the verdict is based on the others, which are still stored
  RowVerdict verdict;
  std::vector<analysis::Chart> pictures;  ///< the row's, in its order; a picture without data has no curves
};

/// Checks a form without running it: the measures its criteria require, its scenarios, their networks, buffers and
/// offered loads; schemes that do not exist are omitted. One line per error.
std::vector<std::string> check_row(const Row& row, RowForm form, const RowSetup& setup);

/// What is missing for the runs that a form requires, each item once: requirements of the row, schemes, an analysis.
std::vector<std::string> missing_in(const Row& row, RowForm form, const RowSetup& setup);

/// Whether this version has not yet evaluated the row's alternative for this assumption.
bool is_untried(const RowVerdict& verdict, const Assumption& assumption);

/// Whether the row gives an alternative, and the assumption's value contains `text`.
bool has_choice(const Assumption& assumption, std::string_view text);

/// Makes the runs that the evaluable expressions require. Runs of schemes that do not exist are omitted, and their
/// criteria are not evaluated. For alternatives, only those runs are made whose configuration they change and which
/// criteria require.
RowResult run_row(const Row& row, RowForm form, const RowSetup& setup, const RunRowOptions& options);

}  // namespace weir
