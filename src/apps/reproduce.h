// weir reproduce: the ledger of what the papers claim.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weir::apps {

struct ReproduceCommand {
  std::vector<std::string> ids;  ///< of rows: "bfc/fig9"
  bool all = false;              ///< every row that has no verdict in this form yet
  bool list = false;             ///< show the rows and where they stand, run nothing
  bool check = false;            ///< judge the rows' scenarios, traffic and criteria, run nothing
  bool full = false;             ///< the paper's scale, instead of the quick form
  bool assumptions = false;      ///< also try what rows assume otherwise, one thing at a time
  bool again = false;            ///< also what has a verdict
  std::size_t jobs = 0;          ///< runs side by side; 0: one a core
  std::string rows = "reproduction";
  std::string out = "reproduction/verdicts";
  std::string report = "docs/reproduction.md";
};

/// Runs rows of the ledger, judges them, keeps their verdicts and writes the report of all rows. The status is kDone
/// whatever the verdicts are: that a claim does not hold is a result. It is kFailed when a run broke or a file could
/// not be written, kWrongInput when a row makes no sense, kInterrupted when a row was left before its verdict.
int reproduce(const ReproduceCommand& command);

}  // namespace weir::apps
