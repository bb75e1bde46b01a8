// SPDX-License-Identifier: Apache-2.0
// A paper: the introduction of its page of the reproduction.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/row.h"

namespace weir {

/// A picture of a row that is shown at the top of the page.
struct LeadPicture {
  std::string row;          ///< id of the row
  std::size_t picture = 0;  ///< index among the row's pictures, from 0
};

struct Paper {
  std::string file;
  std::string id;     ///< of the folder of its rows: "bfc"
  std::string title;  ///< "BFC"
  std::string paper;  ///< title, place and year; may be empty
  std::string about;  ///< a paragraph; may be empty
  std::vector<LeadPicture> leads;
  std::vector<std::string> errors;  ///< one line each; if there are any, nothing else is valid
};

/// Maximum number of pictures at the top of a page.
inline constexpr std::size_t kMostLeads = 3;

/// Parses a file from its text.
Paper read_paper(std::string_view text, const std::string& file, const std::string& id);
/// The papers of these rows, in the order of the rows, from `folder`/bfc.toml and so on. A paper without a file is
/// named by its id.
std::vector<Paper> load_papers(const std::filesystem::path& folder, const std::vector<Row>& rows);
/// Lead pictures that no row has, one line each.
std::vector<std::string> check_paper(const Paper& paper, const std::vector<Row>& rows);

/// The id of a row's paper: "bfc" for "bfc/fig9".
std::string paper_id_of(std::string_view row_id);

}  // namespace weir
