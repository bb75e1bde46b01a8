// SPDX-License-Identifier: Apache-2.0
#include "criteria/row_expression.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "expressions/text_position.h"

namespace weir {

bool read_expression_at(Reader& entry, std::string_view key, std::string_view row_text, RowExpression& out) {
  if (!entry.required(key, out.text, "an expression")) return false;
  out.origin = entry.value()->find(key)->value.origin;
  auto parsed = parse_expression(out.text);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    entry.diagnostics().add(position_in(row_text, out.origin, out.text, error->offset),
                            fmt::format("{}.{}", entry.path(), key), error->message, error->suggestion);
    return false;
  }
  out.expression = std::move(std::get<ExpressionPointer>(parsed));
  return true;
}

bool read_full_only(Reader& entry, bool otherwise) {
  enum class Forms : std::uint8_t { both, full };
  static constexpr Named<Forms> kForms[] = {{"both", Forms::both}, {"full", Forms::full}};
  Forms forms = otherwise ? Forms::full : Forms::both;
  entry.choice<Forms>("forms", forms, kForms, "of the row that it speaks of");
  return forms == Forms::full;
}

}  // namespace weir
