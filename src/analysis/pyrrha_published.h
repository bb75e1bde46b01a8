// SPDX-License-Identifier: Apache-2.0
// What Pyrrha's paper reports of its prototype's SRAM on Tofino2 (5.1, E).
#pragma once

#include <array>

#include "analysis/pyrrha_model.h"

namespace weir::pyrrha_published {

/// Tables 2 to 7 count blocks of SRAM: 120 are 7.50 %, 712 are 44.50 %, so there are 1,600. With 25 MB of SRAM (E.1.2)
/// a block has 16 KiB if a MB is 2^20 bytes. Then 0.44 MB, 176 KB and 8.64 MB at k = 36 are 28, 11 and 553 blocks,
/// which together with the 120 blocks of table 3 are the 712 of table 4; likewise for tables 5 and 7.
inline constexpr double kBlock = 16'384;
inline constexpr double kBlocks = 1'600;
inline constexpr double kMegabyte = 1'048'576;
/// Of the processing logic, at every scale (table 3; 5.1: 1.88 MB).
inline constexpr double kLogic = 120 * kBlock;

struct PathMemory {
  pyrrha_model::PathTables tables;
  double k;
  double bytes;
};
/// Of path calculation: E.1.2, and table 2 for regular addressing. (The text of E.1.3 says 0.18 % for the latter, which
/// is 3 blocks; table 2 has 5. Table 5 agrees with 5.)
inline constexpr std::array kPathMemory = {PathMemory{pyrrha_model::PathTables::none, 24, 12.6 * kMegabyte},
                                           PathMemory{pyrrha_model::PathTables::up_down, 28, 14.1 * kMegabyte},
                                           PathMemory{pyrrha_model::PathTables::equal_path, 36, 2.56 * kMegabyte},
                                           PathMemory{pyrrha_model::PathTables::full, 36, 0.44 * kMegabyte},
                                           PathMemory{pyrrha_model::PathTables::full, 128, 8.7 * kMegabyte},
                                           PathMemory{pyrrha_model::PathTables::regular, 128, 5 * kBlock}};

struct Memory {
  double k;
  double bytes;
};
/// Of the congestion root table (E.2).
inline constexpr std::array kRootMemory = {Memory{36, 176 * 1024}, Memory{128, 0.44 * kMegabyte}};
/// Of the queue manager (E.3).
inline constexpr Memory kSingleTierQueues = {36, 8.64 * kMegabyte};
inline constexpr Memory kHierarchicalQueues = {128, 2.2 * kMegabyte};

struct Total {
  int table;  ///< of the paper
  double k;
  bool hierarchical;
  bool regular;   ///< regular addressing; otherwise full optimisation
  double blocks;  ///< of path calculation, root table, queue manager and logic
};
inline constexpr std::array kTotals = {Total{4, 36, false, false, 712}, Total{5, 128, true, true, 294},
                                       Total{6, 96, true, false, 450}, Total{7, 128, true, false, 845}};
/// The three units of table 4 (5.1).
inline constexpr double kUnits = 9.25 * kMegabyte;

}  // namespace weir::pyrrha_published
