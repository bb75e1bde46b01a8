// SPDX-License-Identifier: Apache-2.0
// The parts of the table of measures (criteria/measures.h), and what they share.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "criteria/measures.h"
#include "fabric/settings.h"
#include "results/histogram.h"

namespace weir::measures {

using Arguments = MeasureArguments;
using Argument = Signature::Argument;

/// The figure of no values.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

extern const Argument kShareArgument;
extern const Argument kClassArgument;
extern const std::vector<Argument> kSpanArguments;

std::vector<Argument> joined(std::vector<Argument> first, const std::vector<Argument>& second);

/// The quantile of the argument `share`. Throws Unavailable unless that is between 0 and 1.
double quantile_of(const Histogram& histogram, const Arguments& arguments);
double mean_of(const Histogram& histogram);

/// The classes of flow that the argument `class` selects; all without it. Throws Unavailable for an unknown one.
std::vector<FlowClass> classes_of(const Arguments& arguments);

std::vector<RunMeasure> of_flows();
std::vector<RunMeasure> of_links();
std::vector<RunMeasure> of_switches();
std::vector<RunMeasure> of_frames();
std::vector<RunMeasure> of_series();
/// Counters and statistics, as they stand in the records.
std::vector<RunMeasure> of_counters();
std::vector<RunMeasure> of_statistics();

}  // namespace weir::measures
