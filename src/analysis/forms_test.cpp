// SPDX-License-Identifier: Apache-2.0
#include "analysis/forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace weir::analysis::forms_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr double kNone = std::numeric_limits<double>::infinity();

NumberTable squares(int count) {
  NumberTable table = {"squares", "Squares", {{"n"}, {"its square", "m/s"}}};
  for (int n = 1; n <= count; ++n) table.rows.push_back({n + 0.0, n * n + 0.0});
  return table;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(AnalysisForms, ATableHasItsTitleAndUnits) {
  EXPECT_EQ(to_text(squares(2), 0),
            "Squares\n\n"
            "n  its square\n"
            "          m/s\n"
            "-  ----------\n"
            "1           1\n"
            "2           4\n");
}

TEST(AnalysisForms, ALongTableShowsItsEnds) {
  const std::string text = to_text(squares(100), 0, 4);
  EXPECT_THAT(text, HasSubstr("Squares (4 of 100 rows)\n"));
  EXPECT_THAT(text, HasSubstr("  2           4\n...         ...\n 99        9801\n100       10000\n"));
  EXPECT_THAT(to_text(squares(4), 0, 4), Not(HasSubstr("...")));
}

TEST(AnalysisForms, CsvHasAllDigitsAndEmptyFieldsForNone) {
  NumberTable table = squares(1);
  table.rows.push_back({0.1, kNone});
  EXPECT_EQ(to_csv(table), "n,its_square_m_s\n1,1\n0.1,\n");
}

TEST(AnalysisForms, AChartDrawsEachCurveAndLevel) {
  const Chart chart = {"c", "a < b", {{"x"}}, {{"y", "s"}}, {{"one", {{0, 0}, {1, 10}}}, {"two", {{0, 5}, {1, 5}}}},
                       {2}};
  const std::string svg = to_svg(chart);
  EXPECT_THAT(svg, HasSubstr(">a &lt; b</text>"));
  EXPECT_THAT(svg, HasSubstr(">y (s)</text>"));
  EXPECT_THAT(svg, HasSubstr(">one</text>"));
  // From the lower left corner of the axes to the upper right corner.
  EXPECT_THAT(svg, HasSubstr(R"(d="M70.0 350.0L470.0 40.0")"));
  EXPECT_EQ(occurrences(svg, "stroke-dasharray"), 1u);
}

TEST(AnalysisForms, AChartBreaksWhereThereIsNone) {
  const Chart chart = {"c", "", {{"x"}}, {{"y"}}, {{"one", {{0, 0}, {1, kNone}, {2, 1}, {3, 2}}}}};
  EXPECT_THAT(to_svg(chart), HasSubstr("M70.0 350.0M"));
}

TEST(AnalysisForms, AChartHasRoomForItsTexts) {
  Chart chart = {"c", "", {{"x"}}, {{"y"}}, {{"one", {{0, 0}, {1, 1}}}}};
  EXPECT_THAT(to_svg(chart), HasSubstr(R"(width="640" height="400")"));
  chart.curves[0].label = std::string(40, 'm');
  chart.note = "below";
  EXPECT_THAT(to_svg(chart), AllOf(HasSubstr(R"(width="791" height="420")"), HasSubstr(">below</text>")));
}

TEST(AnalysisForms, ALineIsDashedOrHasDots) {
  Chart chart = {"c", "", {{"x"}}, {{"y"}}, {{"one", {{0, 0}, {1, 1}}}}};
  EXPECT_THAT(to_svg(chart), AllOf(Not(HasSubstr("dasharray")), Not(HasSubstr("circle"))));
  chart.curves[0].dashed = true;
  chart.curves[0].marked = true;
  // In the chart and in the legend.
  EXPECT_EQ(occurrences(to_svg(chart), "stroke-dasharray"), 2u);
  EXPECT_THAT(to_svg(chart), HasSubstr(R"(<circle cx="470.0" cy="40.0")"));
}

TEST(AnalysisForms, ALogarithmicAxisHasPowersOfTen) {
  const Chart chart = {"c", "", {{"x"}, Scale::logarithmic}, {{"y"}}, {{"one", {{0, 1}, {2, 1}, {50, 2}}}}};
  const std::string svg = to_svg(chart);
  EXPECT_THAT(svg, HasSubstr(R"(<text x="270.0" y="366.0" text-anchor="middle">10</text>)"));
  EXPECT_THAT(svg, HasSubstr(">100</text>"));
}

TEST(AnalysisForms, AnEmptyChartIsAChart) {
  EXPECT_THAT(to_svg({"c", "", {{"x"}, Scale::logarithmic}, {{"y"}}}), Not(HasSubstr("nan")));
  EXPECT_THAT(to_svg({"c", "", {{"x"}}, {{"y"}}, {{"one", {{1, 1}}}}}), Not(HasSubstr("nan")));
}

TEST(AnalysisForms, FilesAreNamedAfterTablesAndCharts) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "weir_analysis_files";
  std::filesystem::remove_all(folder);
  const Findings findings = {{squares(1)}, {{"c", "", {{"x"}}, {{"y"}}}}};
  EXPECT_THAT(write_files(findings, folder), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(folder / "squares.csv"));
  EXPECT_TRUE(std::filesystem::exists(folder / "c.svg"));
  const auto blocked = folder / "squares.csv" / "below";
  EXPECT_THAT(write_files(findings, blocked), ElementsAre(HasSubstr(blocked.string() + ": ")));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace weir::analysis::forms_test
