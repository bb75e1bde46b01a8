// SPDX-License-Identifier: Apache-2.0
#include "reproduce/reproduction_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/scalar.h"
#include "reproduce/row_section.h"
#include "reproduce/run_row.h"
#include "reproduce/test_row.h"

namespace weir::reproduction_report_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing_row::changed;
using testing_row::Folder;
using testing_row::kRow;
using testing_row::read;
using testing_row::run;

/// A verdict in which the first criterion has the given state and the second holds.
RowVerdict verdict_of(const Row& row, CriterionVerdict::State first, RowForm form = RowForm::full) {
  RowVerdict out;
  out.id = row.id;
  out.form = form;
  out.row_digest = row.digest;
  out.criteria = {{first, "slowdown", "", {"1.00 >= 2.00: not so"}},
                  {CriterionVerdict::State::holds, "all loads", "", {}}};
  settle(out, row);
  return out;
}

RowStatus status(Row row, CriterionVerdict::State first) {
  RowStatus out;
  out.full = verdict_of(row, first);
  out.row = std::move(row);
  return out;
}

/// Adds a result of the row's alternative, in which only that changes.
void try_choice(RowStatus& of) {
  of.full->assumptions = {{of.row.assumed[0].value,
                           written(*of.row.assumed[0].alternative),
                           "0.1.0",
                           "holds",
                           {"slowdown: holds"},
                           {"3.00 >= 2.00"}}};
  settle(*of.full, of.row);
}

Row row_called(const std::string& id) {
  return read_row(changed("bfc/fig0\"", id + "\"", changed("with = [\"bfc/fig00\"]\n", "")), "r.toml", ".", id);
}

std::vector<ReportPage> pages(const std::vector<RowStatus>& rows, const std::filesystem::path& path = "docs/r.md") {
  std::vector<Row> of;
  for (const RowStatus& row : rows) of.push_back(row.row);
  return report_pages(rows, load_papers("no/such/folder", of), path);
}

constexpr auto kFails = CriterionVerdict::State::does_not_hold;
constexpr auto kHolds = CriterionVerdict::State::holds;

TEST(Standing, SaysWhereARowStands) {
  const Folder folder;
  const Row row = read(kRow);
  EXPECT_EQ(status_of(row, folder.path()).state(), "not run");
  const RowStatus missing =
      status_of(read(changed("seeds = [1, 2]", "seeds = [1]\nneeds = [\"a switch\"]")), folder.path());
  EXPECT_EQ(missing.state(), "cannot run yet: a switch, no scheme \"no_such_scheme\"");
  EXPECT_EQ(missing.short_state(), "cannot run yet");
  EXPECT_EQ(missing.why(), "a switch, no scheme \"no_such_scheme\"");
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::quick).verdict), std::nullopt);
  const RowStatus quick = status_of(row, folder.path());
  EXPECT_EQ(quick.state(), "holds in part (no scheme \"no_such_scheme\"), quick form");
  EXPECT_EQ(quick.short_state(), "holds in part, quick form");
  EXPECT_EQ(quick.kind(), RowStatus::Kind::in_part);
  EXPECT_EQ(quick.why(), "(no scheme \"no_such_scheme\")");
}

TEST(Standing, SaysWhyARowDoesNotHold) {
  EXPECT_EQ(status(read(kRow), kHolds).why(), "");
  EXPECT_EQ(status(read(kRow), kFails).why(), "cause not known; what fails: slowdown");
  const Row caused = read(changed("section = \"6.9\"\n", "section = \"6.9\"\ncause = \"The links are slow.\"\n"));
  EXPECT_EQ(status(caused, kFails).why(), "The links are slow.");
  EXPECT_EQ(status(caused, kHolds).why(), "");
  RowStatus with = status(caused, kFails);
  try_choice(with);
  EXPECT_EQ(with.kind(), RowStatus::Kind::holds_with);
  EXPECT_EQ(with.why(), "{ topology = { link = { delay = \"2 us\" } } }");
  EXPECT_EQ(with.state(), "holds with: { topology = { link = { delay = \"2 us\" } } }");
  EXPECT_EQ(with.short_state(), "holds with");
}

