// SPDX-License-Identifier: Apache-2.0
#include "results/output_file.h"

#include <sys/stat.h>

#include <fstream>
#include <future>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/test_files.h"

namespace weir::output_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

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

TEST_F(Output, LeavesSymbolicLinksAndWritesWhereTheyLead) {
  std::filesystem::create_directory(directory_ / "folder");
  std::filesystem::create_symlink("folder/file", directory_ / "inner");
  std::filesystem::create_symlink("inner", directory_ / "link");
  for (const char* text : {"new", "old and new"}) {
    OutputFile file(directory_ / "link");
    file.write(text);
    EXPECT_EQ(file.commit(), std::nullopt);
    EXPECT_TRUE(std::filesystem::is_symlink(directory_ / "link"));
    EXPECT_TRUE(std::filesystem::is_symlink(directory_ / "inner"));
    EXPECT_TRUE(std::filesystem::is_regular_file(directory_ / "folder" / "file"));
    EXPECT_EQ(read("folder/file"), text);
  }
  EXPECT_THAT(names(), UnorderedElementsAre("folder", "inner", "link"));
}

TEST_F(Output, WritesToDevices) {
  OutputFile file("/dev/null");
  file.write("one");
  EXPECT_EQ(file.commit(), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_FALSE(std::filesystem::exists("/dev/null.partial"));
  std::filesystem::create_symlink("/dev/full", directory_ / "a");
  OutputFile full(directory_ / "a");
  full.write("one");
  EXPECT_EQ(full.commit(), (directory_ / "a").string() + ": No space left on device");
}

TEST_F(Output, WritesToPipes) {
  const std::filesystem::path pipe = directory_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::future<std::string> heard = std::async(std::launch::async, [&pipe] {
    std::ifstream stream(pipe);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  });
  {
    OutputFile file(pipe);
    file.write("through");
    EXPECT_EQ(file.commit(), std::nullopt);
  }
  EXPECT_EQ(heard.get(), "through");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_THAT(names(), ElementsAre("pipe"));
}

TEST_F(Output, RefusesFolders) {
  std::filesystem::create_directory(directory_ / "folder");
  OutputFile file(directory_ / "folder");
  file.write("one");
  EXPECT_EQ(file.commit(), (directory_ / "folder").string() + ": Is a directory");
}

}  // namespace
}  // namespace weir::output_file_test
