// SPDX-License-Identifier: Apache-2.0
#include "reproduce/row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "reproduce/test_row.h"

namespace weir::row_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_row::changed;
using testing_row::kRow;
using testing_row::read;

TEST(Row, IsRead) {
  const Row row = read(kRow);
  ASSERT_THAT(row.errors, IsEmpty());
  EXPECT_EQ(row.id, "bfc/fig0");
  EXPECT_THAT(row.ids, ElementsAre("bfc/fig0", "bfc/fig00"));
  EXPECT_EQ(row.section, "6.9");
  ASSERT_THAT(row.criteria, SizeIs(2));
  EXPECT_EQ(row.criteria[0].paper, "twice");
  EXPECT_TRUE(row.criteria[1].full_only);
  ASSERT_THAT(row.figures, SizeIs(1));
  ASSERT_THAT(row.assumed, SizeIs(1));
  EXPECT_EQ(row.assumed[0].choice, "1 us");
  EXPECT_TRUE(row.assumed[0].alternative.has_value());
}

/// kRow with a first criterion that was amended twice, and one that was removed.
std::string amended() {
  return changed("paper = \"twice\"\n\nholds = 'p99_slowdown(variant=\"pfc\", load=0.5) >= 1'\n", R"row(paper = "twice"
quote = "It is slower."
holds = 'p99_slowdown(variant="pfc", load=0.5) >= 1'
former = [
  { holds = 'p99_slowdown(variant="pfc", load=0.5) >= 2', reason = "twice is a figure's" },
  { holds = 'p99_slowdown(variant="pfc", load=0.8) >= 3', reason = "there was no sentence", forms = "full" },
]

[[claim.former]]
name = "pauses"
paper = "none"
quote = "Nothing is paused."
holds = 'pauses_sent(variant="pfc", load=0.5) == 0'
reason = "a caption's"
)row");
}

TEST(Row, KeepsCriteriaAsTheyOnceWere) {
  const Row row = read(amended());
  ASSERT_THAT(row.errors, IsEmpty());
  ASSERT_THAT(row.criteria, SizeIs(2));
  EXPECT_EQ(row.criteria[0].quote, "It is slower.");
  EXPECT_EQ(row.criteria[1].quote, "");
  ASSERT_THAT(row.formers, SizeIs(3));
  EXPECT_EQ(row.formers[0].expression.name, "slowdown");
  EXPECT_EQ(row.formers[0].expression.text, "p99_slowdown(variant=\"pfc\", load=0.5) >= 2");
  EXPECT_EQ(row.formers[0].reason, "twice is a figure's");
  EXPECT_TRUE(row.formers[0].replaced);
  EXPECT_FALSE(row.formers[0].expression.full_only);
  EXPECT_TRUE(row.formers[1].expression.full_only);
  EXPECT_FALSE(row.formers[2].replaced);
  EXPECT_EQ(row.formers[2].expression.name, "pauses");
  EXPECT_EQ(row.formers[2].expression.quote, "Nothing is paused.");
}

/// A former criterion may be a single table; it applies to the same forms as its criterion.
TEST(Row, TakesOneFormerCriterionAsATable) {
  const std::string all_loads = "holds = 'for all load: flows(variant=\"pfc\") > 0'";
  const Row row =
      read(changed(all_loads, "quote = \"All.\"\n" + all_loads + "\nformer = { holds = \"1 > 2\", reason = \"no\" }"));
  ASSERT_THAT(row.errors, IsEmpty());
  ASSERT_THAT(row.formers, SizeIs(1));
  EXPECT_EQ(row.formers[0].expression.name, "all loads");
  EXPECT_TRUE(row.formers[0].expression.full_only);
}

