// SPDX-License-Identifier: Apache-2.0
// The measures of a run that criteria may ask for.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expressions/evaluation.h"
#include "fabric/settings.h"
#include "results/run_record.h"

namespace weir {

/// A run and what its names mean.
struct RunView {
  const RunRecord& record;
  const Settings& settings;
};

/// One measure.
struct RunMeasure {
  Signature signature;
  bool MeasurementSettings::*needs = nullptr;  ///< what must be measured for it beside the usual
  /// Throws Unavailable when the run did not record it. Of no values, a number that is none (NaN).
  std::function<Figure(const RunView& run, const MeasureArguments& arguments)> compute;
};

/// All of them, by name.
std::span<const RunMeasure> all_run_measures();
/// The one of this signature.
const RunMeasure& run_measure(const Signature& signature);
/// Their signatures.
std::vector<const Signature*> run_signatures();

}  // namespace weir
