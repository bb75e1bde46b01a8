// SPDX-License-Identifier: Apache-2.0
// A scheme is known only to its own folder and to one registry line: no shared file depends on a scheme.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "source_tree.h"

namespace weir::source::scheme_isolation_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// The folders of src/schemes/: a scheme's folder and its namespace have the same name.
std::set<std::string> schemes_of(const std::vector<SourceFile>& files) {
  static const std::regex place(R"(schemes/([^/]+)/.*)");
  std::set<std::string> out;
  for (const SourceFile& file : files) {
    std::smatch match;
    if (std::regex_match(file.path, match, place)) out.insert(match[1]);
  }
  return out;
}

/// True for the files that must know all schemes, and for everything inside a scheme's folder.
bool may_name_schemes(const SourceFile& file) {
  static const std::regex allowed(R"(schemes/(registry(_\w+)?\.(h|cpp)|[^/]+/.*))");
  return std::regex_match(file.path, allowed);
}

/// The places where a shared file names one of the schemes: its namespace or its headers.
std::vector<std::string> violations(const SourceFile& file, const std::set<std::string>& schemes) {
  std::vector<std::string> out;
  if (may_name_schemes(file)) return out;
  const std::vector<std::string> code = lines(blank(file.text, Blank::comments_and_literals));
  const std::vector<Include> included = includes(file.text);
  static std::map<std::string, std::regex> names;  // compiling a pattern takes longer than searching most files
  for (const std::string& scheme : schemes) {
    if (file.text.find(scheme) == std::string::npos) continue;
    for (const Include& include : included) {
      if (include.name.starts_with("schemes/" + scheme + "/")) {
        out.push_back(at(file, include.line) + "a shared file includes " + include.name);
      }
    }
    const std::regex& name =
        names.try_emplace(scheme, "\\b" + scheme + "\\s*::|\\bnamespace\\s+(\\w+::)*" + scheme + "\\b").first->second;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i].find(scheme) != std::string::npos && std::regex_search(code[i], name)) {
        out.push_back(at(file, static_cast<int>(i) + 1) + "a shared file names the scheme " + scheme);
      }
    }
  }
  return out;
}

TEST(SchemeIsolation, HoldsInEveryFile) {
  std::vector<std::string> wrong;
  const std::vector<SourceFile> files = read_sources();
  const std::set<std::string> schemes = schemes_of(files);
  for (const SourceFile& file : files) {
    for (std::string& violation : violations(file, schemes)) wrong.push_back(std::move(violation));
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(SchemeIsolation, TakesASchemesNameFromItsFolder) {
  EXPECT_THAT(schemes_of({{"schemes/registry.cpp", ""}, {"schemes/weirpool/weirpool.h", ""}, {"sim/engine.h", ""}}),
              ElementsAre("weirpool"));
}

TEST(SchemeIsolation, RefusesASchemeInASharedFile) {
  EXPECT_THAT(violations({"switch/switch.cpp", "\nif (auto* p = weir::weirpool::find()) {}\n"}, {"weirpool"}),
              ElementsAre(HasSubstr("src/switch/switch.cpp:2: a shared file names the scheme weirpool")));
  EXPECT_THAT(violations({"sim/engine.h", "using namespace weirpool;\n"}, {"weirpool"}), SizeIs(1));
  EXPECT_THAT(violations({"sim/engine.h", "namespace weir::weirpool {\n"}, {"weirpool"}), SizeIs(1));
  EXPECT_THAT(violations({"scenario/build.cpp", "#include \"schemes/weirpool/weirpool.h\"\n"}, {"weirpool"}),
              SizeIs(1));
  EXPECT_THAT(violations({"schemes/helpers.h", "weirpool::State s;\n"}, {"weirpool"}), SizeIs(1));
}

TEST(SchemeIsolation, LetsTheRegistryAndTheSchemeBe) {
  const std::string text = "#include \"schemes/weirpool/weirpool.h\"\nweirpool::add(registry);\n";
  EXPECT_THAT(violations({"schemes/registry.cpp", text}, {"weirpool"}), IsEmpty());
  EXPECT_THAT(violations({"schemes/registry_test.cpp", text}, {"weirpool"}), IsEmpty());
  EXPECT_THAT(violations({"schemes/weirpool/weirpool.cpp", text}, {"weirpool"}), IsEmpty());
}

TEST(SchemeIsolation, PassesOverProseAndLongerNames) {
  EXPECT_THAT(violations({"wire/frame.h", "// weirpool::Frame is like it\nf(\"weirpool::x\");\n"}, {"weirpool"}),
              IsEmpty());
  EXPECT_THAT(violations({"wire/frame.h", "my_weirpool::f(); weirpools::g();\n"}, {"weirpool"}), IsEmpty());
}

}  // namespace
}  // namespace weir::source::scheme_isolation_test