TEST(Row, RefusesAChangeOfACriterionWithoutItsReasons) {
  const auto errors = [](const std::string& from, const std::string& to) {
    return read(changed(from, to, amended())).errors;
  };
  EXPECT_THAT(errors("quote = \"It is slower.\"\n", ""),
              ElementsAre(HasSubstr("r.toml:8:1: claim.criterion.slowdown: has a former criterion but no quote, "
                                    "expected the sentence of the paper that the criterion follows now")));
  EXPECT_THAT(errors(", reason = \"twice is a figure's\"", ""),
              ElementsAre(HasSubstr("claim.criterion.slowdown.former.0.reason: is missing, expected a string")));
  EXPECT_THAT(errors("reason = \"a caption's\"\n", ""),
              ElementsAre(HasSubstr("claim.former.pauses.reason: is missing, expected a string")));
  EXPECT_THAT(errors("quote = \"It is slower.\"", "qoute = \"It is slower.\""),
              testing::Contains(HasSubstr("claim.criterion.slowdown.qoute: unknown key")));
  EXPECT_THAT(errors("load=0.5) >= 2'", "load=0.5 >= 2'"),
              ElementsAre(HasSubstr("claim.criterion.slowdown.former.0.holds: ")));
  EXPECT_THAT(errors("load=0.5) == 0'", "load=0.5 == 0'"), ElementsAre(HasSubstr("claim.former.pauses.holds: ")));
}

TEST(Row, KnowsItsCauseAndOtherChoicesInWords) {
  const std::string cause = changed("section = \"6.9\"\n", "section = \"6.9\"\ncause = \"The links are slow.\"\n");
  const std::string alternative = "alternative = { topology.link.delay = \"2 us\" }\n";
  const Row row = read(changed(alternative, alternative + "other = \"2 us, a longer cable\"\ncounts = false\n", cause));
  ASSERT_THAT(row.errors, IsEmpty());
  EXPECT_EQ(row.cause, "The links are slow.");
  EXPECT_EQ(row.assumed[0].other_choice(), "2 us, a longer cable");
  EXPECT_FALSE(row.assumed[0].counts);
  const Row plain = read(kRow);
  EXPECT_EQ(plain.cause, "");
  EXPECT_EQ(plain.assumed[0].other_choice(), "{ topology = { link = { delay = \"2 us\" } } }");
  EXPECT_TRUE(plain.assumed[0].counts);
  // A text that is too long to read is shown with the assumption only.
  const std::string long_one =
      "{ topology.link.delay = \"2 us\", run.drain_limit = \"5 ms\", switch.buffer = \"2 MB\" }";
  EXPECT_EQ(read(changed("{ topology.link.delay = \"2 us\" }", long_one)).assumed[0].other_choice(),
            "another choice for the delay");
  EXPECT_THAT(
      read(changed(alternative, "other = \"2 us\"\n")).errors,
      ElementsAre(HasSubstr("claim.assumed.0.other: refers to an alternative, expected the key alternative as well")));
}

TEST(Row, HasTwoForms) {
  const Row row = read(kRow);
  EXPECT_THAT(row.full.variants, ElementsAre("pfc", "new"));
  ASSERT_THAT(row.full.sweeps, SizeIs(1));
  EXPECT_THAT(row.full.sweeps[0].values, SizeIs(3));
  EXPECT_THAT(row.full.seeds, ElementsAre(1, 2));
  EXPECT_TRUE(row.quick.exists);
  EXPECT_THAT(row.quick.sweeps[0].values, SizeIs(1));
  EXPECT_THAT(row.quick.seeds, ElementsAre(1));
  EXPECT_EQ(row.quick.differs, "one load and one seed");
  // Keys that do not belong to a scenario are removed; the claim's title is the scenario's.
  EXPECT_EQ(row.full.scenario.find("claim"), nullptr);
  EXPECT_EQ(row.full.scenario.find("sweep"), nullptr);
  EXPECT_EQ(*row.full.scenario.find("scenario")->value.text_at("title"), "A claim");
}

