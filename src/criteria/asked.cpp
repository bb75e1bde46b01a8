// SPDX-License-Identifier: Apache-2.0
#include "criteria/asked.h"

#include <fmt/format.h>

#include <limits>

namespace weir {
namespace {

Figure placeholder(const Signature& measure) {
  if (measure.list) return Figure::numbers({}, measure.dimension);
  return Figure::number(std::numeric_limits<double>::quiet_NaN(), measure.dimension);
}

}  // namespace

std::string question(const Signature& measure, const MeasureArguments& arguments) {
  std::string out;
  for (const auto& [name, figure] : arguments) {
    out += out.empty() ? "" : ", ";
    if (const std::string* text = figure.as_text()) {
      out += fmt::format("{}=\"{}\"", name, *text);
    } else {
      out += fmt::format("{}={}", name, *figure.as_number());
    }
  }
  return fmt::format("{}({})", measure.name, out);
}

Figure Listener::of_run(const Signature& measure, const MeasureArguments& arguments, const RunPoint& run) {
  asked_[run].try_emplace(question(measure, arguments), Asked{&measure, arguments});
  if (points_ != nullptr) points_->insert(run);
  return placeholder(measure);
}

Figure Listener::of_analysis(const Signature& measure, const MeasureArguments& /*arguments*/) {
  return placeholder(measure);
}

bool MeasurementSettings::*needed_for(const Asked& question) {
  const RunMeasure& measure = run_measure(*question.measure);
  if (measure.needs != &MeasurementSettings::timeline) return measure.needs;
  // A link's total bytes and pauses of the run are available without a timeline.
  const bool whole_run = !measure.signature.list && measure.signature.name != "recovery_time" &&
                         question.arguments.find("since") == question.arguments.end() &&
                         question.arguments.find("until") == question.arguments.end();
  return whole_run ? nullptr : measure.needs;
}

std::map<std::string, Measured> measure_run(const AskedOfRun& asked, const RunView& view) {
  std::map<std::string, Measured> out;
  for (const auto& [name, question] : asked) {
    Measured& measured = out[name];
    try {
      measured.figure = run_measure(*question.measure).compute(view, question.arguments);
    } catch (const Unavailable& unavailable) {
      measured.unavailable = unavailable.what();
    }
  }
  return out;
}

}  // namespace weir
