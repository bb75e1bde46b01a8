// docs/reproduction.md: what the papers claim and what came of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reproduce/row.h"
#include "reproduce/verdict.h"

namespace weir {

/// A row with what is known of it.
struct RowStanding {
  Row row;
  std::optional<RowVerdict> full;
  std::optional<RowVerdict> quick;
  std::vector<std::string> missing;  ///< what runs that it asks for need and that does not exist
  bool runnable = true;              ///< some criterion can be judged all the same

  /// The verdict of the full form, or else the quick one's; nullptr when there is neither.
  [[nodiscard]] const RowVerdict* verdict() const;
  /// "holds", "holds (quick form)", "not run", "cannot be run: no scheme \"bfc\""
  [[nodiscard]] std::string state() const;
};

/// Looks a row up among the verdicts that are kept in `folder`, and for what it lacks.
RowStanding standing_of(Row row, const std::filesystem::path& folder);

/// The whole document, Markdown. Depends on rows, verdicts and which pictures of rows there are below `folder`, the
/// document's own; empty: none are looked for.
std::string reproduction_report(const std::vector<RowStanding>& rows, const std::filesystem::path& folder = {});

/// One verdict for a terminal.
std::string verdict_text(const Row& row, const RowVerdict& verdict);

}  // namespace weir
