// Any text is an expression or the place and reason why it is none.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "reproduce/expression.h"

namespace {

/// Every node lies within the node that holds it.
void check(const weir::Expression& expression, std::size_t begin, std::size_t end) {
  if (expression.begin < begin || expression.end > end || expression.begin > expression.end) std::abort();
  for (const auto& child : expression.children) {
    if (child) check(*child, begin, end);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = weir::parse_expression(text);
  if (const auto* error = std::get_if<weir::ExpressionError>(&parsed)) {
    if (error->message.empty() || error->offset > size) std::abort();
  } else {
    check(*std::get<weir::ExpressionPointer>(parsed), 0, size);
  }
  return 0;
}
