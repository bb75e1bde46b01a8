// SPDX-License-Identifier: Apache-2.0
#include "source_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::source::source_tree_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Not;

TEST(Blank, CommentsKeepLinesAndColumns) {
  EXPECT_EQ(blank("a // b\nc /* d\ne */ f", Blank::comments), "a     \nc     \n     f");
}

TEST(Blank, LeavesLiteralsToTheOneWhoAsks) {
  EXPECT_EQ(blank("f(\"a // b\");", Blank::comments), "f(\"a // b\");");
  EXPECT_EQ(blank("f(\"a // b\");", Blank::comments_and_literals), "f(\"      \");");
}

TEST(Blank, KnowsEscapesRawStringsAndDigitSeparators) {
  EXPECT_EQ(blank(R"x(f("\"", '"', '\''); g)x", Blank::comments_and_literals), R"x(f("  ", ' ', '  '); g)x");
  EXPECT_EQ(blank("R\"y(a)\" b)y\" // c", Blank::comments_and_literals), "R\"         \"     ");
  EXPECT_EQ(blank("1'000 // x\n2'000", Blank::comments_and_literals), "1'000     \n2'000");
}

TEST(Includes, FindsNameLineAndForm) {
  const auto found = includes("#pragma once\n#include <array>\n  #  include \"wire/frame.h\"  // why\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "array");
  EXPECT_TRUE(found[0].angled);
  EXPECT_EQ(found[0].line, 2);
  EXPECT_EQ(found[1].name, "wire/frame.h");
  EXPECT_FALSE(found[1].angled);
  EXPECT_EQ(found[1].line, 3);
}

TEST(Includes, PassesOverWhatIsCommentedOut) {
  EXPECT_THAT(includes("// #include <array>\n/*\n#include <vector>\n*/\n"), IsEmpty());
}

TEST(ReadSources, SeesThisRepository) {
  EXPECT_THAT(read_sources(), Contains(Field(&SourceFile::path, "units/time.h")));
  EXPECT_THAT(read_sources(), Not(Contains(Field(&SourceFile::text, ""))));
}

TEST(ReadTree, RefusesAMissingRoot) {
  EXPECT_THROW(read_tree("src/no_such_folder", {".h"}), std::runtime_error);
}

TEST(SourceFile, KnowsItsFolderAndKind) {
  EXPECT_EQ((SourceFile{"schemes/x/x.h", ""}.folder()), "schemes");
  EXPECT_TRUE((SourceFile{"wire/frame_test.cpp", ""}.is_test()));
  EXPECT_TRUE((SourceFile{"wire/parse_fuzz.cpp", ""}.is_test()));
  EXPECT_FALSE((SourceFile{"wire/frame.cpp", ""}.is_test()));
}

TEST(Lines, AreWithoutTheirEnds) {
  EXPECT_THAT(lines("a\n\nb"), ElementsAre("a", "", "b"));
}

}  // namespace
}  // namespace weir::source::source_tree_test
