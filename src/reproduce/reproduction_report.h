// SPDX-License-Identifier: Apache-2.0
// docs/reproduction.md and one page per paper: the papers' claims and the results.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduce/paper.h"
#include "reproduce/row_status.h"

namespace weir {

struct ReportPage {
  std::filesystem::path path;
  std::string text;  ///< Markdown
};

/// All pages: the page of all rows at `path`, then one per paper; for docs/reproduction.md these are
/// docs/reproduction/bfc.md and so on. They depend on rows, papers, verdicts and the pictures that exist in pictures/
/// next to `path`.
std::vector<ReportPage> report_pages(const std::vector<RowStatus>& rows, const std::vector<Paper>& papers,
                                     const std::filesystem::path& path);

/// One verdict as text for a terminal.
std::string verdict_text(const Row& row, const RowVerdict& verdict);

}  // namespace weir
