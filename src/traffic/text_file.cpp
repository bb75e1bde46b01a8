// SPDX-License-Identifier: Apache-2.0
#include "traffic/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

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
  if (count_ > kMostMessages) messages.push_back(fmt::format("{}: and {} more errors", file_, count_ - kMostMessages));
  return messages;
}

std::vector<TextLine> split_lines(std::string_view text, FileErrors& errors) {
  std::vector<TextLine> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (std::any_of(line.begin(), line.end(), is_control)) {
      errors.add(number, "a control character, expected text (is it a binary or a compressed file?)");
      return {};
    }
    line = line.substr(0, line.find('#'));
    TextLine words{number, {}};
    for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
      const std::size_t stop = std::min(line.find_first_of(kBlank, at), line.size());
      words.words.push_back(line.substr(at, stop - at));
      at = line.find_first_not_of(kBlank, stop);
    }
    if (!words.words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

ReadResult<std::string> read_text_file(const std::string& path, std::size_t limit) {
  ReadResult<std::string> result;
  const auto fail = [&](std::string what) {
    result.errors.push_back(fmt::format("{}: {}", path, what));
    return result;
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return fail("no such file");
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
  if (stream.bad()) return fail("cannot be read to its end");
  result.value = std::move(text);
  return result;
}

}  // namespace weir
