// SPDX-License-Identifier: Apache-2.0
#include "expressions/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "config/nearest_name.h"
#include "expressions/functions.h"

namespace weir {
namespace {

using Kind = Expression::Kind;

[[noreturn]] void refuse(std::size_t offset, std::string message, std::string suggestion = {}) {
  throw ExpressionError{offset, std::move(message), std::move(suggestion)};
}

const Signature* find_signature(const std::vector<const Signature*>& signatures, std::string_view name) {
  for (const Signature* signature : signatures) {
    if (signature->name == name) return signature;
  }
  return nullptr;
}

double apply(char symbol, double a, double b) {
  switch (symbol) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return a / b;
  }
}

/// Number with number, number with list, or two lists of equal length.
std::optional<Figure::Data> apply(char symbol, const Figure& left, const Figure& right) {
  const double* a = left.as_number();
  const double* b = right.as_number();
  const Figure::Numbers* as = left.as_numbers();
  const Figure::Numbers* bs = right.as_numbers();
  if (a != nullptr && b != nullptr) return Figure::Data(apply(symbol, *a, *b));
  Figure::Numbers out;
  if (as != nullptr && b != nullptr) {
    for (const double value : *as) out.push_back(apply(symbol, value, *b));
  } else if (a != nullptr && bs != nullptr) {
    for (const double value : *bs) out.push_back(apply(symbol, *a, value));
  } else if (as != nullptr && bs != nullptr && as->size() == bs->size()) {
    for (std::size_t i = 0; i < as->size(); ++i) out.push_back(apply(symbol, (*as)[i], (*bs)[i]));
  } else {
    return std::nullopt;
  }
  return Figure::Data(std::move(out));
}

}  // namespace

Figure Evaluation::evaluate(const Expression& expression) {
  findings_.clear();
  variables_.resize(bound_);
  quiet_ = 0;
  choosing_ = false;
  return value_of(expression);
}

Figure Evaluation::value_of(const Expression& expression) {
  switch (expression.kind) {
    case Kind::literal:
      return expression.literal;
    case Kind::name:
      return named(expression);
    case Kind::call:
      return called(expression);
    case Kind::list:
    case Kind::comprehension:
      return listed(expression);
    case Kind::negation:
      return Figure::truth(!truth_of(*expression.children[0]));
    case Kind::minus: {
      Figure figure = value_of(*expression.children[0]);
      const double* number = figure.as_number();
      if (number == nullptr) refuse(expression.begin, fmt::format("takes the negative of {}", kind_of(figure)));
      return Figure::number(-*number, figure.dimension);
    }
    case Kind::arithmetic:
      return arithmetic(expression);
    case Kind::comparison:
      return compared(expression);
    case Kind::both:
    case Kind::either: {
      const bool left = truth_of(*expression.children[0]);
      const bool right = truth_of(*expression.children[1]);
      return Figure::truth(expression.kind == Kind::both ? left && right : left || right);
    }
    case Kind::for_all:
    case Kind::for_some:
      break;
  }
  return quantified(expression);
}

bool Evaluation::truth_of(const Expression& expression) {
  const Figure figure = value_of(expression);
  const bool* truth = figure.as_truth();
  if (truth == nullptr) refuse(expression.begin, fmt::format("is {}, expected a comparison", kind_of(figure)));
  return *truth;
}

// ---- names ----

const Figure* Evaluation::variable(std::string_view name) const {
  const auto found =
      std::find_if(variables_.rbegin(), variables_.rend(), [&](const Variable& v) { return v.name == name; });
  return found == variables_.rend() ? nullptr : &found->value;
}

std::string Evaluation::where() const {
  std::string out;
  for (const Variable& v : variables_)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", v.name, label_of(v.value));
  return out;
}

Figure Evaluation::named(const Expression& expression) {
  if (const Figure* value = variable(expression.name)) return *value;
  // A sweep with one value needs no quantifier.
  for (const RunSpace::Sweep& sweep : space_.sweeps) {
    if (sweep.name == expression.name && sweep.values.size() == 1) return sweep.values.front();
  }
  std::vector<std::string> names;
  for (const Variable& v : variables_) names.push_back(v.name);
  const bool known = find_signature(vocabulary_.of_runs, expression.name) != nullptr ||
                     find_signature(vocabulary_.of_analysis, expression.name) != nullptr ||
                     find_function(expression.name) != nullptr;
  if (known)
    refuse(expression.begin, fmt::format("\"{}\" needs arguments, expected {}(...)", expression.name, expression.name));
  refuse(expression.begin,
         fmt::format("unknown name \"{}\", expected a measure, a function, or a name bound by a for", expression.name),
         nearest_name(expression.name, names));
}

