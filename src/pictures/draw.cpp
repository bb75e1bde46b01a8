// SPDX-License-Identifier: Apache-2.0
#include "pictures/draw.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "config/nearest_name.h"
#include "expressions/text_position.h"
#include "results/estimate.h"

namespace weir {
namespace {

using analysis::Curve;
using analysis::Point;

// A picture file has at most about 30 KB; a point takes a dozen bytes.
constexpr std::size_t kMostOfLine = 300;
constexpr std::size_t kMostOfPicture = 2000;
// More cannot be distinguished and do not fit into the legend.
constexpr std::size_t kMostLines = 24;
// With so few points, each is shown as an individual value.
constexpr std::size_t kMarked = 20;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The possible values of a name; none if it is unknown.
std::vector<Figure> values_of(const RunSpace& setup, const std::string& name) {
  std::vector<Figure> out;
  if (name == "variant") {
    for (const std::string& variant : setup.variants) out.push_back(Figure::text(variant));
  } else if (name == "seed") {
    for (const std::uint64_t seed : setup.seeds) out.push_back(Figure::number(static_cast<double>(seed)));
  } else {
    for (const RunSpace::Sweep& sweep : setup.sweeps) {
      if (sweep.name == name) out = sweep.values;
    }
  }
  return out;
}

std::vector<std::string> names_of(const RunSpace& setup) {
  std::vector<std::string> out = {"variant", "seed"};
  for (const RunSpace::Sweep& sweep : setup.sweeps) out.push_back(sweep.name);
  return out;
}

/// The number of curves for one line; zero if a name is unknown. Counts beyond kMostLines are not exact.
std::size_t count_of(const RunSpace& setup, const PictureLine& line) {
  std::size_t out = 1;
  for (const std::string& name : line.each) {
    const std::size_t values = values_of(setup, name).size();
    if (values == 0) return 0;
    out = std::min(out, kMostLines + 1) * values;
  }
  return out;
}

/// "queue, n 10, dcqcn": variants are given by name only.
std::string label_of(const DrawnLine& drawn) {
  std::string out = drawn.line->name;
  for (const auto& [name, value] : drawn.bound) {
    if (!out.empty()) out += ", ";
    out += name == "variant" ? label_of(value) : fmt::format("{} {}", name, label_of(value));
  }
  return out;
}

Dimension dimension_of(const analysis::Axis& axis) {
  return axis.quantity.unit.empty() ? kPlain : find_unit(axis.quantity.unit)->dimension;
}

double factor_of(const analysis::Axis& axis) {
  return axis.quantity.unit.empty() ? 1 : find_unit(axis.quantity.unit)->factor;
}

std::string title_of(const analysis::Axis& axis) {
  return axis.quantity.unit.empty() ? axis.quantity.name
                                    : fmt::format("{} ({})", axis.quantity.name, axis.quantity.unit);
}

/// Why a figure cannot be drawn along an axis; empty: it can.
std::string misfit(const Figure& figure, const analysis::Axis& axis, char name, bool may_be_one) {
  const bool one = figure.as_number() != nullptr;
  if (figure.as_numbers() == nullptr && !(one && may_be_one)) {
    return fmt::format("is {}, expected a list of numbers{}", kind_of(figure), may_be_one ? " or a number" : "");
  }
  if (figure.dimension == dimension_of(axis)) return {};
  return fmt::format("is {}, but {} is \"{}\", which shows {}", kind_of(figure), name, title_of(axis),
                     name_of(dimension_of(axis)));
}

/// The minimum and maximum of each part of a run of points, such that at most `most` points remain.
void thin(std::span<const Point> points, std::size_t most, std::vector<Point>& out) {
  if (points.size() <= most) {
    out.insert(out.end(), points.begin(), points.end());
    return;
  }
  const std::size_t parts = std::max<std::size_t>(1, most / 2);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::span<const Point> here =
        points.subspan(points.size() * part / parts, points.size() * (part + 1) / parts - points.size() * part / parts);
    auto [least, greatest] =
        std::minmax_element(here.begin(), here.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
    if (greatest < least) std::swap(least, greatest);
    out.push_back(*least);
    if (greatest != least) out.push_back(*greatest);
  }
}

/// A line is interrupted where x decreases, because another seed begins there.
std::vector<Point> thinned(const std::vector<Point>& points, std::size_t most) {
  std::vector<std::span<const Point>> runs;
  for (std::size_t begin = 0, i = 1; i <= points.size(); ++i) {
    if (i < points.size() && !(points[i].x < points[i - 1].x)) continue;
    runs.emplace_back(points.data() + begin, i - begin);
    begin = i;
  }
  std::vector<Point> out;
  for (const std::span<const Point> run : runs) {
    if (!out.empty()) out.push_back({run.front().x, kNone});
    thin(run, std::max<std::size_t>(2, most / runs.size()), out);
  }
  return out;
}

/// Evaluates lines.
class Drawer {
 public:
  Drawer(const std::vector<Picture>& pictures, const RunSpace& space, const Vocabulary& vocabulary,
         ResultSource& source)
      : pictures_(pictures), space_(space), vocabulary_(vocabulary), source_(source) {}

