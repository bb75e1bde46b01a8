// SPDX-License-Identifier: Apache-2.0
// What single runs of a row gave. It is kept, so that an interrupted row continues where it stopped, and no run is
// repeated that another choice, another criterion or another picture leaves as it was.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "reproduce/evaluate_row.h"
#include "reproduce/row.h"

namespace weir {

/// One small file per run, in a folder per row and form. A file counts only for the configuration of the run and the
/// version that it was made with.
class RunCache {
 public:
  /// `folder` empty: nothing is kept.
  RunCache(const std::filesystem::path& folder, const Row& row, RowForm form);

  /// What the run of this configuration gave; nothing when it is not kept, or not all that is asked for is.
  [[nodiscard]] std::optional<PointOutcome> find(const std::string& configuration, const AskedOfRun& asked) const;
  /// `run`: its name, for readers of the file. What went wrong, or nothing.
  std::optional<std::string> keep(const std::string& configuration, const std::string& run,
                                  const PointOutcome& outcome) const;
  /// Deletes what another version has kept.
  void remove_outdated() const;
  /// How long the runs of this version took, one after the other, in seconds.
  [[nodiscard]] double seconds() const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& configuration) const;

  std::filesystem::path folder_;
};

}  // namespace weir
