// SPDX-License-Identifier: Apache-2.0
// weir reproduce: the ledger of what the papers claim.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reproduce/run_row.h"

namespace weir::apps {

inline constexpr const char* kRowFolder = "reproduction";
inline constexpr const char* kVerdictFolder = "reproduction/verdicts";
/// The verdicts of the ledger's rows in brief, which belong to the project as their page does: whoever runs one row
/// finds all others on the page as they were.
inline constexpr const char* kRecordFolder = "reproduction/record";

struct ReproduceCommand {
  std::vector<std::string> ids;               ///< of rows: "bfc/fig9"
  bool all = false;                           ///< every row that has no verdict in this form yet
  bool list = false;                          ///< show the rows and where they stand, run nothing
  bool check = false;                         ///< check the rows' scenarios, traffic and criteria, run nothing
  bool full = false;                          ///< the paper's scale, instead of the quick form
  OtherChoices choices = OtherChoices::none;  ///< also try rows with what they assume otherwise
  std::string assumption;                     ///< only of assumptions whose value contains it
  bool again = false;                         ///< repeat what is kept: runs, and with `all` verdicts
  std::size_t jobs = 0;                       ///< runs side by side; 0: one a core
  std::string rows = kRowFolder;
  std::string out = kVerdictFolder;  ///< folder of the verdicts
  std::string report;                ///< file of the report; empty: that of the folder of the verdicts
};

/// The folder of the verdicts that the report is of: the record when the ledger's own rows are evaluated where they are
/// and reported there, else that of the command.
[[nodiscard]] std::string reported_folder(const ReproduceCommand& command);
/// Where the report goes when it is not said: docs/reproduction.md is of the ledger's record; verdicts that are kept
/// elsewhere have theirs beside them.
[[nodiscard]] std::string report_path(const ReproduceCommand& command);

/// Runs rows of the ledger, evaluates them, keeps their verdicts and writes the report of all rows. The status is kDone
/// whatever the verdicts are: that a claim does not hold is a result. It is kFailed when a run broke, of whose row
/// no verdict is kept then, or a file could not be written, kWrongInput when a row makes no sense or the verdicts or
/// the report have no place to go to, which is found out before anything is run, kInterrupted when a row was left
/// before its verdict.
int reproduce(const ReproduceCommand& command);

}  // namespace weir::apps
