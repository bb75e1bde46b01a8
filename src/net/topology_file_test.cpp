// SPDX-License-Identifier: Apache-2.0
#include "net/topology_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "net/test_topologies.h"

namespace weir::topology_file_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kStar =
    "4 1 3\n"
    "3\n"
    "0 3 100Gbps 1000ns 0\n"
    "1 3 100Gbps 1us 0.000000\n"
    "2 3 40Gbps 0.2ms 0.001\n";

TEST(TopologyFile, ReadsHpcc) {
  const TopologyFile file = parse_topology(kStar, "star.txt");
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_THAT(file.notes, IsEmpty());
  const Topology& topology = file.topology;
  EXPECT_EQ(topology.hosts(), 3U);
  EXPECT_EQ(topology.switches(), 1U);
  ASSERT_THAT(topology.links(), SizeIs(3));
  EXPECT_EQ(topology.links()[0].rate, 100_Gbps);
  EXPECT_EQ(topology.links()[0].delay, 1_us);
  EXPECT_EQ(topology.links()[1].delay, 1_us);
  EXPECT_EQ(topology.links()[2].rate, 40_Gbps);
  EXPECT_EQ(topology.links()[2].delay, 200_us);
  EXPECT_EQ(topology.links()[2].error_rate, 0.001);
  EXPECT_EQ(topology.node(NodeId(3)).name, "s3");
  EXPECT_EQ(topology.node(NodeId(3)).tier, 1);
  EXPECT_EQ(topology.node(NodeId(2)).name, "h2");
  EXPECT_EQ(topology.node(NodeId(2)).rack, 0);
}

TEST(TopologyFile, LineBreaksAreFreeInTheHeaderToo) {
  std::string on_one_line(kStar);
  std::replace(on_one_line.begin(), on_one_line.end(), '\n', ' ');
  std::string on_many_lines(kStar);
  std::replace(on_many_lines.begin(), on_many_lines.end(), ' ', '\n');
  std::string joined(kStar);
  joined[joined.find('\n')] = ' ';  // four numbers on the first line, as PowerTCP has
  for (const std::string& text : {on_one_line, on_many_lines, joined}) {
    const TopologyFile file = parse_topology(text, "star.txt");
    EXPECT_THAT(file.errors, IsEmpty()) << text;
    ASSERT_THAT(file.topology.links(), SizeIs(3)) << text;
    EXPECT_EQ(file.topology.links()[2].rate, 40_Gbps);
  }
  const TopologyFile floodgate = parse_topology("3 1 2 1 0 2 2 0 2 100 600 1 2 100 600", "small.topo");
  EXPECT_THAT(floodgate.errors, IsEmpty());
  ASSERT_THAT(floodgate.topology.links(), SizeIs(2));
  EXPECT_EQ(floodgate.topology.links()[1].delay, 600_ns);
}

TEST(TopologyFile, ReadsSwitchNumbersAnywhere) {
  // The format of the first HPCC release; its documentation follows the links.
  const TopologyFile file = parse_topology(
      "5 2 4\n0\n3\n0 1 100Gbps 0.001ms 0\n0 3 100Gbps 0.001ms 0\n3 2 25Gbps 0.001ms 0\n4 3 25Gbps 0.001ms 0\n"
      "\nFirst line: total node #, switch node #, link #\n",
      "mix.txt");
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_THAT(file.notes, ElementsAre("mix.txt:9: everything after the last link is ignored"));
  EXPECT_EQ(file.topology.node(NodeId(3)).switch_id, SwitchId(1));
  EXPECT_EQ(file.topology.node(NodeId(4)).host, HostId(2));
  EXPECT_EQ(file.topology.edge_of(HostId(2)), SwitchId(1));
  EXPECT_EQ(file.topology.node(NodeId(4)).rack, 1);
}

TEST(TopologyFile, ReadsFloodgate) {
  const TopologyFile file = parse_topology(
      "7 3 2 2 1 6\n4 5 6\n0 4 100 600\n1 4 100 600\n2 5 100 600\n3 5 100 600\n4 6 400 600\n5 6 400 1200\n", "a.topo");
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_EQ(file.topology.hosts(), 4U);
  EXPECT_EQ(file.topology.links()[0].rate, 100_Gbps);
  EXPECT_EQ(file.topology.links()[5].rate, 400_Gbps);
  EXPECT_EQ(file.topology.links()[5].delay, 1200_ns);
  EXPECT_EQ(file.topology.node(NodeId(6)).tier, 2);
}

TEST(TopologyFile, ReadsPowerTcpAndReverie) {
  const TopologyFile power = parse_topology("3 1 1 2\n2 \n0 2 25000000000.0 1us 0\n1 2 25000000000.0 5us 0\n", "p.txt");
  EXPECT_THAT(power.errors, IsEmpty());
  EXPECT_EQ(power.topology.links()[1].rate, 25_Gbps);
  EXPECT_EQ(power.topology.links()[1].delay, 5_us);
  const TopologyFile reverie =
      parse_topology("3 1 1 2 25000000000 100000000000\n2\n0 2 25000000000 2us 0\n1 2 25000000000 2us 0\n", "r.txt");
  EXPECT_THAT(reverie.errors, IsEmpty());
  EXPECT_EQ(reverie.topology.links()[1].rate, 25_Gbps);
}

