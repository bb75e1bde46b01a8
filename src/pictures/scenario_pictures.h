// SPDX-License-Identifier: Apache-2.0
// The [[picture]] tables of a scenario: parses them, collects the results of runs, and draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "criteria/asked.h"
#include "pictures/picture.h"
#include "scenario/scenario.h"

namespace weir {

/// The key of [measure] that enables an additional measurement; empty for nullptr.
std::string_view measure_key(bool MeasurementSettings::*needed);

class ScenarioPictures {
 public:
  /// Reads the tables and checks their expressions without results. The scenario must outlive this object.
  explicit ScenarioPictures(const Scenario& scenario);

  /// Errors in the tables, one line each; if there are any, there are no pictures.
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  [[nodiscard]] bool empty() const { return pictures_.empty(); }

  /// Collects the values that the pictures require from the record of a run. May be called by several threads.
  void see(std::size_t variant, std::uint64_t seed, const RunRecord& record);

  /// The pictures as charts, named "picture", "picture-2" and so on, with error bars if there are several seeds. A
  /// picture without data has no curves. Errors in lines go to `failures`.
  std::vector<analysis::Chart> draw(std::vector<std::string>& failures);

 private:
  void make_dry_run(const std::string& text);
  void check_questions();
  [[nodiscard]] RunPoint point_of(std::size_t variant, std::uint64_t seed) const;

  const Scenario& scenario_;
  std::vector<Picture> pictures_;
  RunSpace space_;
  Vocabulary vocabulary_;
  std::map<RunPoint, AskedOfRun> asked_;
  std::mutex mutex_;
  std::map<RunPoint, std::map<std::string, Measured>> measured_;  // under mutex_
  std::vector<std::string> errors_;
};

}  // namespace weir
