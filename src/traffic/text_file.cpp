// SPDX-License-Identifier: Apache-2.0
#include "traffic/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "units/byte_order_mark.h"

namespace weir {

namespace {

constexpr std::size_t kMostMessages = 20;
constexpr std::string_view kBlank = " \t\r\v\f";

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && kBlank.find(c) == std::string_view::npos) || byte == 0x7f;
}

}  // namespace

void FileErrors::add(std::size_t line, std::string_view what) {
  if (++count_ > kMostMessages) return;
  messages_.push_back(line == 0 ? fmt::format("{}: {}", file_, what) : fmt::format("{}:{}: {}", file_, line, what));
}

std::vector<std::string> FileErrors::messages() const {
  std::vector<std::string> messages = messages_;
  if (count_ > kMostMessages) {
    messages.push_back(fmt::format("{}: and {} more errors{}", file_, count_ - kMostMessages,
                                   enough() ? "; the rest of the file was not read" : ""));
  }
  return messages;
}

LineReader::LineReader(std::string_view text) : rest_(without_byte_order_mark(text)) {}

const TextLine* LineReader::next(FileErrors& errors) {
  while (!rest_.empty()) {
    ++line_.number;
    line_.words.clear();
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (std::any_of(text.begin(), text.end(), is_control)) {
      errors.add(line_.number, "a control character, expected text (is it a binary or a compressed file?)");
      return nullptr;
    }
    text = text.substr(0, text.find('#'));
    for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;) {
      const std::size_t stop = std::min(text.find_first_of(kBlank, at), text.size());
      line_.words.push_back(text.substr(at, stop - at));
      at = text.find_first_not_of(kBlank, stop);
    }
    if (!line_.words.empty()) return &line_;
  }
  return nullptr;
}

std::vector<TextLine> split_lines(std::string_view text, FileErrors& errors) {
  std::vector<TextLine> lines;
  const bool sound = errors.empty();
  LineReader reader(text);
  while (const TextLine* line = reader.next(errors)) lines.push_back(*line);
  return sound && !errors.empty() ? std::vector<TextLine>() : lines;
}

ReadResult<std::string> read_text_file(const std::string& path, std::size_t limit) {
  ReadResult<std::string> result;
  const auto fail = [&](std::string what) {
    result.errors.push_back(fmt::format("{}: {}", path, what));
    return result;
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return fail("no such file");
  if (!std::filesystem::exists(status)) return fail(fmt::format("cannot be read: {}", error.message()));
  if (std::filesystem::is_directory(status)) return fail("is a directory, expected a file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail("cannot be opened for reading");
  std::string text;
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  while (stream) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    stream.read(text.data() + before, static_cast<std::streamsize>(kChunk));
    text.resize(before + static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit) return fail(fmt::format("is larger than {} bytes", limit));
  }
  if (stream.bad()) return fail("cannot be read completely");
  result.value = std::move(text);
  return result;
}

}  // namespace weir
