// SPDX-License-Identifier: Apache-2.0
// docs/reproduction.md and a page for each paper: what the papers claim and what came of it.
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

/// All pages: that of all rows at `path`, then that of each paper, for docs/reproduction.md docs/reproduction/bfc.md
/// and so on. They depend on rows, papers, verdicts and which pictures there are beside `path`, in pictures/.
std::vector<ReportPage> report_pages(const std::vector<RowStatus>& rows, const std::vector<Paper>& papers,
                                     const std::filesystem::path& path);

/// One verdict for a terminal.
std::string verdict_text(const Row& row, const RowVerdict& verdict);

}  // namespace weir
