// SPDX-License-Identifier: Apache-2.0
// What reading a file gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weir {

/// A value, or the reasons why there is none. Each line reads "file:line: what is wrong, what was expected".
template <class Value>
struct ReadResult {
  std::optional<Value> value;
  std::vector<std::string> errors;  ///< not empty exactly when there is no value
  std::vector<std::string> notes;   ///< what a user should know although the file could be read
};

}  // namespace weir
