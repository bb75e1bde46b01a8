// SPDX-License-Identifier: Apache-2.0
// weir reproduce: reproduction of the papers' claims.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reproduce/run_row.h"

namespace weir::apps {

inline constexpr const char* kRowFolder = "reproduction";
inline constexpr const char* kVerdictFolder = "reproduction/verdicts";
/// The short verdicts of the project's rows, which are part of the project like their page: running one row leaves all
/// others on the page unchanged.
inline constexpr const char* kRecordFolder = "reproduction/record";

struct ReproduceCommand {
  std::vector<std::string> ids;               ///< of rows: "bfc/fig9"
  bool all = false;                           ///< every row without a verdict in this form
  bool list = false;                          ///< show the rows and their status, run nothing
  bool check = false;                         ///< check the rows' scenarios, traffic and criteria, run nothing
  bool full = false;                          ///< the paper's scale, instead of the quick form
  OtherChoices choices = OtherChoices::none;  ///< also evaluate rows with alternative assumptions
  std::string assumption;                     ///< only assumptions whose value contains this text
  bool again = false;                         ///< repeat stored runs, and with `all` verdicts
  std::size_t jobs = 0;                       ///< parallel runs; 0: one per core
  std::string rows = kRowFolder;
  std::string out = kVerdictFolder;  ///< folder of the verdicts
  std::string report;                ///< file of the report; empty: see report_path()
};

/// The folder of the verdicts that the report shows: the record if the project's own rows are evaluated and reported in
/// place, otherwise that of the command.
[[nodiscard]] std::string reported_folder(const ReproduceCommand& command);
/// The default path of the report: docs/reproduction.md shows the project's record; verdicts kept elsewhere have a
/// report next to them.
[[nodiscard]] std::string report_path(const ReproduceCommand& command);

/// Runs rows, evaluates them, stores their verdicts and writes the report of all rows. The status is kDone for any
/// verdicts, because a claim that does not hold is a result. It is kFailed if a run failed (no verdict of its row is
/// stored) or a file could not be written, kWrongInput if a row is invalid or the verdicts or the report cannot be
/// written to their places (detected before anything is run), kInterrupted if a row was left without a verdict.
int reproduce(const ReproduceCommand& command);

}  // namespace weir::apps
