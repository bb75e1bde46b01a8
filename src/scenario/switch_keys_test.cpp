// SPDX-License-Identifier: Apache-2.0
// Groups of switches with their own schemes and buffers.
#include "scenario/switch_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario/combination.h"
#include "scenario/test_scenario.h"

namespace weir::switch_keys_test {
namespace {

using namespace weir::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_scenario::changed;
using testing_scenario::errors;
using testing_scenario::only;
using testing_scenario::read;
using testing_scenario::with_groups;

std::vector<std::string> flow_controls(const Settings& settings, std::size_t of_switch) {
  std::vector<std::string> names;
  for (const PolicyChoice& choice : settings.switches_of(SwitchId(of_switch)).flow_control) {
    names.emplace_back(choice.scheme->name);
  }
  return names;
}

std::vector<std::size_t> members(const std::string& written) {
  const Settings settings = only(with_groups("[[switch.group]]\nswitches = " + written)).settings;
  std::vector<std::size_t> out;
  for (const SwitchId id : settings.switch_groups.front().switches) out.push_back(id.index());
  return out;
}

TEST(SwitchGroups, HaveWhatTheyNameAndTheRestOfAll) {
  const Settings settings = only(with_groups(R"([[switch.group]]
name = "new"
switches = ["tor0", "spine*"]
flow_control = ["bfc", "pfc"]
buffer = "24 MB"
headroom = "60 KB"
forwarding = "spray"
[[switch.group]]
switches = "tor1"
flow_control = []
reserve = "2 KB"
buffer_policy = { scheme = "static_threshold", xoff = "40 KB" }
congestion_point = "red"
)"))
                                .settings;
  // tor0, tor1, spine0, spine1
  EXPECT_THAT(flow_controls(settings, 0), ElementsAre("bfc", "pfc"));
  EXPECT_THAT(flow_controls(settings, 3), ElementsAre("bfc", "pfc"));
  EXPECT_THAT(flow_controls(settings, 1), IsEmpty());
  const SwitchSettings tor0 = settings.switches_of(SwitchId(0));
  EXPECT_EQ(tor0.buffer, 24_MB);
  EXPECT_EQ(tor0.headroom.bytes, 60_KB);
  EXPECT_EQ(tor0.forwarding.scheme->name, "spray");
  EXPECT_EQ(tor0.buffer_policy.scheme->name, "dynamic_threshold");
  EXPECT_TRUE(tor0.lossless[3]);
  const SwitchSettings tor1 = settings.switches_of(SwitchId(1));
  EXPECT_EQ(tor1.buffer, 12_MB);
  EXPECT_EQ(tor1.reserve, 2_KB);
  EXPECT_EQ(tor1.headroom.kind, HeadroomRule::Kind::computed);
  EXPECT_EQ(tor1.buffer_policy.parameters.get<Bytes>("xoff"), 40_KB);
  EXPECT_THAT(tor1.congestion_point, SizeIs(1));
}

TEST(SwitchGroups, AreNamedInManyWays) {
  EXPECT_THAT(members("\"tor1\""), ElementsAre(1));
  EXPECT_THAT(members("\"tor0..spine0\""), ElementsAre(0, 1, 2));
  EXPECT_THAT(members("[\"spine*\", \"tor1\", \"spine1\"]"), ElementsAre(2, 3, 1));
  EXPECT_THAT(members("\"rack 1\""), ElementsAre(1));
  EXPECT_THAT(members("\"all\""), ElementsAre(0, 1, 2, 3));
}

TEST(SwitchGroups, RefuseWhatIsNoSwitch) {
  const auto wrong = [](const std::string& written) {
    return errors(with_groups("[[switch.group]]\nswitches = " + written));
  };
  const std::string forms =
      "expected a switch (\"tor2\"), a range (\"tor0..tor3\"), a prefix (\"spine*\"), \"rack 1\", \"pod 0\", \"all\", "
      "or a list of these";
  EXPECT_THAT(wrong("[\"tor0\", \"spin1\"]"),
              ElementsAre("s.toml:17:21: switch.group.0.switches: unknown node \"spin1\" (did you mean \"spine1\"?)"));
  EXPECT_THAT(
      wrong("\"spin_*\""),
      ElementsAre(
          "s.toml:17:12: switch.group.0.switches: no switch name begins with \"spin_\" (did you mean \"spine*\"?)"));
  EXPECT_THAT(wrong("\"h0\""),
              ElementsAre("s.toml:17:12: switch.group.0.switches: \"h0\" is a host, expected a switch"));
  EXPECT_THAT(wrong("\"spine1..tor0\""), ElementsAre("s.toml:17:12: switch.group.0.switches: \"spine1..tor0\" is not a "
                                                     "range, expected two switches, the lower first"));
  EXPECT_THAT(wrong("\"rack 7\""), ElementsAre("s.toml:17:12: switch.group.0.switches: \"rack 7\" has no switch"));
  EXPECT_THAT(wrong("3"), ElementsAre("s.toml:17:12: switch.group.0.switches: is 3, " + forms));
  EXPECT_THAT(wrong("[3]"), ElementsAre("s.toml:17:13: switch.group.0.switches: is 3, " + forms));
  EXPECT_THAT(wrong("[]"), ElementsAre("s.toml:17:12: switch.group.0.switches: names no switch, " + forms));
  EXPECT_THAT(errors(with_groups("[[switch.group]]\nbuffer = \"1 MB\"")),
              ElementsAre("s.toml:16:1: switch.group.0: switches is missing, " + forms));
}

TEST(SwitchGroups, RefuseASwitchInTwoOfThem) {
  EXPECT_THAT(errors(with_groups("[[switch.group]]\nname = \"old\"\nswitches = \"tor*\"\n"
                                 "[[switch.group]]\nswitches = [\"spine0\", \"tor1\"]")),
              ElementsAre("s.toml:20:12: switch.group.1.switches: \"tor1\" is already in group \"old\", expected each "
                          "switch in at most one group"));
  EXPECT_THAT(errors(with_groups("[[switch.group]]\nname = \"old\"\nswitches = \"tor0\"\n"
                                 "[[switch.group]]\nname = \"old\"\nswitches = \"tor1\"")),
              ElementsAre("s.toml:19:1: switch.group.old: two groups are named \"old\""));
}

TEST(SwitchGroups, RefuseWhatIsTheNetworks) {
  EXPECT_THAT(errors(with_groups("[[switch.group]]\nswitches = \"tor0\"\nlossless = [4]")),
              ElementsAre(HasSubstr(
                  "s.toml:18:1: switch.group.0.lossless: unknown key, expected one of name, switches, "
                  "preset, buffer, reserve, headroom, pause_watchdog, forwarding, buffer_policy, flow_control, "
                  "congestion_point")));
  EXPECT_THAT(errors(with_groups("[[switch.group]]\nswitches = \"tor0\"\nforwarding = { hash = \"crc32\" }")),
              ElementsAre(HasSubstr("switch.group.0.forwarding.scheme: is missing")));
  EXPECT_THAT(errors(with_groups("[[switch.group]]\nswitches = \"tor0\"\nflow_control = [\"bcf\"]")),
              ElementsAre(HasSubstr("s.toml:18:17: switch.group.0.flow_control.0.scheme: unknown scheme \"bcf\"")));
}

TEST(SwitchGroups, RefuseWhatTheirSchemesCannotDoTogether) {
  EXPECT_THAT(errors(with_groups("[[switch.group]]\nname = \"new\"\nswitches = \"tor0\"\n"
                                 "flow_control = [\"bfc\", \"sfq\"]")),
              ElementsAre("s.toml:19:16: switch.group.new.flow_control: \"bfc\" and \"sfq\" both assign frames to "
                          "queues, expected at most one such scheme"));
  EXPECT_THAT(errors(with_groups("[[switch.group]]\nswitches = \"tor0\"\n"
                                 "flow_control = { scheme = \"pfc\", response = \"1 us\" }")),
              ElementsAre(HasSubstr("switch.pause_response: is 0 ps, expected at least the response time of \"pfc\"")));
  EXPECT_THAT(errors(changed("buffer = \"12 MB\"", "discipline = \"rank\"",
                             with_groups("[[switch.group]]\nswitches = \"tor0..spine1\"\nflow_control = [\"bfc\"]"))),
              ElementsAre(HasSubstr("switch.discipline: is \"rank\", but no flow control assigns ranks to frames")));
}

TEST(SwitchGroups, ShareTheHeaderBytesOfTheNetworkButNotNotes) {
  Scheme a;
  a.name = "a";
  static constexpr HeaderField kOfA{"credits", 4, FrameKinds(FrameKind::data)};
  static constexpr HeaderField kOfB{"grant", 4, FrameKinds(FrameKind::data)};
  a.fields = {&kOfA};
  a.traits.claims_own = true;
  Scheme b = a;
  b.name = "b";
  b.fields = {&kOfB};
  const auto errors = [&] {
    Diagnostics diagnostics("s.toml");
    const Value root;
    EffectiveTable effective;
    Reader reader(diagnostics, &root, root.origin, {}, effective);
    SwitchSettings switches;
    switches.congestion_point = {{&a, {}}};
    SwitchGroup group;
    group.name = "new";
    group.congestion_point = std::vector<PolicyChoice>{PolicyChoice{&b, {}}};
    check_combination(switches, {group}, {}, reader);
    return diagnostics.lines();
  };
  EXPECT_THAT(errors(),
              ElementsAre(HasSubstr("switch.group.new.congestion_point: frames have no space for both the header field "
                                    "\"grant\" of \"b\" (4 bytes) and \"credits\" of \"a\" "
                                    "(switch.congestion_point, 4 bytes)")));
  b.fields = {};
  EXPECT_THAT(errors(), IsEmpty()) << "notes stay in the switch, and no switch has both";
}

TEST(SwitchGroups, AreChangedByVariantsAndTheCommandLine) {
  const std::string text =
      with_groups("[[switch.group]]\nname = \"new\"\nswitches = \"tor0\"\nflow_control = [\"bfc\", \"pfc\"]\n") +
      "\n[variants.one]\n[variants.two]\nswitch.group.new.flow_control = \"bfc\"\n"
      "[variants.three]\nswitch.group.new.flow_control.bfc.queues = 8\nswitch.group.new.switches = \"spine1\"\n"
      "[variants.four]\nswitch.group = [{ switches = \"tor1\", flow_control = [] }]\n";
  const Scenario scenario = read(text, {{}, {"switch.group.0.buffer=\"7 MB\""}, {}});
  ASSERT_THAT(scenario.errors, IsEmpty());
  const auto settings = [&](std::size_t i) -> const Settings& { return scenario.variants[i].settings; };
  EXPECT_THAT(flow_controls(settings(0), 0), ElementsAre("bfc", "pfc"));
  EXPECT_THAT(flow_controls(settings(1), 0), ElementsAre("bfc"));
  EXPECT_THAT(flow_controls(settings(2), 0), ElementsAre("pfc"));
  EXPECT_THAT(flow_controls(settings(2), 3), ElementsAre("bfc", "pfc"));
  EXPECT_EQ(settings(2).switches_of(SwitchId(3)).flow_control[0].parameters.get<std::int64_t>("queues"), 8);
  EXPECT_THAT(flow_controls(settings(3), 1), IsEmpty());
  EXPECT_EQ(settings(3).switches_of(SwitchId(1)).buffer, 7_MB);
}

TEST(SwitchGroups, ReadBackFromWhatTakesEffect) {
  const Settings settings =
      only(with_groups("[[switch.group]]\nname = \"new\"\nswitches = [\"tor0\"]\nflow_control = [\"bfc\", \"pfc\"]\n"
                       "[[switch.group]]\nswitches = \"tor1\"\nflow_control = []\nbuffer = \"24 MB\"\n"))
          .settings;
  const ScenarioVariant again = only(settings.effective_configuration);
  EXPECT_EQ(again.settings.effective_configuration, settings.effective_configuration);
  EXPECT_THAT(flow_controls(again.settings, 0), ElementsAre("bfc", "pfc"));
  EXPECT_THAT(flow_controls(again.settings, 1), IsEmpty());
  EXPECT_THAT(flow_controls(again.settings, 2), ElementsAre("pfc"));
  EXPECT_EQ(again.settings.switches_of(SwitchId(1)).buffer, 24_MB);
}

}  // namespace
}  // namespace weir::switch_keys_test
