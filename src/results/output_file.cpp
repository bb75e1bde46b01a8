// SPDX-License-Identifier: Apache-2.0
#include "results/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace weir {

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), partial_(path_) {
  partial_ += ".partial";
  file_.reset(std::fopen(partial_.c_str(), "wb"));
  if (!file_) fail(errno);
}

OutputFile::~OutputFile() {
  if (!file_ || committed_) return;
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void OutputFile::write(std::string_view text) {
  if (!error_.empty() || text.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail(errno);
}

std::optional<std::string> OutputFile::commit() {
  // A full disk may show only when the last bytes are flushed.
  if (error_.empty() && std::fflush(file_.get()) != 0) fail(errno);
  if (error_.empty()) {
    std::error_code error;
    std::filesystem::rename(partial_, path_, error);
    if (error) {
      fail(error.value());
    } else {
      committed_ = true;
    }
  }
  return error_.empty() ? std::nullopt : std::optional(error_);
}

void OutputFile::fail(int reason) {
  error_ = fmt::format("{}: {}", path_.string(), std::generic_category().message(reason));
}

}  // namespace weir
