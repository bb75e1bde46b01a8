// SPDX-License-Identifier: Apache-2.0
// The section of a row on its paper's page, in Markdown, starting with its heading.
#pragma once

#include <filesystem>
#include <string>

#include "reproduce/row_status.h"

namespace weir {

/// `pictures`: the folder with the row's pictures and its address relative to the page, both without the file name; an
/// empty folder means no pictures.
struct PicturePlace {
  std::filesystem::path folder;
  std::string address;
};
std::string row_section(const RowStatus& status, const PicturePlace& pictures);

/// A picture of a row with its description; empty if its file does not exist, or the row has no verdict.
std::string picture_of(const RowStatus& status, std::size_t picture, const PicturePlace& pictures);

/// The fragment (after #) of the address of a row: "fig9" for "bfc/fig9".
std::string anchor_of(const std::string& row_id);

/// The first findings of a verdict, and the number of the others.
std::string shown_findings(const CriterionVerdict& verdict);

}  // namespace weir
