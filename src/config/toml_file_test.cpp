// SPDX-License-Identifier: Apache-2.0
#include "config/toml_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace weir::toml_file_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A file that is removed after the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name) : path_(std::filesystem::path(testing::TempDir()) / name) {}
  TemporaryFile(const std::string& name, const std::string& content) : TemporaryFile(name) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::vector<std::string> load_errors(const std::string& path) {
  Diagnostics diagnostics("s.toml");
  EXPECT_FALSE(load_toml(path, diagnostics).has_value());
  return diagnostics.lines();
}

TEST(TomlFile, KeepsThePlaceOfKeysAndValues) {
  Diagnostics diagnostics("s.toml");
  const auto root = parse_toml("b = 1\n\n[a]\n  x = [true, 2.5, \"t\"]\n", diagnostics);
  ASSERT_TRUE(root);
  ASSERT_EQ(root->table()->size(), 2U);
  EXPECT_EQ(root->table()->front().key, "b");  // in the order of the file
  const Value::Member* x = root->find("a")->value.find("x");
  EXPECT_EQ(x->origin.line, 4U);
  EXPECT_EQ(x->origin.column, 3U);
  const Value::List& list = *x->value.list();
  EXPECT_EQ(list[1].origin.column, 14U);
  EXPECT_EQ(std::get<bool>(list[0].data), true);
  EXPECT_EQ(std::get<double>(list[1].data), 2.5);
  EXPECT_EQ(*list[2].text(), "t");
}

TEST(TomlFile, SaysWhereTheSyntaxIsWrong) {
  Diagnostics diagnostics("s.toml");
  EXPECT_FALSE(parse_toml("a = 1\nb = = 2\n", diagnostics));
  EXPECT_THAT(
      diagnostics.lines(),
      ElementsAre(testing::AllOf(HasSubstr("s.toml:2:5: "), testing::EndsWith("; the rest of the file was not read"))));
  Diagnostics twice("s.toml");
  EXPECT_FALSE(parse_toml("a = 1\na = 2\n", twice));
  EXPECT_THAT(twice.lines(), ElementsAre(HasSubstr("s.toml:2:")));
}

TEST(TomlFile, RefusesWhatIsNoScenario) {
  EXPECT_THAT(load_errors("/nowhere/s.toml"), ElementsAre("s.toml: no such file"));
  EXPECT_THAT(load_errors(testing::TempDir()), ElementsAre("s.toml: is a directory, expected a scenario file (TOML)"));
  const TemporaryFile empty("empty.toml", "\n  \n");
  EXPECT_THAT(load_errors(empty.path()), ElementsAre("s.toml: is empty, expected a scenario (TOML)"));
  const TemporaryFile binary("binary.toml", std::string("a = 1\n\0\0", 8));
  EXPECT_THAT(load_errors(binary.path()), ElementsAre("s.toml: is not text, expected a scenario file (TOML)"));
  const TemporaryFile latin("latin.toml", "a = \"\xE4\"\n");  // not UTF-8
  EXPECT_THAT(load_errors(latin.path()), ElementsAre(HasSubstr("s.toml:1:")));
}

TEST(TomlFile, RefusesAHugeFileWithoutReadingItAll) {
  const TemporaryFile huge("huge.toml", "a = 1\n");
  std::filesystem::resize_file(huge.path(), 100'000'000);
  EXPECT_THAT(load_errors(huge.path()), ElementsAre("s.toml: is larger than 4 MiB, expected a scenario; put long lists "
                                                    "of flows, sizes or links into separate files (kind = \"file\")"));
}

TEST(TomlFile, ReadsAssignments) {
  Diagnostics diagnostics("s.toml");
  const auto typed = parse_assignment("run.seed = 3", diagnostics);
  ASSERT_TRUE(typed);
  EXPECT_EQ(std::get<std::int64_t>(typed->find("run")->value.find("seed")->value.data), 3);
  const auto bare = parse_assignment("switch.buffer=12 MB", diagnostics);
  ASSERT_TRUE(bare);
  EXPECT_EQ(*bare->find("switch")->value.text_at("buffer"), "12 MB");
  EXPECT_EQ(bare->find("switch")->value.find("buffer")->value.origin.command, "--set switch.buffer=12 MB");
  const auto nested = parse_assignment("traffic.0.size={ packets = [1, 2] }", diagnostics);
  ASSERT_TRUE(nested);
  EXPECT_NE(nested->find("traffic")->value.find("0")->value.find("size")->value.find("packets"), nullptr);
  EXPECT_TRUE(diagnostics.empty());
}

TEST(TomlFile, RefusesWhatIsNoAssignment) {
  Diagnostics diagnostics("s.toml");
  EXPECT_FALSE(parse_assignment("switch.buffer", diagnostics));
  EXPECT_FALSE(parse_assignment("=3", diagnostics));
  EXPECT_FALSE(parse_assignment("a..b=3", diagnostics));
  EXPECT_THAT(diagnostics.lines(),
              ElementsAre("--set =3: is not an assignment, expected key=value, such as switch.buffer=\"12 MB\"",
                          HasSubstr("--set a..b=3: "),
                          "--set switch.buffer: is not an assignment, expected key=value, such as "
                          "switch.buffer=\"12 MB\""));
}

}  // namespace
}  // namespace weir::toml_file_test
