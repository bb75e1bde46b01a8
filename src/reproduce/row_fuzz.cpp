// Any text is a row of the ledger or a list of errors. Its scenarios are another fuzzer's.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "reproduce/row.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const weir::Row row = weir::read_row(text, "row.toml", ".", "bfc/fig9");
  for (const std::string& error : row.errors) {
    if (!error.starts_with("row.toml")) std::abort();
  }
  if (!row.ok()) return 0;
  if (row.criteria.empty() || !row.full.exists || row.id != "bfc/fig9") std::abort();
  for (const weir::RowExpression& criterion : row.criteria) {
    if (criterion.expression == nullptr) std::abort();
  }
  return 0;
}
