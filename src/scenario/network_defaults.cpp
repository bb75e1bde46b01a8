// SPDX-License-Identifier: Apache-2.0
#include "scenario/network_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "config/scalar.h"
#include "fabric/network_defaults.h"
#include "scenario/parameter_reader.h"
#include "scenario/parameter_words.h"
#include "scenario/scheme_tables.h"

namespace weir {
namespace {

class Settler {
 public:
  Settler(const Settings& settings, Diagnostics& diagnostics) : figures_(settings), diagnostics_(diagnostics) {}

  void settle(PolicyChoice& choice, EffectiveTable& table, const std::string& path) {
    if (choice.parameters.of_network().empty()) return;
    const Origin origin = entry_of(table, "scheme")->origin;
    const std::size_t errors_before = diagnostics_.size();
    for (const ParameterSpec& spec : choice.scheme->parameters) {
      if (std::ranges::count(choice.parameters.of_network(), spec.name) == 0) continue;
      EffectiveEntry* const entry = entry_of(table, spec.name);
      if (entry == nullptr) {  // it has no effect with the other values
        choice.parameters.set_default(spec.name, spec.default_value);
        continue;
      }
      const ParameterValue value = figures_.value_of(spec);
      const std::string words = words_of(spec.from_network);
      const std::string text = std::visit([](const auto& v) { return written(v); }, value);
      if (!is_in_range(spec, value)) {
        diagnostics_.add(origin, fmt::format("{}.{}", path, spec.name),
                         fmt::format("defaults to {} of the network, which is {}, expected {}: set it explicitly",
                                     words, text, range_text(spec)));
        continue;
      }
      choice.parameters.set_default(spec.name, value);
      entry->value = text;
      entry->origin = {Origin::Kind::network, 0, 0, {}, words};
    }
    // Parameters that follow from the traffic have no value yet (scenario/traffic_defaults.h).
    const bool whole = choice.parameters.of_traffic().empty() && diagnostics_.size() == errors_before;
    if (choice.scheme->errors == nullptr || !whole) return;
    for (const std::string& error : choice.scheme->errors(choice.parameters)) {
      diagnostics_.add(origin, path, error);
    }
  }

  NetworkFigures figures_;
  Diagnostics& diagnostics_;
};

void add_lines(const EffectiveTable& table, const std::string& path, std::vector<std::string>& out) {
  for (const EffectiveEntry& entry : table.entries) {
    const std::string name = path.empty() ? entry.key : fmt::format("{}.{}", path, entry.key);
    if (entry.origin.kind == Origin::Kind::network || entry.origin.kind == Origin::Kind::traffic)
      out.push_back(fmt::format("{} = {} ({})", name, entry.value, where(entry.origin, {})));
    for (std::size_t i = 0; i < entry.tables.size(); ++i) {
      const bool list = entry.shape == EffectiveEntry::Shape::tables;
      add_lines(*entry.tables[i], list ? fmt::format("{}.{}", name, i) : name, out);
    }
  }
}

}  // namespace

void settle_network_defaults(Settings& settings, EffectiveTable& effective, Diagnostics& diagnostics) {
  Settler settler(settings, diagnostics);
  for_each_scheme_table(settings, effective,
                        [&settler](PolicyChoice& choice, EffectiveTable& table, const std::string& path) {
                          settler.settle(choice, table, path);
                        });
}

std::vector<std::string> network_default_lines(const EffectiveTable& effective) {
  std::vector<std::string> out;
  add_lines(effective, {}, out);
  return out;
}

}  // namespace weir
