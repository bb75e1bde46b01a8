// SPDX-License-Identifier: Apache-2.0
#include "expressions/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "results/rank.h"

namespace weir {
namespace {

using Arguments = std::span<const Figure>;
using Numbers = Figure::Numbers;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const Numbers& list_of(const Figure& figure) {
  if (const Numbers* numbers = figure.as_numbers()) return *numbers;
  throw std::invalid_argument(fmt::format("got {}, expected a list of numbers", kind_of(figure)));
}

double number_of(const Figure& figure) {
  if (const double* number = figure.as_number()) return *number;
  throw std::invalid_argument(fmt::format("got {}, expected a number", kind_of(figure)));
}

double plain_of(const Figure& figure) {
  const double number = number_of(figure);
  if (figure.dimension == kPlain) return number;
  throw std::invalid_argument(fmt::format("got {}, expected a plain number", kind_of(figure)));
}

void same_dimension(const Figure& a, const Figure& b) {
  if (a.dimension == b.dimension) return;
  throw std::invalid_argument(fmt::format("got {} and {}, expected the same kind", kind_of(a), kind_of(b)));
}

/// The numbers of a single list, or of all arguments.
Numbers collected(Arguments arguments) {
  if (arguments.size() == 1) return list_of(arguments[0]);
  Numbers out;
  for (const Figure& argument : arguments) {
    same_dimension(argument, arguments[0]);
    out.push_back(number_of(argument));
  }
  return out;
}

bool any_none(const Numbers& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

template <class Reduce>
Figure reduced(Arguments arguments, Reduce reduce) {
  const Numbers values = collected(arguments);
  return Figure::number(values.empty() || any_none(values) ? kNone : reduce(values), arguments[0].dimension);
}

double mean_of(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile_of(Numbers values, double share) {
  std::sort(values.begin(), values.end());
  return values[nearest_rank(share, values.size()) - 1];
}

Figure apply_min(Arguments a) {
  return reduced(a, [](const Numbers& values) { return *std::min_element(values.begin(), values.end()); });
}
Figure apply_max(Arguments a) {
  return reduced(a, [](const Numbers& values) { return *std::max_element(values.begin(), values.end()); });
}
Figure apply_mean(Arguments a) {
  return reduced(a, mean_of);
}
Figure apply_sum(Arguments a) {
  return reduced(a, [](const Numbers& values) { return std::accumulate(values.begin(), values.end(), 0.0); });
}
Figure apply_median(Arguments a) {
  return reduced(a, [](const Numbers& values) { return quantile_of(values, 0.5); });
}
Figure apply_sd(Arguments a) {
  return reduced(a, [](const Numbers& values) {
    if (values.size() < 2) return kNone;
    const double mean = mean_of(values);
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
  });
}
Figure apply_count(Arguments a) {
  return Figure::number(static_cast<double>(list_of(a[0]).size()));
}
Figure apply_quantile(Arguments a) {
  const Numbers& values = list_of(a[0]);
  const double share = plain_of(a[1]);
  if (!(share >= 0 && share <= 1)) throw std::invalid_argument("expected a fraction between 0 and 1");
  return Figure::number(values.empty() || any_none(values) ? kNone : quantile_of(values, share), a[0].dimension);
}

Figure apply_abs(Arguments a) {
  return Figure::number(std::abs(number_of(a[0])), a[0].dimension);
}
Figure apply_round(Arguments a) {
  double scale = 1;
  const double places = a.size() > 1 ? plain_of(a[1]) : 0;
  for (int i = 0; i < places; ++i) scale *= 10;
  return Figure::number(std::round(plain_of(a[0]) * scale) / scale);
}
Figure apply_log(Arguments a) {
  if (a[0].dimension != kPlain)
    throw std::invalid_argument(fmt::format("got {}, expected plain numbers", kind_of(a[0])));
  if (const double* number = a[0].as_number()) return Figure::number(std::log(*number));
  Numbers out;
  for (const double value : list_of(a[0])) out.push_back(std::log(value));
  return Figure::numbers(std::move(out));
}

Figure apply_power(Arguments a) {
  return Figure::number(std::pow(plain_of(a[0]), plain_of(a[1])));
}

/// Least-squares slope of the last list over the first, or over 0, 1, 2, ...
Figure apply_slope(Arguments a) {
  const Numbers& y = list_of(a[a.size() - 1]);
  Numbers x;
  if (a.size() == 2) {
    x = list_of(a[0]);
  } else {
    x.resize(y.size());
    std::iota(x.begin(), x.end(), 0.0);
  }
  if (x.size() != y.size()) {
    throw std::invalid_argument(
        fmt::format("got lists of {} and {} elements, expected equal lengths", x.size(), y.size()));
  }
  const Dimension dimension = a[a.size() - 1].dimension - (a.size() == 2 ? a[0].dimension : kPlain);
  if (y.size() < 2 || any_none(x) || any_none(y)) return Figure::number(kNone, dimension);
  const double mean_x = mean_of(x);
  const double mean_y = mean_of(y);
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += (x[i] - mean_x) * (y[i] - mean_y);
    squares += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return Figure::number(products / squares, dimension);
}

/// The maximum difference between the empirical distribution functions of two samples.
Figure apply_ks(Arguments a) {
  same_dimension(a[0], a[1]);
  Numbers first = list_of(a[0]);
  Numbers second = list_of(a[1]);
  if (first.empty() || second.empty() || any_none(first) || any_none(second)) return Figure::number(kNone);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  double greatest = 0;
  for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
    const double value = std::min(first[i], second[j]);
    while (i < first.size() && first[i] <= value) ++i;
    while (j < second.size() && second[j] <= value) ++j;
    const double difference = static_cast<double>(i) / static_cast<double>(first.size()) -
                              static_cast<double>(j) / static_cast<double>(second.size());
    greatest = std::max(greatest, std::abs(difference));
  }
  return Figure::number(greatest);
}

/// The same for two distribution functions given at 0, 1, 2, ...; beyond its end a function is 1.
Figure apply_distance(Arguments a) {
  const Numbers& first = list_of(a[0]);
  const Numbers& second = list_of(a[1]);
  if (first.empty() || second.empty() || any_none(first) || any_none(second)) return Figure::number(kNone);
  double greatest = 0;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    const double p = i < first.size() ? first[i] : 1;
    const double q = i < second.size() ? second[i] : 1;
    greatest = std::max(greatest, std::abs(p - q));
  }
  return Figure::number(greatest);
}

Figure apply_rising(Arguments a) {
  const Numbers& values = list_of(a[0]);
  return Figure::truth(std::adjacent_find(values.begin(), values.end(), [](double p, double q) { return !(p < q); }) ==
                       values.end());
}
Figure apply_falling(Arguments a) {
  const Numbers& values = list_of(a[0]);
  return Figure::truth(std::adjacent_find(values.begin(), values.end(), [](double p, double q) { return !(p > q); }) ==
                       values.end());
}

constexpr std::size_t kMany = 1000;

constexpr std::array kFunctions = {
    Function{"abs", "abs(x)", "the absolute value", 1, 1, apply_abs},
    Function{"count", "count(list)", "the number of elements", 1, 1, apply_count},
    Function{"distance", "distance(list, list)",
             "the maximum difference of two distribution functions on 0, 1, 2, ... (Kolmogorov-Smirnov)", 2, 2,
             apply_distance},
    Function{"falling", "falling(list)", "whether each element is below the previous one", 1, 1, apply_falling},
    Function{"ks", "ks(list, list)",
             "the maximum difference of the distribution functions of two samples (Kolmogorov-Smirnov)", 2, 2,
             apply_ks},
    Function{"log", "log(x)", "the natural logarithm; of a list, element by element", 1, 1, apply_log},
    Function{"max", "max(list) or max(x, y, ...)", "the maximum", 1, kMany, apply_max},
    Function{"mean", "mean(list) or mean(x, y, ...)", "the arithmetic mean", 1, kMany, apply_mean},
    Function{"median", "median(list)", "the median (nearest rank)", 1, kMany, apply_median},
    Function{"min", "min(list) or min(x, y, ...)", "the minimum", 1, kMany, apply_min},
    Function{"power", "power(x, y)", "x to the power of y", 2, 2, apply_power},
    Function{"quantile", "quantile(list, share)", "the quantile (nearest rank)", 2, 2, apply_quantile},
    Function{"rising", "rising(list)", "whether each element is above the previous one", 1, 1, apply_rising},
    Function{"round", "round(x) or round(x, places)", "rounded to the given number of decimal places", 1, 2,
             apply_round},
    Function{"sd", "sd(list)", "the standard deviation of a sample (n - 1)", 1, kMany, apply_sd},
    Function{"slope", "slope(y) or slope(x, y)", "the slope of the least-squares line", 1, 2, apply_slope},
    Function{"sum", "sum(list) or sum(x, y, ...)", "of all", 1, kMany, apply_sum},
};

}  // namespace

std::span<const Function> all_functions() {
  return kFunctions;
}

const Function* find_function(std::string_view name) {
  const auto* found =
      std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : found;
}

}  // namespace weir
