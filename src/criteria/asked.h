// SPDX-License-Identifier: Apache-2.0
// What expressions ask of runs, and the answers.
#pragma once

#include <map>
#include <set>
#include <string>

#include "criteria/measures.h"
#include "expressions/evaluation.h"

namespace weir {

/// A measure that some expression asks a run for.
struct Asked {
  const Signature* measure = nullptr;
  MeasureArguments arguments;
};
/// By a text that names measure and arguments.
using AskedOfRun = std::map<std::string, Asked>;

/// What a run gave: a figure, or why there is none.
struct Measured {
  Figure figure;
  std::string unavailable;
};
/// "p99_slowdown(class=\"all\", size_below=3000 {1,0})": the same for the same question.
std::string question(const Signature& measure, const MeasureArguments& arguments);

/// Notes what is asked for. Gives numbers that stand for nothing.
class Listener : public ResultSource {
 public:
  explicit Listener(std::map<RunPoint, AskedOfRun>& asked) : asked_(asked) {}
  Figure of_run(const Signature& measure, const MeasureArguments& arguments, const RunPoint& run) override;
  Figure of_analysis(const Signature& measure, const MeasureArguments& arguments) override;
  [[nodiscard]] bool is_dry_run() const override { return true; }
  /// From now on runs are noted here too.
  void listen(std::set<RunPoint>& points) { points_ = &points; }

 private:
  std::map<RunPoint, AskedOfRun>& asked_;
  std::set<RunPoint>* points_ = nullptr;
};

/// What must be measured for a question beside the usual; nullptr: nothing.
bool MeasurementSettings::*needed_for(const Asked& question);

/// The answers of a run to all that was asked of it, by question().
std::map<std::string, Measured> measure_run(const AskedOfRun& asked, const RunView& view);

}  // namespace weir
