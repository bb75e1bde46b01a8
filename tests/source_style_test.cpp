// SPDX-License-Identifier: Apache-2.0
// Rules of the project that no compiler or formatter checks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source_tree.h"

namespace weir::source::source_style_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Folders whose values enter a run's digest, which is the same bit for bit with any compiler and library.
const std::set<std::string> kInTheDigest = {"units",  "wire", "policy",  "schemes", "switch", "host",
                                            "fabric", "net",  "traffic", "sim",     "poll"};

/// A word of a line, with the text before and after it.
struct Word {
  std::string_view text;
  std::string_view before;
  std::string_view after;
};

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

/// True if `text` begins with the whole word, which is then removed.
bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word) || (text.size() > word.size() && is_of_word(text[word.size()]))) return false;
  text.remove_prefix(word.size());
  return true;
}

bool is_of_std(const Word& word) {
  constexpr std::string_view kStd = "std::";
  if (!word.before.ends_with(kStd)) return false;
  return word.before.size() == kStd.size() || !is_of_word(word.before[word.before.size() - kStd.size() - 1]);
}

/// "::name" without a qualifier before it.
bool is_global(const Word& word) {
  if (!word.before.ends_with("::")) return false;
  if (word.before.size() == 2) return true;
  const char owner = word.before[word.before.size() - 3];
  return !is_of_word(owner) && owner != '>';
}

bool is_libm(std::string_view name) {
  static const std::set<std::string_view> functions = {"exp",   "exp2",  "expm1", "log",   "log2", "log10",  "log1p",
                                                       "logb",  "pow",   "cbrt",  "hypot", "sin",  "cos",    "tan",
                                                       "asin",  "acos",  "atan",  "sinh",  "cosh", "tanh",   "asinh",
                                                       "acosh", "atanh", "atan2", "erf",   "erfc", "tgamma", "lgamma"};
  if (functions.contains(name)) return true;
  if (!name.ends_with('f') && !name.ends_with('l')) return false;
  name.remove_suffix(1);  // for float and long double
  return functions.contains(name);
}

bool is_random(std::string_view name) {
  static const std::set<std::string_view> names = {"mt19937",       "mt19937_64", "minstd_rand", "minstd_rand0",
                                                   "random_device", "rand",       "shuffle",     "sample"};
  return names.contains(name) || name.ends_with("_distribution") || name.ends_with("_engine");
}

/// Why the word is not allowed in any file; empty: it is.
std::string_view wrong_in_code(const Word& word) {
  static const std::set<std::string_view> console = {"printf", "puts", "sprintf", "atoi", "atof", "strtod"};
  if (word.text == "float") return "double, or an integer of picoseconds or bytes";
  if (console.contains(word.text) && without_spaces(word.after).starts_with('(')) return "use fmt and std::from_chars";
  if (word.text == "using") {
    std::string_view rest = without_spaces(word.after);
    if (take_word(rest, "namespace") && take_word(rest = without_spaces(rest), "std"))
      return "name what you use of std";
  }
  return {};
}

/// The same for files whose values enter the digest.
std::string_view wrong_in_the_digest(const Word& word) {
  const bool of_std = is_of_std(word);
  if ((of_std || is_global(word)) && word.after.starts_with('(') && is_libm(word.text)) {
    return "libm differs from one machine to another; use traffic/deterministic_math.h or integers";
  }
  if (of_std && is_random(word.text)) {
    return "draw from a units/random.h RandomStream: the library's draws differ from one to another";
  }
  return {};
}

/// Stems of American spellings, in prose and names alike.
constexpr const char* kAmerican[] = {"neighbor", "behavior", "favor",   "serializ", "normaliz", "utiliz",  "synchroniz",
                                     "randomiz", "optimiz",  "minimiz", "maximiz",  "summariz", "recogniz"};

void check_spelling(const SourceFile& file, std::vector<std::string>& out) {
  std::string text = file.text;
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* stem : kAmerican) {
    for (std::size_t found = text.find(stem); found != std::string::npos; found = text.find(stem, found + 1)) {
      const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found), '\n') + 1;
      out.push_back(at(file, static_cast<int>(line)) + stem + "...: British spelling");
    }
  }
}

void check_words(const SourceFile& file, const std::string& code, std::vector<std::string>& out) {
  const bool in_the_digest = kInTheDigest.contains(file.folder()) && !file.is_test();
  int number = 0;
  for (const std::string& text : lines(code)) {
    ++number;
    const std::string_view line = text;
    for (std::size_t begin = 0; begin < line.size(); ++begin) {
      if (!is_of_word(line[begin])) continue;
      std::size_t end = begin + 1;
      while (end < line.size() && is_of_word(line[end])) ++end;
      const Word word{line.substr(begin, end - begin), line.substr(0, begin), line.substr(end)};
      std::string_view why = wrong_in_code(word);
      if (why.empty() && in_the_digest) why = wrong_in_the_digest(word);
      if (!why.empty()) out.push_back(at(file, number) + std::string(word.text) + ": " + std::string(why));
      begin = end;
    }
  }
}

