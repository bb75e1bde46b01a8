// SPDX-License-Identifier: Apache-2.0
// The file formats for flow-size distributions of the public simulators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traffic/read_result.h"
#include "traffic/size_table.h"

namespace weir {

/// One `size probability` per line; '#' starts a comment.
enum class SizeTableFormat : std::uint8_t {
  detect,       ///< homa if the first line is a single number, percent if the last probability is above 1, else
                ///< probability
  percent,      ///< HPCC: probabilities 0..100, linear between the points
  probability,  ///< ns3-datacenter and load-balancing simulators: probabilities 0..1, linear between the points
  homa          ///< Homa, Floodgate, Pyrrha: the mean in the first line, then probabilities 0..1, steps
};

/// Reads the text of a file; `name` is the table's, `file` is the name used in messages. Sizes in the file are in units
/// of `unit_bytes` (1 unless the file counts packets). A deviation of the first line's mean above 1 % is noted.
ReadResult<SizeTable> read_size_table(std::string_view text, std::string_view file, std::string name,
                                      SizeTableFormat format = SizeTableFormat::detect, double unit_bytes = 1.0);

/// The same for a file of at most 16 MiB; the table's name is the path.
ReadResult<SizeTable> load_size_table(const std::string& path, SizeTableFormat format = SizeTableFormat::detect,
                                      double unit_bytes = 1.0);

}  // namespace weir
