// SPDX-License-Identifier: Apache-2.0
// Results in the file formats of the HPCC simulator (its third.cc), for which analysis scripts exist.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "results/run_record.h"

namespace weir {

/// Writes the lines of fct.txt to `path`: "sip dip sport dport size_B start_ns fct_ns standalone_ns" for each completed
/// flow, in the order of completion. As in the HPCC simulator: host h has the address 11.(h / 256).(h % 256).1, in
/// eight hexadecimal digits; source ports count up from 10000 for each pair of hosts, and start there again after
/// 65535; the destination port is 200 for incast and 100 for other flows; the FCT ends with the last acknowledgement;
/// nanoseconds are rounded down. `standalone_ns` is this program's ideal FCT, not their formula. Unlike there, a run
/// starts at 0 s, not at 2 s.
///
/// Hosts from 65536 on cannot be written. Returns "path: reason" on failure.
std::optional<std::string> write_hpcc_fct(const RunRecord& record, const std::filesystem::path& path);

/// Why write_hpcc_pfc() cannot write this run; nullopt if it can.
std::optional<std::string> why_no_hpcc_pfc(const RunRecord& record);

/// Writes the lines of pfc.txt to `path`: "time_ns node_id node_type if_index type" for each change between paused and
/// resumed, in order of time, which is rounded down. The node is the paused one. As in the HPCC simulator: `node_type`
/// is 0 for a host and 1 for a switch; `if_index` is the port counted from 1; `type` is 1 for a pause and 0 for a
/// resume. Host h is node h, as in fct.txt, and switch s is node s after all hosts. A pause that lasts until the end of
/// the run has no resume.
///
/// The time is the instant at which the node obeys the pause or resume: its arrival, as there, plus the link's pause
/// response. A pause that expires ends at its expiry. Pauses by a scheme's own ID (a queue, a destination, a congestion
/// root) last from decision to decision. Unlike there, overlapping pauses of several priorities are one; refreshes of a
/// pause have no line; and a run starts at 0 s, not at 2 s. The pauses of any flow control are written, not only those
/// of PFC.
///
/// Returns "path: reason" on failure. Writes nothing if the pauses were not recorded (see RunRecord::timeline) or some
/// of them were omitted.
std::optional<std::string> write_hpcc_pfc(const RunRecord& record, const std::filesystem::path& path);

}  // namespace weir
