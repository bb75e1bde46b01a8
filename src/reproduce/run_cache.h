// SPDX-License-Identifier: Apache-2.0
// Cached results of a row's runs. With them an interrupted row continues where it stopped, and a run is not repeated if
// a change of an alternative, a criterion or a picture does not affect it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "reproduce/evaluate_row.h"
#include "reproduce/row.h"

namespace weir {

/// One small file per run, in a folder per row and form. A file is valid only for the run's configuration and the
/// version that wrote it.
class RunCache {
 public:
  /// `folder` empty: nothing is stored.
  RunCache(const std::filesystem::path& folder, const Row& row, RowForm form);

  /// The results of the run with this configuration; nullopt if they are not stored or incomplete.
  [[nodiscard]] std::optional<PointOutcome> find(const std::string& configuration, const AskedOfRun& asked) const;
  /// `run`: its name, for human readers of the file. Returns an error, if any.
  std::optional<std::string> keep(const std::string& configuration, const std::string& run,
                                  const PointOutcome& outcome) const;
  /// Deletes the files of other versions.
  void remove_outdated() const;
  /// The total duration of this version's runs, in seconds.
  [[nodiscard]] double seconds() const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& configuration) const;

  std::filesystem::path folder_;
};

}  // namespace weir
