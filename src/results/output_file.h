// SPDX-License-Identifier: Apache-2.0
// Files that are whole or not there.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// /dev/stdout and its like: an open file of a process, which cannot be replaced even where it is a plain file.
bool names_open_file(const std::filesystem::path& path);

/// A file written under a temporary name beside its own (".partial" appended), which takes its place when it is
/// complete: whoever opens the name finds the old file or the new one. What is not committed is removed.
///
/// A symbolic link stays, and the file that it leads to is written. Devices and pipes (/dev/null, /dev/stdout, a FIFO)
/// are written to as they are, and nothing takes their place; block devices are refused.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// After an error does nothing.
  void write(std::string_view text);
  /// Once, at the end. The first error since the beginning as "path: reason", or nothing.
  [[nodiscard]] std::optional<std::string> commit();

 private:
  void fail(const std::string& reason);
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  std::filesystem::path path_;     // as messages name it
  std::filesystem::path target_;   // where its links lead
  std::filesystem::path partial_;  // empty: the target itself is written to
  std::unique_ptr<std::FILE, Close> file_;
  std::string error_;
  bool committed_ = false;
};

}  // namespace weir
