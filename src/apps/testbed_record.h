// SPDX-License-Identifier: Apache-2.0
// The record of a testbed as of one run, from those of its processes, so that a report shows it next to a simulation.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/run_record.h"
#include "units/time.h"

namespace weir::apps {

/// The record of one process of a testbed.
struct ProcessRecord {
  RunRecord record;
  Duration lead;  ///< time by which its clock is ahead of the traffic: it started so long before
};

/// What a testbed watches: a port of a switch, named by the node at the other end of its link.
struct WatchedPort {
  std::string node;
  std::string peer;
};

/// Joins the records of the switches and of the NICs of one network. Time 0 of the result is the start of the traffic.
/// A link between two switches is in the records of both: what it carried and queued is the larger value, and its
/// pauses are those that its receiving end has decided. Of the series only those of the watched port remain, with the
/// names that a simulation gives them. What identifies the run (scenario, variant, seed, configuration) is left empty.
RunRecord joined(const std::vector<ProcessRecord>& switches, const ProcessRecord& nics,
                 const std::optional<WatchedPort>& watched);

}  // namespace weir::apps
