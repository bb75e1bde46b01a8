// SPDX-License-Identifier: Apache-2.0
// A paper of the ledger: what its page of the reproduction begins with.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/row.h"

namespace weir {

/// A picture of a row that stands at the top of the page.
struct LeadPicture {
  std::string row;          ///< its id
  std::size_t picture = 0;  ///< of the row, from 0
};

struct Paper {
  std::string file;
  std::string id;     ///< of the folder of its rows: "bfc"
  std::string title;  ///< "BFC"
  std::string paper;  ///< title, place and year; may be empty
  std::string about;  ///< a paragraph; may be empty
  std::vector<LeadPicture> leads;
  std::vector<std::string> errors;  ///< one line each; nothing else is valid when there are any
};

/// Most pictures at the top of a page.
inline constexpr std::size_t kMostLeads = 3;

/// Reads a file from its text.
Paper read_paper(std::string_view text, const std::string& file, const std::string& id);
/// The papers of these rows, in the order of the rows, from `folder`/bfc.toml and so on. One without a file is called
/// by its id.
std::vector<Paper> load_papers(const std::filesystem::path& folder, const std::vector<Row>& rows);
/// Leads of pictures that no row has, one line each.
std::vector<std::string> check_paper(const Paper& paper, const std::vector<Row>& rows);

/// The id of the paper of a row: "bfc" of "bfc/fig9".
std::string paper_id_of(std::string_view row_id);

}  // namespace weir