Figure Evaluation::called(const Expression& expression) {
  if (const Signature* measure = find_signature(vocabulary_.of_runs, expression.name)) {
    return measured(expression, *measure, true);
  }
  if (const Signature* measure = find_signature(vocabulary_.of_analysis, expression.name)) {
    return measured(expression, *measure, false);
  }
  const Function* function = find_function(expression.name);
  if (function == nullptr) {
    std::vector<std::string_view> names;
    for (const Signature* signature : vocabulary_.of_runs) names.push_back(signature->name);
    for (const Signature* signature : vocabulary_.of_analysis) names.push_back(signature->name);
    for (const Function& known : all_functions()) names.push_back(known.name);
    refuse(expression.begin, fmt::format("\"{}\" is neither a measure nor a function", expression.name),
           nearest_name(expression.name, names));
  }
  std::vector<Figure> arguments;
  for (std::size_t i = 0; i < expression.children.size(); ++i) {
    if (!expression.argument_names[i].empty()) {
      refuse(expression.argument_offsets[i], fmt::format("{} has no argument \"{}\", expected {}", function->name,
                                                         expression.argument_names[i], function->form));
    }
    ++quiet_;
    arguments.push_back(value_of(*expression.children[i]));
    --quiet_;
  }
  if (arguments.size() < function->least || arguments.size() > function->most) {
    refuse(expression.begin,
           fmt::format("{} has {} arguments, expected {}", function->name, arguments.size(), function->form));
  }
  try {
    Figure figure = function->apply(arguments);
    // rising() and falling() are comparisons in the form of functions.
    if (const bool* truth = figure.as_truth(); truth != nullptr && quiet_ == 0) {
      findings_.push_back({fmt::format("{} {}", function->name, to_text(arguments.front())), where(), expression.begin,
                           expression.end, *truth});
    }
    return figure;
  } catch (const std::invalid_argument& wrong) {
    refuse(expression.begin, fmt::format("{}: {}", function->name, wrong.what()));
  }
}

// ---- measures ----

MeasureArguments Evaluation::checked_arguments(const Expression& expression, const Signature& measure,
                                               MeasureArguments given) {
  for (const Signature::Argument& argument : measure.arguments) {
    const auto found = given.find(argument.name);
    const std::string expected = argument.text ? "a string" : name_of(argument.dimension);
    if (found == given.end()) {
      if (argument.required) {
        refuse(expression.begin,
               fmt::format("{} needs {}: {}, {}", measure.name, argument.name, expected, argument.meaning));
      }
      continue;
    }
    const Figure& figure = found->second;
    const bool fits = argument.text ? figure.as_text() != nullptr
                                    : figure.as_number() != nullptr && figure.dimension == argument.dimension;
    if (!fits) {
      refuse(expression.begin, fmt::format("{} of {} is {}, expected {}: {}", argument.name, measure.name,
                                           kind_of(figure), expected, argument.meaning));
    }
  }
  return given;
}

Figure Evaluation::measured(const Expression& expression, const Signature& measure, bool of_runs) {
  if (choosing_)
    refuse(expression.begin, fmt::format("{}: a condition after \"where\" cannot use results", measure.name));
  MeasureArguments own;
  MeasureArguments of_run;
  for (std::size_t i = 0; i < expression.children.size(); ++i) {
    const std::string& name = expression.argument_names[i];
    const std::size_t at = expression.argument_offsets[i];
    if (name.empty()) refuse(at, fmt::format("the arguments of {} need names, such as class=\"all\"", measure.name));
    ++quiet_;
    Figure value = value_of(*expression.children[i]);
    --quiet_;
    std::vector<std::string> names;
    for (const Signature::Argument& argument : measure.arguments) names.emplace_back(argument.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      own[name] = std::move(value);
      continue;
    }
    if (of_runs) {
      names.insert(names.end(), {"variant", "seed"});
      for (const RunSpace::Sweep& sweep : space_.sweeps) names.push_back(sweep.name);
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      refuse(at, fmt::format("{} has no argument \"{}\", and no sweep has that name", measure.name, name),
             nearest_name(name, names));
    }
    of_run[name] = std::move(value);
  }
  own = checked_arguments(expression, measure, std::move(own));
  if (!of_runs) return source_.of_analysis(measure, own);

  // The default of an argument is the value bound by a quantifier, or the only possible one.
  for (const Variable& v : variables_) of_run.try_emplace(v.name, v.value);
  RunPoint run;
  const auto choose = [&](const std::string& what, const std::vector<Figure>& values) {
    const auto given = of_run.find(what);
    if (given == of_run.end()) {
      if (values.size() == 1) return std::size_t{0};
      refuse(expression.begin, fmt::format("{} does not specify the {}", measure.name, what));
    }
    const auto found = std::find(values.begin(), values.end(), given->second);
    if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
    std::string known;
    for (const Figure& value : values) known += (known.empty() ? "" : ", ") + label_of(value);
    refuse(expression.begin, fmt::format("there is no {} {} in this form of the row, expected one of {}", what,
                                         label_of(given->second), known));
  };
  std::vector<Figure> variants;
  for (const std::string& name : space_.variants) variants.push_back(Figure::text(name));
  run.variant = choose("variant", variants);
  for (const RunSpace::Sweep& sweep : space_.sweeps) run.values.push_back(choose(sweep.name, sweep.values));
  return over_seeds(expression, measure, own, run, of_run);
}

