// SPDX-License-Identifier: Apache-2.0
// Results in the form of the HPCC simulator (its third.cc), which the field's scripts read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "results/run_record.h"

namespace weir {

/// Writes fct.txt's lines to `path`: "sip dip sport dport size_B start_ns fct_ns standalone_ns" for each flow that
/// completed, in the order of completion. As there: host h has the address 11.(h / 256).(h % 256).1, in eight
/// hexadecimal digits; source ports count up from 10000 for each pair of hosts, and from there again behind 65535; the
/// destination port is 200 for incast and 100 for other flows; the FCT ends with the last acknowledgement; nanoseconds
/// are rounded down. `standalone_ns` is this program's ideal FCT, not their formula. Unlike there a run starts at 0 s,
/// not at 2 s.
///
/// Hosts from 65536 on cannot be written. Returns "path: reason" when something went wrong.
std::optional<std::string> write_hpcc_fct(const RunRecord& record, const std::filesystem::path& path);

/// Why write_hpcc_pfc() cannot write this run; nothing: it can.
std::optional<std::string> why_no_hpcc_pfc(const RunRecord& record);

/// Writes pfc.txt's lines to `path`: "time_ns node_id node_type if_index type" for each change between paused and
/// resumed, in order of time, which is rounded down. The node is the one that is paused. As there: `node_type` is 0 for
/// a host and 1 for a switch; `if_index` is the port counted from 1; `type` is 1 for a pause and 0 for a resume. Host h
/// is node h, as in fct.txt, and switch s is node s after all hosts. A pause that the end of the run cut off has no
/// resume.
///
/// The time is the instant at which the node obeys the pause or the resume, which is its arrival as there and what the
/// link's pause response adds; a pause that runs out ends then. Pauses by a scheme's own name (a queue, a destination,
/// a root) go from decision to decision. Unlike there, pauses of several priorities that overlap are one; what only
/// refreshes a pause has no line; and a run starts at 0 s, not at 2 s. Any flow control's pauses of a link are told of,
/// not only those of PFC.
///
/// Returns "path: reason" when something went wrong, and writes nothing when the pauses were not recorded (see
/// RunRecord::timeline) or some of them were left out.
std::optional<std::string> write_hpcc_pfc(const RunRecord& record, const std::filesystem::path& path);

}  // namespace weir
