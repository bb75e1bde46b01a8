// SPDX-License-Identifier: Apache-2.0
#include "scenario/parameter_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>

#include "config/diagnostics.h"
#include "config/scalar.h"

namespace weir {
namespace {

struct Kind {
  const char* article;
  const char* noun;
  const char* plural;
};

/// By the index of ParameterKinds; lists use the kind of their elements.
constexpr Kind kKinds[] = {{"", "true or false", ""},      {"an", "integer", "integers"},  {"a", "number", "numbers"},
                           {"a", "string", "strings"},     {"a", "duration", "durations"}, {"a", "size", "sizes"},
                           {"a", "rate", "rates"},         {"an", "integer", "integers"},  {"a", "number", "numbers"},
                           {"a", "duration", "durations"}, {"a", "size", "sizes"},         {"a", "rate", "rates"}};
static_assert(std::variant_size_v<ParameterKinds> == std::size(kKinds));
constexpr std::size_t kFirstList = 7;

std::string with_article(const Kind& kind, const std::string& noun) {
  return *kind.article == 0 ? noun : fmt::format("{} {}", kind.article, noun);
}

}  // namespace

std::string kind_noun(const ParameterSpec& spec) {
  if (!spec.choices.empty()) return fmt::format("{}", fmt::join(spec.choices, " | "));
  const std::size_t index = spec.default_value.index();
  const Kind& kind = kKinds[index];
  if (index < kFirstList) return kind.noun;
  return fmt::format("list of {} {}", LengthRange{spec.least_length, spec.most_length}.text(), kind.plural);
}

std::string kind_phrase(const ParameterSpec& spec) {
  if (!spec.choices.empty()) {
    std::string names;
    for (const auto& choice : spec.choices) names += (names.empty() ? "" : ", ") + in_quotes(choice);
    return "one of " + names;
  }
  const std::size_t index = spec.default_value.index();
  return index < kFirstList ? with_article(kKinds[index], kind_noun(spec)) : "a " + kind_noun(spec);
}

std::string words_of(const NetworkDefault& from_network) {
  const double factor = from_network.factor;
  const auto counted = [factor](const char* one, const char* many) {
    return factor == 1 ? fmt::format("one {}", one) : fmt::format("{} {}", factor, many);
  };
  const auto times = [factor](const char* what) {
    return factor == 1 ? std::string(what) : fmt::format("{} times {}", factor, what);
  };
  switch (from_network.figure) {
    case NetworkFigure::round_trip:
      return counted("round-trip time", "round-trip times");
    case NetworkFigure::bandwidth_delay_product:
      return counted("bandwidth-delay product", "bandwidth-delay products");
    case NetworkFigure::lowest_host_rate:
      return times("the lowest rate of a host");
    case NetworkFigure::highest_host_rate:
      return times("the highest rate of a host");
    case NetworkFigure::none:
      break;
  }
  return {};
}

std::string default_text(const ParameterSpec& spec) {
  if (spec.from_network.figure != NetworkFigure::none)
    return fmt::format("from the network: {}", words_of(spec.from_network));
  if (spec.from_traffic) return "from the traffic";
  return std::visit([](const auto& value) { return written(value); }, spec.default_value);
}

}  // namespace weir
