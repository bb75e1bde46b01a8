// SPDX-License-Identifier: Apache-2.0
// The timeline of a run for Perfetto (ui.perfetto.dev) and Chrome's trace viewer.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "results/run_record.h"

namespace weir {

/// Writes the timeline of a run in the Trace Event Format (JSON): one process per node that was paused or had frames
/// queued; in it, one thread per such direction of a link that leaves the node, with a slice for each time that the far
/// end paused it, and a counter of its queued bytes (the maximum of each interval). Times are microseconds from the
/// beginning of the run, exact to the picosecond.
///
/// Returns "path: reason" on failure, and writes nothing if the run recorded no timeline.
std::optional<std::string> write_perfetto(const RunRecord& record, const std::filesystem::path& path);

/// Why write_perfetto() cannot write this run; nullopt if it can.
std::optional<std::string> why_no_perfetto(const RunRecord& record);

}  // namespace weir
