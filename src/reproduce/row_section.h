// SPDX-License-Identifier: Apache-2.0
// The section of a row on its paper's page.
#pragma once

#include <filesystem>
#include <string>

#include "reproduce/row_status.h"

namespace weir {

/// Markdown, from its heading on. `pictures`: the folder that the row's pictures are looked for in and its address from
/// the page, both without the name of the file; a folder that is empty has none.
struct PicturePlace {
  std::filesystem::path folder;
  std::string address;
};
std::string row_section(const RowStatus& status, const PicturePlace& pictures);

/// A picture of a row with its description; empty when its file is not there, or the row has no verdict.
std::string picture_of(const RowStatus& status, std::size_t picture, const PicturePlace& pictures);

/// The part of an address behind # that leads to a row: "fig9" of "bfc/fig9".
std::string anchor_of(const std::string& row_id);

/// The first findings of a verdict, and how many more there are.
std::string shown_findings(const CriterionVerdict& verdict);

}  // namespace weir
