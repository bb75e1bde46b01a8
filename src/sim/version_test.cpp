// SPDX-License-Identifier: Apache-2.0
#include "sim/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace weir::version_test {
namespace {

/// The output of a shell command, without the final newline.
std::string printed(const char* command) {
  struct Close {
    void operator()(std::FILE* file) const { (void)pclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(popen(command, "r"));
  std::array<char, 256> line{};
  if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return {};
  std::string text = line.data();
  return text.substr(0, text.find('\n'));
}

TEST(Version, NamesTheCommitOfWhatIsBuilt) {
  const std::string version = kVersion;
  const std::string release = "[0-9]+\\.[0-9]+\\.[0-9]+";
  const std::string commit = printed("git log -1 --format=%H -- src cmake CMakeLists.txt 2>/dev/null");
  if (commit.empty()) {
    EXPECT_THAT(version, testing::MatchesRegex(release));
    return;
  }
  EXPECT_THAT(version, testing::MatchesRegex(release + "-" + commit.substr(0, 10) + "(-modified-[0-9a-f]+)?"));
}

}  // namespace
}  // namespace weir::version_test