/// The value of one seed if it is given; else the mean over all seeds, or the concatenation of their lists.
Figure Evaluation::over_seeds(const Expression& expression, const Signature& measure, const MeasureArguments& arguments,
                              RunPoint run, MeasureArguments& run_arguments) {
  const auto given = run_arguments.find("seed");
  if (given != run_arguments.end()) {
    const double* seed = given->second.as_number();
    const auto found = seed == nullptr
                           ? space_.seeds.end()
                           : std::find(space_.seeds.begin(), space_.seeds.end(), static_cast<std::uint64_t>(*seed));
    if (found == space_.seeds.end())
      refuse(expression.begin, fmt::format("there is no seed {}", to_text(given->second)));
    run.seed = static_cast<std::size_t>(found - space_.seeds.begin());
    return source_.of_run(measure, arguments, run);
  }
  double sum = 0;
  Figure::Numbers all;
  for (run.seed = 0; run.seed < space_.seeds.size(); ++run.seed) {
    const Figure figure = source_.of_run(measure, arguments, run);
    if (const Figure::Numbers* numbers = figure.as_numbers()) all.insert(all.end(), numbers->begin(), numbers->end());
    if (const double* number = figure.as_number()) sum += *number;
  }
  if (measure.list) return Figure::numbers(std::move(all), measure.dimension);
  return Figure::number(sum / static_cast<double>(space_.seeds.size()), measure.dimension);
}

// ---- lists ----

Figure Evaluation::listed(const Expression& expression) {
  ++quiet_;
  std::vector<Figure> elements;
  if (expression.kind == Kind::list) {
    for (const ExpressionPointer& child : expression.children) elements.push_back(value_of(*child));
  } else {
    each(expression, 0, [&] { elements.push_back(value_of(*expression.children[0])); });
  }
  --quiet_;
  return gathered(expression, std::move(elements));
}

Figure Evaluation::gathered(const Expression& expression, std::vector<Figure> elements) {
  if (elements.empty()) return Figure::numbers({});
  if (elements[0].as_text() != nullptr) {
    Figure::Texts texts;
    for (const Figure& element : elements) {
      if (element.as_text() == nullptr) refuse(expression.begin, "mixes strings and other values in one list");
      texts.push_back(*element.as_text());
    }
    return Figure::texts(std::move(texts));
  }
  Figure::Numbers numbers;
  for (const Figure& element : elements) {
    if (element.dimension != elements[0].dimension) {
      refuse(expression.begin, fmt::format("mixes {} and {} in one list", kind_of(elements[0]), kind_of(element)));
    }
    if (const double* number = element.as_number()) {
      numbers.push_back(*number);
    } else if (const bool* truth = element.as_truth()) {
      numbers.push_back(*truth ? 1 : 0);
    } else if (const Figure::Numbers* list = element.as_numbers()) {
      numbers.insert(numbers.end(), list->begin(), list->end());
    } else {
      refuse(expression.begin, fmt::format("mixes {} and numbers in one list", kind_of(element)));
    }
  }
  return Figure::numbers(std::move(numbers), elements[0].dimension);
}

std::vector<Figure> Evaluation::values_of(const Binding& binding) {
  std::vector<Figure> out;
  if (!binding.list) {
    if (binding.name == "variant") {
      for (const std::string& name : space_.variants) out.push_back(Figure::text(name));
      return out;
    }
    if (binding.name == "seed") {
      for (const std::uint64_t seed : space_.seeds) out.push_back(Figure::number(static_cast<double>(seed)));
      return out;
    }
    std::vector<std::string> names = {"variant", "seed"};
    for (const RunSpace::Sweep& sweep : space_.sweeps) {
      if (sweep.name == binding.name) return sweep.values;
      names.push_back(sweep.name);
    }
    refuse(binding.offset,
           fmt::format("\"{}\" is not a sweep of the row, expected one, or \"in\" and a list", binding.name),
           nearest_name(binding.name, names));
  }
  const Figure list = value_of(*binding.list);
  if (const Figure::Numbers* numbers = list.as_numbers()) {
    for (const double number : *numbers) out.push_back(Figure::number(number, list.dimension));
  } else if (const Figure::Texts* texts = list.as_texts()) {
    for (const std::string& text : *texts) out.push_back(Figure::text(text));
  } else {
    refuse(binding.offset, fmt::format("\"{}\" iterates over {}, expected a list", binding.name, kind_of(list)));
  }
  return out;
}

