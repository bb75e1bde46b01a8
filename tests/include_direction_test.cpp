// SPDX-License-Identifier: Apache-2.0
// Includes go in one direction, and code that makes decisions uses no clock, no console and no other source of
// randomness.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "source_tree.h"

namespace weir::source::include_direction_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Folders = std::set<std::string>;

/// The folders that each folder lists; it sees these and all that they see. CMakeLists.txt has the same table, which a
/// test below compares with this one: a new dependency is added in both places, on purpose.
const std::map<std::string, Folders> kDepends = {
    {"units", {}},
    {"wire", {"units"}},
    {"policy", {"wire"}},
    {"schemes", {"policy"}},
    {"switch", {"policy"}},
    {"host", {"policy"}},
    {"net", {"policy"}},
    {"results", {"units"}},
    {"traffic", {"units"}},
    {"fabric", {"switch", "host", "net", "traffic", "results"}},
    {"sim", {"fabric"}},
    {"poll", {"fabric"}},
    {"ports", {"switch", "host"}},
    {"dpdk", {"ports"}},
    {"config", {"units"}},
    {"expressions", {"config", "results"}},
    {"scenario", {"expressions", "sim", "schemes"}},
    {"check", {"scenario"}},
    {"campaign", {"check"}},
    {"store", {"results"}},
    {"report", {"results"}},
    {"criteria", {"check"}},
    {"pictures", {"criteria", "analysis"}},
    {"reproduce", {"pictures", "campaign"}},
    {"analysis", {"policy", "traffic", "results"}},
    {"capture", {"fabric", "results"}},
    {"testbed", {"scenario"}},
    {"apps",
     {"dpdk", "poll", "testbed", "campaign", "analysis", "capture", "store", "report", "pictures", "reproduce"}},
};

/// Folders of passive objects, which are called with the time and an event. Their tests may use anything.
const Folders kPassive = {"units", "wire", "policy", "schemes", "switch", "host", "fabric", "ports"};
const std::set<std::string> kNotForPassive = {"chrono", "ctime", "iostream", "random"};

/// The folder itself and all folders that it sees.
Folders visible_from(const std::string& folder) {
  Folders seen = {folder};
  for (const std::string& direct : kDepends.at(folder)) seen.merge(visible_from(direct));
  return seen;
}

std::string list(const Folders& folders) {
  std::string out;
  for (const std::string& folder : folders) out += (out.empty() ? "" : ", ") + folder;
  return out;
}

/// The forbidden includes of a file, one line each.
std::vector<std::string> violations(const SourceFile& file) {
  if (!kDepends.contains(file.folder())) return {at(file, 1) + "folder " + file.folder() + " is not in the table"};
  const Folders visible = visible_from(file.folder());
  const bool passive = kPassive.contains(file.folder()) && !file.is_test();
  std::vector<std::string> out;
  for (const Include& include : includes(file.text)) {
    const std::string target = include.name.substr(0, include.name.find('/'));
    if (include.name.starts_with("rte_") && file.folder() != "dpdk") {
      out.push_back(at(file, include.line) + "only dpdk/ includes " + include.name);
    } else if (!include.angled && !visible.contains(target)) {
      out.push_back(at(file, include.line) + "includes " + include.name + ", but " + file.folder() + " sees only " +
                    list(visible));
    } else if (include.angled && kDepends.contains(target) && include.name.find('/') != std::string::npos) {
      out.push_back(at(file, include.line) + "write our own headers in quotes: " + include.name);
    } else if (include.angled && passive && kNotForPassive.contains(include.name)) {
      out.push_back(at(file, include.line) + "<" + include.name + "> in a folder that reads no clock, prints nothing " +
                    "and draws only from its RandomStream");
    }
  }
  return out;
}

