// SPDX-License-Identifier: Apache-2.0
// The language of criteria: expressions over results.
//
//   for all load where load <= 0.8: p99_slowdown(variant="bfc", size_below=3 KB) <= 2
//   40 % <= share_of_bytes(workload="google", size_below=100 KB) <= 55 %
//   slope([mean(series(name="port.queued", variant=v)) for v in ["a", "b", "c"]]) > 0
//
// Numbers have units, which are checked: a size cannot be compared with a number. Comparisons may be chained.
// `for all` and `for some` iterate over the values of a sweep, over `variant`, over `seed`, or over a list; so does
// [ ... for ...]. The available measures and sweeps are supplied to the evaluation.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "expressions/figure.h"

namespace weir {

/// An error in an expression, with its position: an offset in bytes from the beginning.
struct ExpressionError {
  std::size_t offset = 0;
  std::string message;
  std::string suggestion;  ///< what may have been intended, or empty
};

struct Expression;
using ExpressionPointer = std::unique_ptr<const Expression>;

/// `name` takes the values of `list`; without a list, the values of the sweep, variants or seeds of that name.
struct Binding {
  std::size_t offset = 0;
  std::string name;
  ExpressionPointer list;
};

/// A node of an expression.
struct Expression {
  enum class Kind : std::uint8_t {
    literal,        ///< `literal`
    name,           ///< `name`
    call,           ///< `name`, children as arguments, `argument_names` in parallel ("" for those without)
    list,           ///< children
    comprehension,  ///< child 0 for each of `bindings` where child 1 (if any) holds
    negation,       ///< not child 0
    minus,          ///< - child 0
    arithmetic,     ///< child 0 `operators[0]` child 1
    comparison,     ///< child 0 `operators[0]` child 1 `operators[1]` child 2 ...
    both,           ///< child 0 and child 1
    either,         ///< child 0 or child 1
    for_all,        ///< child 0 for all `bindings` where child 1 (if any) holds
    for_some        ///< child 0 for at least one of them
  } kind = Kind::literal;
  std::size_t begin = 0;  ///< offset in the text
  std::size_t end = 0;    ///< one past the end
  Figure literal;
  std::string name;
  std::vector<std::string> argument_names;
  std::vector<std::size_t> argument_offsets;
  std::vector<std::string> operators;
  std::vector<Binding> bindings;
  std::vector<ExpressionPointer> children;
};

/// The expression, or the first error in the text.
std::variant<ExpressionPointer, ExpressionError> parse_expression(std::string_view text);

}  // namespace weir
