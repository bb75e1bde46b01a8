// SPDX-License-Identifier: Apache-2.0
#include "config/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "config/toml_file.h"

namespace weir::reader_test {
namespace {

using namespace weir::literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// A text that is being read.
struct Reading {
  explicit Reading(const std::string& text) : value(*parse_toml(text, diagnostics)) {}
  Reader reader() { return {diagnostics, &value, value.origin, {}, effective}; }
  Diagnostics diagnostics{"s.toml"};
  Value value;
  EffectiveTable effective;
};

enum class Colour : std::uint8_t { red, green };
constexpr Named<Colour> kColours[] = {{"red", Colour::red}, {"green", Colour::green}};

TEST(Reader, ReadsEachTypeOrLeavesTheDefault) {
  Reading reading(
      "flag = true\ncount = 3\nratio = 2\ntext = \"t\"\nwait = \"1 us\"\nat = \"2 ms\"\nsize = \"1 KB\"\n"
      "rate = \"1 Gbit/s\"\ncolour = \"green\"\nlist = [1, 2]\nsmall = 200\n");
  Reader reader = reading.reader();
  bool flag = false;
  std::int64_t count = 0;
  double ratio = 0;
  std::string text;
  Duration wait;
  Time at;
  Bytes size;
  BitRate rate;
  Colour colour = Colour::red;
  std::vector<std::int64_t> list;
  std::uint8_t small = 0;
  std::int64_t left = 42;
  std::optional<Bytes> none;
  reader.optional("flag", flag, "");
  reader.optional("count", count, "");
  reader.optional("ratio", ratio, "");
  reader.optional("text", text, "");
  reader.optional("wait", wait, "");
  reader.optional("at", at, "");
  reader.optional("size", size, "");
  reader.optional("rate", rate, "");
  reader.choice<Colour>("colour", colour, kColours, "");
  reader.list("list", list, "");
  reader.optional("small", small, "");
  reader.optional("left", left, "");
  reader.optional("none", none, "");
  reader.finish();
  EXPECT_THAT(reading.diagnostics.lines(), IsEmpty());
  EXPECT_TRUE(flag);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(ratio, 2.0);  // an integer is accepted
  EXPECT_EQ(text, "t");
  EXPECT_EQ(wait, 1_us);
  EXPECT_EQ(at, Time() + 2_ms);
  EXPECT_EQ(size, 1_KB);
  EXPECT_EQ(rate, 1_Gbps);
  EXPECT_EQ(colour, Colour::green);
  EXPECT_THAT(list, ElementsAre(1, 2));
  EXPECT_EQ(small, 200);
  EXPECT_EQ(left, 42);
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(to_toml(reading.effective, Annotation::none, "s.toml"),
            "flag = true\ncount = 3\nratio = 2.0\ntext = \"t\"\nwait = \"1 us\"\nat = \"2 ms\"\nsize = \"1 KB\"\n"
            "rate = \"1 Gbit/s\"\ncolour = \"green\"\nlist = [1, 2]\nsmall = 200\nleft = 42\n");
}

TEST(Reader, RefusesTheWrongType) {
  Reading reading(
      "flag = 1\ncount = 3.5\nratio = \"2\"\ntext = 4\nwait = 5\nsize = true\nrate = []\ncolour = \"grene\"\n"
      "list = [1, \"x\"]\nday = 2024-01-01\ntable = {}\nbad = nan\n");
  Reader reader = reading.reader();
  bool flag = false;
  std::int64_t count = 7;
  std::int64_t day = 0;
  std::int64_t table = 0;
  double ratio = 0;
  double bad = 1;
  std::string text;
  Duration wait;
  Bytes size;
  BitRate rate;
  Colour colour = Colour::red;
  std::vector<std::int64_t> list;
  reader.optional("flag", flag, "");
  reader.optional("count", count, "");
  reader.optional("ratio", ratio, "");
  reader.optional("text", text, "");
  reader.optional("wait", wait, "");
  reader.optional("size", size, "");
  reader.optional("rate", rate, "");
  reader.choice<Colour>("colour", colour, kColours, "");
  reader.list("list", list, "");
  reader.optional("day", day, "");
  reader.optional("table", table, "");
  reader.optional("bad", bad, "");
  EXPECT_THAT(reading.diagnostics.lines(),
              ElementsAre("s.toml:1:8: flag: is 1, expected true or false",  //
                          "s.toml:2:9: count: is 3.5, expected an integer",  //
                          "s.toml:3:9: ratio: is \"2\", expected a number",  //
                          "s.toml:4:8: text: is 4, expected a string",       //
                          "s.toml:5:8: wait: is 5, expected a duration with its unit, such as \"600 ns\"",
                          "s.toml:6:8: size: is true, expected a size with its unit, such as \"12 MB\"",
                          "s.toml:7:8: rate: is a list, expected a rate with its unit, such as \"100 Gbit/s\"",
                          "s.toml:8:10: colour: is \"grene\", expected one of \"red\", \"green\" (did you mean "
                          "\"green\"?)",
                          "s.toml:9:12: list.1: is \"x\", expected an integer",
                          "s.toml:10:7: day: is a date, expected an integer",
                          "s.toml:11:9: table: is a table, expected an integer",
                          "s.toml:12:7: bad: is nan, expected a finite number"));
  EXPECT_EQ(count, 7);  // unchanged
  EXPECT_THAT(list, IsEmpty());
}

TEST(Reader, RefusesWhatIsOutOfRange) {
  Reading reading("a = 0\nb = 1.5\nc = \"10 KB\"\nd = 256\ne = -1\nf = \"0 ns\"\n");
  Reader reader = reading.reader();
  std::int64_t a = 1;
  double b = 0;
  Bytes c;
  std::uint8_t d = 0;
  std::uint64_t e = 0;
  Duration f = 1_ns;
  reader.optional("a", a, "", at_least<std::int64_t>(1));
  reader.optional("b", b, "", between(0.0, 1.0));
  reader.optional("c", c, "", between(0_B, 9_KB));
  reader.optional("d", d, "");
  reader.optional("e", e, "");
  reader.optional("f", f, "", above(Duration()));
  EXPECT_THAT(
      reading.diagnostics.lines(),
      ElementsAre("s.toml:1:5: a: is 0, expected at least 1",
                  "s.toml:2:5: b: is 1.5, expected at least 0.0 and at most 1.0",
                  "s.toml:3:5: c: is \"10 KB\", expected at least 0 B and at most 9 KB",
                  "s.toml:4:5: d: is 256, expected at least 0 and at most 255",
                  "s.toml:5:5: e: is -1, expected at least 0", "s.toml:6:5: f: is \"0 ns\", expected above 0 ps"));
}

TEST(Reader, RefusesUnknownAndMissingKeys) {
  Reading reading("bufer = 1\nzzz = 2\n[sub]\nx = 1\n");
  Reader reader = reading.reader();
  std::int64_t buffer = 0;
  std::int64_t needed = 0;
  reader.optional("buffer", buffer, "");
  EXPECT_FALSE(reader.required("needed", needed, "the number of things"));
  Reader sub = reader.table("sub", "");
  EXPECT_FALSE(sub.required("y", needed, "why"));
  sub.finish();
  reader.finish();
  EXPECT_THAT(reading.diagnostics.lines(),
              ElementsAre("s.toml:1:1: bufer: unknown key (did you mean \"buffer\"?)",
                          "s.toml:1:1: needed: is missing, expected an integer: the number of things",
                          "s.toml:2:1: zzz: unknown key, expected one of buffer, needed, sub",
                          "s.toml:3:2: sub.y: is missing, expected an integer: why",
                          "s.toml:4:1: sub.x: unknown key, expected one of y"));
}

TEST(Reader, SuggestsAKeyThatIsGivenOnlyIfNoOtherIsAsLikely) {
  Reading reading("host_link = 1\ncore_link = 2\nhost_lnk = 3\nost_linc = 4\n");
  Reader reader = reading.reader();
  std::int64_t link = 0;
  reader.optional("host_link", link, "");
  reader.optional("fabric_link", link, "");
  reader.finish();
  EXPECT_THAT(reading.diagnostics.lines(),
              ElementsAre("s.toml:2:1: core_link: unknown key (did you mean \"fabric_link\"?)",
                          "s.toml:3:1: host_lnk: unknown key (did you mean \"host_link\"?)",
                          "s.toml:4:1: ost_linc: unknown key (did you mean \"host_link\"?)"));
}

TEST(Reader, ReadsTablesAndListsOfTables) {
  Reading reading("t = 3\n[[l]]\nname = \"a b\"\n[[l]]\n[m]\n");
  Reader reader = reading.reader();
  reader.table("t", "");
  std::vector<Reader> list = reader.tables("l", "");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].path(), "l.\"a b\"");
  EXPECT_EQ(list[1].path(), "l.1");
  EXPECT_THAT(reader.tables("m", ""), IsEmpty());
  EXPECT_THAT(reader.tables("absent", ""), IsEmpty());
  EXPECT_FALSE(reader.optional_table("n", "").has_value());
  EXPECT_THAT(reading.diagnostics.lines(), ElementsAre("s.toml:1:5: t: is 3, expected a table",
                                                       "s.toml:5:1: m: is a table, expected a list of tables"));
}

TEST(Reader, TellsWhereEachValueCameFrom) {
  Reading reading("a = 1\n");
  Reader reader = reading.reader();
  std::int64_t a = 0;
  std::int64_t b = 5;
  std::optional<Bytes> c;
  reader.optional("a", a, "");
  reader.optional("b", b, "");
  reader.optional("c", c, "one product when left out");
  EXPECT_EQ(to_toml(reading.effective, Annotation::origins, "s.toml"),
            "a = 1                                         # s.toml:1\n"
            "b = 5                                         # default\n"
            "# c                                           # not set: one product when left out\n");
}

}  // namespace
}  // namespace weir::reader_test