TEST(Report, BeginsWithOneTableByPaper) {
  RowStatus with = status(row_called("spfc/fig1"), kFails);
  try_choice(with);
  const std::vector<ReportPage> all =
      pages({status(row_called("bfc/fig1"), kHolds), status(row_called("bfc/fig2"), kFails), with});
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].path, "docs/r.md");
  EXPECT_EQ(all[1].path, "docs/r/bfc.md");
  EXPECT_EQ(all[2].path, "docs/r/spfc.md");
  EXPECT_THAT(all[0].text, StartsWith("# Reproduction\n\nWeir repeats the experiments of 2 papers."));
  EXPECT_THAT(all[0].text, HasSubstr("Of 3 rows, 1 holds, 1 holds with another choice and 1 does not hold."));
  EXPECT_THAT(all[0].text, HasSubstr("\n| paper | holds | holds with | does not hold | cannot run yet |\n"
                                     "|---|--:|--:|--:|--:|\n"
                                     "| [bfc](r/bfc.md) | 1 | 0 | 1 | 0 |\n"
                                     "| [spfc](r/spfc.md) | 0 | 1 | 0 | 0 |\n"
                                     "| all | 1 | 1 | 1 | 0 |\n"));
  EXPECT_THAT(all[0].text, HasSubstr("| [bfc/fig2](r/bfc.md#fig2) | A claim | does not hold | cause not known; what "
                                     "fails: slowdown |\n"));
  EXPECT_THAT(all[0].text, HasSubstr("| [spfc/fig1](r/spfc.md#fig1) | A claim | holds with | { topology = { link = { "
                                     "delay = \"2 us\" } } } |\n"));
  EXPECT_THAT(all[1].text, AllOf(StartsWith("# Reproduction of bfc\n\nOf 2 rows, 1 holds and 1 does not hold. [All "
                                            "papers](../r.md)\n\n"),
                                 HasSubstr("<a id=\"fig2\"></a>\n\n## bfc/fig2: A claim\n"), Not(HasSubstr("spfc"))));
}

TEST(Report, HasColumnsForWhatIsSeldom) {
  const Folder folder;
  const Row row = read(kRow);
  EXPECT_THAT(pages({status_of(row, folder.path())})[0].text,
              HasSubstr("| paper | holds | holds with | does not hold | cannot run yet | not run |\n"));
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::quick).verdict), std::nullopt);
  EXPECT_THAT(pages({status_of(row, folder.path())})[0].text,
              AllOf(HasSubstr("| does not hold | in part | cannot run yet |\n"), HasSubstr("It holds *in part* if")));
}

TEST(Report, LinksEachRowToItsSection) {
  const Folder folder;
  const Row row = read(kRow);
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::full).verdict), std::nullopt);
  const std::vector<ReportPage> all = pages({status_of(row, folder.path())});
  EXPECT_THAT(all[0].text, HasSubstr("| [bfc/fig0](r/bfc.md#fig0), [bfc/fig00](r/bfc.md#fig00) | A claim | holds | (no "
                                     "scheme \"no_such_scheme\") |\n"));
  EXPECT_THAT(all[1].text, HasSubstr("<a id=\"fig0\"></a>\n<a id=\"fig00\"></a>\n\n## bfc/fig0, bfc/fig00: A claim\n"));
}

TEST(Report, TellsMeasuredBesideThePapers) {
  const Folder folder;
  const Row row = read(kRow);
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::full).verdict), std::nullopt);
  const std::string report = pages({status_of(row, folder.path())})[1].text;
  EXPECT_THAT(report, AllOf(HasSubstr("`p99_slowdown(variant=\"pfc\", load=0.5) >= 1` | twice | "),
                            HasSubstr("| **holds** |"), HasSubstr("| the delay | 1 us | It does not matter. | `{"),
                            HasSubstr("}`: not tried |"), HasSubstr("The quick form: one load and one seed")));
  EXPECT_THAT(report, Not(HasSubstr("\n\n\n")));
}

