// SPDX-License-Identifier: Apache-2.0
// Measures that expressions request of runs, and their values.
#pragma once

#include <map>
#include <set>
#include <string>

#include "criteria/measures.h"
#include "expressions/evaluation.h"

namespace weir {

/// A measure that some expression requests of a run.
struct Asked {
  const Signature* measure = nullptr;
  MeasureArguments arguments;
};
/// By a text that identifies measure and arguments.
using AskedOfRun = std::map<std::string, Asked>;

/// A value from a run: a figure, or the reason why there is none.
struct Measured {
  Figure figure;
  std::string unavailable;
};
/// "p99_slowdown(class=\"all\", size_below=3000 {1,0})": equal for equal requests.
std::string question(const Signature& measure, const MeasureArguments& arguments);

/// Records requests. Returns meaningless numbers.
class Listener : public ResultSource {
 public:
  explicit Listener(std::map<RunPoint, AskedOfRun>& asked) : asked_(asked) {}
  Figure of_run(const Signature& measure, const MeasureArguments& arguments, const RunPoint& run) override;
  Figure of_analysis(const Signature& measure, const MeasureArguments& arguments) override;
  [[nodiscard]] bool is_dry_run() const override { return true; }
  /// From this call on, runs are recorded here too.
  void listen(std::set<RunPoint>& points) { points_ = &points; }

 private:
  std::map<RunPoint, AskedOfRun>& asked_;
  std::set<RunPoint>* points_ = nullptr;
};

/// The additional measurement that a request requires; nullptr: none.
bool MeasurementSettings::*needed_for(const Asked& question);

/// The values of all requested measures of a run, by question().
std::map<std::string, Measured> measure_run(const AskedOfRun& asked, const RunView& view);

}  // namespace weir
