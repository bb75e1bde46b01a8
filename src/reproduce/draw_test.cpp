// SPDX-License-Identifier: Apache-2.0
#include "reproduce/draw.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/forms.h"
#include "reproduce/run_row.h"
#include "reproduce/test_row.h"

namespace weir::draw_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_row::changed;
using testing_row::kRow;
using testing_row::read;

constexpr const char* kPicture = R"row([[claim.picture]]
name = "what is [shown]"
x = "load"
y = "queue (KB)"

[[claim.picture.line]]
name = "queue"
value = '[1 KB, 2 KB, 4 KB]'
at = '[0.2, 0.5, 0.8]'

[[claim.picture.paper]]
value = '3000 B'

)row";

/// The small row with a picture.
std::string with_picture(const std::string& picture) {
  return changed("[topology]\n", picture + "[topology]\n");
}

RowResult run(const Row& row, RowForm form = RowForm::quick) {
  return run_row(row, form, row.setup(form), {});
}

std::vector<std::string> labels(const analysis::Chart& chart) {
  std::vector<std::string> out;
  for (const analysis::Curve& curve : chart.curves) out.push_back(curve.label);
  return out;
}

/// "x y, x y, ...", in readable form.
std::string points(const analysis::Curve& curve) {
  std::string out;
  for (const analysis::Point& point : curve.points) {
    out += (out.empty() ? "" : ", ") + fmt::format("{} {}", point.x, point.y);
  }
  return out;
}

TEST(Picture, IsRead) {
  const Row row = read(with_picture(kPicture));
  ASSERT_THAT(row.errors, IsEmpty());
  ASSERT_THAT(row.pictures, SizeIs(1));
  const Picture& picture = row.pictures[0];
  EXPECT_EQ(picture.name, "what is [shown]");
  EXPECT_EQ(picture.x.quantity.name, "load");
  EXPECT_EQ(picture.x.quantity.unit, "");
  EXPECT_EQ(picture.y.quantity.name, "queue");
  EXPECT_EQ(picture.y.quantity.unit, "KB");
  ASSERT_THAT(picture.lines, SizeIs(2));
  EXPECT_FALSE(picture.lines[0].paper);
  EXPECT_TRUE(picture.lines[1].paper);
  EXPECT_EQ(picture.lines[1].name, "the paper");
}

TEST(Picture, IsRefusedWhereItIsWrong) {
  const auto errors = [](const std::string& from, const std::string& to) {
    return read(with_picture(changed(from, to, kPicture))).errors;
  };
  EXPECT_THAT(errors("y = \"queue (KB)\"", "z = 1"),
              testing::UnorderedElementsAre(HasSubstr("y: is missing, expected a string: title of the axis"),
                                            AllOf(HasSubstr("r.toml:34:1: "), HasSubstr(".z: "))));
  EXPECT_THAT(errors("[0.2, 0.5, 0.8]", "[0.2, 0.5"),
              ElementsAre(AllOf(HasSubstr("r.toml:39:16: "), HasSubstr(".at: "))));
  EXPECT_THAT(errors("name = \"queue\"\n", ""), ElementsAre(HasSubstr("has no name, expected name")));
  EXPECT_THAT(errors("[[claim.picture.line]]", "[[claim.picture.lines]]"),
              testing::Contains(HasSubstr("has no line, expected [[claim.picture.line]] tables")));
}

