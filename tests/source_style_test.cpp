// Rules of the house that no compiler or formatter checks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "source_tree.h"

namespace weir::source {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A pattern that must not stand in a line, and why.
struct Rule {
  std::regex pattern;
  const char* why;
};

/// Folders whose values become part of a run's digest, which is the same bit for bit with any compiler and library.
const std::set<std::string> kInTheDigest = {"units",  "wire", "policy",  "schemes", "switch", "host",
                                            "fabric", "net",  "traffic", "sim",     "poll"};

const std::vector<Rule>& rules_of_the_digest() {
  static const std::vector<Rule> rules = {
      {std::regex(
           R"((\bstd|(^|[^\w>]))::(exp2?|expm1|log(2|10|1p|b)?|pow|cbrt|hypot|a?(sin|cos|tan)h?|atan2|erfc?|[tl]gamma)[fl]?\()"),
       "libm differs from one machine to another; use traffic/deterministic_math.h or integers"},
      {std::regex(
           R"(\bstd::\w+_(distribution|engine)\b|\bstd::(mt19937(_64)?|minstd_rand0?|random_device|rand|shuffle|sample)\b)"),
       "draw from a units/random.h RandomStream: the library's draws differ from one to another"},
  };
  return rules;
}

const std::vector<Rule>& rules_of_the_code() {
  static const std::vector<Rule> rules = {
      {std::regex(R"(\busing\s+namespace\s+std\b)"), "name what you use of std"},
      {std::regex(R"(\bfloat\b)"), "double, or an integer of picoseconds or bytes"},
      {std::regex(R"(\b(printf|puts|sprintf|atoi|atof|strtod)\s*\()"), "use fmt and std::from_chars"},
  };
  return rules;
}

/// Stems of American spellings, in prose and names alike.
constexpr const char* kAmerican[] = {"neighbor", "behavior", "favor",   "serializ", "normaliz", "utiliz",  "synchroniz",
                                     "randomiz", "optimiz",  "minimiz", "maximiz",  "summariz", "recogniz"};

void check_spelling(const SourceFile& file, std::vector<std::string>& out) {
  int number = 0;
  for (std::string line : lines(file.text)) {
    ++number;
    std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char* stem : kAmerican) {
      if (line.find(stem) != std::string::npos) out.push_back(at(file, number) + stem + "...: British spelling");
    }
  }
}

void apply(const std::vector<Rule>& rules, const SourceFile& file, const std::string& text,
           std::vector<std::string>& out) {
  int number = 0;
  for (const std::string& line : lines(text)) {
    ++number;
    for (const Rule& rule : rules) {
      std::smatch found;
      if (std::regex_search(line, found, rule.pattern)) out.push_back(at(file, number) + found.str() + ": " + rule.why);
    }
  }
}

std::vector<std::string> complaints(const SourceFile& file) {
  std::vector<std::string> out;
  const std::string code = blank(file.text, Blank::comments_and_literals);
  check_spelling(file, out);
  apply(rules_of_the_code(), file, code, out);
  if (kInTheDigest.contains(file.folder()) && !file.is_test()) apply(rules_of_the_digest(), file, code, out);
  if (file.path.ends_with(".h")) {
    const std::size_t first = code.find_first_not_of(" \n");
    if (first == std::string::npos || code.compare(first, 13, "#pragma once\n") != 0) {
      out.push_back(at(file, 1) + "#pragma once is a header's first directive");
    }
  }
  if (!file.text.ends_with('\n')) out.push_back(at(file, 1) + "the last line has no end");
  return out;
}

TEST(SourceStyle, HoldsInEveryFile) {
  std::vector<std::string> wrong;
  for (const SourceFile& file : read_sources()) {
    for (std::string& complaint : complaints(file)) wrong.push_back(std::move(complaint));
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(SourceStyle, RefusesLibmAndLibraryRandomnessInTheDigest) {
  EXPECT_THAT(complaints({"traffic/a.cpp", "double x = std::log(y);\n"}),
              ElementsAre(HasSubstr("src/traffic/a.cpp:1: ")));
  EXPECT_THAT(complaints({"host/a.cpp", "x = ::pow(y, 2);\n"}), SizeIs(1));
  EXPECT_THAT(complaints({"sim/a.cpp", "std::mt19937 g;\n"}), SizeIs(1));
  EXPECT_THAT(complaints({"sim/a.cpp", "std::uniform_int_distribution<int> d;\n"}), SizeIs(1));
}

TEST(SourceStyle, LetsOurOwnAndTheExactBe) {
  EXPECT_THAT(complaints({"traffic/a.cpp", "x = deterministic::log(y) + std::sqrt(z);  // not std::log()\n"}),
              IsEmpty());
  EXPECT_THAT(complaints({"results/a.cpp", "x = std::log2(y);\n"}), IsEmpty());
  EXPECT_THAT(complaints({"traffic/a_test.cpp", "x = std::log(y);\n"}), IsEmpty());
}

TEST(SourceStyle, RefusesAHeaderWithoutItsGuard) {
  EXPECT_THAT(complaints({"wire/a.h", "struct A;\n"}), SizeIs(1));
  EXPECT_THAT(complaints({"wire/a.h", "#include <array>\n#pragma once\n"}), SizeIs(1));
  EXPECT_THAT(complaints({"wire/a.h", "// What it is.\n#pragma once\nstruct A;\n"}), IsEmpty());
}

TEST(SourceStyle, RefusesAmericanSpelling) {
  EXPECT_THAT(complaints({"wire/a.cpp", "// the neighbor\nvoid serialize();\n"}), SizeIs(2));
  EXPECT_THAT(complaints({"wire/a.cpp", "void serialise(std::initializer_list<int> v);\n"}), IsEmpty());
}

TEST(SourceStyle, RefusesFloatAndTheConsoleOfC) {
  EXPECT_THAT(complaints({"sim/a.cpp", "float x;\nprintf(y);\n"}), SizeIs(2));
  EXPECT_THAT(complaints({"sim/a.cpp", "std::snprintf_like; fmt::print(y);\n"}), IsEmpty());
}

}  // namespace
}  // namespace weir::source
