// SPDX-License-Identifier: Apache-2.0
#include "config/nearest_name.h"

#include <gtest/gtest.h>

namespace weir::nearest_name_test {
namespace {

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("bufer", "buffer"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("headrom", "headroom"), 1U);
  EXPECT_EQ(edit_distance("alhpa", "alpha"), 1U);  // a swap
  EXPECT_EQ(edit_distance("Leaf_Spine", "leaf-spine"), 0U);
}

TEST(NearestName, FindsTheNearest) {
  const std::vector<std::string> names = {"buffer", "reserve", "headroom", "forwarding", "us", "ns"};
  EXPECT_EQ(nearest_name("bufer", names), "buffer");
  EXPECT_EQ(nearest_name("head_room", names), "headroom");
  EXPECT_EQ(nearest_name("fowrarding", names), "forwarding");
  EXPECT_EQ(nearest_name("usec", names), "us");
  EXPECT_EQ(nearest_name("colour", names), "");
  EXPECT_EQ(nearest_name("", names), "");
}

TEST(NearestName, TakesTheFirstOfEquals) {
  EXPECT_EQ(nearest_name("as", std::vector<std::string>{"us", "ns"}), "us");
}

TEST(NearestName, FindsTheOnlyOneWithTheSameLastWord) {
  const std::vector<std::string> names = {"kind", "fabric_link", "link", "host_rate", "top_rate", "_size"};
  EXPECT_EQ(name_with_last_word("core_link", names), "fabric_link");
  EXPECT_EQ(name_with_last_word("core-link", names), "fabric_link");
  EXPECT_EQ(name_with_last_word("some_rate", names), "") << "two have it";
  EXPECT_EQ(name_with_last_word("link", names), "");
  EXPECT_EQ(name_with_last_word("a_kind", names), "");
  EXPECT_EQ(name_with_last_word("a_size", names), "");
}

}  // namespace
}  // namespace weir::nearest_name_test
