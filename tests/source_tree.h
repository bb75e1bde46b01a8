// SPDX-License-Identifier: Apache-2.0
// Reading of the project's own sources, for the tests of its rules.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weir::source {

/// A file below src/.
struct SourceFile {
  /// Relative to src/, with forward slashes: "wire/frame.h".
  std::string path;
  std::string text;

  /// The first directory of the path: "wire".
  std::string folder() const { return path.substr(0, path.find('/')); }

  /// True for *_test.cpp and *_fuzz.cpp, which users do not run.
  bool is_test() const {
    const std::string_view view = path;
    return view.ends_with("_test.cpp") || view.ends_with("_fuzz.cpp");
  }
};

/// An #include directive.
struct Include {
  int line;
  std::string name;
  /// Written as <name>, not "name".
  bool angled;
};

/// What blank() replaces with spaces.
enum class Blank { comments, comments_and_literals };

/// The text with comments, or comments and the contents of string and character literals, blanked. Lines keep their
/// numbers and columns. Raw strings and digit separators are understood; trigraphs and line splices are not.
inline std::string blank(std::string_view text, Blank what) {
  std::string out(text);
  const auto wipe = [&out](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to && i < out.size(); ++i) {
      if (out[i] != '\n') out[i] = ' ';
    }
  };
  const auto end_of = [&text](std::string_view mark, std::size_t from) {
    const std::size_t at = text.find(mark, from);
    return at == std::string_view::npos ? text.size() : at + mark.size();
  };
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  // Most characters begin nothing: they are skipped at once.
  const std::string all(text);
  for (std::size_t i = 0; (i = all.find_first_of("/\"'R", i)) != std::string::npos;) {
    const std::string_view rest = text.substr(i);
    const char before = i == 0 ? ' ' : text[i - 1];
    if (rest.starts_with("//")) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      wipe(i, end);
      i = end;
    } else if (rest.starts_with("/*")) {
      const std::size_t end = end_of("*/", i + 2);
      wipe(i, end);
      i = end;
    } else if (rest.starts_with("R\"") && !is_word(before)) {
      const std::size_t open = std::min(text.find('(', i), text.size());
      const std::string close = ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
      const std::size_t end = end_of(close, open);
      if (what == Blank::comments_and_literals) wipe(i + 2, end - 1);
      i = end;
    } else if (rest[0] == '"' || (rest[0] == '\'' && !is_word(before))) {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != rest[0] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      if (what == Blank::comments_and_literals) wipe(i + 1, end);
      i = end + 1;
    } else {
      ++i;
    }
  }
  return out;
}

/// The lines of a text, without line ends.
inline std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// The include directive of a line whose comments are blanked, if it is one.
inline std::optional<Include> include_of(std::string_view line, int number) {
  const auto skip = [&line](std::string_view what) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(what)) return false;
    line.remove_prefix(what.size());
    return true;
  };
  if (!skip("#") || !skip("include")) return std::nullopt;
  const bool angled = skip("<");
  if (!angled && !skip("\"")) return std::nullopt;
  return Include{number, std::string(line.substr(0, line.find(angled ? '>' : '"'))), angled};
}

/// Every include directive of a text, in order, without commented ones.
inline std::vector<Include> includes(std::string_view text) {
  std::vector<Include> out;
  int number = 0;
  for (const std::string& line : lines(blank(text, Blank::comments))) {
    if (const auto include = include_of(line, ++number)) out.push_back(*include);
  }
  return out;
}

/// The position of a violation, in the form that editors understand.
inline std::string at(const SourceFile& file, int line) {
  return "src/" + file.path + ":" + std::to_string(line) + ": ";
}

/// Every file below `root` that ends in one of `endings`, by path. Throws std::runtime_error if the root does not
/// exist: the tests run from the top of the repository.
inline std::vector<SourceFile> read_tree(const std::filesystem::path& root,
                                         std::initializer_list<const char*> endings) {
  if (!std::filesystem::is_directory(root)) {
    throw std::runtime_error(root.string() + " is not a directory; run from the top of the repository");
  }
  std::vector<SourceFile> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string path = entry.path().lexically_relative(root).generic_string();
    const auto fits = [&path](const char* ending) { return std::string_view(path).ends_with(ending); };
    if (!entry.is_regular_file() || std::none_of(endings.begin(), endings.end(), fits)) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + entry.path().string());
    out.push_back({path, std::string(std::istreambuf_iterator<char>(stream), {})});
  }
  std::sort(out.begin(), out.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return out;
}

/// The C++ files of src/.
inline std::vector<SourceFile> read_sources() {
  return read_tree("src", {".h", ".cpp"});
}

}  // namespace weir::source
