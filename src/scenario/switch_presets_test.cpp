// SPDX-License-Identifier: Apache-2.0
#include "scenario/switch_presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "scenario/test_scenario.h"

namespace weir::switch_presets_test {
namespace {

using namespace weir::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_scenario::changed;
using testing_scenario::only;
using testing_scenario::read;

TEST(SwitchPresets, HaveNamesOfTheirOwnAndSources) {
  std::set<std::string_view> names;
  for (const SwitchPreset& preset : switch_presets()) {
    EXPECT_TRUE(names.insert(preset.name).second);
    EXPECT_EQ(find_switch_preset(preset.name), &preset);
    EXPECT_FALSE(preset.source.empty());
    EXPECT_GT(preset.buffer, 0_B);
    EXPECT_GT(preset.ports, 0);
  }
  EXPECT_EQ(find_switch_preset("none"), nullptr);
}

TEST(SwitchPresets, StandForABuffer) {
  EXPECT_EQ(only(changed("buffer = \"12 MB\"", "preset = \"tomahawk\"")).settings.switches.buffer, 16_MB);
  EXPECT_EQ(only(changed("buffer = \"12 MB\"", "preset = \"tomahawk\"\nbuffer = \"4 MB\"")).settings.switches.buffer,
            4_MB);
}

TEST(SwitchPresets, AreRefusedWhereThePortsCarryMore) {
  std::string text = changed("buffer = \"12 MB\"", "preset = \"trident_plus\"");
  EXPECT_THAT(read(text).errors, IsEmpty()) << "four ports of 100 Gbit/s are less than 64 of 10 Gbit/s";
  const std::string rate = "\"100 Gbit/s\"";
  for (std::size_t at = 0; (at = text.find(rate, at)) != std::string::npos;)
    text.replace(at, rate.size(), "\"400 Gbit/s\"");
  EXPECT_THAT(read(text).errors, ElementsAre(HasSubstr("switch.preset: \"trident_plus\" has 64 ports of 10 Gbit/s, but "
                                                       "the ports of tor0 have 1.6 Tbit/s in total")));
}

TEST(SwitchPresets, NameTheNearest) {
  EXPECT_THAT(read(changed("buffer = \"12 MB\"", "preset = \"tomahwk\"")).errors,
              ElementsAre(AllOf(HasSubstr("unknown preset \"tomahwk\", expected one of trident_plus"),
                                HasSubstr("(did you mean \"tomahawk\"?)"))));
}

}  // namespace
}  // namespace weir::switch_presets_test
