// SPDX-License-Identifier: Apache-2.0
#include "report/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::configuration_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kToml = R"([scenario]
title = "A \"small\" one"
question = "What?\nAnd why = so?"

[switch]
lossless = [3]

[switch.buffer_policy]
alpha = 2.0

[[switch.flow_control]]
scheme = "pfc"

[[traffic]]
name = "a"

[traffic.size]
min = "1 KB"

[[traffic]]
name = "b"

[traffic.size]
min = "2 KB"

[variants."a = b.c"]
x = 1
)";

TEST(Configuration, HasEveryKeyWithItsPath) {
  EXPECT_THAT(
      configuration_keys(kToml),
      ElementsAre(ConfigurationKey{"scenario.title", R"("A \"small\" one")"},
                  ConfigurationKey{"scenario.question", R"("What?\nAnd why = so?")"},
                  ConfigurationKey{"switch.lossless", "[3]"}, ConfigurationKey{"switch.buffer_policy.alpha", "2.0"},
                  ConfigurationKey{"switch.flow_control[0].scheme", "\"pfc\""},
                  ConfigurationKey{"traffic[0].name", "\"a\""}, ConfigurationKey{"traffic[0].size.min", "\"1 KB\""},
                  ConfigurationKey{"traffic[1].name", "\"b\""}, ConfigurationKey{"traffic[1].size.min", "\"2 KB\""},
                  ConfigurationKey{"variants.\"a = b.c\".x", "1"}));
  EXPECT_THAT(configuration_keys(""), IsEmpty());
}

TEST(Configuration, ReadsTexts) {
  const auto keys = configuration_keys(kToml);
  EXPECT_EQ(configuration_text(keys, "scenario.title"), "A \"small\" one");
  EXPECT_EQ(configuration_text(keys, "scenario.question"), "What?\nAnd why = so?");
  EXPECT_EQ(configuration_text(keys, "switch.buffer_policy.alpha"), "") << "a number is no text";
  EXPECT_EQ(configuration_text(keys, "nowhere"), "");
}

TEST(Configuration, TellsWhatDiffers) {
  const auto differences =
      configuration_differences({configuration_keys("a = 1\nb = 2\n[t]\nc = 3\n"), configuration_keys("a = 1\nb = 4\n"),
                                 configuration_keys("a = 1\nd = 5\nb = 2\n")});
  ASSERT_EQ(differences.size(), 3u);
  EXPECT_EQ(differences[0].path, "b");
  EXPECT_THAT(differences[0].values, ElementsAre("2", "4", "2"));
  EXPECT_EQ(differences[1].path, "d");
  EXPECT_THAT(differences[1].values, ElementsAre("", "", "5"));
  EXPECT_EQ(differences[2].path, "t.c");
  EXPECT_THAT(differences[2].values, ElementsAre("3", "", ""));
}

TEST(Configuration, OfOneRunDiffersInNothing) {
  EXPECT_THAT(configuration_differences({configuration_keys(kToml)}), IsEmpty());
}

}  // namespace
}  // namespace weir::configuration_test
