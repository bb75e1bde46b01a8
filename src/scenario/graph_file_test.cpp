// SPDX-License-Identifier: Apache-2.0
#include "scenario/graph_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "scenario/test_scenario.h"
#include "scenario/topology_section.h"

namespace weir::graph_file_test {
namespace {

using namespace weir::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Read {
  std::optional<Topology> topology;
  std::vector<std::string> errors;
};

/// Reads the text as a scenario reads a file of this name.
Read read_as(const std::string& name, const std::string& text) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weir_graph_file";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name) << text;
  Diagnostics diagnostics("s.toml");
  const Origin nowhere;
  const Value section(
      Value::Table{{"kind", nowhere, Value(std::string("file"), nowhere)}, {"path", nowhere, Value(name, nowhere)}},
      nowhere);
  EffectiveTable effective;
  std::vector<std::string> notes;
  Read out;
  out.topology = read_topology_section(Reader(diagnostics, &section, nowhere, "topology", effective), folder, notes);
  out.errors = diagnostics.lines();
  return out;
}

constexpr const char* kJson = R"({
  "directed": false, "multigraph": false, "graph": {},
  "nodes": [ {"id": "h0", "kind": "host"}, {"id": "h1"}, {"id": "s0", "kind": "switch"}, {"id": 7} ],
  "links": [
    {"source": "h0", "target": "s0", "rate": "25 Gbit/s", "length": "3 m"},
    {"source": "h1", "target": 7, "rate": "25 Gbit/s", "delay": "1 us"},
    {"source": "s0", "target": 7, "rate": "100 Gbit/s", "length": "0.1 km", "count": 2, "error_rate": 1e-9}
  ]
})";

TEST(GraphFile, MayBeginWithAByteOrderMark) {
  EXPECT_THAT(read_as("mark.json", std::string("\xEF\xBB\xBF") + kJson).errors, IsEmpty());
  EXPECT_THAT(read_as("mark.dot", "\xEF\xBB\xBFgraph { h0 -- s0 -- h1 [rate=\"25 Gbit/s\", delay=\"1 us\"] }").errors,
              IsEmpty());
}

TEST(GraphFile, IsANetworkInJson) {
  const Read read = read_as("a.json", kJson);
  EXPECT_THAT(read.errors, IsEmpty());
  ASSERT_TRUE(read.topology);
  EXPECT_EQ(read.topology->hosts(), 2U);
  EXPECT_EQ(read.topology->switches(), 2U);
  ASSERT_EQ(read.topology->links().size(), 4U);
  EXPECT_EQ(read.topology->links()[0].delay, 15_ns);
  EXPECT_EQ(read.topology->links()[2].delay, 500_ns);
  EXPECT_EQ(read.topology->links()[2].rate, 100_Gbps);
  EXPECT_EQ(read.topology->links()[2].error_rate, 1e-9);
}

TEST(GraphFile, SaysWhereJsonIsWrong) {
  const auto errors = [](const std::string& from, const std::string& to) {
    std::string text = kJson;
    text.replace(text.find(from), from.size(), to);
    return read_as("a.json", text).errors;
  };
  EXPECT_THAT(errors("25 Gbit/s", "25"),
              ElementsAre(HasSubstr("a.json:5:46: link.0.rate: \"25\" has no unit, expected one of bit/s")));
  EXPECT_THAT(errors("\"target\": \"s0\"", "\"target\": \"s9\""), ElementsAre(HasSubstr("a.json:5:")));
  EXPECT_THAT(errors("\"target\": \"s0\", ", ""), ElementsAre(HasSubstr("links: has no \"target\"")));
  EXPECT_THAT(errors("\"kind\": \"host\"", "\"kind\": \"hots\""),
              ElementsAre(HasSubstr("a.json:3:27: h0.kind: is \"hots\", expected \"host\" or \"switch\" (did you mean "
                                    "\"host\"?)")));
  EXPECT_THAT(errors("\"links\"", "\"lnks\""),
              ElementsAre(HasSubstr("a.json:4:3: lnks: unknown key, expected \"nodes\" and \"links\" (did you mean "
                                    "\"links\"?)")));
  EXPECT_THAT(errors("\"length\": \"3 m\"", "\"length\": \"3 m\", \"delay\": \"1 us\""),
              ElementsAre(HasSubstr("is given together with delay")));
}

