// SPDX-License-Identifier: Apache-2.0
// A folder with a scenario, and the output of commands.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "apps/commands.h"

namespace weir::apps {

inline constexpr const char* kScenario = R"([scenario]
title = "Two hosts"
question = "Does it run?"

[topology]
kind = "single_switch"
hosts = 3
link = { rate = "100 Gbit/s", delay = "1 us" }

[switch]
flow_control = "pfc"

[[traffic]]
name = "pair"
kind = "flows"
flow = [{ source = "h0", destination = "h1", size = "10 KB" }]

[run]
stop = "1 ms"

[variants.a]
[variants.b]
switch.buffer = "6 MB"
)";

/// A folder with a scenario, removed after the test, and the output of a command.
class Commands : public testing::Test {
 protected:
  Commands() {
    std::filesystem::create_directories(folder_);
    write(kScenario);
  }
  ~Commands() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& text) { std::ofstream(file()) << text; }
  [[nodiscard]] std::string file() const { return (folder_ / "s.toml").string(); }
  [[nodiscard]] std::filesystem::path folder() const { return folder_; }

  template <class Command>
  int capture(Command command) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = command();
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return status;
  }
  [[nodiscard]] RunCommand run_command() const {
    RunCommand command;
    command.scenario.file = file();
    return command;
  }
  std::string out_;
  std::string err_;

 private:
  // Tests may run in parallel.
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("weir_commands_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream out;
  out << stream.rdbuf();
  return out.str();
}

}  // namespace weir::apps
