// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "pictures/expression_reference.h"
#include "pictures/picture_reference.h"

namespace weir::reference_test {
namespace {

using testing::HasSubstr;

TEST(Reference, PageIsTheOneInDocs) {
  const std::ifstream file("docs/scenario_reference.md");
  ASSERT_TRUE(file.good()) << "run the test in the project's folder";
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), reference_page(language_reference()) + expressions_page()) << "write it anew: make reference";
}

TEST(Reference, HasTheKeysOfPicturesBehindThoseOfSweeps) {
  const std::vector<ReferenceTable> tables = language_reference();
  std::size_t at = 0;
  while (at < tables.size() && tables[at].name != "picture") ++at;
  ASSERT_LT(at, tables.size());
  ASSERT_GT(at, 0u);
  EXPECT_EQ(tables[at - 1].name, "sweep");
  const std::string text = reference_text(tables[at]);
  EXPECT_THAT(text, testing::StartsWith("[[picture]]: "));
  EXPECT_THAT(text,
              testing::AllOf(HasSubstr("\n  name  (required)\n"), HasSubstr("\n  x  (required)\n"),
                             HasSubstr("\n  y_scale = \"linear\"\n"), HasSubstr("\nline[]: "), HasSubstr("\n  over = "),
                             HasSubstr("\n  value  (required)\n"), HasSubstr("\n  at  (no default)\n")));
  // Of the rows of the ledger alone.
  EXPECT_THAT(text, testing::AllOf(testing::Not(HasSubstr("forms")), testing::Not(HasSubstr("paper"))));
}

}  // namespace
}  // namespace weir::reference_test