/// A former criterion is shown below the one that replaces it; former criteria without replacement come last.
TEST(Report, ShowsQuotesAndCriteriaAsTheyOnceWere) {
  const Row row = read(changed("paper = \"twice\"\n",
                               "paper = \"twice\"\nquote = \"It is slower.\"\nformer = { holds = '1 "
                               "> 2', reason = \"a figure's\" }\n") +
                       "\n[[claim.former]]\nname = \"gone\"\nholds = '2 > 3'\nreason = \"a caption's\"\n");
  ASSERT_THAT(row.errors, IsEmpty());
  RowStatus of = status(row, kHolds);
  const std::string before = row_section(of, {});
  EXPECT_THAT(before, HasSubstr("| twice: \"It is slower.\" | 1.00 >= 2.00: not so | **holds** |\n"
                                "| *before: slowdown*: `1 > 2` | Changed: a figure's |  |  |\n| all loads: "));
  of.full->formers = {{kFails, "slowdown", "", {"1.00 > 2.00: not so"}}, {kHolds, "gone", "", {"2.00 > 3.00"}}};
  const std::string after = row_section(of, {});
  EXPECT_THAT(after, HasSubstr("| *before: slowdown*: `1 > 2` | Changed: a figure's | 1.00 > 2.00: not so | does not "
                               "hold |\n| all loads: "));
  EXPECT_EQ(after.find("before: slowdown"), after.rfind("before: slowdown"));
  EXPECT_THAT(after,
              HasSubstr("| *no longer evaluated: gone*: `2 > 3` | Changed: a caption's | 2.00 > 3.00 | holds |\n"));
}

TEST(Report, TellsWhatCameOfAnotherChoice) {
  const Folder folder;
  const Row row = read(kRow);
  RunRowOptions options;
  options.choices = OtherChoices::all;
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::full).verdict), std::nullopt);
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::quick, options).verdict), std::nullopt);
  const auto section = [&](const Row& of) { return row_section(status_of(of, folder.path()), {}); };
  // Alternatives are usually evaluated in the quick form, and are then shown with the verdict of the full one.
  EXPECT_THAT(section(row), HasSubstr("delay = \"2 us\" } } }`: holds in part, quick form, no criterion changes |"));
  // An earlier result does not apply to an alternative that has changed since.
  const Row changed_choice = read(changed("topology.link.delay = \"2 us\"", "topology.link.delay = \"3 us\""));
  EXPECT_TRUE(status_of(changed_choice, folder.path()).quick.has_value());
  EXPECT_THAT(section(changed_choice), HasSubstr("delay = \"3 us\" } } }`: not tried |"));
  const std::string alternative = "alternative = { topology.link.delay = \"2 us\" }\n";
  EXPECT_THAT(
      section(read(changed(alternative, alternative + "other = \"a | b\"\ncounts = false\n"))),
      HasSubstr("| a \\| b (does not count for the verdict): holds in part, quick form, no criterion changes |"));
}

TEST(Report, SaysInARowsSectionWithWhichChoiceItHolds) {
  RowStatus of = status(read(kRow), kFails);
  try_choice(of);
  of.quick = verdict_of(of.row, kHolds, RowForm::quick);
  const std::string section = row_section(of, {});
  EXPECT_THAT(section,
              HasSubstr("Section 6.9 of the paper. Verdict: **holds with**: { topology = { link = { delay = \"2 "
                        "us\" } } }. The quick form holds.\n"));
  EXPECT_THAT(section, HasSubstr("}`: holds; slowdown: holds (3.00 >= 2.00) |"));
}

