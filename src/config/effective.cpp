// SPDX-License-Identifier: Apache-2.0
#include "config/effective.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/diagnostics.h"

namespace weir {
namespace {

class Writer {
 public:
  Writer(Annotation annotation, std::string_view file) : annotated_(annotation == Annotation::origins), file_(file) {}

  void write(const EffectiveTable& table, const std::string& path) {
    // In TOML the plain values of a table precede its subtables.
    for (const EffectiveEntry& entry : table.entries) {
      if (entry.shape == EffectiveEntry::Shape::value) {
        write_value(entry);
      } else if (entry.shape == EffectiveEntry::Shape::tables && entry.tables.empty()) {
        line(fmt::format("{} = []", written_key(entry.key)), where(entry.origin, file_));
      }
    }
    for (const EffectiveEntry& entry : table.entries) {
      const std::string below = path.empty() ? written_key(entry.key) : path + "." + written_key(entry.key);
      const bool list = entry.shape == EffectiveEntry::Shape::tables;
      for (const auto& child : entry.tables) {
        out_ += fmt::format("{}{}{}{}\n", out_.empty() ? "" : "\n", list ? "[[" : "[", below, list ? "]]" : "]");
        write(*child, below);
      }
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void write_value(const EffectiveEntry& entry) {
    if (!entry.value.empty()) {
      line(fmt::format("{} = {}", written_key(entry.key), entry.value), where(entry.origin, file_));
    } else if (annotated_) {
      line(fmt::format("# {}", written_key(entry.key)), fmt::format("not set: {}", entry.meaning));
    }
  }
  void line(const std::string& text, const std::string& note) {
    constexpr std::size_t kNoteColumn = 44;
    out_ += annotated_ ? fmt::format("{:<{}}  # {}\n", text, kNoteColumn, note) : text + "\n";
  }

  bool annotated_;
  std::string_view file_;
  std::string out_;
};

}  // namespace

std::string to_toml(const EffectiveTable& root, Annotation annotation, std::string_view file) {
  Writer writer(annotation, file);
  writer.write(root, {});
  return writer.take();
}

}  // namespace weir
