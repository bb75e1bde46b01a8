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

/// A file written under a temporary name beside its own (".partial" appended), which takes its place when it is
/// complete: whoever opens the name finds the old file or the new one. What is not committed is removed.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// After an error does nothing.
  void write(std::string_view text);
  /// Once, at the end. The first error since the beginning as "path: reason", or nothing.
  [[nodiscard]] std::optional<std::string> commit();

 private:
  void fail(int reason);
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string error_;
  bool committed_ = false;
};

}  // namespace weir