template <class Visit>
void Evaluation::each(const Expression& expression, std::size_t binding, const Visit& visit) {
  if (binding == expression.bindings.size()) {
    if (expression.children.size() > 1) {
      ++quiet_;
      const bool before = choosing_;
      choosing_ = true;
      const bool chosen = truth_of(*expression.children[1]);
      choosing_ = before;
      --quiet_;
      if (!chosen) return;
    }
    visit();
    return;
  }
  const Binding& bound = expression.bindings[binding];
  for (Figure& value : values_of(bound)) {
    variables_.push_back({bound.name, std::move(value)});
    each(expression, binding + 1, visit);
    variables_.pop_back();
  }
}

Figure Evaluation::quantified(const Expression& expression) {
  std::size_t visited = 0;
  std::size_t held = 0;
  each(expression, 0, [&] {
    ++visited;
    if (truth_of(*expression.children[0])) ++held;
  });
  if (visited == 0) refuse(expression.begin, "iterates over an empty list, so it states nothing");
  return Figure::truth(expression.kind == Kind::for_all ? held == visited : held > 0);
}

// ---- arithmetic and comparisons ----

Figure Evaluation::arithmetic(const Expression& expression) {
  const Figure left = value_of(*expression.children[0]);
  const Figure right = value_of(*expression.children[1]);
  const std::string& symbol = expression.operators[0];
  if (symbol == "+" && left.as_text() != nullptr && right.as_text() != nullptr) {
    return Figure::text(*left.as_text() + *right.as_text());
  }
  const bool additive = symbol == "+" || symbol == "-";
  if (additive && left.dimension != right.dimension) {
    refuse(expression.begin,
           fmt::format("{} {} {}: expected operands of the same kind", kind_of(left), symbol, kind_of(right)));
  }
  std::optional<Figure::Data> data = apply(symbol[0], left, right);
  if (!data) {
    // Lists have no length in a dry run.
    const bool lists = left.as_numbers() != nullptr && right.as_numbers() != nullptr;
    if (!lists) refuse(expression.begin, fmt::format("{} {} {} has no meaning", kind_of(left), symbol, kind_of(right)));
    if (!source_.is_dry_run()) throw Unavailable("two lists differ in length");
    data = Figure::Numbers{};
  }
  const Dimension dimension = additive        ? left.dimension
                              : symbol == "*" ? left.dimension + right.dimension
                                              : left.dimension - right.dimension;
  return {std::move(*data), dimension};
}

bool Evaluation::compare(const Expression& expression, const Figure& left, const std::string& symbol,
                         const Figure& right) {
  if (left.as_text() != nullptr && right.as_text() != nullptr && (symbol == "==" || symbol == "!=")) {
    return (*left.as_text() == *right.as_text()) == (symbol == "==");
  }
  const double* a = left.as_number();
  const double* b = right.as_number();
  if (a == nullptr || b == nullptr || left.dimension != right.dimension) {
    refuse(expression.begin, fmt::format("compares {} with {}", kind_of(left), kind_of(right)));
  }
  if (!source_.is_dry_run() && (std::isnan(*a) || std::isnan(*b))) {
    throw Unavailable(fmt::format("a side of a comparison has no value: {} {} {}{}{}", to_text(left), symbol,
                                  to_text(right), where().empty() ? "" : " at ", where()));
  }
  if (symbol == "<") return *a < *b;
  if (symbol == "<=") return *a <= *b;
  if (symbol == ">") return *a > *b;
  if (symbol == ">=") return *a >= *b;
  return (*a == *b) == (symbol == "==");
}

Figure Evaluation::compared(const Expression& expression) {
  bool holds = true;
  std::string text;
  std::vector<Figure> sides;
  ++quiet_;
  for (const ExpressionPointer& child : expression.children) sides.push_back(value_of(*child));
  --quiet_;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (i > 0) {
      holds = compare(expression, sides[i - 1], expression.operators[i - 1], sides[i]) && holds;
      text += fmt::format(" {} ", expression.operators[i - 1]);
    }
    text += to_text(sides[i]);
  }
  if (quiet_ == 0) findings_.push_back({std::move(text), where(), expression.begin, expression.end, holds});
  return Figure::truth(holds);
}

}  // namespace weir