  /// Throws Unavailable, and ExpressionError for errors that only results can show.
  std::vector<Point> points_of(const DrawnLine& drawn) { return points_in(drawn, space_); }

  /// The mean over seeds at each x, with its interval if there is one. Seeds without results are omitted. There is no
  /// curve if seeds give different numbers of values or different x, or if the line refers to seeds itself.
  Curve curve_of(const DrawnLine& drawn) {
    Curve out = {.label = drawn.label, .points = {}, .dashed = drawn.line->paper};
    const bool by_seed =
        std::any_of(drawn.bound.begin(), drawn.bound.end(), [](const auto& bound) { return bound.first == "seed"; });
    if (by_seed || space_.seeds.size() < 2) {
      out.points = points_of(drawn);
      return out;
    }
    std::vector<std::vector<Point>> by_seeds;
    std::string missing;
    for (std::size_t i = 0; i < space_.seeds.size(); ++i) {
      try {
        by_seeds.push_back(points_of_seed(drawn, i));
      } catch (const Unavailable& unavailable) {
        missing = unavailable.what();
      }
    }
    if (by_seeds.empty()) throw Unavailable(missing);
    for (const std::vector<Point>& points : by_seeds) {
      if (!at_same_places(points, by_seeds.front())) {
        out.points = points_of(drawn);
        return out;
      }
    }
    for (std::size_t place = 0; place < by_seeds.front().size(); ++place) {
      std::vector<double> values;
      for (const std::vector<Point>& points : by_seeds) {
        if (std::isfinite(points[place].y)) values.push_back(points[place].y);
      }
      const Estimate estimate = values.empty() ? Estimate() : estimate_of(values);
      out.points.push_back({by_seeds.front()[place].x, values.empty() ? kNone : estimate.mean});
      out.intervals.push_back(
          {estimate.has_interval() ? estimate.low : kNone, estimate.has_interval() ? estimate.high : kNone});
    }
    return out;
  }

 private:
  /// Restricts results to one seed.
  class OneSeed : public ResultSource {
   public:
    OneSeed(ResultSource& source, std::size_t seed) : source_(source), seed_(seed) {}
    Figure of_run(const Signature& measure, const MeasureArguments& arguments, const RunPoint& run) override {
      RunPoint own = run;
      own.seed = seed_;
      return source_.of_run(measure, arguments, own);
    }
    Figure of_analysis(const Signature& measure, const MeasureArguments& arguments) override {
      return source_.of_analysis(measure, arguments);
    }

   private:
    ResultSource& source_;
    std::size_t seed_;
  };

