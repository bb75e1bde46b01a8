// SPDX-License-Identifier: Apache-2.0
// Lists of words in a sentence.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weir {

/// "a", "a and b", "a, b and c"; empty for none.
inline std::string join_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace weir
