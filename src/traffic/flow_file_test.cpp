// SPDX-License-Identifier: Apache-2.0
#include "traffic/flow_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdio>
#include <fstream>

#include "traffic/source_testing.h"
#include "units/time.h"

namespace weir::flow_file_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ReadResult<std::vector<FlowSpec>> read(std::string_view text, const FlowFileOptions& options = {}) {
  return read_flows(text, "flow.txt", options);
}

TEST(FlowFile, Hpcc) {
  const auto result = read("2\n0 16 3 100 100000 2.000000000\n1 17 5 200 5000000000 2.0000001\n");
  ASSERT_TRUE(result.value.has_value());
  EXPECT_THAT(result.notes, IsEmpty());
  ASSERT_EQ(result.value->size(), 2u);
  const FlowSpec& first = (*result.value)[0];
  EXPECT_EQ(first.source, HostId(0));
  EXPECT_EQ(first.destination, HostId(16));
  EXPECT_EQ(first.priority, 3);
  EXPECT_EQ(first.size, Bytes(100'000));
  EXPECT_EQ(first.start, Time::picoseconds(2'000'000'000'000));
  EXPECT_EQ(first.label, FlowLabel::plain);
  EXPECT_FALSE(first.connection.exists());
  const FlowSpec& second = (*result.value)[1];
  EXPECT_EQ(second.priority, 5);
  EXPECT_EQ(second.size, Bytes(5'000'000'000));  // above 4 GiB
  EXPECT_EQ(second.start, Time::picoseconds(2'000'000'100'000));
  EXPECT_EQ(second.label, FlowLabel::incast);
  EXPECT_TRUE(second.incast);
}

TEST(FlowFile, ConweaveHasNoPort) {
  const auto result = read("1\n4 5 3 1500 2.000000050\n");
  ASSERT_TRUE(result.value.has_value());
  EXPECT_EQ(result.value->front().size, Bytes(1500));
  EXPECT_EQ(result.value->front().start, Time::picoseconds(2'000'000'050'000));
}

TEST(FlowFile, AnOriginIsSubtracted) {
  FlowFileOptions options;
  options.origin = Time() + 2_s;
  const auto result = read("1\n4 5 3 100 1500 2.25\n", options);
  ASSERT_TRUE(result.value.has_value());
  EXPECT_EQ(result.value->front().start, Time() + 250_ms);
  EXPECT_THAT(read("1\n4 5 3 100 1500 1.5\n", options).errors,
              ElementsAre("flow.txt:2: start 1.5 s is before the origin of 2 s"));
}

TEST(FlowFile, NodesAreMappedToHosts) {
  FlowFileOptions options;
  options.host = [](std::uint64_t node) { return node >= 10 ? HostId(node - 10) : HostId::none(); };
  const auto result = read("1\n10 12 3 100 1500 2\n", options);
  ASSERT_TRUE(result.value.has_value());
  EXPECT_EQ(result.value->front().destination, HostId(2));
  EXPECT_THAT(read("1\n10 9 3 100 1500 2\n", options).errors,
              ElementsAre("flow.txt:2: destination 9 is not a host of the network"));
}

TEST(FlowFile, UnsortedIsSortedAndNoted) {
  const auto result = read("3\n0 1 3 100 10 2.5\n0 1 3 100 20 2.1\n0 1 3 100 30 2.5\n");
  ASSERT_TRUE(result.value.has_value());
  EXPECT_THAT(result.notes, ElementsAre("flow.txt: the flows are not in order of start; they were sorted"));
  EXPECT_EQ((*result.value)[0].size, Bytes(20));
  EXPECT_EQ((*result.value)[1].size, Bytes(10));
  EXPECT_EQ((*result.value)[2].size, Bytes(30));
}

TEST(FlowFile, StartsBeyondPicosecondsAreNoted) {
  const auto result = read("1\n0 1 3 100 10 2.0000000000004\n");
  ASSERT_TRUE(result.value.has_value());
  EXPECT_THAT(result.notes,
              ElementsAre("flow.txt: 1 starts have more than 12 decimals; they were rounded to picoseconds"));
}

TEST(FlowFile, SaysWhenItIsTakenForConweaves) {
  const std::string note =
      "flow.txt: has 5 columns, so it is read in ConWeave's format (source destination pg size start)";
  EXPECT_THAT(read("1\n0 16 3 1000 2\n").notes, ElementsAre(note));
  EXPECT_THAT(read("1\n0 16 3 100 1000 2\n").notes, IsEmpty());
  FlowFileOptions options;
  options.format = FlowFileFormat::conweave;
  EXPECT_THAT(read_flows("1\n0 16 3 1000 2\n", "flow.txt", options).notes, IsEmpty());
}

TEST(FlowFile, NoFlowsAreNoError) {
  const auto result = read("0\n");
  ASSERT_TRUE(result.value.has_value());
  EXPECT_THAT(*result.value, IsEmpty());
}

TEST(FlowFile, ErrorsNameTheLine) {
  EXPECT_THAT(read("").errors, ElementsAre("flow.txt: is empty, expected the number of flows and the flows"));
  EXPECT_THAT(read("0 1 3 100 10 2\n").errors,
              ElementsAre("flow.txt:1: 0 flows are announced, but 5 numbers follow, expected 6 (source destination pg "
                          "dport size start) or 5 (source destination pg size start) per flow"));
  EXPECT_THAT(read("-1\n").errors, ElementsAre("flow.txt:1: expected the number of flows at the beginning"));
  EXPECT_THAT(read("0.5\n").errors, ElementsAre("flow.txt:1: expected the number of flows at the beginning"));
  EXPECT_THAT(read("2\n0 1 3 100 10 2\n").errors,
              ElementsAre("flow.txt:1: 2 flows are announced, but 1 follow, expected as many"));
  EXPECT_THAT(read("1\n0 1 3 100 10 2\n0 1 3 100 10 3\n").errors,
              ElementsAre("flow.txt:1: 1 flows are announced, but 2 follow, expected as many"));
  EXPECT_THAT(read("1\n0 1 3 2\n").errors,
              ElementsAre("flow.txt:2: 4 columns, expected 6 (source destination pg dport size start) or 5 (source "
                          "destination pg size start)"));
  EXPECT_THAT(read("2\n0 1 3 100 10 2\n0 1 3 10 2\n").errors, ElementsAre("flow.txt:3: 5 columns, expected 6"));
  EXPECT_THAT(read("1\n7 7 3 100 10 2\n").errors,
              ElementsAre("flow.txt:2: host 7 sends to itself, expected another destination"));
  EXPECT_THAT(read("2\n0 1 3 100 0 2\n0 1 3 100 -5 2\n").errors,
              ElementsAre("flow.txt:2: size 0 is out of range, expected 1 to 9007199254740992",
                          "flow.txt:3: size -5 is out of range, expected 1 to 9007199254740992"));
  EXPECT_THAT(read("1\n0 1 9 100 9007199254740993 -2\n").errors,
              ElementsAre("flow.txt:2: pg 9 is out of range, expected 0 to 7",
                          "flow.txt:2: size 9007199254740993 is out of range, expected 1 to 9007199254740992",
                          "flow.txt:2: start -2 s is negative"));
  EXPECT_THAT(read("1\na 1 3 http 1.5 soon\n").errors,
              ElementsAre("flow.txt:2: source \"a\" is not a whole number, expected 0 to 4294967294",
                          "flow.txt:2: dport \"http\" is not a whole number, expected 0 to 65535",
                          "flow.txt:2: size \"1.5\" is not a whole number, expected 1 to 9007199254740992",
                          "flow.txt:2: start \"soon\" is not a number of seconds, or above 26 days"));
  // As an instant it would equal Time::never().
  EXPECT_THAT(read("1\n0 1 3 100 10 9223372.036854775807\n").errors,
              ElementsAre("flow.txt:2: start \"9223372.036854775807\" is not a number of seconds, or above 26 days"));
  EXPECT_THAT(read(std::string_view("1\n0 1\0 3", 8)).errors,
              ElementsAre("flow.txt:2: a control character, expected text (is it a binary or a compressed file?)"));
}

TEST(FlowFile, LineBreaksAreFree) {
  const std::string_view expected = "2\n0 16 3 100 1000 2\n1 17 5 200 2000 3\n";
  for (const std::string_view text :
       {"2 0 16 3 100 1000 2 1 17 5 200 2000 3", "2\n0 16 3\n100 1000 2\n1\n17 5 200 2000\n3\n",
        "2\n0 16 3 100 1000 2 1 17 5 200 2000 3\n", "2 0 16 3 100 1000 2\n1 17 5 200 2000 3"}) {
    const auto result = read(text);
    ASSERT_TRUE(result.value.has_value()) << text << ": " << result.errors.front();
    EXPECT_EQ(testing_support::digest(*result.value), testing_support::digest(*read(expected).value)) << text;
  }
  const auto conweave = read("2 4 5 3 1500 2 5 4 3 1600 2");
  ASSERT_TRUE(conweave.value.has_value());
  EXPECT_EQ(conweave.value->back().size, Bytes(1600));
}

TEST(FlowFile, ErrorsNameTheLineWhereBreaksAreFree) {
  EXPECT_THAT(read("2 0 16 3 100 1000 2 1\n17 9 200\n0 3").errors,
              ElementsAre("flow.txt:2: pg 9 is out of range, expected 0 to 7",
                          "flow.txt:3: size 0 is out of range, expected 1 to 9007199254740992"));
  EXPECT_THAT(read("2 0 16 3 100 1000 2 1 17 3 200 2000").errors,
              ElementsAre("flow.txt:1: 2 flows are announced, but 11 numbers follow, expected 6 (source destination pg "
                          "dport size start) or 5 (source destination pg size start) per flow"));
  FlowFileOptions hpcc;
  hpcc.format = FlowFileFormat::hpcc;
  EXPECT_THAT(read("2 0 16 3 100 1000 2 1 17 3 200 2000", hpcc).errors,
              ElementsAre("flow.txt:1: 2 flows are announced, but 11 numbers follow, expected 6 per flow"));
  // The total number of words is correct, but one line lacks one and another has one more.
  EXPECT_THAT(read("3\n0 1 3 100 10 2\n0 1 3 10 2\n0 1 3 100 10 2 2\n").errors,
              ElementsAre("flow.txt:3: 5 columns, expected 6", "flow.txt:4: 7 columns, expected 6"));
}

TEST(FlowFile, MayBeginWithAByteOrderMark) {
  const auto result = read(
      "\xEF\xBB\xBF"
      "1\n0 1 3 100 10 2\n");
  ASSERT_TRUE(result.value.has_value());
  EXPECT_EQ(result.value->size(), 1u);
}

// In a long file with an error in every line, reading stops early and nothing is stored.
TEST(FlowFile, IsNotReadToItsEndWhereAllIsWrong) {
  std::string text = "100000\n";
  for (int i = 0; i < 100'000; ++i) text += "7 7 3 100 10 2\n";
  const auto result = read(text);
  ASSERT_EQ(result.errors.size(), 21u);
  EXPECT_EQ(result.errors[0], "flow.txt:2: host 7 sends to itself, expected another destination");
  EXPECT_EQ(result.errors[20], "flow.txt: and 980 more errors; the rest of the file was not read");
  EXPECT_THAT(read("x\n" + text).errors, ElementsAre("flow.txt:1: expected the number of flows at the beginning"));
}

TEST(FlowFile, LoadsAFile) {
  const std::string path = testing::TempDir() + "weir_flow_file_test.txt";
  std::ofstream(path) << "1\n0 1 3 100 10 2\n";
  const auto result = load_flows(path);
  std::remove(path.c_str());
  ASSERT_TRUE(result.value.has_value());
  EXPECT_EQ(result.value->size(), 1u);
  EXPECT_THAT(load_flows("no/such/flow.txt").errors, ElementsAre("no/such/flow.txt: no such file"));
}

TEST(FlowFile, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check("flows that may be offered, or errors", [] {
    const auto tail =
        *rc::gen::container<std::string>(rc::gen::weightedOneOf<char>({{10, rc::gen::inRange('0', '9')},
                                                                       {6, rc::gen::element(' ', '\n', '.', '-', 'e')},
                                                                       {1, rc::gen::arbitrary<char>()}}));
    const auto count = *rc::gen::inRange(0, 3);
    const auto result = read(fmt::format("{}\n0 1 3 100 {}", count, tail));
    RC_ASSERT(result.value.has_value() == result.errors.empty());
    if (!result.value) return;
    for (const FlowSpec& flow : *result.value) {
      RC_ASSERT(flow.source != flow.destination);
      RC_ASSERT(flow.size > Bytes(0));
      RC_ASSERT(flow.start >= Time());
    }
  }));
}

}  // namespace
}  // namespace weir::flow_file_test