constexpr const char* kDot = R"(# as graphviz has it
strict graph fabric {
  rankdir = TB; node [shape=box, kind=switch]
  edge [rate="100 Gbit/s", length="30 m"]
  subgraph cluster_spines { spine0; spine1 }  /* above */
  {tor0 tor1} -- {spine0 spine1}
  tor0 -- spine0   // again: strict
  node [kind=host]
  edge [rate="25 " + "Gbit/s", delay="50 ns", length="3 m"];
}
)";

TEST(GraphFile, IsANetworkInDot) {
  std::string text = kDot;
  const std::string last = "edge [rate=\"25 \" + \"Gbit/s\", delay=\"50 ns\", length=\"3 m\"];";
  text.replace(text.find(last), last.size(),
               "edge [rate=\"25 \" + \"Gbit/s\", length=\"3 m\"];\n  h0:p -- tor0 [color=red]; h1 -- tor1 [count=1]");
  const Read read = read_as("a.dot", text);
  EXPECT_THAT(read.errors, IsEmpty());
  ASSERT_TRUE(read.topology);
  EXPECT_EQ(read.topology->hosts(), 2U);
  EXPECT_EQ(read.topology->switches(), 4U);
  ASSERT_THAT(read.topology->links(), SizeIs(6));
  EXPECT_EQ(read.topology->links()[0].delay, 150_ns);
  EXPECT_EQ(read.topology->links()[4].rate, 25_Gbps);
  EXPECT_EQ(read.topology->node(read.topology->find("spine0")).tier, 2);
}

TEST(GraphFile, SaysWhereDotIsWrong) {
  const auto error = [](const std::string& text) {
    const std::vector<std::string> errors = read_as("a.gv", text).errors;
    return errors.empty() ? "" : errors.front();
  };
  EXPECT_THAT(error("graph {\n a -- \n}"),
              HasSubstr("a.gv:3:1: `}`, expected the name of a node; the rest of the file"));
  EXPECT_THAT(error("graph {\n a -- b [rate]\n}"), HasSubstr("a.gv:2:14: `]`, expected `=`"));
  EXPECT_THAT(error("grph {}"), HasSubstr("a.gv:1:1: `grph`, expected `graph` or `digraph`"));
  EXPECT_THAT(error("graph { a"), HasSubstr("the text ends, expected `}`"));
  EXPECT_THAT(error("graph { a [label=<b>] }"), HasSubstr("an HTML-like string"));
  EXPECT_THAT(error("graph {\n a -- b [rte=\"1 Gbit/s\", delay=\"1 us\"]\n}"), HasSubstr("a.gv:2:"));
  EXPECT_THAT(error("graph { /* a }"), HasSubstr("a.gv:1:9: a comment without its end"));
  EXPECT_THAT(error("graph " + std::string(200, '{')), HasSubstr("fewer levels of nested subgraphs"));
}

TEST(GraphFile, TakesANodeWithOneLinkForAHost) {
  const Read read = read_as("a.dot", "graph { edge [rate=\"1 Gbit/s\", delay=\"1 us\"]; a -- s; b -- s; }");
  EXPECT_THAT(read.errors, IsEmpty());
  ASSERT_TRUE(read.topology);
  EXPECT_TRUE(read.topology->node(read.topology->find("a")).is_host());
  EXPECT_FALSE(read.topology->node(read.topology->find("s")).is_host());
}

}  // namespace
}  // namespace weir::graph_file_test