TEST(Row, HasADigestOfWhatIsEvaluated) {
  const std::string digest = read(kRow).digest;
  EXPECT_EQ(read(kRow).digest, digest);
  // Changes of descriptions, comments, spaces and alternatives leave a verdict valid.
  for (const auto& [from, to] :
       {std::pair{"title = \"A claim\"", "title = \"Another\""}, std::pair{"section = \"6.9\"", "section = \"7\""},
        std::pair{"paper = \"twice\"", "paper = \"2 times\""},
        std::pair{"choice = \"1 us\"", "choice = \"a microsecond\""},
        std::pair{"reason = \"It does not matter.\"", "reason = \"Ours.\""},
        std::pair{"value = \"the delay\"", "value = \"a delay\""},
        std::pair{"topology.link.delay = \"2 us\"", "topology.link.delay = \"3 us\""},
        std::pair{"section = \"6.9\"", "section = \"6.9\"\ncause = \"The links are slow.\""},
        std::pair{"paper = \"twice\"", "quote = \"It is slower.\""},
        std::pair{"differs = \"one load and one seed\"", "differs = \"one of each\""},
        std::pair{"[topology]\n", "\n# The network.\n[topology]\n\n"}}) {
    EXPECT_EQ(read(changed(from, to)).digest, digest) << to;
  }
  for (const auto& [from, to] :
       {std::pair{"load=0.5) >= 1", "load=0.5) >= 2"}, std::pair{"seeds = [1, 2]", "seeds = [1, 3]"},
        std::pair{"name = \"slowdown\"", "name = \"slow\""}, std::pair{"delay = \"1 us\"", "delay = \"3 us\""},
        std::pair{"buffer = \"1 MB\"", "buffer = \"2 MB\""}}) {
    EXPECT_NE(read(changed(from, to)).digest, digest) << to;
  }
  // For former criteria, what they require and not the reason of the amendment.
  const std::string once = read(amended()).digest;
  EXPECT_NE(once, digest);
  EXPECT_EQ(read(changed("twice is a figure's", "ours", amended())).digest, once);
  EXPECT_EQ(read(changed("a caption's", "ours", amended())).digest, once);
  EXPECT_EQ(read(changed("Nothing is paused.", "Nobody is paused.", amended())).digest, once);
  EXPECT_NE(read(changed("load=0.5) >= 2", "load=0.5) >= 4", amended())).digest, once);
  EXPECT_NE(read(changed("load=0.5) == 0", "load=0.5) == 1", amended())).digest, once);
}

TEST(Row, HasADigestOfTheFilesThatItNames) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weir_row_files";
  std::filesystem::create_directories(folder);
  const std::string text = changed("size = \"10 KB\"", "size = { file = \"sizes.txt\" }");
  const auto digest = [&](const std::string& sizes) {
    std::ofstream(folder / "sizes.txt") << sizes;
    return read_row(text, "r.toml", folder, "bfc/fig0").digest;
  };
  const std::string before = digest("1000 0\n2000 100\n");
  EXPECT_NE(digest("1000 0\n2001 100\n"), before);
  EXPECT_EQ(digest("1000 0\n2000 100\n"), before);
  std::filesystem::remove_all(folder);
}

TEST(Row, SaysWhereACriterionIsWrong) {
  EXPECT_THAT(read(changed("p99_slowdown(variant=\"pfc\", load=0.5) >= 1", "p99_slowdown(variant=\"pfc\" >= 1")).errors,
              ElementsAre("r.toml:12:41: claim.criterion.slowdown.holds: found the end, expected \")\""));
  // In a multi-line text.
  EXPECT_THAT(
      read(changed("'for all load: flows(variant=\"pfc\") > 0'", "'''\nfor all load:\n  1 >'''")).errors,
      ElementsAre(HasSubstr("r.toml:21:6: claim.criterion.\"all loads\".holds: found the end, expected a value")));
}

TEST(Row, RefusesTwoFiguresOfOneName) {
  const std::string figure = "[[claim.figure]]\nname = \"mean\"\nvalue = \"mean(fcts())\"\n\n";
  const std::string row = kRow;
  const std::size_t at = row.find("[topology]");
  EXPECT_THAT(read(row.substr(0, at) + figure + row.substr(at)).errors, testing::IsEmpty());
  EXPECT_THAT(read(row.substr(0, at) + figure + figure + row.substr(at)).errors,
              ElementsAre(HasSubstr("\"mean\" is already used in this row, expected a unique name")));
}

