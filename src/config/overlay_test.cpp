// SPDX-License-Identifier: Apache-2.0
#include "config/overlay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/scalar.h"
#include "config/toml_file.h"

namespace weir::overlay_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Value parsed(const std::string& text) {
  Diagnostics diagnostics("s.toml");
  auto value = parse_toml(text, diagnostics);
  EXPECT_TRUE(value) << text;
  return *value;
}

std::string laid(const std::string& base, const std::string& over) {
  Value value = parsed(base);
  Diagnostics diagnostics("s.toml");
  lay_over(value, parsed(over), {}, diagnostics);
  EXPECT_THAT(diagnostics.lines(), IsEmpty());
  return written(value);
}

TEST(Overlay, MergesTablesAndReplacesTheRest) {
  EXPECT_EQ(laid("a = 1\n[t]\nx = 1\ny = 2", "b = 3\n[t]\ny = 4\nz = 5"),
            "{ a = 1, t = { x = 1, y = 4, z = 5 }, b = 3 }");
  EXPECT_EQ(laid("l = [1, 2, 3]", "l = [4]"), "{ l = [4] }");
  EXPECT_EQ(laid("a = { x = 1 }", "a = \"t\""), "{ a = \"t\" }");
  EXPECT_EQ(laid("a = \"t\"", "a = { x = 1 }"), "{ a = { x = 1 } }");
  EXPECT_EQ(laid("a.b.c = 1", "a.b.d = 2"), "{ a = { b = { c = 1, d = 2 } } }");
}

TEST(Overlay, ReplacesASchemeWhole) {
  EXPECT_EQ(laid("s = { scheme = \"one\", alpha = 1 }", "s = { scheme = \"two\", beta = 2 }"),
            "{ s = { scheme = \"two\", beta = 2 } }");
  EXPECT_EQ(laid("s = { scheme = \"one\", alpha = 1 }", "s = { scheme = \"one\", beta = 2 }"),
            "{ s = { scheme = \"one\", alpha = 1, beta = 2 } }");
  EXPECT_EQ(laid("s = { scheme = \"one\", alpha = 1 }", "s.alpha = 2"), "{ s = { scheme = \"one\", alpha = 2 } }");
  EXPECT_EQ(laid("t = { kind = \"a\", n = 1 }", "t = { kind = \"b\" }"), "{ t = { kind = \"b\" } }");
}

TEST(Overlay, ChangesElementsByNameSchemeOrNumber) {
  const std::string base = "l = [{ name = \"a\", x = 1 }, { scheme = \"s\", x = 2 }, { x = 3 }]";
  EXPECT_EQ(laid(base, "l.a.x = 7"), "{ l = [{ name = \"a\", x = 7 }, { scheme = \"s\", x = 2 }, { x = 3 }] }");
  EXPECT_EQ(laid(base, "l.s.x = 7"), "{ l = [{ name = \"a\", x = 1 }, { scheme = \"s\", x = 7 }, { x = 3 }] }");
  EXPECT_EQ(laid(base, "l.2.x = 7"), "{ l = [{ name = \"a\", x = 1 }, { scheme = \"s\", x = 2 }, { x = 7 }] }");
}

TEST(Overlay, RefusesElementsThatAreNotThere) {
  Value value = parsed("l = [{ name = \"background\", x = 1 }]");
  Diagnostics diagnostics("s.toml");
  lay_over(value, parsed("l.backgruond.x = 7\nl.5.x = 1"), {}, diagnostics);
  EXPECT_THAT(diagnostics.lines(),
              ElementsAre("s.toml:1:3: l.backgruond: does not match an element of the list l, which has 1: expected a "
                          "name, or an index from 0 (did you mean \"background\"?)",
                          "s.toml:2:3: l.5: does not match an element of the list l, which has 1: expected a name, or "
                          "an index from 0"));
}

TEST(Overlay, NotesTheVariantOfEveryValue) {
  Value value = parsed("a = { b = [1] }");
  mark_variant(value, "v");
  const Value::Member* a = value.find("a");
  EXPECT_EQ(a->origin.variant, "v");
  EXPECT_EQ(a->value.find("b")->value.list()->front().origin.variant, "v");
}

}  // namespace
}  // namespace weir::overlay_test