// As in figures, errors in an expression are found without a run.
TEST(Picture, IsCheckedWithoutARun) {
  const auto errors = [](const std::string& from, const std::string& to) {
    const Row row = read(with_picture(changed(from, to, kPicture)));
    EXPECT_THAT(row.errors, IsEmpty());
    return check_row(row, RowForm::quick, row.quick);
  };
  EXPECT_THAT(errors("[1 KB, 2 KB, 4 KB]", "size_serie(name=\"a\")"),
              ElementsAre(AllOf(HasSubstr("r.toml:38:10: claim.picture.line.value: \"size_serie\" is neither"),
                                HasSubstr("did you mean \"size_series\"?"))));
  EXPECT_THAT(errors("[1 KB, 2 KB, 4 KB]", "[1, 2, 4]"),
              ElementsAre("r.toml:38:9: claim.picture.line.value: is a list, each a number, but y is \"queue (KB)\", "
                          "which shows a size"));
  EXPECT_THAT(errors("[0.2, 0.5, 0.8]", "0.2"),
              ElementsAre(HasSubstr("claim.picture.line.at: is a number, expected a list of numbers")));
  EXPECT_THAT(errors("at = '[0.2, 0.5, 0.8]'", "each = [\"loads\"]"),
              ElementsAre(AllOf(HasSubstr("r.toml:39:8: claim.picture.line.each: names \"loads\""),
                                HasSubstr("did you mean \"load\"?"))));
  EXPECT_THAT(
      errors("at = '[0.2, 0.5, 0.8]'", "each = [\"variant\", \"variant\", \"variant\", \"variant\", \"variant\"]"),
      ElementsAre("r.toml:39:8: claim.picture.line.each: results in more than 24 lines"));
  EXPECT_THAT(errors("x = \"load\"", "x = \"time (ms)\""),
              testing::Contains(HasSubstr("claim.picture.line.at: is a list, each a number, but x is \"time (ms)\"")));
  EXPECT_THAT(
      errors("3000 B", "\"a\""),
      ElementsAre("r.toml:42:9: claim.picture.paper.value: is a string, expected a list of numbers or a number"));
}

TEST(Picture, HasTheTimesOfASeries) {
  const std::string text = changed("at = '[0.2, 0.5, 0.8]'\n", "", kPicture);
  const auto errors = [&](const std::string& value) {
    const Row row =
        read(with_picture(changed("x = \"load\"", "x = \"time (ms)\"", changed("[1 KB, 2 KB, 4 KB]", value, text))));
    EXPECT_THAT(row.errors, IsEmpty());
    return check_row(row, RowForm::quick, row.quick);
  };
  EXPECT_THAT(errors("size_series(name=\"port.queued\", variant=\"pfc\")"), IsEmpty());
  EXPECT_THAT(errors("[1 KB]"),
              ElementsAre(HasSubstr("has no x coordinates, expected at: a list for x, \"time (ms)\"")));
}

TEST(Picture, IsNoPartOfWhatIsEvaluated) {
  EXPECT_EQ(read(with_picture(kPicture)).digest, read(kRow).digest);
}

TEST(Draw, ShowsListsAndLevels) {
  const RowResult result = run(read(with_picture(kPicture)));
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.failures, IsEmpty());
  ASSERT_THAT(result.pictures, SizeIs(1));
  const analysis::Chart& chart = result.pictures[0];
  EXPECT_EQ(chart.title, "what is [shown]");
  EXPECT_EQ(chart.note, "bfc/fig0, quick form.");
  ASSERT_THAT(labels(chart), ElementsAre("queue", "the paper"));
  EXPECT_EQ(points(chart.curves[0]), "0.2 1, 0.5 2, 0.8 4");
  EXPECT_TRUE(chart.curves[0].marked);
  EXPECT_EQ(points(chart.curves[1]), "0.2 3, 0.8 3");
  EXPECT_TRUE(chart.curves[1].dashed);
  EXPECT_FALSE(chart.curves[1].marked);
  EXPECT_THAT(analysis::to_svg(chart), AllOf(HasSubstr(">queue (KB)</text>"), HasSubstr("stroke-dasharray=\"6 4\""),
                                             HasSubstr(">the paper</text>"), HasSubstr("<circle ")));
}

