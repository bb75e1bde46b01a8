// SPDX-License-Identifier: Apache-2.0
// A row with what is known of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reproduce/row.h"
#include "reproduce/verdict.h"

namespace weir {

struct RowStatus {
  /// How the row is counted.
  enum class Kind : std::uint8_t {
    holds,
    holds_with,
    does_not_hold,
    in_part,  ///< what could be evaluated holds, or holds with another choice
    cannot_run,
    not_run
  };

  Row row;
  std::optional<RowVerdict> full;
  std::optional<RowVerdict> quick;
  std::vector<std::string> missing;  ///< what runs that it asks for need and that does not exist
  bool runnable = true;              ///< some criterion can be evaluated all the same

  /// The verdict of the full form, or else the quick one's; nullptr when there is neither.
  [[nodiscard]] const RowVerdict* verdict() const;
  [[nodiscard]] Kind kind() const;
  /// "holds", "holds with: 2 us, a longer cable, quick form", "not run", "cannot run yet: no scheme \"bfc\""
  [[nodiscard]] std::string state() const;
  /// The same without its reason: "holds", "holds with", "cannot run yet".
  [[nodiscard]] std::string short_state() const;
  /// The reason in one line: the choice with which it holds, why it does not hold, what is missing. Empty: it holds.
  [[nodiscard]] std::string why() const;
};

/// Looks a row up among the verdicts that are kept in `folder`, and for what it lacks.
RowStatus status_of(Row row, const std::filesystem::path& folder);

/// "holds with", "does not hold", "cannot run yet": for the heads of columns.
std::string_view name_of(RowStatus::Kind kind);

}  // namespace weir
