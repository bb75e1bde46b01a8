// SPDX-License-Identifier: Apache-2.0
#include "report/configuration.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace weir {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// The first position of `wanted` outside quotes.
std::size_t find_bare(std::string_view line, char wanted) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (quoted && line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && line[at] == wanted) {
      return at;
    }
  }
  return std::string_view::npos;
}

/// Numbers the tables of lists: "traffic" becomes "traffic[1]" while the second one is read.
class TablePath {
 public:
  void open(const std::string& head, bool in_list) {
    std::string written;
    std::string_view rest = head;
    for (;;) {
      const std::size_t dot = find_bare(rest, '.');
      written += (written.empty() ? "" : ".") + std::string(rest.substr(0, dot));
      if (dot == std::string_view::npos) break;
      if (const auto list = count_.find(written); list != count_.end()) written += number(list->second - 1);
      rest.remove_prefix(dot + 1);
    }
    path_ = written;
    if (in_list) path_ += number(count_[written]++);
  }
  [[nodiscard]] std::string of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

 private:
  static std::string number(std::size_t index) { return "[" + std::to_string(index) + "]"; }

  std::string path_;
  std::map<std::string, std::size_t> count_;  // number of tables so far, by the path of their list
};

}  // namespace

std::vector<ConfigurationKey> configuration_keys(std::string_view toml) {
  std::vector<ConfigurationKey> keys;
  TablePath table;
  while (!toml.empty()) {
    const std::size_t end = std::min(toml.find('\n'), toml.size());
    const std::string_view line = trimmed(toml.substr(0, end));
    toml.remove_prefix(std::min(end + 1, toml.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.size() > 4 && line.starts_with("[[") && line.ends_with("]]")) {
      table.open(std::string(line.substr(2, line.size() - 4)), true);
    } else if (line.size() > 2 && line.starts_with("[") && line.ends_with("]")) {
      table.open(std::string(line.substr(1, line.size() - 2)), false);
    } else if (const std::size_t equals = find_bare(line, '='); equals != std::string_view::npos) {
      keys.push_back({table.of(trimmed(line.substr(0, equals))), std::string(trimmed(line.substr(equals + 1)))});
    }
  }
  return keys;
}

std::string configuration_text(const std::vector<ConfigurationKey>& keys, std::string_view path) {
  const auto key = std::find_if(keys.begin(), keys.end(), [path](const auto& at) { return at.path == path; });
  if (key == keys.end()) return "";
  // A TOML basic string, as written by Weir, is a valid JSON string.
  const auto text = nlohmann::json::parse(key->value, nullptr, false);
  return text.is_string() ? text.get<std::string>() : "";
}

std::vector<ConfigurationDifference> configuration_differences(
    const std::vector<std::vector<ConfigurationKey>>& configurations) {
  std::vector<ConfigurationDifference> differences;
  std::map<std::string, std::size_t> row;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    for (const auto& [path, value] : configurations[i]) {
      const auto [at, is_new] = row.try_emplace(path, differences.size());
      if (is_new) differences.push_back({path, std::vector<std::string>(configurations.size())});
      differences[at->second].values[i] = value;
    }
  }
  // A key that occurs only in a later configuration is placed with the others of its table.
  std::map<std::string, std::size_t> first;
  const auto table_of = [](const std::string& path) { return path.substr(0, path.rfind('.') + 1); };
  for (const ConfigurationDifference& difference : differences)
    first.try_emplace(table_of(difference.path), first.size());
  std::stable_sort(differences.begin(), differences.end(), [&](const auto& a, const auto& b) {
    return first.at(table_of(a.path)) < first.at(table_of(b.path));
  });
  std::erase_if(differences, [](const ConfigurationDifference& difference) {
    return std::set(difference.values.begin(), difference.values.end()).size() == 1;
  });
  return differences;
}

}  // namespace weir
