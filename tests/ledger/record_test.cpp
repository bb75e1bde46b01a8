// The record of verdicts, against the rows that they are of and the page that is made from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "reproduce/reproduction_report.h"
#include "reproduce/row.h"
#include "reproduce/verdict.h"

namespace weir {
namespace {

constexpr const char* kRecord = "reproduction/record";

std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Whoever changes a row, or what the page says of rows, has to write the page again.
TEST(Record, MakesThePage) {
  std::vector<RowStanding> rows;
  for (const auto& [id, path] : find_rows("reproduction")) rows.push_back(standing_of(load_row(path, id), kRecord));
  ASSERT_FALSE(rows.empty());
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const RowStanding& row) { return row.full.has_value(); }));
  EXPECT_EQ(reproduction_report(rows, "docs"), content("docs/reproduction.md"))
      << "weir reproduce with any row writes docs/reproduction.md";
}

/// What is recorded of a row that has changed or is gone is of no use, and stands in the way of whoever looks for it.
TEST(Record, IsOfRowsAsTheyAre) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRecord)) {
    if (!entry.is_regular_file()) continue;
    const auto verdict = read_verdict(content(entry.path()));
    ASSERT_TRUE(verdict.has_value()) << entry.path();
    EXPECT_EQ(verdict_path(kRecord, verdict->id, verdict->form), entry.path());
    const std::string file = "reproduction/" + verdict->id + ".toml";
    ASSERT_TRUE(std::filesystem::exists(file)) << entry.path() << ": there is no " << file;
    const Row row = load_row(file, verdict->id);
    EXPECT_EQ(verdict->row_digest, row.digest) << entry.path() << ": the row has changed; run it again";
    std::vector<std::string> asked;
    for (const RowExpression& criterion : row.criteria) asked.push_back(criterion.name);
    std::vector<std::string> judged;
    for (const CriterionVerdict& criterion : verdict->criteria) judged.push_back(criterion.name);
    EXPECT_EQ(judged, asked) << entry.path();
    EXPECT_EQ(state_of(verdict->criteria), verdict->state) << entry.path();
    EXPECT_THAT(verdict->runs, testing::IsEmpty()) << entry.path() << " is not in brief";
  }
}

}  // namespace
}  // namespace weir
