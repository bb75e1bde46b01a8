// What single runs of a row gave, kept so that an interrupted row continues where it stopped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "reproduce/judge.h"
#include "reproduce/row.h"

namespace weir {

/// One small file a run, in a folder a row and form. A file counts only for the row's text and the version that it was
/// made with.
class RunCache {
 public:
  /// `folder` empty: nothing is kept.
  RunCache(std::filesystem::path folder, const Row& row, RowForm form);

  /// What the run of this name gave; nothing when it is not kept, or not all that is asked for is.
  [[nodiscard]] std::optional<PointOutcome> find(const std::string& run, const AskedOfRun& asked) const;
  /// What went wrong, or nothing.
  std::optional<std::string> keep(const std::string& run, const PointOutcome& outcome) const;
  /// When the row is judged.
  void remove() const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& run) const;

  std::filesystem::path folder_;
  std::string row_digest_;
};

}  // namespace weir