TEST(TopologyFile, TakesCarriageReturnsTabsAndNoLastLineBreak) {
  std::string text;
  for (const char c : kStar) text += c == '\n' ? "\r\n" : c == ' ' ? "\t" : std::string(1, c);
  text.resize(text.size() - 2);
  const TopologyFile file = parse_topology(text, "crlf.txt");
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_THAT(file.topology.links(), SizeIs(3));
}

TEST(TopologyFile, TakesAnyLineBreaksAsTheSimulatorsDo) {
  const TopologyFile file = parse_topology("3 1 2\n2 0\n2 100Gbps\n1us 0 1 2 100Gbps 1us 0", "free.txt");
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_THAT(file.topology.links(), SizeIs(2));
}

TEST(TopologyFile, KeepsParallelLinks) {
  const TopologyFile file =
      parse_topology("3 2 3\n1 2\n0 1 100Gbps 1us 0\n1 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n", "parallel.txt");
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_THAT(file.topology.links_between(NodeId(1), NodeId(2)), SizeIs(2));
}

TEST(TopologyFile, NamesEveryMistakeWithItsLine) {
  const TopologyFile file = parse_topology(
      "5 1 6\n"
      "4\n"
      "0 4 100Gbps 1000ns\n"       // a missing number
      "1 5 100Gbps 1000ns 0\n"     // an unknown node
      "x 4 100Gbit 1000 2\n"       // everything
      "3 3 100Gbps 1000ns 0\n"     // to itself
      "2 4 0Gbps 0.0001ns 0 0\n",  // too many
      "bad.txt");
  EXPECT_THAT(file.errors,
              ElementsAre("bad.txt:3: 4 fields, expected `source destination rate delay error_rate`",
                          "bad.txt:4: destination is `5`, expected a node number 0 to 4",
                          "bad.txt:5: source is `x`, expected a node number 0 to 4",
                          "bad.txt:5: rate is `100Gbit`, expected a rate above zero such as 100Gbps",
                          "bad.txt:5: delay is `1000`, expected a time such as 1000ns",
                          "bad.txt:5: error rate is `2`, expected 0 to 1", "bad.txt:6: a link from node 3 to itself",
                          "bad.txt:7: 6 fields, expected `source destination rate delay error_rate`",
                          "bad.txt:7: the file ends after 5 links, expected 6"));
}

TEST(TopologyFile, NamesMistakesOfFilesThatAreNotInLines) {
  const TopologyFile file = parse_topology("3 1 2\n2 0\n2 fast\n1us 0 1 2 100Gbps soon 0", "free.txt");
  EXPECT_THAT(file.errors, ElementsAre("free.txt:3: rate is `fast`, expected a rate above zero such as 100Gbps",
                                       "free.txt:4: delay is `soon`, expected a time such as 1000ns"));
}

TEST(TopologyFile, GoesByLinesWhenOneLacksWhatAnotherHasTooMuch) {
  const TopologyFile file =
      parse_topology("5 1 4\n4\n0 4 1Gbps 1us 0\n1 4 1Gbps 1us\n2 4 1Gbps 1us 0 0\n3 4 1Gbps 1us 0\n", "shift.txt");
  EXPECT_THAT(file.errors, ElementsAre("shift.txt:4: 4 fields, expected `source destination rate delay error_rate`",
                                       "shift.txt:5: 6 fields, expected `source destination rate delay error_rate`"));
}

TEST(TopologyFile, NamesMistakesOfFloodgateFiles) {
  const TopologyFile file = parse_topology("3 1 2 1 0 2\n2\n0 2 fast 600\n1 2 0 -600\n", "bad.topo");
  EXPECT_THAT(file.errors, ElementsAre("bad.topo:3: rate is `fast`, expected Gbit/s as a number above zero",
                                       "bad.topo:4: rate is `0`, expected Gbit/s as a number above zero",
                                       "bad.topo:4: delay is `-600`, expected nanoseconds as a number"));
}

TEST(TopologyFile, NamesAHeaderThatCannotBe) {
  EXPECT_THAT(parse_topology("", "e").errors,
              ElementsAre("e:1: the first line has 0 numbers, expected 3 (HPCC), 4 (PowerTCP) or 6 (Floodgate, "
                          "Reverie)"));
  EXPECT_THAT(parse_topology("\n\n1 2\n", "e").errors, ElementsAre(HasSubstr("e:3: the first line has 2 numbers")));
  EXPECT_THAT(parse_topology("3 4 x\n", "e").errors,
              ElementsAre("e:1: number of switches is `4`, expected 0 to 3",
                          "e:1: number of links is `x`, expected 0 to 100000000"));
  EXPECT_THAT(parse_topology("0 0 0\n", "e").errors,
              ElementsAre("e:1: number of nodes is `0`, expected 1 to 10000000"));
  EXPECT_THAT(parse_topology("3 1", "e", TopologyFormat::hpcc).errors,
              ElementsAre("e:1: 2 numbers, expected `nodes switches links`"));
}