/// Up to three pictures, each with the result of its row.
TEST(Report, BeginsAPapersPageWithItsLeads) {
  const Folder folder;
  const std::string picture =
      "[[claim.picture]]\nname = \"what is [shown]\"\nx = \"x\"\ny = \"y\"\n[[claim.picture.line]]\nname = "
      "\"l\"\nvalue = "
      "'[1, 2]'\n\n";
  Row row = read(changed("[topology]\n", picture + picture + "[topology]\n"));
  ASSERT_THAT(row.errors, IsEmpty());
  const std::vector<RowStatus> rows = {status(row, kFails)};
  const Paper paper = read_paper(
      "title = \"BFC\"\npaper = \"Backpressure\"\nabout = \"It pauses queues.\"\n[[lead]]\nrow = \"bfc/fig0\"\npicture "
      "= "
      "2\n",
      "bfc.toml", "bfc");
  ASSERT_THAT(paper.errors, IsEmpty());
  EXPECT_THAT(check_paper(paper, {row}), IsEmpty());
  const auto page = [&] { return report_pages(rows, {paper}, folder.path() / "r.md")[1].text; };
  const std::string begin =
      "# Reproduction of BFC\n\n*Backpressure*\n\nIt pauses queues.\n\nOf 1 row, 1 does not hold. "
      "[All papers](../r.md)\n\n";
  EXPECT_THAT(page(), StartsWith(begin + "<a id=\"fig0\">"));
  std::filesystem::create_directories(folder.path() / "pictures");
  std::ofstream(folder.path() / "pictures" / "bfc-fig0-2.svg") << "<svg/>";
  const std::string image = "![what is \\[shown\\]](../pictures/bfc-fig0-2.svg)\n\n";
  EXPECT_THAT(page(),
              StartsWith(begin + image +
                         "[bfc/fig0](#fig0): A claim. **does not hold**: cause not known; what fails: slowdown.\n\n"));
  EXPECT_THAT(page(), HasSubstr("fails: slowdown.\n\n" + image + "| criterion |"));
}

TEST(Report, IsTheSameEveryTime) {
  const Folder folder;
  const std::vector<RowStatus> rows = {status_of(read(kRow), folder.path())};
  const std::vector<ReportPage> once = pages(rows);
  const std::vector<ReportPage> again = pages({status_of(read(kRow), folder.path())});
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].text, again[i].text);
}

TEST(Paper, SaysWhatIsWrong) {
  const auto errors = [](const std::string& text) { return read_paper(text, "bfc.toml", "bfc").errors; };
  EXPECT_THAT(errors("paper = \"x\"\n"), testing::ElementsAre(HasSubstr("title: is missing")));
  EXPECT_THAT(errors("title = \"BFC\"\n[[lead]]\nrow = \"spfc/fig1\"\n"),
              testing::ElementsAre(HasSubstr("is of \"spfc/fig1\", expected a row of bfc")));
  EXPECT_THAT(errors("title = \"BFC\"\n[[lead]]\nrow = \"bfc/fig1\"\npicture = 0\n"),
              testing::ElementsAre(HasSubstr("lead.0.picture: is 0, expected at least 1")));
  const std::string lead = "[[lead]]\nrow = \"bfc/fig1\"\n";
  EXPECT_THAT(errors("title = \"BFC\"\n" + lead + lead + lead), IsEmpty());
  EXPECT_THAT(errors("title = \"BFC\"\n" + lead + lead + lead + lead),
              testing::ElementsAre(HasSubstr("has 4 leads, expected at most 3")));
  EXPECT_THAT(errors("titel = \"BFC\"\n"), testing::Contains(HasSubstr("titel: unknown key")));
  EXPECT_THAT(errors("title = "), SizeIs(1));
}

TEST(Paper, NamesLeadsThatAreNotThere) {
  const auto wrong = [](const std::string& lead) {
    return check_paper(read_paper("title = \"BFC\"\n[[lead]]\n" + lead, "bfc.toml", "bfc"), {read(kRow)});
  };
  EXPECT_THAT(wrong("row = \"bfc/fig9\"\n"),
              testing::ElementsAre("bfc.toml: lead: unknown row \"bfc/fig9\" (did you mean \"bfc/fig0\"?)"));
  EXPECT_THAT(wrong("row = \"bfc/fig0\"\n"),
              testing::ElementsAre("bfc.toml: lead: bfc/fig0 has 0 pictures, not a picture 1"));
}

}  // namespace
}  // namespace weir::reproduction_report_test