/// The table of CMakeLists.txt: weir_folder(name [options] [DEPENDS ...]), without outside packages.
std::map<std::string, Folders> read_cmake(std::istream& stream) {
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::regex call(R"(\n[ \t]*weir_folder\(([^)]*)\))");
  std::map<std::string, Folders> out;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), call); it != std::sregex_iterator(); ++it) {
    std::istringstream words((*it)[1].str());
    std::string folder;
    words >> folder;
    Folders& depends = out[folder];
    bool is_option = true;
    for (std::string word; words >> word;) {
      if (!is_option && word.find("::") == std::string::npos) depends.insert(word);
      if (word == "DEPENDS") is_option = false;
    }
  }
  return out;
}

TEST(IncludeDirection, HoldsInEveryFile) {
  std::vector<std::string> wrong;
  for (const SourceFile& file : read_sources()) {
    for (std::string& violation : violations(file)) wrong.push_back(std::move(violation));
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(IncludeDirection, IsTheSameInCMakeLists) {
  std::ifstream stream("CMakeLists.txt");
  EXPECT_EQ(read_cmake(stream), kDepends);
}

TEST(IncludeDirection, ReadsCMakeCallsOverSeveralLines) {
  std::istringstream stream(
      "\nweir_folder(a)\n  weir_folder(b PROGRAMS RUN_LONG\n  DEPENDS a fmt::fmt)\n# weir_folder(c)\n");
  EXPECT_EQ(read_cmake(stream), (std::map<std::string, Folders>{{"a", {}}, {"b", {"a"}}}));
}

TEST(IncludeDirection, GoesThroughWhatIsSeen) {
  EXPECT_THAT(violations({"schemes/x/x.cpp", "#include \"units/time.h\"\n#include \"schemes/x/x.h\"\n"}), IsEmpty());
  EXPECT_THAT(violations({"apps/main.cpp", "#include \"units/time.h\"\n#include <iostream>\n"}), IsEmpty());
}

TEST(IncludeDirection, RefusesAnArrowAgainstTheStream) {
  EXPECT_THAT(violations({"schemes/x/x.cpp", "#include \"switch/switch.h\"\n"}),
              ElementsAre(HasSubstr("src/schemes/x/x.cpp:1: includes switch/switch.h")));
  EXPECT_THAT(violations({"units/time.h", "\n#include \"wire/frame.h\"\n"}), ElementsAre(HasSubstr(":2: ")));
  EXPECT_THAT(violations({"switch/switch_test.cpp", "#include \"sim/engine.h\"\n"}), testing::SizeIs(1));
}

TEST(IncludeDirection, RefusesPathsThatDoNotStartBelowSrc) {
  EXPECT_THAT(violations({"wire/frame.cpp", "#include \"frame.h\"\n#include \"../units/time.h\"\n"}),
              testing::SizeIs(2));
  EXPECT_THAT(violations({"wire/frame.cpp", "#include <units/time.h>\n"}), testing::SizeIs(1));
}

TEST(IncludeDirection, RefusesClocksConsolesAndEnginesWhereThingsAreDecided) {
  for (const char* header : {"chrono", "ctime", "iostream", "random"}) {
    const std::string text = std::string("#include <") + header + ">\n";
    EXPECT_THAT(violations({"switch/switch.cpp", text}), testing::SizeIs(1)) << header;
    EXPECT_THAT(violations({"switch/switch_test.cpp", text}), IsEmpty()) << header;
    EXPECT_THAT(violations({"sim/progress.cpp", text}), IsEmpty()) << header;
  }
}

TEST(IncludeDirection, KeepsDpdkToItsFolder) {
  EXPECT_THAT(violations({"poll/loop.cpp", "#include <rte_mbuf.h>\n"}), testing::SizeIs(1));
}

TEST(IncludeDirection, RefusesAFolderOutsideTheTable) {
  EXPECT_THAT(violations({"utilities/misc.h", ""}), testing::SizeIs(1));
}

}  // namespace
}  // namespace weir::source::include_direction_test