TEST(Row, RefusesWhatIsMissingOrUnknown) {
  EXPECT_THAT(read(changed("title = \"A claim\"\n", "")).errors,
              ElementsAre(HasSubstr("claim.title: is missing, expected a string: of the row")));
  EXPECT_THAT(read(changed("section =", "sections =")).errors, testing::Contains(HasSubstr("claim.sections")));
  EXPECT_THAT(read(changed("id = \"bfc/fig0\"", "id = \"bfc/fig1\"")).errors,
              ElementsAre(HasSubstr("claim.id: is \"bfc/fig1\", but the file is that of bfc/fig0")));
  EXPECT_THAT(read(changed("differs = \"one load and one seed\"\n", "")).errors,
              ElementsAre(HasSubstr("quick.differs: is missing")));
  EXPECT_THAT(read("[topology]\nkind = \"single_switch\"\n").errors,
              ElementsAre("r.toml:1:1: claim: is missing, expected a table [claim]"));
}

TEST(Row, LetsNoFormChangeWhatIsClaimed) {
  EXPECT_THAT(read(changed("claim.seeds = [1]", "claim.seeds = [1]\nclaim.title = \"Less\"")).errors,
              ElementsAre(HasSubstr("quick.claim.title: cannot change with the form, expected seeds only")));
}

TEST(Row, RefusesSweepsThatMakeNoSense) {
  EXPECT_THAT(read(changed("values = [0.2, 0.5, 0.8]", "values = []")).errors,
              testing::Contains(HasSubstr("values: is empty, expected a list of numbers or strings")));
  EXPECT_THAT(read(changed("values = [0.2, 0.5, 0.8]", "values = [0.5, 0.5]")).errors,
              ElementsAre(HasSubstr("contains 0.5 twice")));
  EXPECT_THAT(read(changed("name = \"load\"", "name = \"variant\"")).errors,
              testing::Contains(HasSubstr("cannot be named \"variant\"")));
  EXPECT_THAT(read(changed("set = { traffic.background.load = \"{load}\" }", "")).errors,
              testing::Contains(HasSubstr("changes nothing, expected key, set or at")));
  EXPECT_THAT(read(changed("seeds = [1, 2]", "seeds = [1, 1]")).errors,
              testing::Contains(HasSubstr("claim.seeds: is a list, expected a list of different integers")));
}

TEST(Row, TakesAWholeNumberForTheSeedsUpToIt) {
  const Row row = read(changed("seeds = [1, 2]", "seeds = 3", changed("claim.seeds = [1]", "claim.seeds = 1")));
  EXPECT_THAT(row.errors, IsEmpty());
  EXPECT_THAT(row.full.seeds, ElementsAre(1, 2, 3));
  EXPECT_THAT(row.quick.seeds, ElementsAre(1));
  EXPECT_THAT(read(changed("seeds = [1, 2]", "seeds = 100000")).full.seeds, SizeIs(100'000));
  for (const char* wrong : {"0", "-1", "100001", "2.0", "\"2\"", "[]", "[-1]"}) {
    EXPECT_THAT(read(changed("seeds = [1, 2]", std::string("seeds = ") + wrong)).errors,
                testing::Contains(HasSubstr("expected a list of different integers from 0, such as [1, 2, 3], or an "
                                            "integer N from 1 to 100000 for the seeds 1 to N")))
        << wrong;
  }
}

TEST(Row, RefusesAFileThatIsNone) {
  EXPECT_THAT(load_row("reproduction/bfc", "bfc").errors, ElementsAre(HasSubstr("is a directory")));
  EXPECT_THAT(load_row("reproduction/no/such.toml", "no/such").errors, ElementsAre(HasSubstr("no such file")));
}

}  // namespace
}  // namespace weir::row_test
