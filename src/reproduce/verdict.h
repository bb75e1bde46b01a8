// SPDX-License-Identifier: Apache-2.0
// The verdict of a row, as stored in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/row.h"

namespace weir {

/// The verdict of one criterion.
struct CriterionVerdict {
  enum class State : std::uint8_t {
    holds,
    does_not_hold,
    not_evaluated  ///< see `reason`
  } state = State::not_evaluated;
  std::string name;
  std::string reason;
  std::vector<std::string> findings;  ///< "2.31 >= 1.80 [load 0.8]", those that do not hold first
  std::size_t left_out = 0;           ///< number of further findings, in a short verdict
};

/// A figure that is reported next to the paper's.
struct ReportedFigure {
  std::string name;
  std::string measured;  ///< as text; empty: not available, see `reason`
  std::string reason;
};

/// The result of the row with the alternative of one of its assumptions.
struct AssumptionVerdict {
  std::string value;                  ///< the value, as in Assumption
  std::string alternative;            ///< the evaluated alternative, as TOML
  std::string version;                ///< that evaluated it; empty: unknown
  std::string state;                  ///< state of the row, in words
  std::vector<std::string> moved;     ///< "name: does not hold": criteria whose verdict differs
  std::vector<std::string> findings;  ///< of these criteria
  std::size_t left_out = 0;           ///< number of further findings, in a short verdict
};

/// A run on which the verdict is based.
struct VerdictRun {
  std::string name;
  std::string digest;  ///< empty: not run, see `reason`
  std::string reason;
};

struct RowVerdict {
  enum class State : std::uint8_t {
    holds,          ///< every criterion holds
    does_not_hold,  ///< an evaluated criterion does not hold
    partly,         ///< every evaluated criterion holds, others could not be evaluated
    cannot_be_run,  ///< no criterion could be evaluated
    holds_with,     ///< a criterion does not hold, but all do with an alternative of the row
    partly_with     ///< the same for the evaluated criteria; others could not be evaluated
  } state = State::cannot_be_run;
  std::string id;
  RowForm form = RowForm::full;
  std::string row_digest;
  std::string version;
  std::vector<std::string> with;     ///< the alternatives with any one of which it holds, in words
  std::vector<std::string> missing;  ///< schemes and other requirements of the row that do not exist
  std::vector<CriterionVerdict> criteria;
  std::vector<CriterionVerdict> formers;  ///< for the former criteria, in the row's order
  std::vector<ReportedFigure> figures;
  std::vector<AssumptionVerdict> assumptions;  ///< that were evaluated
  std::vector<VerdictRun> runs;
};

/// "holds", "does not hold", "holds in part", "cannot be run", "holds with", "holds in part with"
std::string_view name_of(RowVerdict::State state);
std::string_view name_of(CriterionVerdict::State state);

/// The state that follows from the criteria alone, regardless of alternatives.
RowVerdict::State state_of(const std::vector<CriterionVerdict>& criteria);
/// The result of an alternative of the row; nullptr if it was not evaluated.
const AssumptionVerdict* tried_choice(const RowVerdict& verdict, const Assumption& assumption);
/// Derives `state` and `with` from the criteria and from the results of those alternatives that the row still has and
/// that count.
void settle(RowVerdict& verdict, const Row& row);

/// The number of findings shown per criterion.
inline constexpr std::size_t kShownFindings = 4;
/// A verdict without its runs, and with only those findings that are shown: its size does not depend on the number of
/// runs.
RowVerdict in_brief(RowVerdict verdict);
/// Copies the results of alternatives from an earlier verdict, `before`, if the row still has them and they were not
/// evaluated now, and derives the state. Copies nothing if a criterion has changed since, because the effect of an
/// alternative is relative to it.
void keep_tried_choices(RowVerdict& now, const RowVerdict& before, const Row& row);

/// `folder`/bfc/fig9.full.toml
std::filesystem::path verdict_path(const std::filesystem::path& folder, const std::string& id, RowForm form);
/// As TOML.
std::string to_toml(const RowVerdict& verdict);
/// nullopt if the text is not a verdict.
std::optional<RowVerdict> read_verdict(std::string_view toml);
/// The stored verdict of a row, with its state derived; nullopt if there is none, or the row's file has changed since.
std::optional<RowVerdict> kept_verdict(const std::filesystem::path& folder, const Row& row, RowForm form);
/// Whether there is a file at its path that is not a verdict.
bool is_damaged(const std::filesystem::path& folder, const std::string& id, RowForm form);
/// Stores the verdict. Returns an error, if any.
std::optional<std::string> keep_verdict(const std::filesystem::path& folder, const RowVerdict& verdict);

}  // namespace weir
