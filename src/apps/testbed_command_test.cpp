// SPDX-License-Identifier: Apache-2.0
#include "apps/testbed_command.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "apps/test_commands.h"

namespace weir::apps::testbed_command_test {
namespace {

using ::testing::HasSubstr;

class TestbedFiles : public Commands {
 protected:
  int check(const std::string& file) {
    return capture([&] { return testbed_command({.file = file, .out = {}, .check = true, .print_scenario = false}); });
  }
};

TEST_F(TestbedFiles, TheExamplesAreGood) {
  for (const auto& entry : std::filesystem::directory_iterator("examples/testbed")) {
    EXPECT_EQ(check(entry.path().string()), kDone) << err_;
  }
}

TEST_F(TestbedFiles, ErrorsInPicturesAreFoundBeforeTheStart) {
  const std::string text = content("examples/testbed/rocc_fig13_alike.toml");
  write(text +
        "\n[[picture]]\nname = \"q\"\nx = \"t (s)\"\ny = \"q (KB)\"\n[[picture.line]]\nname = \"l\"\n"
        "value = 'no_such_measure()'\n");
  EXPECT_EQ(check(file()), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("no_such_measure"));
}

}  // namespace
}  // namespace weir::apps::testbed_command_test
