// SPDX-License-Identifier: Apache-2.0
// Draws a chart as an SVG picture: axes with round numbers, one colour per curve, and a legend.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/forms.h"

namespace weir::analysis {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 400;
constexpr double kLeft = 70;
constexpr double kRight = 470;  // the legend is to the right of it
constexpr double kTop = 40;
constexpr double kBottom = 350;
constexpr double kLine = 18;  // line height of the legend
constexpr double kNote = 20;  // of the note
constexpr double kLegendText = kRight + 42;

// Distinguishable with most forms of colour blindness (Okabe and Ito).
constexpr std::array<std::string_view, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#e69f00", "#56b4e9", "#000000", "#8c6d31"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// One axis: the displayed range of its quantity, and its position.
class Ruler {
 public:
  Ruler(Scale scale, double from, double to) : scale_(scale), from_(from), to_(to) {}

  /// Includes a value in the range. Values that cannot be drawn are ignored.
  void widen(double value) {
    if (!can_draw(value)) return;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  /// Call after all values: extends the axis to round numbers.
  void settle() {
    if (least_ > most_) least_ = 0.1, most_ = 1;
    if (scale_ == Scale::logarithmic) {
      least_ = std::pow(10, std::floor(std::log10(least_)));
      most_ = std::pow(10, std::ceil(std::log10(most_)));
      if (least_ == most_) most_ *= 10;
      return;
    }
    if (least_ == most_) least_ -= 1, most_ += 1;
    step_ = round_step((most_ - least_) / 5);
    least_ = std::floor(least_ / step_) * step_;
    most_ = std::ceil(most_ / step_) * step_;
  }

  [[nodiscard]] bool can_draw(double value) const {
    return std::isfinite(value) && (scale_ == Scale::linear || value > 0);
  }
  [[nodiscard]] double place(double value) const {
    const auto run = [&](double v) { return scale_ == Scale::linear ? v : std::log10(v); };
    return from_ + (to_ - from_) * (run(value) - run(least_)) / (run(most_) - run(least_));
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> out;
    if (scale_ == Scale::logarithmic) {
      const int first = static_cast<int>(std::lround(std::log10(least_)));
      const int last = static_cast<int>(std::lround(std::log10(most_)));
      for (int power = first; power <= last; ++power) out.push_back(std::pow(10, power));
      return out;
    }
    const auto count = std::lround((most_ - least_) / step_);
    for (long i = 0; i <= count; ++i) out.push_back(least_ + static_cast<double>(i) * step_);
    return out;
  }

 private:
  /// The smallest of 1, 2 and 5 times a power of ten that is at least `least`.
  static double round_step(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double step : {1.0, 2.0, 5.0}) {
      if (step * power >= least * (1 - 1e-9)) return step * power;
    }
    return 10 * power;
  }

  Scale scale_;
  double from_;
  double to_;
  double step_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
};

std::string title_of(const Quantity& quantity) {
  return quantity.unit.empty() ? quantity.name : fmt::format("{} ({})", quantity.name, quantity.unit);
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text, std::string_view more = "") {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>)", x, y, anchor, more, escaped(text)) +
         "\n";
}

std::string line_at(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format(R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" {}/>)", x1, y1, x2, y2, style) + "\n";
}

std::string grid(const Chart& chart, const Ruler& across, const Ruler& up) {
  constexpr std::string_view kThin = R"(stroke="#dddddd")";
  std::string out;
  // A tick that differs from zero only by rounding is zero.
  const auto label = [](double tick) { return fmt::format("{:.6g}", std::abs(tick) < 1e-12 ? 0.0 : tick); };
  for (const double tick : across.ticks()) {
    out += line_at(across.place(tick), kTop, across.place(tick), kBottom, kThin);
    out += text_at(across.place(tick), kBottom + 16, "middle", label(tick));
  }
  for (const double tick : up.ticks()) {
    out += line_at(kLeft, up.place(tick), kRight, up.place(tick), kThin);
    out += text_at(kLeft - 6, up.place(tick) + 4, "end", label(tick));
  }
  const double middle = (kTop + kBottom) / 2;
  out += text_at((kLeft + kRight) / 2, kBottom + 36, "middle", title_of(chart.x.quantity));
  out += text_at(16, middle, "middle", title_of(chart.y.quantity),
                 fmt::format(R"svg( transform="rotate(-90 16 {:.1f})")svg", middle));
  return out;
}

