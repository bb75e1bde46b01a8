// SPDX-License-Identifier: Apache-2.0
// A row with its results.
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
  /// The kind under which the row is counted.
  enum class Kind : std::uint8_t {
    holds,
    holds_with,
    does_not_hold,
    in_part,  ///< the evaluated criteria hold, or hold with an alternative
    cannot_run,
    not_run
  };

  Row row;
  std::optional<RowVerdict> full;
  std::optional<RowVerdict> quick;
  std::vector<std::string> missing;  ///< requirements of its runs that do not exist
  bool runnable = true;              ///< some criterion can be evaluated nevertheless

  /// The verdict of the full form, or else that of the quick one; nullptr if there is neither.
  [[nodiscard]] const RowVerdict* verdict() const;
  [[nodiscard]] Kind kind() const;
  /// "holds", "holds with: 2 us, a longer cable, quick form", "not run", "cannot run yet: no scheme \"bfc\""
  [[nodiscard]] std::string state() const;
  /// The same without its reason: "holds", "holds with", "cannot run yet".
  [[nodiscard]] std::string short_state() const;
  /// The reason in one line: the alternative with which it holds, why it does not hold, what is missing. Empty: it
  /// holds.
  [[nodiscard]] std::string why() const;
};

/// Reads the row's verdict from `folder`, and determines its missing requirements.
RowStatus status_of(Row row, const std::filesystem::path& folder);

/// "holds with", "does not hold", "cannot run yet": for column heads.
std::string_view name_of(RowStatus::Kind kind);

}  // namespace weir
