// SPDX-License-Identifier: Apache-2.0
#include "results/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace weir {
namespace {

std::string meaning_of(int error) {
  return std::generic_category().message(error);
}

/// The end of a chain of symbolic links, whether or not it exists.
std::filesystem::path end_of_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // Linux's own limit
  std::error_code error;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(path, error); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

}  // namespace

bool names_open_file(const std::filesystem::path& path) {
  const std::string text = path.lexically_normal().string();
  return text.starts_with("/dev/std") || text.starts_with("/dev/fd/") || text.starts_with("/proc/");
}

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path), target_(path) {
  std::error_code error;
  const std::filesystem::file_status there = std::filesystem::status(path, error);
  if (std::filesystem::is_block_file(there)) {
    fail("is a block device, expected a file");
    return;
  }
  const bool plain = !std::filesystem::exists(there) || std::filesystem::is_regular_file(there);
  if (plain && !names_open_file(path)) {
    target_ = end_of_links(path);
    partial_ = target_;
    partial_ += ".partial";
  }
  file_.reset(std::fopen(partial_.empty() ? target_.c_str() : partial_.c_str(), "wb"));
  if (!file_) fail(meaning_of(errno));
}

OutputFile::~OutputFile() {
  if (!file_ || committed_ || partial_.empty()) return;
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void OutputFile::write(std::string_view text) {
  if (!error_.empty() || text.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail(meaning_of(errno));
}

std::optional<std::string> OutputFile::commit() {
  // A full disk may be detected only when the last bytes are flushed.
  if (error_.empty() && std::fflush(file_.get()) != 0) fail(meaning_of(errno));
  if (error_.empty() && !partial_.empty()) {
    std::error_code error;
    std::filesystem::rename(partial_, target_, error);
    if (error) {
      fail(error.message());
    } else {
      committed_ = true;
    }
  }
  return error_.empty() ? std::nullopt : std::optional(error_);
}

void OutputFile::fail(const std::string& reason) {
  error_ = fmt::format("{}: {}", path_.string(), reason);
}

}  // namespace weir