  static bool at_same_places(const std::vector<Point>& a, const std::vector<Point>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].x != b[i].x && !(std::isnan(a[i].x) && std::isnan(b[i].x))) return false;
    }
    return true;
  }

  std::vector<Point> points_of_seed(const DrawnLine& drawn, std::size_t seed) {
    RunSpace space = space_;
    space.seeds = {space_.seeds[seed]};
    OneSeed source(source_, seed);
    return Drawer(pictures_, space, vocabulary_, source).points_of(drawn);
  }

  std::vector<Point> points_in(const DrawnLine& drawn, const RunSpace& space) {
    const Picture& picture = pictures_[drawn.picture];
    Evaluation evaluation(space, vocabulary_, source_);
    for (const auto& [name, value] : drawn.bound) evaluation.bind(name, value);
    const Figure value = evaluation.evaluate(*drawn.line->value.expression);
    // A horizontal line gets its ends when those of the others are known.
    if (const double* number = value.as_number()) return {{kNone, *number / factor_of(picture.y)}};
    const Figure::Numbers& numbers = *value.as_numbers();
    Figure::Numbers places;
    if (drawn.line->at) {
      places = *evaluation.evaluate(*drawn.line->at->expression).as_numbers();
      if (places.size() != numbers.size()) {
        throw ExpressionError{0, fmt::format("has {} values for {} x coordinates", numbers.size(), places.size()), {}};
      }
    }
    std::vector<Point> out;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double x = drawn.line->at ? places[i] / factor_of(picture.x) : static_cast<double>(i);
      out.push_back({x, numbers[i] / factor_of(picture.y)});
    }
    return out;
  }

  const std::vector<Picture>& pictures_;
  const RunSpace& space_;
  const Vocabulary& vocabulary_;
  ResultSource& source_;
};

bool is_level(const Curve& curve) {
  return curve.points.size() == 1 && std::isnan(curve.points.front().x);
}

/// Horizontal lines extend as far as the others. Curves with few values have dots; of the paper's lines, only single
/// values.
void finish_curves(std::vector<Curve>& curves) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const Curve& curve : curves) {
    for (const Point& point : curve.points) {
      if (std::isnan(point.x)) continue;
      least = std::min(least, point.x);
      most = std::max(most, point.x);
    }
  }
  if (least > most) least = 0, most = 1;
  for (Curve& curve : curves) {
    curve.marked = !is_level(curve) && curve.points.size() <= (curve.dashed ? 1 : kMarked);
    if (!is_level(curve)) continue;
    curve.points = {{least, curve.points.front().y}, {most, curve.points.front().y}};
    if (!curve.intervals.empty()) curve.intervals.push_back(curve.intervals.front());
  }
}

}  // namespace

std::vector<DrawnLine> drawn_lines(const std::vector<Picture>& pictures, const RunSpace& setup, bool quick) {
  std::vector<DrawnLine> out;
  for (std::size_t picture = 0; picture < pictures.size(); ++picture) {
    for (const PictureLine& line : pictures[picture].lines) {
      if (line.value.full_only && quick) continue;
      std::vector<DrawnLine> drawn = {{picture, &line, {}, {}}};
      // check_line() reports one line.
      const std::size_t count = count_of(setup, line);
      for (std::size_t i = 0; count > 0 && count <= kMostLines && i < line.each.size(); ++i) {
        const std::string& name = line.each[i];
        std::vector<DrawnLine> wider;
        for (const DrawnLine& one : drawn) {
          for (const Figure& value : values_of(setup, name)) {
            wider.push_back(one);
            wider.back().bound.emplace_back(name, value);
          }
        }
        drawn = std::move(wider);
      }
      for (DrawnLine& one : drawn) {
        one.label = label_of(one);
        out.push_back(std::move(one));
      }
    }
  }
  return out;
}

