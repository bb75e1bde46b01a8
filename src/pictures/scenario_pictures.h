// SPDX-License-Identifier: Apache-2.0
// The [[picture]] tables of a scenario: read, fed with the records of its runs, drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "criteria/asked.h"
#include "pictures/picture.h"
#include "scenario/scenario.h"

namespace weir {

class ScenarioPictures {
 public:
  /// Reads the tables and goes through their expressions without results. The scenario must stay.
  explicit ScenarioPictures(const Scenario& scenario);

  /// What is wrong with the tables, one line each; then there are none.
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  [[nodiscard]] bool empty() const { return pictures_.empty(); }

  /// Takes from the record of a run what the pictures ask of it. Several threads may call it.
  void see(std::size_t variant, std::uint64_t seed, const RunRecord& record);

  /// The pictures as charts, named "picture", "picture-2" and so on, with error bars where there are several seeds. One
  /// that has nothing to show has no curves. What is wrong with lines goes to `failures`.
  std::vector<analysis::Chart> draw(std::vector<std::string>& failures);

 private:
  void make_dry_run(const std::string& text);
  void check_measured();
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
