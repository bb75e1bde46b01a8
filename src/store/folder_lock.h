// SPDX-License-Identifier: Apache-2.0
// One writer a folder.
#pragma once

#include <filesystem>

namespace weir {

/// Holds a folder against other writers, in this process and others, until it goes or the process ends. A file system
/// without such locks (some network file systems) lets everyone in.
class FolderLock {
 public:
  FolderLock() = default;
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  /// Another writer had it.
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  int descriptor_ = -1;
  bool refused_ = false;
};

}  // namespace weir
