// SPDX-License-Identifier: Apache-2.0
#include "reproduce/row_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "reproduce/evaluate_row.h"
#include "reproduce/plan.h"
#include "reproduce/run_row.h"

namespace weir {
namespace {

/// Whether some criterion of the full form has everything that its runs require.
bool can_evaluate_anything(const Row& row) {
  if (!row.needs.empty()) return false;
  if (row.full.analysis) return missing_in(row, RowForm::full, row.full).empty();
  const DryRun dry_run = make_dry_run(row, RowForm::full, row.full, RowScope::criteria);
  for (std::size_t i = 0; i < row.criteria.size(); ++i) {
    const std::set<RunPoint>& points = dry_run.criteria[i];
    if (std::all_of(points.begin(), points.end(),
                    [&](const RunPoint& point) { return missing_schemes(row, row.full, point).empty(); })) {
      return true;
    }
  }
  return false;
}

/// The first few criteria that do not hold.
std::string failing_criteria(const RowVerdict& verdict) {
  constexpr std::size_t kNamed = 2;
  std::vector<std::string> names;
  for (const CriterionVerdict& criterion : verdict.criteria) {
    if (criterion.state == CriterionVerdict::State::does_not_hold) names.push_back(criterion.name);
  }
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  const std::string out = fmt::format("cause not known; what fails: {}", fmt::join(names, "; "));
  return more == 0 ? out : fmt::format("{}; and {} more", out, more);
}

}  // namespace

const RowVerdict* RowStatus::verdict() const {
  return full ? &*full : quick ? &*quick : nullptr;
}

RowStatus::Kind RowStatus::kind() const {
  const RowVerdict* known = verdict();
  if (known == nullptr) return runnable ? Kind::not_run : Kind::cannot_run;
  switch (known->state) {
    case RowVerdict::State::holds:
      return Kind::holds;
    case RowVerdict::State::does_not_hold:
      return Kind::does_not_hold;
    case RowVerdict::State::holds_with:
      return Kind::holds_with;
    case RowVerdict::State::partly:
    case RowVerdict::State::partly_with:
      return Kind::in_part;
    case RowVerdict::State::cannot_be_run:
      break;
  }
  return Kind::cannot_run;
}

std::string RowStatus::short_state() const {
  const RowVerdict* known = verdict();
  const std::string state(known != nullptr && kind() != Kind::cannot_run ? name_of(known->state) : name_of(kind()));
  return known != nullptr && !full ? state + ", quick form" : state;
}

std::string RowStatus::why() const {
  const RowVerdict* known = verdict();
  const std::string missing_text = fmt::format("{}", fmt::join(known == nullptr ? missing : known->missing, ", "));
  std::string out;
  if (kind() == Kind::cannot_run) return missing_text;
  if (known == nullptr) return out;
  if (!known->with.empty()) {
    out = fmt::format("{}", fmt::join(known->with, "; or "));
  } else if (known->state == RowVerdict::State::does_not_hold) {
    out = row.cause.empty() ? failing_criteria(*known) : row.cause;
  }
  if (!missing_text.empty()) out += fmt::format("{}({})", out.empty() ? "" : " ", missing_text);
  return out;
}

std::string RowStatus::state() const {
  const RowVerdict* known = verdict();
  std::string out(name_of(kind()));
  if (kind() == Kind::cannot_run) return fmt::format("{}: {}", out, fmt::join(missing, ", "));
  if (known == nullptr) return out;
  out = name_of(known->state);
  if (!known->with.empty()) out += fmt::format(": {}", fmt::join(known->with, "; or "));
  if (!known->missing.empty()) out += fmt::format(" ({})", fmt::join(known->missing, ", "));
  if (!full) out += ", quick form";
  return out;
}

RowStatus status_of(Row row, const std::filesystem::path& folder) {
  RowStatus out;
  if (row.ok()) {
    out.full = kept_verdict(folder, row, RowForm::full);
    out.quick = kept_verdict(folder, row, RowForm::quick);
    out.missing = missing_in(row, RowForm::full, row.full);
    out.runnable = can_evaluate_anything(row);
  }
  out.row = std::move(row);
  return out;
}

std::string_view name_of(RowStatus::Kind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"holds",   "holds with",     "does not hold",
                                                      "in part", "cannot run yet", "not run"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace weir
