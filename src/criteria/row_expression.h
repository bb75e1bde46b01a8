// SPDX-License-Identifier: Apache-2.0
// An expression in a row of reproduction/.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/reader.h"
#include "config/value.h"
#include "expressions/expression.h"

namespace weir {

/// An expression of a row with its metadata.
struct RowExpression {
  std::string name;   ///< its subject in a few words
  std::string paper;  ///< the paper's figure; empty: none
  std::string quote;  ///< for a criterion: the sentence of the paper; empty: none
  std::string text;
  std::shared_ptr<const Expression> expression;
  Origin origin;
  bool full_only = false;  ///< does not apply to the quick form
};

/// Reads the expression under a key of `entry` into `text`, `expression` and `origin`. Returns false if it is missing
/// or invalid; errors go to the entry's diagnostics, with their position in `row_text`, the text of the row's file.
bool read_expression_at(Reader& entry, std::string_view key, std::string_view row_text, RowExpression& out);

/// Reads `forms`, a key of `entry`: whether the expression applies to the full form only.
bool read_full_only(Reader& entry, bool otherwise = false);

}  // namespace weir
