// SPDX-License-Identifier: Apache-2.0
// The file flow.txt of the public simulators.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/flow.h"
#include "traffic/read_result.h"
#include "units/time.h"

namespace weir {

/// The columns of a record; the file begins with the number of records.
enum class FlowFileFormat : std::uint8_t {
  detect,   ///< by the number of columns of the first record if it is on a line of its own, else by the total number of
            ///< words
  hpcc,     ///< `source destination pg dport size start`: HPCC, Floodgate, Pyrrha
  conweave  ///< `source destination pg size start`
};

struct FlowFileOptions {
  FlowFileFormat format = FlowFileFormat::detect;
  /// The host with this number in the file, or HostId::none(). If unset, host n has number n.
  std::function<HostId(std::uint64_t)> host;
  /// The time in the file at which the run begins; it is subtracted from each start. The simulators' files begin at 2.0
  /// s.
  Time origin;
};

/// Reads flows, sorted by start (with a note if they were not sorted; the order of simultaneous flows is kept). `file`
/// is the name used in messages. Line breaks are equivalent to blanks, as in the simulators; '#' begins a comment. The
/// priority is the file's pg; HPCC's dport 200 marks incast flows. Starts are decimal seconds and exact to the
/// picosecond; sizes are integer bytes up to 2^53. Anything else is an error with its line.
ReadResult<std::vector<FlowSpec>> read_flows(std::string_view text, std::string_view file,
                                             const FlowFileOptions& options = FlowFileOptions());

/// The same for a file of at most 1 GiB.
ReadResult<std::vector<FlowSpec>> load_flows(const std::string& path,
                                             const FlowFileOptions& options = FlowFileOptions());

}  // namespace weir
