// SPDX-License-Identifier: Apache-2.0
// The measures of a run that criteria may use.
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

/// A run and the meaning of its names.
struct RunView {
  const RunRecord& record;
  const Settings& settings;
};

/// One measure.
struct RunMeasure {
  Signature signature;
  bool MeasurementSettings::*needs = nullptr;  ///< the additional measurement that it requires
  /// Throws Unavailable if the run did not record it. NaN if there are no values.
  std::function<Figure(const RunView& run, const MeasureArguments& arguments)> compute;
};

/// All measures, by name.
std::span<const RunMeasure> all_run_measures();
/// The measure with this signature.
const RunMeasure& run_measure(const Signature& signature);
/// Their signatures.
std::vector<const Signature*> run_signatures();

}  // namespace weir
