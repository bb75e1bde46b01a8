// SPDX-License-Identifier: Apache-2.0
// weir analyze.
#pragma once

#include <string>
#include <vector>

namespace weir::apps {

struct AnalyzeCommand {
  std::string name{};              ///< of the analysis; empty: list them
  std::vector<std::string> set{};  ///< name=value of its parameters
  std::string out{};               ///< folder for files; empty: write none
  bool list = false;               ///< show its parameters only
};

/// Prints the results of a paper's formulas as tables, and writes tables and charts as files.
int analyze(const AnalyzeCommand& command);

}  // namespace weir::apps
