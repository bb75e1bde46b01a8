// SPDX-License-Identifier: Apache-2.0
// All errors of a scenario, reported at once.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.h"

namespace weir {

/// One error.
struct Diagnostic {
  Origin origin;
  std::string key;         ///< with its path, "switch.buffer"; empty: the whole file
  std::string message;     ///< what is wrong and what was expected
  std::string suggestion;  ///< what may have been intended, or empty
  std::string variant;     ///< in which it was found
};

/// Collects the errors of one file, in any order.
class Diagnostics {
 public:
  /// `file` as named in messages.
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}

  void add(Origin origin, std::string key, std::string message, std::string suggestion = {});
  /// Starts a variant: the following errors belong to it.
  void begin_variant(std::string name);
  /// Ends the variants: the following errors belong to none.
  void end_variants() { current_.clear(); }

  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] std::size_t size() const { return found_.size(); }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// One line each: `file:line:column: key: message (did you mean "..."?)`, sorted by line and column; then errors of
  /// the command line: `--set x=y: key: message`. Errors of only some variants end with `[variant a, b]`. At most 100
  /// lines, followed by the number of omitted ones.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  std::string file_;
  std::vector<Diagnostic> found_;
  std::set<std::string> variants_;
  std::string current_;
};

/// The origin of a value: "scenario.toml:12", "scenario.toml:12 (variant pfc)", "--set a=b", "from the network: one
/// round-trip time" or "default".
std::string where(const Origin& origin, std::string_view file);

}  // namespace weir
