// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions over results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expressions/expression.h"
#include "expressions/figure.h"

namespace weir {

/// A quantity that expressions may use, by name, with named arguments: `p99_slowdown(class="victim")`.
struct Signature {
  struct Argument {
    std::string_view name;
    bool text = false;    ///< otherwise a number of `dimension`
    Dimension dimension;  //
    bool required = false;
    std::string_view meaning;
  };
  std::string_view name;
  std::string_view meaning;
  Dimension dimension;
  bool list = false;
  std::vector<Argument> arguments;
};

/// Arguments of a measure, by name.
using MeasureArguments = std::map<std::string, Figure, std::less<>>;

/// The parameters that vary between a row's runs.
struct RunSpace {
  struct Sweep {
    std::string name;
    std::vector<Figure> values;
  };
  std::vector<std::string> variants;  ///< in the order of the file; a single empty one if there are none
  std::vector<Sweep> sweeps;
  std::vector<std::uint64_t> seeds = {1};
};

/// One run of a row.
struct RunPoint {
  std::size_t variant = 0;
  std::vector<std::size_t> values;  ///< a value of each sweep, by index
  std::size_t seed = 0;             ///< index among the row's seeds
  auto operator<=>(const RunPoint&) const = default;
};

/// A missing result: the reason why an expression cannot be evaluated.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The source of measures.
class ResultSource {
 public:
  virtual ~ResultSource() = default;
  /// The measure of one run. Throws Unavailable.
  virtual Figure of_run(const Signature& measure, const MeasureArguments& arguments, const RunPoint& run) = 0;
  /// The measure of an analysis, which has no runs. Throws Unavailable.
  virtual Figure of_analysis(const Signature& measure, const MeasureArguments& arguments) = 0;
  /// In a dry run, numbers are meaningless: only the structure of the expression is evaluated.
  [[nodiscard]] virtual bool is_dry_run() const { return false; }
};

/// The available measures.
struct Vocabulary {
  std::vector<const Signature*> of_runs;
  std::vector<const Signature*> of_analysis;
};

/// An evaluated comparison.
struct Finding {
  std::string text;       ///< "2.31 >= 1.80"
  std::string where;      ///< "load 0.8, variant bfc", or empty
  std::size_t begin = 0;  ///< offset of the comparison in the expression's text
  std::size_t end = 0;
  bool holds = false;
};

/// Evaluates expressions. There is no short-circuit evaluation, so that all findings are available.
class Evaluation {
 public:
  Evaluation(const RunSpace& space, const Vocabulary& vocabulary, ResultSource& source)
      : space_(space), vocabulary_(vocabulary), source_(source) {}

  /// Binds a name for all following expressions.
  void bind(std::string name, Figure value) {
    variables_.resize(bound_);
    variables_.push_back({std::move(name), std::move(value)});
    bound_ = variables_.size();
  }
  /// Throws ExpressionError if the expression is invalid, Unavailable if a result is missing.
  Figure evaluate(const Expression& expression);
  /// The comparisons in the last expression, in order.
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

 private:
  struct Variable {
    std::string name;
    Figure value;
  };

  Figure value_of(const Expression& expression);
  Figure named(const Expression& expression);
  Figure called(const Expression& expression);
  Figure measured(const Expression& expression, const Signature& measure, bool of_runs);
  MeasureArguments checked_arguments(const Expression& expression, const Signature& measure, MeasureArguments given);
  Figure over_seeds(const Expression& expression, const Signature& measure, const MeasureArguments& arguments,
                    RunPoint run, MeasureArguments& run_arguments);
  Figure listed(const Expression& expression);
  Figure gathered(const Expression& expression, std::vector<Figure> elements);
  Figure arithmetic(const Expression& expression);
  Figure compared(const Expression& expression);
  bool compare(const Expression& expression, const Figure& left, const std::string& symbol, const Figure& right);
  bool truth_of(const Expression& expression);
  Figure quantified(const Expression& expression);
  template <class Visit>
  void each(const Expression& expression, std::size_t binding, const Visit& visit);
  std::vector<Figure> values_of(const Binding& binding);
  const Figure* variable(std::string_view name) const;
  [[nodiscard]] std::string where() const;

  const RunSpace& space_;
  const Vocabulary& vocabulary_;
  ResultSource& source_;
  std::vector<Variable> variables_;
  std::size_t bound_ = 0;  ///< number of bound variables
  std::vector<Finding> findings_;
  int quiet_ = 0;  ///< above zero: inside a filter condition or a list
  bool choosing_ = false;
};

}  // namespace weir
