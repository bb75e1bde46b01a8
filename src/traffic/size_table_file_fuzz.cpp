// SPDX-License-Identifier: Apache-2.0
// Any text is either a size distribution or causes errors: the first byte selects the format.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "traffic/size_table_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::uint8_t kFormats = 4;
  const auto format = static_cast<weir::SizeTableFormat>(data[0] % kFormats);
  const double unit = data[0] >= 128 ? 1460 : 1;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto read = weir::read_size_table(text, "s", "s", format, unit);
  if (read.value.has_value() != read.errors.empty()) std::abort();
  if (!read.value) return 0;
  const weir::SizeTable& table = *read.value;
  constexpr int kDraws = 64;
  double before = 0;
  for (int i = 0; i <= kDraws; ++i) {
    const double size_of_share = table.quantile(static_cast<double>(i) / kDraws);
    if (!(size_of_share >= before && size_of_share <= table.points().back().bytes)) std::abort();
    before = size_of_share;
  }
  if (!(table.mean() >= 0 && table.mean() <= table.points().back().bytes)) std::abort();
  weir::RandomStream random(1, 0, 0);
  for (int i = 0; i < kDraws; ++i) {
    const weir::Bytes drawn = table.draw(random);
    if (drawn < weir::Bytes(1) || static_cast<double>(drawn.count()) > table.points().back().bytes + 1) std::abort();
  }
  return 0;
}
