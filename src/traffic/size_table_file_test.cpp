// SPDX-License-Identifier: Apache-2.0
#include "traffic/size_table_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdio>
#include <fstream>

#include "traffic/built_in_sizes.h"

namespace weir::size_table_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ReadResult<SizeTable> read(std::string_view text, SizeTableFormat format = SizeTableFormat::detect) {
  return read_size_table(text, "sizes.txt", "sizes", format);
}

TEST(SizeTableFile, HpccPercent) {
  const auto result = read("0 0\n10000 15\n20000\t20\r\n\n30000000 100\n");
  ASSERT_TRUE(result.value.has_value());
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.value->form(), SizeTable::Form::linear);
  EXPECT_THAT(result.value->points(),
              ElementsAre(SizePoint{0, 0}, SizePoint{10'000, 0.15}, SizePoint{20'000, 0.2}, SizePoint{30'000'000, 1}));
}

TEST(SizeTableFile, ProbabilitiesWithComments) {
  const auto result = read("# a source\n0 0\n100 0.25  # a quarter\n1e3 1");
  ASSERT_TRUE(result.value.has_value());
  EXPECT_EQ(result.value->form(), SizeTable::Form::linear);
  EXPECT_THAT(result.value->points(), ElementsAre(SizePoint{0, 0}, SizePoint{100, 0.25}, SizePoint{1000, 1}));
}

TEST(SizeTableFile, HomaStepsWithTheMean) {
  const auto result = read("250\n100 0.5\n300 0.75\n500 1\n");
  ASSERT_TRUE(result.value.has_value());
  EXPECT_EQ(result.value->form(), SizeTable::Form::steps);
  EXPECT_DOUBLE_EQ(result.value->mean(), 250.0);
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(SizeTableFile, ADifferentMeanIsNoted) {
  const auto result = read("300\n100 0.5\n300 0.75\n500 1\n");
  ASSERT_TRUE(result.value.has_value());
  EXPECT_THAT(result.notes, ElementsAre("sizes.txt:1: the stated mean is 300 bytes, that of the points is 250.0"));
}

TEST(SizeTableFile, SizesInPackets) {
  // Homa's web search file counts packets.
  const auto result =
      read_size_table("3\n1 0.5\n5 1\n", "sizes.txt", "sizes", SizeTableFormat::detect, /*unit_bytes=*/1460.0);
  ASSERT_TRUE(result.value.has_value());
  EXPECT_DOUBLE_EQ(result.value->mean(), 3 * 1460.0);
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(SizeTableFile, AFormatCanBeForced) {
  // A probability of 1 for all flows could also be 1 per cent: only the format distinguishes them.
  EXPECT_TRUE(read("0 0\n10 1\n").value.has_value());
  EXPECT_THAT(read("0 0\n10 1\n", SizeTableFormat::percent).errors,
              ElementsAre("sizes.txt:2: the last probability is 0.01, expected 1 (after division by 100)"));
  EXPECT_THAT(read("0 0\n10 1\n", SizeTableFormat::homa).errors,
              ElementsAre("sizes.txt:1: expected the mean size as the only number of the first line"));
}

TEST(SizeTableFile, ErrorsNameTheLine) {
  EXPECT_THAT(read("").errors, ElementsAre("sizes.txt: is empty, expected a size and a probability per line"));
  EXPECT_THAT(read("# nothing\n\n").errors,
              ElementsAre("sizes.txt: is empty, expected a size and a probability per line"));
  EXPECT_THAT(read("123\n").errors,
              ElementsAre("sizes.txt:1: no points follow, expected a size and a probability per line"));
  EXPECT_THAT(read("0 0\n10 x\n20 1 5\nnan 1\n").errors,
              ElementsAre("sizes.txt:2: \"x\" is not a number, expected a probability",
                          "sizes.txt:3: 3 words, expected two: a size and a probability",
                          "sizes.txt:4: \"nan\" is not a number, expected a size"));
  EXPECT_THAT(read("0 0\n10 50\n9 70\n20 100\n").errors,
              ElementsAre("sizes.txt:3: size 9 is below that of the previous point, 10, expected sizes in ascending "
                          "order (after division by 100)"));
  EXPECT_THAT(read("0 0\n10 0.5\n20 0.9\n").errors,
              ElementsAre("sizes.txt:3: the last probability is 0.9, expected 1"));
  EXPECT_THAT(read(std::string_view("0 0\n\x7f"
                                    "ELF\x01\x02\n",
                                    10))
                  .errors,
              ElementsAre("sizes.txt:2: a control character, expected text (is it a binary or a compressed file?)"));
}

TEST(SizeTableFile, ManyErrorsAreCounted) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "a b c\n";
  const auto result = read(text);
  ASSERT_EQ(result.errors.size(), 21u);
  EXPECT_EQ(result.errors.back(), "sizes.txt: and 30 more errors");
}

TEST(SizeTableFile, FilesThatCannotBeRead) {
  EXPECT_THAT(load_size_table("no/such/file.txt").errors, ElementsAre("no/such/file.txt: no such file"));
  EXPECT_THAT(load_size_table("/").errors, ElementsAre("/: is a directory, expected a file"));
}

TEST(SizeTableFile, LoadsAFile) {
  const std::string path = testing::TempDir() + "weir_size_table_file_test.txt";
  {
    std::ofstream stream(path);
    const auto table = built_in_size_table("websearch");
    for (const SizePoint& point : table->points()) {
      stream << point.bytes << ' ' << point.probability * 100 << '\n';
    }
  }
  const auto result = load_size_table(path);
  std::remove(path.c_str());
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_NEAR(result.value->mean(), 1'711'250, 1);
}

TEST(SizeTableFile, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check("a table or errors, never both", [] {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::weightedOneOf<char>({{10, rc::gen::inRange('0', '9')},
                                                                       {4, rc::gen::element(' ', '\n', '.', '-', 'e')},
                                                                       {1, rc::gen::arbitrary<char>()}}));
    const auto result = read(text);
    RC_ASSERT(result.value.has_value() == result.errors.empty());
    if (result.value) RC_ASSERT(SizeTable::problems(result.value->points()).empty());
  }));
}

}  // namespace
}  // namespace weir::size_table_file_test
