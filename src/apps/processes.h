// SPDX-License-Identifier: Apache-2.0
// Processes that a testbed starts, and the network namespaces in which they run.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::apps {

using Arguments = std::vector<std::string>;

/// A program that runs in the background, in a process group of its own, so that Ctrl-C does not reach it.
class Process {
 public:
  /// Output and diagnostics go to files. Throws std::runtime_error if it cannot be started.
  Process(const Arguments& arguments, const std::filesystem::path& output, const std::filesystem::path& diagnostics);
  /// Kills it if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const;
  /// Its exit status (128 + N if signal N ended it) if it has ended; waits for at most this time.
  std::optional<int> wait(std::chrono::milliseconds most);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  pid_t id_ = -1;
  std::optional<int> status_;
};

/// Runs a program to its end, without output. Returns its exit status, 127 if it cannot be started; its diagnostics go
/// to `diagnostics` if that is not nullptr.
int run_quietly(const Arguments& arguments, std::string* diagnostics = nullptr);

/// Whether a program is in the PATH.
bool is_installed(std::string_view program);

/// The prefix of the namespaces of the testbed of a process, "weirtb1234-".
std::string space_prefix(pid_t process);
/// Ends all processes in the namespaces with this prefix, and deletes these. Interfaces in them vanish.
void remove_spaces(const std::string& prefix);
/// Removes what testbeds have left whose process no longer exists. Returns the prefixes.
std::vector<std::string> remove_abandoned_spaces();

/// Removes the namespaces with a prefix when this process ends, however it ends. It is a process of its own that
/// notices the end by a closed pipe; Ctrl-C does not reach it.
class Guardian {
 public:
  /// Throws std::runtime_error if it cannot be started.
  explicit Guardian(std::string prefix);
  /// Removes them now.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

 private:
  std::string prefix_;
  pid_t id_ = -1;
  int pipe_ = -1;
};

}  // namespace weir::apps
