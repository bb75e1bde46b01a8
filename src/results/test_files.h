// SPDX-License-Identifier: Apache-2.0
// Files for tests.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace weir {

/// A separate directory for each test, removed afterwards.
class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    std::string pattern = std::filesystem::path(::testing::TempDir()) / "weir_results_XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  ~FilesTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  FilesTest(const FilesTest&) = delete;
  FilesTest& operator=(const FilesTest&) = delete;

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream stream(directory_ / name, std::ios::binary);
    EXPECT_TRUE(stream) << name;
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  [[nodiscard]] std::vector<std::string> names(const std::string& folder = ".") const {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / folder))
      result.push_back(entry.path().filename());
    return result;
  }

  std::filesystem::path directory_;
};

}  // namespace weir
