// SPDX-License-Identifier: Apache-2.0
// Required content of README.md.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace weir::readme_test {
namespace {

TEST(Readme, HasALinkToThePageOfEachScheme) {
  std::ifstream stream("README.md", std::ios::binary);
  const std::string readme(std::istreambuf_iterator<char>(stream), {});
  for (const auto& entry : std::filesystem::directory_iterator("src/schemes")) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    const std::string link = "](src/schemes/" + name + "/" + name + ".md)";
    EXPECT_NE(readme.find(link), std::string::npos) << "README.md has no link to the scheme's page, expected [...]"
                                                    << link.substr(1) << " in its table of schemes, behind its role";
  }
}

}  // namespace
}  // namespace weir::readme_test
