// SPDX-License-Identifier: Apache-2.0
// What became of a row, as it is kept in a file.
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

/// Of one criterion.
struct CriterionVerdict {
  enum class State : std::uint8_t {
    holds,
    does_not_hold,
    not_evaluated  ///< `reason` says why
  } state = State::not_evaluated;
  std::string name;
  std::string reason;
  std::vector<std::string> findings;  ///< "2.31 >= 1.80 [load 0.8]", those that do not hold first
  std::size_t left_out = 0;           ///< findings beyond these, of a verdict in brief
};

/// A figure that is reported beside the paper's.
struct ReportedFigure {
  std::string name;
  std::string measured;  ///< as text; empty: there is none, for `reason`
  std::string reason;
};

/// What comes of the row with the alternative of one of its assumptions.
struct AssumptionVerdict {
  std::string value;                  ///< of what, as Assumption has it
  std::string alternative;            ///< the choice that was tried, as TOML
  std::string version;                ///< that it was tried with; empty: not known
  std::string state;                  ///< the row's, in words
  std::vector<std::string> moved;     ///< "name: does not hold": criteria whose verdict is another
  std::vector<std::string> findings;  ///< of these
  std::size_t left_out = 0;           ///< findings beyond these, of a verdict in brief
};

/// A run that the verdict rests on.
struct VerdictRun {
  std::string name;
  std::string digest;  ///< empty: it was not run, for `reason`
  std::string reason;
};

struct RowVerdict {
  enum class State : std::uint8_t {
    holds,          ///< every criterion does
    does_not_hold,  ///< one that was evaluated does not
    partly,         ///< every one that was evaluated does, others could not be
    cannot_be_run,  ///< none could be evaluated
    holds_with,     ///< one does not, but every one does with another choice that the row states
    partly_with     ///< the same of those that were evaluated, others could not be
  } state = State::cannot_be_run;
  std::string id;
  RowForm form = RowForm::full;
  std::string row_digest;
  std::string version;
  std::vector<std::string> with;     ///< the other choices by any one of which it holds, in words
  std::vector<std::string> missing;  ///< schemes, and what else the row needs, that do not exist
  std::vector<CriterionVerdict> criteria;
  std::vector<CriterionVerdict> formers;  ///< of the criteria as they once were, in the row's order
  std::vector<ReportedFigure> figures;
  std::vector<AssumptionVerdict> assumptions;  ///< that were tried
  std::vector<VerdictRun> runs;
};

/// "holds", "does not hold", "holds in part", "cannot be run", "holds with", "holds in part with"
std::string_view name_of(RowVerdict::State state);
std::string_view name_of(CriterionVerdict::State state);

/// The state that follows from the criteria alone, whatever came of other choices.
RowVerdict::State state_of(const std::vector<CriterionVerdict>& criteria);
/// What came of a choice that the row states; nullptr when it was not tried.
const AssumptionVerdict* tried_choice(const RowVerdict& verdict, const Assumption& assumption);
/// Works out `state` and `with` from the criteria and from what came of the other choices that the row still has and
/// that count.
void settle(RowVerdict& verdict, const Row& row);

/// As many findings of a criterion are shown.
inline constexpr std::size_t kShownFindings = 4;
/// What a verdict says without its runs, and of findings those that are shown: a row of thousands of runs is then as
/// small as any other.
RowVerdict in_brief(RowVerdict verdict);
/// Takes over what came of other choices when the row was evaluated `before`, of those that it still has and that were
/// not tried now, and settles it. Nothing when a criterion was another then, for what another choice moves is said
/// against that.
void keep_tried_choices(RowVerdict& now, const RowVerdict& before, const Row& row);

/// `folder`/bfc/fig9.full.toml
std::filesystem::path verdict_path(const std::filesystem::path& folder, const std::string& id, RowForm form);
/// As TOML.
std::string to_toml(const RowVerdict& verdict);
/// Nothing when the text is not a verdict.
std::optional<RowVerdict> read_verdict(std::string_view toml);
/// The verdict that is kept for a row, settled; nothing when there is none, or the row's file has changed since.
std::optional<RowVerdict> kept_verdict(const std::filesystem::path& folder, const Row& row, RowForm form);
/// Whether a file is there in its place that is not a verdict.
bool is_damaged(const std::filesystem::path& folder, const std::string& id, RowForm form);
/// Keeps it. What went wrong, or nothing.
std::optional<std::string> keep_verdict(const std::filesystem::path& folder, const RowVerdict& verdict);

}  // namespace weir
