// SPDX-License-Identifier: Apache-2.0
// Files that are written completely or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// /dev/stdout and the like: an open file of a process, which cannot be replaced even if it is a regular file.
bool names_open_file(const std::filesystem::path& path);

/// A file that is written under a temporary name (".partial" appended) and renamed when complete: readers of the name
/// see the old file or the new one. A file that is not committed is removed.
///
/// A symbolic link is kept, and its target is replaced. Devices and pipes (/dev/null, /dev/stdout, a FIFO) are written
/// to directly and never replaced; block devices are refused.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Does nothing after an error.
  void write(std::string_view text);
  /// Call once, at the end. Returns the first error as "path: reason".
  [[nodiscard]] std::optional<std::string> commit();

 private:
  void fail(const std::string& reason);
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  std::filesystem::path path_;     // the name used in messages
  std::filesystem::path target_;   // after resolving symbolic links
  std::filesystem::path partial_;  // empty: the target itself is written to
  std::unique_ptr<std::FILE, Close> file_;
  std::string error_;
  bool committed_ = false;
};

}  // namespace weir
