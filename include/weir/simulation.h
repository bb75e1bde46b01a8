// SPDX-License-Identifier: Apache-2.0
// Scenarios, their runs, and their results.
#pragma once

#include <weir/campaign/run_scenario.h>
#include <weir/fabric/settings.h>
#include <weir/results/comparison.h>
#include <weir/results/csv.h>
#include <weir/results/run_record.h>
#include <weir/results/run_text.h>
#include <weir/results/summary.h>
#include <weir/scenario/scenario.h>
#include <weir/sim/progress.h>
#include <weir/sim/simulation.h>
#include <weir/sim/version.h>
