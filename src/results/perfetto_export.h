// SPDX-License-Identifier: Apache-2.0
// A run over time for Perfetto (ui.perfetto.dev) and Chrome's trace viewer.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "results/run_record.h"

namespace weir {

/// Writes the timeline of a run in the Trace Event Format (JSON): a process for every node that was paused or had
/// frames queued; in it a thread for every such direction of a link that leaves the node, with a slice for each time
/// that the far end paused it, and a counter of its queued bytes, the most of each interval. Times are microseconds
/// from the beginning of the run, exact to the picosecond.
///
/// Returns "path: reason" when something went wrong, and writes nothing when the run recorded no timeline.
std::optional<std::string> write_perfetto(const RunRecord& record, const std::filesystem::path& path);

/// Why write_perfetto() cannot write this run; nothing: it can.
std::optional<std::string> why_no_perfetto(const RunRecord& record);

}  // namespace weir
