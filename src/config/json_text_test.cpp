// SPDX-License-Identifier: Apache-2.0
#include "config/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace weir::json_text_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string error_of(std::string_view text) {
  Diagnostics diagnostics("t.json");
  EXPECT_FALSE(parse_json(text, diagnostics)) << text;
  return diagnostics.lines().empty() ? "" : diagnostics.lines().front();
}

Value value_of(std::string_view text) {
  Diagnostics diagnostics("t.json");
  const std::optional<Value> value = parse_json(text, diagnostics);
  EXPECT_THAT(diagnostics.lines(), IsEmpty());
  return value.value_or(Value());
}

TEST(JsonText, HoldsValuesWithTheirPlaces) {
  const Value value = value_of("{\"a\": [1, -2.5, true, null],\n  \"b\": {\"c\": \"x\"}, \"d\": null}");
  ASSERT_EQ(value.table()->size(), 2U) << "null is left out";
  const Value::List& list = *value.find("a")->value.list();
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(std::get<std::int64_t>(list[0].data), 1);
  EXPECT_EQ(std::get<double>(list[1].data), -2.5);
  EXPECT_EQ(std::get<bool>(list[2].data), true);
  EXPECT_EQ(value.find("b")->origin.line, 2U);
  EXPECT_EQ(value.find("b")->origin.column, 3U);
  EXPECT_EQ(*value.find("b")->value.text_at("c"), "x");
}

TEST(JsonText, KnowsIntegersFromOtherNumbers) {
  EXPECT_EQ(std::get<std::int64_t>(value_of("9223372036854775807").data), INT64_MAX);
  EXPECT_EQ(std::get<double>(value_of("9223372036854775808").data), 0x1p63);
  EXPECT_EQ(std::get<double>(value_of("1e3").data), 1000);
}

TEST(JsonText, ReadsEscapes) {
  EXPECT_EQ(*value_of(R"("a\"\\\/\n\u0041\u00e9\u20ac\ud83d\ude00")").text(),
            "a\"\\/\nA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(JsonText, SaysWhereItIsWrong) {
  const std::string rest = "; the rest of the file was not read";
  EXPECT_EQ(error_of("{\"a\": 1,\n \"a\": 2}"), "t.json:2:2: \"a\" is there twice" + rest);
  EXPECT_EQ(error_of("[1, 2"), "t.json:1:6: the text ends, expected `,` or `]`" + rest);
  EXPECT_EQ(error_of("{a: 1}"), "t.json:1:2: `a`, expected a name in quotes" + rest);
  EXPECT_EQ(error_of("[01]"), "t.json:1:4: a number with a zero before it, expected it without" + rest);
  EXPECT_EQ(error_of("1 2"), "t.json:1:3: more characters, expected nothing after the value" + rest);
  EXPECT_EQ(error_of("\"\\ud800x\""), "t.json:1:7: half of a surrogate pair, expected the other half" + rest);
  EXPECT_EQ(error_of("[1e999]"), "t.json:1:7: a number out of range, expected one that a double holds" + rest);
  EXPECT_EQ(error_of(std::string(200, '[')), "t.json:1:102: nests too deep, expected at most 100 levels" + rest);
  EXPECT_NE(error_of(""), "");
}

}  // namespace
}  // namespace weir::json_text_test