TEST(TopologyFile, NamesMistakesInTheListOfSwitches) {
  EXPECT_THAT(parse_topology("4 3 1\n1 1 7\n0 1 1Gbps 1us 0\n", "s").errors,
              ElementsAre("s:2: switch 1 is listed twice", "s:2: switch is `7`, expected a node number 0 to 3"));
  EXPECT_THAT(parse_topology("4 3 1\n1\n2\n", "s").errors,
              ElementsAre("s:3: the file ends after 2 switch numbers, expected 3"));
  // One number is missing: the first link's fields are read in its place.
  EXPECT_THAT(parse_topology("4 2 2\n3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n", "s").errors,
              ElementsAre("s:3: the 2 switch numbers end in the middle of this line, expected at its end",
                          "s:3: 4 fields, expected `source destination rate delay error_rate`"));
}

TEST(TopologyFile, NamesWhatTheWholeLacks) {
  // Hosts with two links, as in a public HPCC topology with 32 hosts per rack.
  const TopologyFile file =
      parse_topology("3 2 2\n1 2\n0 1 25Gbps 1000ns 0.000000\n0 2 25Gbps 1000ns 0.000000\n", "dual.txt");
  EXPECT_THAT(file.errors, ElementsAre("dual.txt: host h0 has 2 links, expected one"));
  EXPECT_THAT(parse_topology("4 2 2\n2 3\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n", "lone.txt").errors,
              ElementsAre("lone.txt: switch s3 has no link, expected at least one"));
}

TEST(TopologyFile, SuggestsTheRateThatWasMeant) {
  EXPECT_THAT(parse_topology("3 1 2\n2\n0 2 100Gibps 1us 0\n1 2 100Gbps 1us 0\n", "t").errors,
              ElementsAre("t:3: rate is `100Gibps`, expected a rate above zero such as 100Gbps (did you mean "
                          "`100Gbps`?)"));
}

TEST(TopologyFile, MayBeginWithAByteOrderMark) {
  const TopologyFile file = parse_topology(
      "\xEF\xBB\xBF"
      "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n",
      "t");
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_EQ(file.topology.hosts(), 2u);
}

TEST(TopologyFile, ReportsAtMost100Errors) {
  std::string text = "3 1 1000\n2\n";
  for (int i = 0; i < 1000; ++i) text += "bad\n";
  const TopologyFile file = parse_topology(text, "long.txt");
  ASSERT_THAT(file.errors, SizeIs(101));
  EXPECT_EQ(file.errors.back(), "long.txt: 900 more errors");
}

TEST(TopologyFile, ReadsWhateverABuilderMade) {
  EXPECT_TRUE(rc::check([] {
    const Topology topology = testing::random_topology();
    std::string text = std::to_string(topology.nodes().size()) + " " + std::to_string(topology.switches()) + " " +
                       std::to_string(topology.links().size()) + "\n";
    for (std::size_t i = 0; i < topology.switches(); ++i) {
      text += std::to_string(topology.node_of(SwitchId(i)).value) + "\n";
    }
    for (const Link& link : topology.links()) {
      text += std::to_string(link.a.value) + " " + std::to_string(link.b.value) + " " +
              std::to_string(link.rate.bits_per_second()) + "bps " + std::to_string(link.delay.picoseconds()) +
              "ps 0\n";
    }
    const TopologyFile file = parse_topology(text, "t");
    RC_ASSERT(file.errors.size() == topology.errors().size());
    RC_ASSERT(file.topology.links().size() == topology.links().size());
    for (std::size_t i = 0; i < topology.links().size(); ++i) {
      const Link& read = file.topology.links()[i];
      const Link& written = topology.links()[i];
      RC_ASSERT((read.a == written.a && read.b == written.b));
      RC_ASSERT((read.a_port == written.a_port && read.b_port == written.b_port));
      RC_ASSERT((read.rate == written.rate && read.delay == written.delay));
    }
  }));
}

TEST(TopologyFile, SurvivesAnyText) {
  EXPECT_TRUE(rc::check([] {
    const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "0", "1", "2", "3", "6", "100Gbps", "1us", "\n", "\r\n", "-1", "x", "18446744073709551616", "1000000"));
    std::string text;
    for (const std::string& word : words) text += word + " ";
    const TopologyFile file = parse_topology(text, "any");
    RC_ASSERT((!file.errors.empty() || file.topology.errors().empty()));
    for (const std::string& error : file.errors) RC_ASSERT(error.substr(0, 3) == "any");
  }));
}

TEST(TopologyFile, IsReadFromDisk) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "weir_topology_file_test.txt";
  std::ofstream(path, std::ios::binary) << kStar;
  EXPECT_THAT(read_topology(path.string()).topology.links(), SizeIs(3));
  std::filesystem::remove(path);
  EXPECT_THAT(read_topology(path.string()).errors, ElementsAre(path.string() + ": cannot be read"));
  EXPECT_THAT(read_topology(::testing::TempDir()).errors, ElementsAre(HasSubstr("cannot be read")));
}

}  // namespace
}  // namespace weir::topology_file_test