TEST(Draw, HasALineForEachValue) {
  const std::string text = changed("at = '[0.2, 0.5, 0.8]'", "each = [\"variant\", \"load\"]", kPicture);
  const Row row = read(
      with_picture(changed("[1 KB, 2 KB, 4 KB]", "[p99_slowdown(size_below=1 MB) * 0 B + load * 1 KB, 2 KB]", text)));
  ASSERT_THAT(row.errors, IsEmpty());
  const RowResult result = run(row, RowForm::full);
  ASSERT_THAT(result.errors, IsEmpty());
  ASSERT_THAT(result.pictures, SizeIs(1));
  // The other variant uses a scheme that does not exist.
  const analysis::Chart& chart = result.pictures[0];
  ASSERT_THAT(labels(chart),
              ElementsAre("queue, pfc, load 0.2", "queue, pfc, load 0.5", "queue, pfc, load 0.8", "the paper"));
  EXPECT_EQ(points(chart.curves[0]), "0 0.2, 1 2");
  EXPECT_EQ(points(chart.curves[2]), "0 0.8, 1 2");
  EXPECT_EQ(chart.note,
            "bfc/fig0, full form. Missing: queue, new, load 0.2; queue, new, load 0.5; queue, new, load 0.8.");
  // It is not part of the verdict.
  EXPECT_EQ(result.verdict.state, run(read(kRow), RowForm::full).verdict.state);
}

TEST(Draw, ShowsNothingWhereOnlyThePaperSaysSomething) {
  const RowResult result =
      run(read(with_picture(changed("[1 KB, 2 KB, 4 KB]", "[occupancy_mean(variant=\"new\", load=0.5)]", kPicture))));
  ASSERT_THAT(result.pictures, SizeIs(1));
  EXPECT_THAT(result.pictures[0].curves, IsEmpty());
}

TEST(Draw, RefusesValuesAtMorePlacesThanThereAre) {
  const RowResult result = run(read(with_picture(changed("[0.2, 0.5, 0.8]", "[0.2]", kPicture))));
  EXPECT_THAT(result.failures, ElementsAre("picture \"what is [shown]\": queue: has 3 values for 1 x coordinates"));
}

TEST(Draw, KeepsTheExtremesOfLongLines) {
  // Up and down with the index, 0 to 999, with one value far above.
  const std::string peak =
      "[(sum([i, 0]) - 500) * (sum([i, 0]) - 500) * 1 B for a in [0, 100, 200, 300, 400, 500, 600, "
      "700, 800, 900], b in [0, 10, 20, 30, 40, 50, 60, 70, 80, 90], i in [a + b, a + b + 1, a + "
      "b + 2, a + b + 3, a + b + 4, a + b + 5, a + b + 6, a + b + 7, a + b + 8, a + b + 9]]";
  const std::string text = changed("at = '[0.2, 0.5, 0.8]'\n", "", changed("[1 KB, 2 KB, 4 KB]", peak, kPicture));
  const RowResult result = run(read(with_picture(text)));
  ASSERT_THAT(result.errors, IsEmpty());
  ASSERT_THAT(result.pictures, SizeIs(1));
  const analysis::Curve& curve = result.pictures[0].curves[0];
  ASSERT_THAT(curve.points, SizeIs(300));
  EXPECT_EQ(curve.points.front().x, 0);
  EXPECT_EQ(curve.points.front().y, 250);
  EXPECT_EQ(curve.points.back().x, 999);
  EXPECT_THAT(curve.points, testing::Contains(testing::Field(&analysis::Point::y, 0)));
  EXPECT_THAT(result.pictures[0].note,
              HasSubstr("Lines of more than 300 values show the minimum and maximum per part."));
  EXPECT_LT(analysis::to_svg(result.pictures[0]).size(), 30'000U);
}

TEST(Draw, NamesTheFileOfAPicture) {
  EXPECT_EQ(picture_name("rocc/fig9", 0), "rocc-fig9.svg");
  EXPECT_EQ(picture_name("rocc/fig9", 1), "rocc-fig9-2.svg");
}

}  // namespace
}  // namespace weir::draw_test
