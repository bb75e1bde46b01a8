// SPDX-License-Identifier: Apache-2.0
// The result of reading a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weir {

/// A value, or the reasons why there is none. Each line has the form "file:line: what is wrong, what was expected".
template <class Value>
struct ReadResult {
  std::optional<Value> value;
  std::vector<std::string> errors;  ///< non-empty exactly if there is no value
  std::vector<std::string> notes;   ///< remarks for the user that are not errors
};

}  // namespace weir
