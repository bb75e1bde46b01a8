// SPDX-License-Identifier: Apache-2.0
#include "analysis/pyrrha_model.h"

#include <gtest/gtest.h>

namespace weir::pyrrha_model::pyrrha_model_test {
namespace {

// By hand for k = 4: 16 hosts; ToR, 2 aggregation switches, 4 cores, 6 other aggregation switches, 7 other ToRs.
TEST(PyrrhaModel, CountsTheEntriesOfEachOptimisation) {
  EXPECT_EQ(hosts(4), 16);
  EXPECT_EQ(path_entries(PathTables::none, 4), 20 * 16);
  EXPECT_EQ(path_entries(PathTables::up_down, 4), 4 * 16 + 4 * 16 + 3 * (2 * 4 + 2 * 2));
  EXPECT_EQ(path_entries(PathTables::equal_path, 4), 2 + 4 + 16 + 3 * 16 + 7 * 2);
  EXPECT_EQ(path_entries(PathTables::full, 4), 2 + 4 + 16 + 3 * 4 + 7 * 2);
  EXPECT_EQ(path_entries(PathTables::regular, 4), 3);
  EXPECT_EQ(path_entries(PathTables::source, 4), 0);
  EXPECT_EQ(root_entries(4), 20 * 4);
  EXPECT_EQ(queue_entries(true, 4), 20 * 4);
  EXPECT_EQ(queue_entries(false, 4), 4 * 16 * 2);
}

// Three entries of 40 bits per word of 128, 1,024 words per block of 16 KiB. k = 36: 1 + 1 + 4 + 4 + 4 blocks.
TEST(PyrrhaModel, AllocatesWholeBlocks) {
  EXPECT_EQ(path_memory(PathTables::full, 36, {}), 14 * 16'384);
  EXPECT_EQ(path_memory(PathTables::source, 36, {}), 0);
  EXPECT_EQ(path_memory(PathTables::regular, 36, {}), 2 * 16'384);
  EXPECT_EQ(root_memory(36, {}), 5 * 16'384);
  EXPECT_EQ(root_memory(128, {}), (1 + 1 + 4 + 8 + 8) * 16'384);
}

// Figure 31: 8.64 MB single-tier at k = 36.
TEST(PyrrhaModel, AgreesWithThePublishedQueueManager) {
  EXPECT_NEAR(queue_memory(false, 36, {}), 8.64e6, 0.2e6);
  EXPECT_NEAR(queue_memory(true, 128, {}) / 2.2e6, 1.4, 0.1);
}

}  // namespace
}  // namespace weir::pyrrha_model::pyrrha_model_test
