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

/// "1 link", "3 switches".
inline std::string counted(std::size_t number, const std::string& one, const std::string& plural) {
  return std::to_string(number) + " " + (number == 1 ? one : plural);
}
/// For nouns with a plural in -s.
inline std::string counted(std::size_t number, const std::string& one) {
  return counted(number, one, one + "s");
}

}  // namespace weir
