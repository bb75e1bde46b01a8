// SPDX-License-Identifier: Apache-2.0
#include "results/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/test_files.h"

namespace weir {
namespace {

using ::testing::ElementsAre;

class Output : public FilesTest {};

TEST_F(Output, TakesTheNameOnlyWhenWhole) {
  {
    OutputFile file(directory_ / "a");
    file.write("one");
    EXPECT_EQ(file.commit(), std::nullopt);
  }
  EXPECT_EQ(read("a"), "one");
  {
    OutputFile file(directory_ / "a");
    file.write("two");
  }
  EXPECT_EQ(read("a"), "one");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(Output, TellsTheFirstError) {
  OutputFile file(directory_ / "none" / "a");
  file.write("one");
  EXPECT_EQ(file.commit(), (directory_ / "none" / "a").string() + ": No such file or directory");
}

TEST_F(Output, NoticesAFullDisk) {
  const std::filesystem::path full = "/dev/full";
  if (!std::filesystem::exists(full)) GTEST_SKIP() << "no /dev/full";
  std::filesystem::create_symlink(full, directory_ / "a.partial");
  OutputFile file(directory_ / "a");
  file.write("one");
  EXPECT_EQ(file.commit(), (directory_ / "a").string() + ": No space left on device");
}

}  // namespace
}  // namespace weir
