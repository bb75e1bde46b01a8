// SPDX-License-Identifier: Apache-2.0
// An expression as a row of the ledger has it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/reader.h"
#include "config/value.h"
#include "expressions/expression.h"

namespace weir {

/// An expression of a row with its surroundings.
struct RowExpression {
  std::string name;   ///< what it is about, in a few words
  std::string paper;  ///< the paper's figure; empty: none
  std::string quote;  ///< of a criterion: the paper's own sentence; empty: none
  std::string text;
  std::shared_ptr<const Expression> expression;
  Origin origin;
  bool full_only = false;  ///< says nothing of the quick form
};

/// Reads the expression that a key of `entry` holds into `text`, `expression` and `origin`. False when there is none,
/// or it is wrong; what is wrong goes to the entry's diagnostics, by its place in `row_text`, the text of the row's
/// file.
bool read_expression_at(Reader& entry, std::string_view key, std::string_view row_text, RowExpression& out);

/// Reads `forms`, a key of `entry`: whether it speaks of the full form only.
bool read_full_only(Reader& entry, bool otherwise = false);

}  // namespace weir
