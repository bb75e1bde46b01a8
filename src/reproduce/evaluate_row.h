// SPDX-License-Identifier: Apache-2.0
// From measures to a verdict.
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
  criteria  ///< what decides the verdict
};

/// What the expressions of a row ask for, found by going through them without results.
struct DryRun {
  std::map<RunPoint, AskedOfRun> asked;
  /// The runs of each expression, in the order of the row: lines are those of pictures.
  std::vector<std::set<RunPoint>> criteria, formers, figures, lines;
  std::vector<std::string> errors;  ///< what makes no sense in them, one line each

  /// The runs of all expressions.
  [[nodiscard]] std::vector<const std::set<RunPoint>*> all() const;
};
DryRun make_dry_run(const Row& row, RowForm form, const RowSetup& setup, RowScope scope = RowScope::whole);

/// What became of a run, and its measures by question().
struct PointOutcome {
  std::string digest;       ///< empty: it was not run
  std::string unavailable;  ///< why
  bool missing = false;     ///< because something does not exist
  double seconds = 0;       ///< that it took
  std::map<std::string, Measured> measures;
};

/// The analysis of a setup that has one; nullptr with a reason when it does not exist, or its table is wrong.
std::unique_ptr<Analysis> make_analysis(const Row& row, const RowSetup& setup, std::vector<std::string>& errors,
                                        std::string& unavailable);

/// What an expression cannot be evaluated for when one of its runs lacks something that does not exist; empty: nothing.
std::string missing_for(const RowSetup& setup, const std::set<RunPoint>& points,
                        const std::map<RunPoint, PointOutcome>& runs);

/// What there is to ask of a setup.
Vocabulary vocabulary_of(const RowSetup& setup);

/// Answers from what runs gave, or from an analysis; see evaluate(), and keep what is given here.
std::unique_ptr<ResultSource> answers(const RowSetup& setup, const std::map<RunPoint, PointOutcome>& runs,
                                      Analysis* analysis, const std::string& analysis_unavailable);

/// Evaluates a row by what its runs gave, or by its analysis. `analysis` may be nullptr, for `analysis_unavailable`.
RowVerdict evaluate(const Row& row, RowForm form, const RowSetup& setup, const std::map<RunPoint, PointOutcome>& runs,
                    Analysis* analysis, const std::string& analysis_unavailable, RowScope scope = RowScope::whole);

}  // namespace weir