void check_line(const PictureText& pictures, const RunSpace& setup, const DrawnLine& drawn, Evaluation& evaluation,
                Diagnostics& diagnostics) {
  const PictureLine& line = *drawn.line;
  const Picture& picture = pictures.pictures[drawn.picture];
  const std::string path = pictures.path + (line.paper ? ".paper" : ".line");
  for (const std::string& name : line.each) {
    if (values_of(setup, name).empty()) {
      diagnostics.add(line.each_origin, path + ".each",
                      fmt::format("names \"{}\", expected variant, seed or a sweep", name),
                      nearest_name(name, names_of(setup)));
      return;
    }
  }
  if (count_of(setup, line) > kMostLines) {
    diagnostics.add(line.each_origin, path + ".each", fmt::format("results in more than {} lines", kMostLines));
    return;
  }
  for (const auto& [name, value] : drawn.bound) evaluation.bind(name, value);
  const auto figure_of = [&](const RowExpression& expression, std::string_view key) -> std::optional<Figure> {
    try {
      return evaluation.evaluate(*expression.expression);
    } catch (const ExpressionError& error) {
      diagnostics.add(position_in(pictures.text, expression.origin, expression.text, error.offset),
                      path + std::string(key), error.message, error.suggestion);
    }
    return std::nullopt;
  };
  const std::optional<Figure> value = figure_of(line.value, ".value");
  if (!value) return;
  if (std::string wrong = misfit(*value, picture.y, 'y', true); !wrong.empty()) {
    diagnostics.add(line.value.origin, path + ".value", std::move(wrong));
  }
  if (value->as_number() != nullptr) return;
  if (!line.at) {
    if (dimension_of(picture.x) == kPlain) return;
    diagnostics.add(line.value.origin, path + ".value",
                    fmt::format("has no x coordinates, expected at: a list for x, \"{}\"", title_of(picture.x)));
    return;
  }
  const std::optional<Figure> at = figure_of(*line.at, ".at");
  if (!at) return;
  if (std::string wrong = misfit(*at, picture.x, 'x', false); !wrong.empty()) {
    diagnostics.add(line.at->origin, path + ".at", std::move(wrong));
  }
}

std::vector<analysis::Chart> draw(const std::vector<Picture>& pictures, const RunSpace& space,
                                  const Vocabulary& vocabulary, ResultSource& source, const DrawOptions& options,
                                  std::vector<std::string>& failures) {
  Drawer drawer(pictures, space, vocabulary, source);
  std::vector<analysis::Chart> out;
  for (const Picture& picture : pictures) {
    out.push_back({.name = "", .title = picture.name, .x = picture.x, .y = picture.y});
  }
  std::vector<std::vector<std::string>> absent(out.size());
  std::vector<bool> measured(out.size());
  for (const DrawnLine& drawn : drawn_lines(pictures, space, options.quick)) {
    try {
      Curve curve = options.intervals
                        ? drawer.curve_of(drawn)
                        : Curve{.label = drawn.label, .points = drawer.points_of(drawn), .dashed = drawn.line->paper};
      measured[drawn.picture] = measured[drawn.picture] || (!drawn.line->paper && !curve.points.empty());
      out[drawn.picture].curves.push_back(std::move(curve));
    } catch (const Unavailable&) {
      absent[drawn.picture].push_back(drawn.label);
    } catch (const ExpressionError& wrong) {
      failures.push_back(
          fmt::format("picture \"{}\": {}: {}", pictures[drawn.picture].name, drawn.label, wrong.message));
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::vector<Curve>& curves = out[i].curves;
    // The paper's line alone is not informative.
    if (!measured[i]) curves.clear();
    finish_curves(curves);
    const std::size_t most = std::min(kMostOfLine, kMostOfPicture / std::max<std::size_t>(1, curves.size()));
    bool any_thinned = false;
    bool any_interval = false;
    for (Curve& curve : curves) {
      if (curve.points.size() > most) {
        any_thinned = true;
        curve.intervals.clear();
      }
      any_interval = any_interval || !curve.intervals.empty();
      curve.points = thinned(curve.points, most);
    }
    out[i].note = options.note;
    const auto add = [&note = out[i].note](const std::string& sentence) {
      note += (note.empty() ? "" : " ") + sentence;
    };
    if (any_interval) add(fmt::format("Mean of {} seeds, with 95 % confidence intervals.", space.seeds.size()));
    if (any_thinned) add(fmt::format("Lines of more than {} values show the minimum and maximum per part.", most));
    if (!absent[i].empty()) add(fmt::format("Missing: {}.", fmt::join(absent[i], "; ")));
  }
  return out;
}

}  // namespace weir
