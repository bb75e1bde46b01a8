// SPDX-License-Identifier: Apache-2.0
// The memory of Pyrrha's tables in a ToR of a fat-tree with k ports per switch (pyrrha E).
#pragma once

namespace weir::pyrrha_model {

/// How tables are packed into SRAM. The paper gives no widths except those of addresses and port IDs (E.1.3).
struct Memory {
  double block = 16'384;  ///< bytes of a block, the unit of allocation (E.2), > 0
  double word = 128;      ///< bits of a word, > 0; an entry lies within one word, so it must not be wider
  double address = 32;    ///< bits of a destination in a forwarding entry
  double port = 8;        ///< bits of a port ID
  double seed = 32;       ///< bits of a hash seed
  double queue = 8;       ///< bits of a queue ID
};

/// What a ToR stores in order to know the paths of packets (E.1).
enum class PathTables {
  none,        ///< all forwarding tables of all switches
  up_down,     ///< downward entries only for switches of other pods
  equal_path,  ///< one table for switches that differ only in equal ports
  full,        ///< both optimisations
  regular,     ///< the seeds of the pod's aggregation switches: addresses name pod, switch and host
  source       ///< nothing: the packet names its path
};

// All of them for even k >= 4. Memory is in bytes, in whole blocks.

/// k^3/4.
double hosts(double k);
/// Forwarding entries; for regular addressing, seeds.
double path_entries(PathTables tables, double k);
double path_memory(PathTables tables, double k, const Memory& memory);
/// One bit per port of each switch that is 0 to 4 hops away, one table per distance (E.2).
double root_entries(double k);
double root_memory(double k, const Memory& memory);
/// (Port, root) pairs of the IsAssigned and QueueID Record tables: a bit and a queue ID each (E.3). Single-tier: each
/// of k ports by the pair of the last two roots. Hierarchical: each port of the network once, one table per distance.
double queue_entries(bool hierarchical, double k);
double queue_memory(bool hierarchical, double k, const Memory& memory);

}  // namespace weir::pyrrha_model
