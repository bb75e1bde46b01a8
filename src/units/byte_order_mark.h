// SPDX-License-Identifier: Apache-2.0
// The byte-order mark that some editors put before UTF-8 text.
#pragma once

#include <string_view>

namespace weir {

/// `text` without a byte-order mark at its start. All input text may start with one.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace weir
