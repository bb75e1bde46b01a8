// SPDX-License-Identifier: Apache-2.0
// Every rule of a paper has an id, such as [BFC-Q-2], which appears in the scheme's page, in its code and in a test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "source_tree.h"

namespace weir::source::rule_ids_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

using Ids = std::set<std::string>;

/// The ids in a text. Their last part is a number, which excludes [A-Z] in a pattern and [kSize - 1] in code.
Ids rule_ids(const std::string& text) {
  static const std::regex id(R"(\[[A-Z][A-Z0-9]+(-[A-Z][A-Z0-9]*)*-[0-9]+[a-z]?\])");
  Ids out;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), id); it != std::sregex_iterator(); ++it) {
    out.insert(it->str());
  }
  return out;
}

/// The places where a scheme's folder cites its rules.
struct Scheme {
  bool has_page = false;
  Ids page;
  Ids code;
  Ids tests;
};

/// The schemes among the files of src/, by name. A scheme's page is src/schemes/<name>/<name>.md.
std::map<std::string, Scheme> schemes_of(const std::vector<SourceFile>& files) {
  static const std::regex place(R"(schemes/([^/]+)/(.+))");
  std::map<std::string, Scheme> out;
  for (const SourceFile& file : files) {
    std::smatch match;
    if (!std::regex_match(file.path, match, place)) continue;
    Scheme& scheme = out[match[1]];
    const bool page = match[2] == match[1].str() + ".md";
    if (!page && file.path.ends_with(".md")) continue;
    scheme.has_page = scheme.has_page || page;
    (page ? scheme.page : file.is_test() ? scheme.tests : scheme.code).merge(rule_ids(file.text));
  }
  return out;
}

std::vector<std::string> violations(const std::vector<SourceFile>& files) {
  std::vector<std::string> out;
  for (const auto& [name, scheme] : schemes_of(files)) {
    const std::string page = "src/schemes/" + name + "/" + name + ".md: ";
    if (!scheme.has_page) {
      out.push_back(page + "the scheme has no page");
      continue;
    }
    if (scheme.page.empty()) out.push_back(page + "the page names no rule");
    Ids all = scheme.page;
    all.insert(scheme.code.begin(), scheme.code.end());
    all.insert(scheme.tests.begin(), scheme.tests.end());
    for (const std::string& id : all) {
      if (!scheme.page.contains(id)) out.push_back(page + id + " is not on the page");
      if (!scheme.code.contains(id)) out.push_back(page + id + " stands beside no code");
      if (!scheme.tests.contains(id)) out.push_back(page + id + " stands in no test");
    }
  }
  return out;
}

TEST(RuleIds, StandOnThePageInTheCodeAndInATest) {
  EXPECT_THAT(violations(read_tree("src", {".h", ".cpp", ".md"})), IsEmpty());
}

TEST(RuleIds, AreFoundByTheirForm) {
  EXPECT_THAT(rule_ids("[BFC-Q-2], [PYRRHA-12] and [DT-3a]; not [A-Z], [0-9], v[N-1], [RULE]"),
              UnorderedElementsAre("[BFC-Q-2]", "[PYRRHA-12]", "[DT-3a]"));
}

TEST(RuleIds, PassWhenAllThreeAgree) {
  EXPECT_THAT(
      violations({{"schemes/x/x.h", "// [XX-1]"}, {"schemes/x/x_test.cpp", "// [XX-1]"}, {"schemes/x/x.md", "[XX-1]"}}),
      IsEmpty());
}

TEST(RuleIds, MustHaveCodeAndTest) {
  EXPECT_THAT(violations({{"schemes/x/x.h", "// [XX-1]"}, {"schemes/x/x.md", "[XX-1]"}}),
              ElementsAre(HasSubstr("[XX-1] stands in no test")));
  EXPECT_THAT(violations({{"schemes/x/x_test.cpp", "// [XX-1]"}, {"schemes/x/x.md", "[XX-1]"}}),
              ElementsAre(HasSubstr("[XX-1] stands beside no code")));
}

TEST(RuleIds, MustBeOnThePage) {
  EXPECT_THAT(violations({{"schemes/x/x.cpp", "[XX-1] [XX-2]"},
                          {"schemes/x/x_test.cpp", "[XX-1] [XX-2]"},
                          {"schemes/x/x.md", "[XX-1]"}}),
              ElementsAre(HasSubstr("[XX-2] is not on the page")));
}

TEST(RuleIds, AskForAPageThatNamesRules) {
  EXPECT_THAT(violations({{"schemes/x/x.cpp", ""}}), ElementsAre(HasSubstr("no page")));
  EXPECT_THAT(violations({{"schemes/x/x.md", "prose"}}), ElementsAre(HasSubstr("names no rule")));
}

TEST(RuleIds, AreLookedForInSchemesOnly) {
  EXPECT_THAT(violations({{"schemes/registry.cpp", "[XX-1]"}, {"wire/frame.h", "[XX-1]"}}), SizeIs(0));
}

}  // namespace
}  // namespace weir::source::rule_ids_test
