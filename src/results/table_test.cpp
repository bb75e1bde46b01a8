// SPDX-License-Identifier: Apache-2.0
#include "results/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "results/text.h"

namespace weir::table_test {
namespace {

Table example() {
  Table table({{"", "variant", "", Column::Align::left},
               {"victim slowdown", "avg", ""},
               {"victim slowdown", "p99", ""},
               {"held", "mean", "µs"},
               {"", "drops", "frames"}});
  table.add_row({"pfc", "4.10", "40.2", "3.25", "0"});
  table.add_row({"a longer name", "1.00", "1234", "-", "12"});
  return table;
}

TEST(Table, AlignsColumnsUnderTheirHeads) {
  EXPECT_EQ(example().format(0), R"(               victim slowdown  held
variant            avg     p99  mean   drops
                                  µs  frames
-------------  -------  ------  ----  ------
pfc               4.10    40.2  3.25       0
a longer name     1.00    1234     -      12
)");
}

TEST(Table, IsCutBetweenGroupsWhenTooWide) {
  EXPECT_EQ(example().format(40), R"(               victim slowdown  held
variant            avg     p99  mean
                                  µs
-------------  -------  ------  ----
pfc               4.10    40.2  3.25
a longer name     1.00    1234     -

variant         drops
               frames
-------------  ------
pfc                 0
a longer name      12
)");
}

TEST(Table, CutsAGroupThatIsTooWideItself) {
  Table table({{"", "n", "", Column::Align::left}, {"g", "abcdef", ""}, {"g", "ghijkl", ""}});
  table.add_row({"x", "1", "2"});
  EXPECT_EQ(table.format(12), R"(     g
n  abcdef
-  ------
x       1

     g
n  ghijkl
-  ------
x       2
)");
}

TEST(Table, FitsWhereItCan) {
  // A name and the group head beside it take 30 columns.
  for (std::size_t width = 30; width < 80; ++width) {
    std::istringstream lines(example().format(width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(Table, ShowsEveryCellHoweverNarrow) {
  const std::string text = example().format(1);
  for (const char* cell : {"4.10", "40.2", "3.25", "1.00", "1234", "12"}) {
    EXPECT_NE(text.find(cell), std::string::npos) << cell;
  }
}

TEST(Table, WithoutRowsIsItsHeads) {
  const Table table({{"", "a", "", Column::Align::left}, {"", "b", ""}});
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.format(0), "a  b\n-  -\n");
}

}  // namespace
}  // namespace weir::table_test
