// SPDX-License-Identifier: Apache-2.0
// Reads the topology files of the field's public simulators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/topology.h"

namespace weir {

/// The content of a file's first line and of its link records. All are sequences of numbers and words; the first line
/// is followed by the numbers of the switches (every other node is a host), then one record per link.
enum class TopologyFormat : std::uint8_t {
  automatic,  ///< by the first line: 3 numbers HPCC, 4 PowerTCP, 6 Reverie if the last two are rates (a million or
              ///< more), otherwise Floodgate; if that fails, the one format of the whole text
  hpcc,       ///< `nodes switches links`; `source destination rate delay error_rate`. Also ConWeave's
  floodgate,  ///< `nodes switches hosts_per_rack tors cores links`; `source destination Gbit/s ns`. Also Pyrrha's
  powertcp,   ///< `nodes switches tors links`; records as in HPCC
  reverie,    ///< `nodes switches tors links host_rate fabric_rate`; records as in HPCC
};

/// A network read from a file.
struct TopologyFile {
  /// NodeIds are the numbers of the file, names "h<number>" and "s<number>"; tiers and racks are derived. Valid only if
  /// there are no errors.
  Topology topology;
  std::vector<std::string> errors;  ///< "file:line: what is wrong, expected what", then the errors of the whole
  std::vector<std::string> notes;   ///< ignored content, which the simulators ignore as well
};

/// Reads a topology from text; `name` is the file name in errors. Line breaks are equivalent to blanks, as in the
/// simulators; only if the text cannot be read this way, errors refer to its lines. Rates and times are in ns-3
/// notation, read exactly ("100Gbps", "1000ns", "0.2ms"); a rate without a unit is in bit/s; a time must have a unit,
/// except in Floodgate's format, which has none. Parallel links are kept (HPCC keeps only the last of them). An error
/// rate of 0, which HPCC replaces with its global one, is 0. Text after the last link is ignored, with a note.
TopologyFile parse_topology(std::string_view text, std::string_view name,
                            TopologyFormat format = TopologyFormat::automatic);

/// The same from a file; a file that cannot be read is an error.
TopologyFile read_topology(const std::string& path, TopologyFormat format = TopologyFormat::automatic);

}  // namespace weir
