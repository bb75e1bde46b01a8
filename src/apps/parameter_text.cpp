// SPDX-License-Identifier: Apache-2.0
#include "apps/parameter_text.h"

#include "results/table.h"
#include "scenario/parameter_words.h"

namespace weir::apps {
std::string parameters_text(std::span<const ParameterSpec> parameters) {
  constexpr auto left = Column::Align::left;
  Table table({{"", "parameter", "", left},
               {"", "kind", "", left},
               {"", "default", "", left},
               {"", "meaning", "", left},
               {"", "source of the default", "", left}});
  for (const ParameterSpec& spec : parameters) {
    table.add_row({std::string(spec.name), kind_noun(spec), default_text(spec), std::string(spec.meaning),
                   std::string(spec.source)});
  }
  return table.format(0);
}

}  // namespace weir::apps
