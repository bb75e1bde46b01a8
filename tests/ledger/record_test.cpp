// SPDX-License-Identifier: Apache-2.0
// The record of verdicts, compared with its rows and with the pages that are generated from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "reproduce/paper.h"
#include "reproduce/reproduction_report.h"
#include "reproduce/row.h"
#include "reproduce/verdict.h"

namespace weir::record_test {
namespace {

constexpr const char* kRecord = "reproduction/record";

std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<Row> all_rows() {
  std::vector<Row> out;
  for (const auto& [id, path] : find_rows("reproduction")) out.push_back(load_row(path, id));
  return out;
}

/// After a change of a row, or of the text that the pages contain, the pages must be written again.
TEST(Record, MakesThePages) {
  const std::vector<Row> all = all_rows();
  std::vector<RowStatus> rows;
  for (const Row& row : all) rows.push_back(status_of(row, kRecord));
  ASSERT_FALSE(rows.empty());
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const RowStatus& row) { return row.full.has_value(); }));
  const std::vector<Paper> papers = load_papers("reproduction", all);
  const std::vector<ReportPage> pages = report_pages(rows, papers, "docs/reproduction.md");
  EXPECT_EQ(pages.size(), papers.size() + 1);
  for (const ReportPage& page : pages) {
    EXPECT_EQ(page.text, content(page.path)) << "weir reproduce with any row writes " << page.path;
  }
}

TEST(Record, HasTheLeadsOfEachPaper) {
  const std::vector<Row> rows = all_rows();
  for (const Paper& paper : load_papers("reproduction", rows)) {
    EXPECT_THAT(paper.errors, testing::IsEmpty());
    EXPECT_THAT(check_paper(paper, rows), testing::IsEmpty());
    EXPECT_NE(paper.about, "") << paper.file;
  }
}

/// A record of a row that has changed or is gone is useless and misleading.
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
    std::vector<std::string> evaluated;
    for (const CriterionVerdict& criterion : verdict->criteria) evaluated.push_back(criterion.name);
    EXPECT_EQ(evaluated, asked) << entry.path();
    RowVerdict settled = *verdict;
    settle(settled, row);
    EXPECT_EQ(to_toml(settled), to_toml(*verdict)) << entry.path();
    EXPECT_THAT(verdict->runs, testing::IsEmpty()) << entry.path() << " is not in brief";
  }
}

}  // namespace
}  // namespace weir::record_test
