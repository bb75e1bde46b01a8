// SPDX-License-Identifier: Apache-2.0
#include "config/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::diagnostics_test {
namespace {

using testing::ElementsAre;

Origin at(std::uint32_t line, std::uint32_t column) {
  return {Origin::Kind::file, line, column, {}, {}};
}

TEST(Diagnostics, AreSortedAndSaidOnce) {
  Diagnostics diagnostics("s.toml");
  diagnostics.add({Origin::Kind::command_line, 0, 0, {}, "--set a=1"}, "a", "is wrong");
  diagnostics.add(at(10, 2), "b", "is wrong");
  diagnostics.add(at(9, 7), "c.d", "is wrong", "right");
  diagnostics.add(at(9, 7), "c.d", "is wrong", "right");
  diagnostics.add(at(9, 3), "e", "is wrong");
  diagnostics.add(at(0, 0), "", "is not a file");
  EXPECT_THAT(diagnostics.lines(), ElementsAre("s.toml: is not a file", "s.toml:9:3: e: is wrong",
                                               "s.toml:9:7: c.d: is wrong (did you mean \"right\"?)",
                                               "s.toml:10:2: b: is wrong", "--set a=1: a: is wrong"));
}

TEST(Diagnostics, NameTheVariantsThatTheyAreOf) {
  Diagnostics diagnostics("s.toml");
  diagnostics.begin_variant("x");
  diagnostics.add(at(1, 1), "a", "is wrong");
  diagnostics.add(at(2, 1), "b", "is wrong");
  diagnostics.begin_variant("y");
  diagnostics.add(at(1, 1), "a", "is wrong");
  diagnostics.add({Origin::Kind::file, 3, 1, "y", {}}, "c", "is wrong");
  diagnostics.begin_variant("z");
  diagnostics.add(at(1, 1), "a", "is wrong");
  diagnostics.add(at(2, 1), "b", "is wrong");
  diagnostics.end_variants();
  diagnostics.add(at(4, 1), "d", "is wrong");
  EXPECT_THAT(diagnostics.lines(), ElementsAre("s.toml:1:1: a: is wrong", "s.toml:2:1: b: is wrong [variant x, z]",
                                               "s.toml:3:1: c: is wrong", "s.toml:4:1: d: is wrong"));
}

TEST(Diagnostics, OfOneKeyStandInTheOrderInWhichTheyWereFound) {
  Diagnostics diagnostics("s.toml");
  for (const char* message : {"flows.txt:2: is wrong", "flows.txt:10: is wrong", "and 7 more errors"}) {
    diagnostics.add(at(3, 1), "traffic.c", message);
  }
  diagnostics.add(at(2, 1), "b", "is wrong");
  EXPECT_THAT(diagnostics.lines(),
              ElementsAre("s.toml:2:1: b: is wrong", "s.toml:3:1: traffic.c: flows.txt:2: is wrong",
                          "s.toml:3:1: traffic.c: flows.txt:10: is wrong", "s.toml:3:1: traffic.c: and 7 more errors"));
}

TEST(Diagnostics, SayWhereAValueCameFrom) {
  EXPECT_EQ(where({}, "s.toml"), "default");
  EXPECT_EQ(where(at(3, 4), "s.toml"), "s.toml:3");
  EXPECT_EQ(where({Origin::Kind::file, 3, 4, "v", {}}, "s.toml"), "s.toml:3 (variant v)");
  EXPECT_EQ(where({Origin::Kind::command_line, 0, 0, {}, "--seed 1"}, "s.toml"), "--seed 1");
}

TEST(Diagnostics, EndSomewhere) {
  Diagnostics diagnostics("s.toml");
  for (std::uint32_t line = 1; line <= 250; ++line)
    diagnostics.add({Origin::Kind::file, line, 1, {}, {}}, "a", "is wrong");
  const std::vector<std::string> lines = diagnostics.lines();
  ASSERT_EQ(lines.size(), 101U);
  EXPECT_EQ(lines[99], "s.toml:100:1: a: is wrong");
  EXPECT_EQ(lines[100], "s.toml: and 150 more errors");
}

}  // namespace
}  // namespace weir::diagnostics_test
