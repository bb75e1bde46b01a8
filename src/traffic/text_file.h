// SPDX-License-Identifier: Apache-2.0
// Text files as lines of words, with their places for messages.
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

/// The errors of one file: at most 20 are kept, the rest are counted. Who reads a long file stops at enough().
class FileErrors {
 public:
  explicit FileErrors(std::string_view file) : file_(file) {}
  /// A line of 0 stands for the file as a whole.
  void add(std::size_t line, std::string_view what);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// What follows is as wrong, and nobody reads of it.
  [[nodiscard]] bool enough() const { return count_ >= kEnough; }
  /// "file:line: what", in the order they were found.
  [[nodiscard]] std::vector<std::string> messages() const;

 private:
  static constexpr std::size_t kEnough = 1'000;
  std::string file_;
  std::vector<std::string> messages_;
  std::size_t count_ = 0;
};

/// The lines with words, one after the other. Nothing of those before is kept.
class LineReader {
 public:
  /// `text` must outlive what is read of it.
  explicit LineReader(std::string_view text);
  /// The next line with words; nullptr at the end, or once told to `errors` at a control character other than white
  /// space: the file is not text. Good until the next call.
  const TextLine* next(FileErrors& errors);

 private:
  std::string_view rest_;
  TextLine line_{0, {}};
};

/// The lines with words. Control characters other than white space are an error: the file is not text.
std::vector<TextLine> split_lines(std::string_view text, FileErrors& errors);

/// The whole file, at most `limit` bytes.
ReadResult<std::string> read_text_file(const std::string& path, std::size_t limit = std::size_t{1} << 30);

}  // namespace weir