std::string path_of(const Curve& curve, const Ruler& across, const Ruler& up) {
  std::string out;
  bool broken = true;
  for (const Point& point : curve.points) {
    const bool drawn = across.can_draw(point.x) && up.can_draw(point.y);
    if (drawn) out += fmt::format("{}{:.1f} {:.1f}", broken ? 'M' : 'L', across.place(point.x), up.place(point.y));
    broken = !drawn;
  }
  return out;
}

/// The approximate width of a text in a sans-serif font of this size.
double width_of(std::string_view text, double font_size) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return static_cast<double>(letters) * font_size * 0.56;
}

double width_of(const Chart& chart) {
  double out = std::max({kWidth, kLeft + width_of(chart.title, 14), kLeft + width_of(chart.note, 11)});
  for (const Curve& curve : chart.curves) out = std::max(out, kLegendText + width_of(curve.label, 12) + 10);
  return std::ceil(out);
}

std::string dots_of(const Curve& curve, const Ruler& across, const Ruler& up, std::string_view colour) {
  std::string out;
  for (const Point& point : curve.points) {
    if (!across.can_draw(point.x) || !up.can_draw(point.y)) continue;
    out += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}"/>)", across.place(point.x),
                       up.place(point.y), colour) +
           "\n";
  }
  return out;
}

/// A bar with caps at each point that has an interval.
std::string bars_of(const Curve& curve, const Ruler& across, const Ruler& up, std::string_view colour) {
  constexpr double kCap = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(curve.points.size(), curve.intervals.size()); ++i) {
    const auto [low, high] = curve.intervals[i];
    if (!across.can_draw(curve.points[i].x) || !up.can_draw(high) || !std::isfinite(low)) continue;
    const double x = across.place(curve.points[i].x);
    const double top = up.place(high);
    // On a logarithmic axis, a bar to zero or below ends at the axis.
    const double bottom = up.can_draw(low) ? up.place(low) : kBottom;
    out +=
        fmt::format(
            R"(<path d="M{0:.1f} {2:.1f}L{1:.1f} {2:.1f}M{0:.1f} {3:.1f}L{1:.1f} {3:.1f}M{4:.1f} {2:.1f}L{4:.1f} {3:.1f}" stroke="{5}"/>)",
            x - kCap, x + kCap, top, bottom, x, colour) +
        "\n";
  }
  return out;
}

}  // namespace

std::string to_svg(const Chart& chart) {
  Ruler across(chart.x.scale, kLeft, kRight);
  Ruler up(chart.y.scale, kBottom, kTop);
  for (const Curve& curve : chart.curves) {
    for (const Point& point : curve.points) {
      across.widen(point.x);
      up.widen(point.y);
    }
    for (const Interval& interval : curve.intervals) {
      up.widen(interval.low);
      up.widen(interval.high);
    }
  }
  for (const double level : chart.levels) up.widen(level);
  across.settle();
  up.settle();

  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" font-family="sans-serif" font-size="12">
<rect width="{0}" height="{1}" fill="#ffffff"/>
)",
      width_of(chart), chart.note.empty() ? kHeight : kHeight + kNote);
  out += text_at(kLeft, kTop - 16, "start", chart.title, R"( font-size="14")");
  out += grid(chart, across, up);
  for (const double level : chart.levels) {
    out += line_at(kLeft, up.place(level), kRight, up.place(level), R"(stroke="#444444" stroke-dasharray="5 4")");
  }
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const std::string_view colour = kColours[i % kColours.size()];
    const std::string_view dashes = chart.curves[i].dashed ? R"( stroke-dasharray="6 4")" : "";
    out += fmt::format(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2"{}/>)",
                       path_of(chart.curves[i], across, up), colour, dashes) +
           "\n";
    out += bars_of(chart.curves[i], across, up, colour);
    if (chart.curves[i].marked) out += dots_of(chart.curves[i], across, up, colour);
    const double y = kTop + kLine * (static_cast<double>(i) + 0.5);
    out += line_at(kRight + 12, y, kRight + 36, y, fmt::format(R"(stroke="{}" stroke-width="2"{})", colour, dashes));
    out += text_at(kLegendText, y + 4, "start", chart.curves[i].label);
  }
  if (!chart.note.empty()) {
    out += text_at(kLeft, kHeight + kNote / 2, "start", chart.note, R"( font-size="11" fill="#555555")");
  }
  return out + "</svg>\n";
}

}  // namespace weir::analysis
