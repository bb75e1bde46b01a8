// SPDX-License-Identifier: Apache-2.0
#include "apps/processes.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace weir::apps {
namespace {

constexpr std::string_view kPrefix = "weirtb";
constexpr int kNotFound = 127;
constexpr int kBySignal = 128;

int status_of(int raw) {
  return WIFSIGNALED(raw) ? kBySignal + WTERMSIG(raw) : WEXITSTATUS(raw);
}

/// In the child: replaces the program. Only calls that are allowed after a fork.
[[noreturn]] void execute(char* const* arguments, int output, int diagnostics) {
  dup2(output, STDOUT_FILENO);
  dup2(diagnostics, STDERR_FILENO);
  execvp(arguments[0], arguments);
  _exit(kNotFound);
}

std::vector<char*> pointers_to(const Arguments& arguments) {
  std::vector<char*> out;
  for (const std::string& argument : arguments) out.push_back(const_cast<char*>(argument.c_str()));
  out.push_back(nullptr);
  return out;
}

int open_for_writing(const std::filesystem::path& path) {
  constexpr mode_t kMode = 0644;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (file < 0) throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(errno));
  return file;
}

/// What a program prints.
std::string output_of(const Arguments& arguments) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const std::vector<char*> pointers = pointers_to(arguments);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t child = fork();
  if (child == 0) execute(pointers.data(), ends[1], nowhere);
  close(ends[1]);
  if (nowhere >= 0) close(nowhere);
  std::string out;
  std::array<char, 4'096> part;
  while (true) {
    const ssize_t count = read(ends[0], part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    out.append(part.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (child > 0) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return out;
}

/// The names of all network namespaces.
std::vector<std::string> spaces() {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/run/netns", error)) {
    out.push_back(entry.path().filename().string());
  }
  return out;
}

}  // namespace

Process::Process(const Arguments& arguments, const std::filesystem::path& output,
                 const std::filesystem::path& diagnostics)
    : name_(arguments.front()) {
  const int to_output = open_for_writing(output);
  const int to_diagnostics = open_for_writing(diagnostics);
  const std::vector<char*> pointers = pointers_to(arguments);
  id_ = fork();
  if (id_ == 0) {
    setpgid(0, 0);
    execute(pointers.data(), to_output, to_diagnostics);
  }
  close(to_output);
  close(to_diagnostics);
  if (id_ < 0) throw std::runtime_error("cannot start " + name_ + ": " + std::strerror(errno));
}

Process::~Process() {
  if (id_ <= 0 || status_) return;
  kill(id_, SIGKILL);
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Process::signal(int number) const {
  if (id_ > 0 && !status_) kill(id_, number);
}

std::optional<int> Process::wait(std::chrono::milliseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  constexpr std::chrono::milliseconds kPeriod(10);
  while (!status_) {
    int raw = 0;
    const pid_t ended = waitpid(id_, &raw, WNOHANG);
    if (ended == id_) status_ = status_of(raw);
    if (status_ || std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(kPeriod);
  }
  return status_;
}

int run_quietly(const Arguments& arguments, std::string* diagnostics) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return kNotFound;
  const std::vector<char*> pointers = pointers_to(arguments);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t child = fork();
  if (child == 0) execute(pointers.data(), nowhere, ends[1]);
  close(ends[1]);
  if (nowhere >= 0) close(nowhere);
  std::string text;
  std::array<char, 1'024> part;
  while (true) {
    const ssize_t count = read(ends[0], part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (child < 0) return kNotFound;
  int raw = 0;
  while (waitpid(child, &raw, 0) < 0 && errno == EINTR) {
  }
  if (diagnostics != nullptr) *diagnostics = text;
  return status_of(raw);
}

bool is_installed(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string space_prefix(pid_t process) {
  return std::string(kPrefix) + std::to_string(process) + "-";
}

void remove_spaces(const std::string& prefix) {
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    bool left = false;
    for (const std::string& space : spaces()) {
      if (!space.starts_with(prefix)) continue;
      std::istringstream ids(output_of({"ip", "netns", "pids", space}));
      for (pid_t id = 0; ids >> id;) kill(id, SIGKILL);
      left |= run_quietly({"ip", "netns", "del", space}) != 0;
    }
    if (!left) return;
  }
}

std::vector<std::string> remove_abandoned_spaces() {
  std::set<std::string> prefixes;
  for (const std::string& space : spaces()) {
    const std::size_t end = space.find('-');
    if (!space.starts_with(kPrefix) || end == std::string::npos) continue;
    pid_t process = 0;
    const auto read = std::from_chars(space.data() + kPrefix.size(), space.data() + end, process);
    if (read.ec != std::errc() || read.ptr != space.data() + end || process <= 0) continue;
    if (kill(process, 0) == 0 || errno == EPERM) continue;
    prefixes.insert(space.substr(0, end + 1));
  }
  for (const std::string& prefix : prefixes) remove_spaces(prefix);
  return {prefixes.begin(), prefixes.end()};
}

Guardian::Guardian(std::string prefix) : prefix_(std::move(prefix)) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("cannot start a process");
  if (id_ == 0) {
    setsid();
    close(ends[1]);
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    std::signal(SIGHUP, SIG_IGN);
    char nothing = 0;
    while (true) {
      const ssize_t count = read(ends[0], &nothing, 1);
      if (count >= 0 || errno != EINTR) break;
    }
    remove_spaces(prefix_);
    _exit(0);
  }
  close(ends[0]);
  pipe_ = ends[1];
}

Guardian::~Guardian() {
  close(pipe_);
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace weir::apps
