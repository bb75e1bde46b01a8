// Results in the form of the HPCC simulator (its third.cc), which the field's scripts read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "results/run_record.h"

namespace weir {

/// Writes fct.txt's lines to `path`: "sip dip sport dport size_B start_ns fct_ns standalone_ns" for each flow that
/// completed, in the order of completion. As there: host h has the address 11.(h / 256).(h % 256).1, in eight
/// hexadecimal digits; source ports count up from 10000 for each pair of hosts; the destination port is 200 for incast
/// and 100 for other flows; the FCT ends with the last acknowledgement; nanoseconds are rounded down. `standalone_ns`
/// is this program's FCT alone, not their formula. Unlike there a run starts at 0 s, not at 2 s.
///
/// Hosts from 65536 on, and the 55537th flow of a pair, cannot be written. Returns "path: reason" when something went
/// wrong.
std::optional<std::string> write_hpcc_fct(const RunRecord& record, const std::filesystem::path& path);

}  // namespace weir
