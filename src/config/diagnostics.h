// SPDX-License-Identifier: Apache-2.0
// All that is wrong with a scenario, shown at once.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.h"

namespace weir {

/// One thing that is wrong.
struct Diagnostic {
  Origin origin;
  std::string key;         ///< with its path, "switch.buffer"; empty: the file as a whole
  std::string message;     ///< what is wrong, what was expected
  std::string suggestion;  ///< what may have been meant, or empty
  std::string variant;     ///< in whose reading it was found
};

/// Collects what is wrong with one file, in whatever order it is found.
class Diagnostics {
 public:
  /// `file` as messages name it.
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}

  void add(Origin origin, std::string key, std::string message, std::string suggestion = {});
  /// From now on a variant is read: what is found is found in it.
  void begin_variant(std::string name);
  /// From now on what is found is of no variant.
  void end_variants() { current_.clear(); }

  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] std::size_t size() const { return found_.size(); }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// One line each: `file:line:column: key: message (did you mean "..."?)`, by line and column; then what the command
  /// line got wrong: `--set x=y: key: message`. What holds for some variants only ends in `[variant a, b]`. At most
  /// 100, and how many more there are.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  std::string file_;
  std::vector<Diagnostic> found_;
  std::set<std::string> variants_;
  std::string current_;
};

/// "scenario.toml:12", "scenario.toml:12 (variant pfc)", "--set a=b", "from the network: one round-trip time" or
/// "default": where a value came from.
std::string where(const Origin& origin, std::string_view file);

}  // namespace weir
