// SPDX-License-Identifier: Apache-2.0
// The functions of criteria: what can be made of numbers and lists.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "expressions/figure.h"

namespace weir {

/// A function by its name. Lists and numbers are of one dimension each.
struct Function {
  std::string_view name;
  std::string_view form;     ///< "quantile(list, share)"
  std::string_view meaning;  ///< one line
  std::size_t least = 1;     ///< arguments
  std::size_t most = 1;
  /// Throws std::invalid_argument with what is wrong. Of no values, a number that is none (NaN).
  Figure (*apply)(std::span<const Figure> arguments);
};

/// All of them, by name.
std::span<const Function> all_functions();
/// nullptr when there is none.
const Function* find_function(std::string_view name);

}  // namespace weir
