// SPDX-License-Identifier: Apache-2.0
// Text files as lines of words, with positions for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/read_result.h"

namespace weir {

/// The words of one line; '#' starts a comment.
struct TextLine {
  std::size_t number;  ///< from 1
  std::vector<std::string_view> words;
};

/// The errors of one file: at most 20 are kept, the rest are counted. Readers of long files stop when enough() is true.
class FileErrors {
 public:
  explicit FileErrors(std::string_view file) : file_(file) {}
  /// Line 0 denotes the whole file.
  void add(std::size_t line, std::string_view what);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Enough errors: readers can stop, because further ones would not be read.
  [[nodiscard]] bool enough() const { return count_ >= kEnough; }
  /// "file:line: what", in the order in which they were found.
  [[nodiscard]] std::vector<std::string> messages() const;

 private:
  static constexpr std::size_t kEnough = 1'000;
  std::string file_;
  std::vector<std::string> messages_;
  std::size_t count_ = 0;
};

/// The non-empty lines, one after the other. Earlier lines are not kept.
class LineReader {
 public:
  /// `text` must outlive all results.
  explicit LineReader(std::string_view text);
  /// The next non-empty line; nullptr at the end, or after reporting a control character other than white space to
  /// `errors`, because the file is not text. Valid until the next call.
  const TextLine* next(FileErrors& errors);

 private:
  std::string_view rest_;
  TextLine line_{0, {}};
};

/// The non-empty lines. Control characters other than white space are an error, because the file is not text.
std::vector<TextLine> split_lines(std::string_view text, FileErrors& errors);

/// The whole file, at most `limit` bytes.
ReadResult<std::string> read_text_file(const std::string& path, std::size_t limit = std::size_t{1} << 30);

}  // namespace weir
