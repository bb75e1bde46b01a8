// SPDX-License-Identifier: Apache-2.0
// Any text is either a row or a list of errors, each of which names the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "reproduce/row.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const weir::Row row = weir::read_row(text, "fuzz.toml", ".", "bfc/fig0");
  for (const std::string& error : row.errors) {
    if (error.find("fuzz.toml:") != 0) std::abort();
  }
  if (!row.ok()) return 0;
  if (row.criteria.empty() || row.id != "bfc/fig0" || !row.full.exists) std::abort();
  for (const weir::RowExpression& criterion : row.criteria) {
    if (criterion.expression == nullptr || criterion.name.empty()) std::abort();
  }
  return 0;
}
