// SPDX-License-Identifier: Apache-2.0
// Reads the topology files of the public simulators of this field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/topology.h"

namespace weir {

/// What a file's first line and its link records hold. All are sequences of numbers and words; after the first line
/// come the numbers of the switches (every other node is a host), then one record a link.
enum class TopologyFormat : std::uint8_t {
  automatic,  ///< by the first line: 3 numbers HPCC, 4 PowerTCP, 6 Reverie when the last two are rates (a million or
              ///< more), else Floodgate; if that fails, the one format that the whole text has
  hpcc,       ///< `nodes switches links`; `source destination rate delay error_rate`. ConWeave's too
  floodgate,  ///< `nodes switches hosts_per_rack tors cores links`; `source destination Gbit/s ns`. Pyrrha's too
  powertcp,   ///< `nodes switches tors links`; records as HPCC's
  reverie,    ///< `nodes switches tors links host_rate fabric_rate`; records as HPCC's
};

/// A network read from a file.
struct TopologyFile {
  /// NodeIds are the numbers of the file, names "h<number>" and "s<number>"; tiers and racks are derived. Only of use
  /// when there are no errors.
  Topology topology;
  std::vector<std::string> errors;  ///< "file:line: what is wrong, expected what", then what the whole lacks
  std::vector<std::string> notes;   ///< what was ignored, as the simulators ignore it
};

/// Reads a topology from text; `name` stands for the file in errors. Line breaks are as good as blanks, as for the
/// simulators, but where the text cannot be read so, errors follow its lines. Rates and times are ns-3's, read
/// exactly ("100Gbps", "1000ns", "0.2ms"); a rate without a unit is in bit/s, a time must have one, but Floodgate's
/// are bare. Parallel links are kept (HPCC keeps only the last of them). An error rate of 0, which HPCC replaces with
/// its global one, is 0. What follows the last link is ignored, with a note.
TopologyFile parse_topology(std::string_view text, std::string_view name,
                            TopologyFormat format = TopologyFormat::automatic);

/// The same from a file; a file that cannot be read is an error.
TopologyFile read_topology(const std::string& path, TopologyFormat format = TopologyFormat::automatic);

}  // namespace weir
