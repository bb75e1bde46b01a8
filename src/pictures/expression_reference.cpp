// SPDX-License-Identifier: Apache-2.0
#include "pictures/expression_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "criteria/measures.h"
#include "expressions/functions.h"
#include "pictures/scenario_pictures.h"

namespace weir {
namespace {

constexpr std::string_view kAbout =
    "The values of pictures are expressions, such as `p99_slowdown(class=\"victim\")` or\n"
    "`buffer_max(tier=1) / buffer_max(tier=2)`. They consist of measures of a run, functions, numbers with units, and "
    "the\n"
    "names of sweeps. The arguments of a measure have names, and those in brackets may be omitted.\n";

std::string type_of(const Signature& signature) {
  const std::string name = name_of(signature.dimension);
  return signature.list ? fmt::format("a list, each {}", name) : name;
}

/// "pauses_sent([from], [to])"
std::string form_of(const Signature& signature) {
  std::string arguments;
  for (const Signature::Argument& argument : signature.arguments) {
    arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ",
                             argument.required ? std::string(argument.name) : fmt::format("[{}]", argument.name));
  }
  return fmt::format("{}({})", signature.name, arguments);
}

/// The same name has the same meaning in most measures; the first one is listed.
std::vector<const Signature::Argument*> all_arguments() {
  std::vector<const Signature::Argument*> out;
  for (const RunMeasure& measure : all_run_measures()) {
    for (const Signature::Argument& argument : measure.signature.arguments) {
      const auto same = [&](const Signature::Argument* other) {
        return other->name == argument.name && other->meaning == argument.meaning;
      };
      if (std::none_of(out.begin(), out.end(), same)) out.push_back(&argument);
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  return out;
}

std::string argument_type(const Signature::Argument& argument) {
  return argument.text ? "a string" : name_of(argument.dimension);
}

}  // namespace

std::string expressions_page() {
  std::string out =
      fmt::format("\n## Expressions\n\n{}\n| measure | type | meaning | requires |\n|---|---|---|---|\n", kAbout);
  for (const RunMeasure& measure : all_run_measures()) {
    const std::string_view key = measure_key(measure.needs);
    out += fmt::format("| `{}` | {} | {} | {} |\n", form_of(measure.signature), type_of(measure.signature),
                       measure.signature.meaning, key.empty() ? "" : fmt::format("`measure.{}`", key));
  }
  out += "\n| argument | type | meaning |\n|---|---|---|\n";
  for (const Signature::Argument* argument : all_arguments()) {
    out += fmt::format("| `{}` | {} | {} |\n", argument->name, argument_type(*argument), argument->meaning);
  }
  out += "\n| function | meaning |\n|---|---|\n";
  for (const Function& function : all_functions()) {
    out += fmt::format("| `{}` | {} |\n", function.form, function.meaning);
  }
  return out;
}

std::string expressions_text() {
  std::string out = "Measures of a run, for the expressions of [[picture]]; arguments in brackets may be omitted\n";
  for (const RunMeasure& measure : all_run_measures()) {
    const std::string_view key = measure_key(measure.needs);
    out += fmt::format("\n  {}\n      {}: {}{}\n", form_of(measure.signature), type_of(measure.signature),
                       measure.signature.meaning, key.empty() ? "" : fmt::format("; requires measure.{} = true", key));
  }
  out += "\nArguments\n\n";
  for (const Signature::Argument* argument : all_arguments()) {
    out += fmt::format("  {}: {}; {}\n", argument->name, argument_type(*argument), argument->meaning);
  }
  out += "\nFunctions\n\n";
  for (const Function& function : all_functions()) out += fmt::format("  {}: {}\n", function.form, function.meaning);
  return out;
}

}  // namespace weir