std::vector<std::string> violations(const SourceFile& file) {
  std::vector<std::string> out;
  const std::string code = blank(file.text, Blank::comments_and_literals);
  check_spelling(file, out);
  check_words(file, code, out);
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
    for (std::string& violation : violations(file)) wrong.push_back(std::move(violation));
  }
  EXPECT_THAT(wrong, IsEmpty());
}

/// Test files without a namespace that ends in the file's name: several files are compiled as one.
std::vector<std::string> without_own_namespace(const std::vector<SourceFile>& files) {
  std::vector<std::string> out;
  for (const SourceFile& file : files) {
    const std::size_t slash = file.path.rfind('/');
    const std::string name = file.path.substr(slash == std::string::npos ? 0 : slash + 1);
    const std::string head = "::" + name.substr(0, name.size() - std::string_view(".cpp").size()) + " {\n";
    const std::size_t at = file.text.find("\nnamespace weir");
    if (at == std::string::npos ||
        !std::string_view(file.text).substr(0, file.text.find('\n', at + 1) + 1).ends_with(head)) {
      out.push_back(file.path);
    }
  }
  return out;
}

TEST(SourceStyle, EachTestFileHasItsOwnNamespace) {
  std::vector<SourceFile> files = read_tree("src", {"_test.cpp"});
  for (SourceFile& file : read_tree("tests", {"_test.cpp"})) files.push_back(std::move(file));
  EXPECT_THAT(without_own_namespace(files), IsEmpty());
}

TEST(SourceStyle, RefusesATestFileWithoutItsOwnNamespace) {
  EXPECT_THAT(without_own_namespace({{"net/a_test.cpp", "\nnamespace weir::a_test {\n"}}), IsEmpty());
  EXPECT_THAT(without_own_namespace({{"net/a_test.cpp", "\nnamespace weir {\nnamespace weir::a_test {\n"}}), SizeIs(1));
  EXPECT_THAT(without_own_namespace({{"net/a_test.cpp", "\nnamespace weir::ba_test {\n"}, {"net/b_test.cpp", ""}}),
              SizeIs(2));
}

TEST(SourceStyle, RefusesLibmAndLibraryRandomnessInTheDigest) {
  EXPECT_THAT(violations({"traffic/a.cpp", "double x = std::log(y);\n"}),
              ElementsAre(HasSubstr("src/traffic/a.cpp:1: ")));
  EXPECT_THAT(violations({"host/a.cpp", "x = ::pow(y, 2);\n"}), SizeIs(1));
  EXPECT_THAT(violations({"sim/a.cpp", "std::mt19937 g;\n"}), SizeIs(1));
  EXPECT_THAT(violations({"sim/a.cpp", "std::uniform_int_distribution<int> d;\n"}), SizeIs(1));
  EXPECT_THAT(violations({"net/a.cpp", "x = std::atan2f(y, z) + std::lgammal(y) + std::log1p(y);\n"}), SizeIs(3));
  EXPECT_THAT(violations({"net/a.cpp", "::exp(y); x=::tanh(y);\n"}), SizeIs(2));
  EXPECT_THAT(violations({"poll/a.cpp", "std::shuffle(a, b, g); std::default_random_engine g;\n"}), SizeIs(2));
}

TEST(SourceStyle, LetsOurOwnAndTheExactBe) {
  EXPECT_THAT(violations({"traffic/a.cpp", "x = deterministic::log(y) + std::sqrt(z);  // not std::log()\n"}),
              IsEmpty());
  EXPECT_THAT(violations({"results/a.cpp", "x = std::log2(y);\n"}), IsEmpty());
  EXPECT_THAT(violations({"traffic/a_test.cpp", "x = std::log(y);\n"}), IsEmpty());
  EXPECT_THAT(violations({"traffic/a.cpp", "a<b>::log(y); my_std::log(y); c::sin(y); std::logs(y); std::exp;\n"}),
              IsEmpty());
}

TEST(SourceStyle, RefusesAHeaderWithoutItsGuard) {
  EXPECT_THAT(violations({"wire/a.h", "struct A;\n"}), SizeIs(1));
  EXPECT_THAT(violations({"wire/a.h", "#include <array>\n#pragma once\n"}), SizeIs(1));
  EXPECT_THAT(violations({"wire/a.h", "// What it is.\n#pragma once\nstruct A;\n"}), IsEmpty());
}

TEST(SourceStyle, RefusesAmericanSpelling) {
  EXPECT_THAT(violations({"wire/a.cpp", "// the neighbor\nvoid serialize();\n"}), SizeIs(2));
  EXPECT_THAT(violations({"wire/a.cpp", "void serialise(std::initializer_list<int> v);\n"}), IsEmpty());
}

TEST(SourceStyle, RefusesFloatAndTheConsoleOfC) {
  EXPECT_THAT(violations({"sim/a.cpp", "float x;\nprintf(y);\n"}), SizeIs(2));
  EXPECT_THAT(violations({"sim/a.cpp", "using  namespace\tstd;\nx = std::atoi (y);\n"}), SizeIs(2));
  EXPECT_THAT(violations({"sim/a.cpp", "using namespace std_like;\nint floats, afloat, puts;\n"}), IsEmpty());
  EXPECT_THAT(violations({"sim/a.cpp", "std::snprintf_like; fmt::print(y);\n"}), IsEmpty());
}

}  // namespace
}  // namespace weir::source::source_style_test
