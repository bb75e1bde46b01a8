// SPDX-License-Identifier: Apache-2.0
// The functions of criteria over numbers and lists.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "expressions/figure.h"

namespace weir {

/// A function by its name. The numbers of one list have the same dimension.
struct Function {
  std::string_view name;
  std::string_view form;     ///< "quantile(list, share)"
  std::string_view meaning;  ///< one line
  std::size_t least = 1;     ///< minimum number of arguments; `most`: maximum
  std::size_t most = 1;
  /// Throws std::invalid_argument with the error. NaN if there are no values.
  Figure (*apply)(std::span<const Figure> arguments);
};

/// All functions, by name.
std::span<const Function> all_functions();
/// nullptr if there is none.
const Function* find_function(std::string_view name);

}  // namespace weir
