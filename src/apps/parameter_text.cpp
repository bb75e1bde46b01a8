#include "apps/parameter_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>

#include "config/scalar.h"
#include "results/table.h"

namespace weir::apps {
namespace {

std::string kind_of(const ParameterSpec& spec) {
  if (!spec.choices.empty()) return fmt::format("{}", fmt::join(spec.choices, " | "));
  static constexpr const char* kKinds[] = {"true or false", "integer", "number", "text", "duration", "size", "rate"};
  return kKinds[spec.default_value.index()];
}

}  // namespace

std::string parameters_text(std::span<const ParameterSpec> parameters) {
  constexpr auto kLeft = Column::Align::left;
  Table table({{"", "parameter", "", kLeft},
               {"", "kind", "", kLeft},
               {"", "default", "", kLeft},
               {"", "meaning", "", kLeft},
               {"", "source of the default", "", kLeft}});
  for (const ParameterSpec& spec : parameters) {
    const std::string value = std::visit([](const auto& v) { return written(v); }, spec.default_value);
    table.add_row({std::string(spec.name), kind_of(spec), value, std::string(spec.meaning), std::string(spec.source)});
  }
  return table.format(0);
}

}  // namespace weir::apps
