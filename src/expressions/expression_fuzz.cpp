// SPDX-License-Identifier: Apache-2.0
// Any text is either an expression, all parts of which lie within the text, or has an error at a position in it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "expressions/expression.h"

namespace {

void check(const weir::Expression& expression, std::size_t begin, std::size_t end) {
  if (expression.begin < begin || expression.begin >= expression.end || expression.end > end) std::abort();
  for (const weir::ExpressionPointer& child : expression.children) {
    if (child == nullptr) std::abort();
    check(*child, begin, end);
  }
  for (const weir::Binding& binding : expression.bindings) {
    if (binding.list != nullptr) check(*binding.list, begin, end);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = weir::parse_expression(text);
  if (const auto* error = std::get_if<weir::ExpressionError>(&parsed)) {
    if (error->offset > size || error->message.empty()) std::abort();
    return 0;
  }
  check(*std::get<weir::ExpressionPointer>(parsed), 0, size);
  return 0;
}
