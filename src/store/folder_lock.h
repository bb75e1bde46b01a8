// SPDX-License-Identifier: Apache-2.0
// At most one writer per folder.
#pragma once

#include <filesystem>

namespace weir {

/// Locks a folder against other writers, in this process and others, until it is destroyed or the process ends. On file
/// systems without such locks (some network file systems) it has no effect.
class FolderLock {
 public:
  FolderLock() = default;
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  /// Whether another writer holds the lock.
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  int descriptor_ = -1;
  bool refused_ = false;
};

}  // namespace weir
