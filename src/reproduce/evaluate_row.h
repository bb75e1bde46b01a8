// SPDX-License-Identifier: Apache-2.0
// Evaluates measures to a verdict.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "criteria/asked.h"
#include "expressions/evaluation.h"
#include "reproduce/analysis.h"
#include "reproduce/row.h"
#include "reproduce/verdict.h"

namespace weir {

/// Which expressions of a row are evaluated.
enum class RowScope : std::uint8_t {
  whole,
  criteria  ///< those that decide the verdict
};

/// The results that the expressions of a row require, found by evaluating them without results.
struct DryRun {
  std::map<RunPoint, AskedOfRun> asked;
  /// The runs of each expression, in the order of the row; lines are those of pictures.
  std::vector<std::set<RunPoint>> criteria, formers, figures, lines;
  std::vector<std::string> errors;  ///< errors in them, one line each

  /// The runs of all expressions.
  [[nodiscard]] std::vector<const std::set<RunPoint>*> all() const;
};
DryRun make_dry_run(const Row& row, RowForm form, const RowSetup& setup, RowScope scope = RowScope::whole);

/// The result of a run, with its measures by question().
struct PointOutcome {
  std::string digest;       ///< empty: it was not run
  std::string unavailable;  ///< the reason
  bool missing = false;     ///< because a scheme or other requirement does not exist
  double seconds = 0;       ///< duration of the run
  std::map<std::string, Measured> measures;
};

/// The analysis of a setup; nullptr with a reason if it does not exist or its table is invalid.
std::unique_ptr<Analysis> make_analysis(const Row& row, const RowSetup& setup, std::vector<std::string>& errors,
                                        std::string& unavailable);

/// What an expression lacks if one of its runs requires something that does not exist; empty: nothing.
std::string missing_for(const RowSetup& setup, const std::set<RunPoint>& points,
                        const std::map<RunPoint, PointOutcome>& runs);

/// The names that expressions of a setup may use.
Vocabulary vocabulary_of(const RowSetup& setup);

/// Answers from the results of runs, or from an analysis; see evaluate(). The arguments must outlive the result.
std::unique_ptr<ResultSource> answers(const RowSetup& setup, const std::map<RunPoint, PointOutcome>& runs,
                                      Analysis* analysis, const std::string& analysis_unavailable);

/// Evaluates a row from the results of its runs or from its analysis. `analysis` may be nullptr, for the reason
/// `analysis_unavailable`.
RowVerdict evaluate(const Row& row, RowForm form, const RowSetup& setup, const std::map<RunPoint, PointOutcome>& runs,
                    Analysis* analysis, const std::string& analysis_unavailable, RowScope scope = RowScope::whole);

}  // namespace weir
