// SPDX-License-Identifier: Apache-2.0
#include "scenario/node_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "config/toml_file.h"
#include "scenario/combination.h"
#include "scenario/scheme_slot.h"
#include "scenario/test_scenario.h"

namespace weir::node_sections_test {
namespace {

using namespace weir::literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_scenario::changed;
using testing_scenario::errors;
using testing_scenario::only;

/// The valid scenario with more lines in [switch] or [host].
std::string with_switch(const std::string& lines) {
  return changed("buffer = \"12 MB\"", lines);
}
std::string with_host(const std::string& lines) {
  return changed("payload = 1000", lines);
}

SwitchSettings switches(const std::string& lines) {
  return only(with_switch(lines)).settings.switches;
}
HostSettings hosts(const std::string& lines) {
  return only(with_host(lines)).settings.hosts;
}

TEST(SwitchSection, ReadsHeadroomInItsThreeForms) {
  EXPECT_EQ(switches("headroom = \"computed\"").headroom.kind, HeadroomRule::Kind::computed);
  const HeadroomRule stated = switches("headroom = \"60 KB\"").headroom;
  EXPECT_EQ(stated.kind, HeadroomRule::Kind::bytes);
  EXPECT_EQ(stated.bytes, 60_KB);
  const HeadroomRule scaled = switches("headroom = { rate_delay = 3 }").headroom;
  EXPECT_EQ(scaled.kind, HeadroomRule::Kind::rate_delay);
  EXPECT_EQ(scaled.factor, 3.0);
}

TEST(SwitchSection, RefusesOtherHeadroom) {
  const std::string forms = "expected \"computed\", a size such as \"60 KB\", or { rate_delay = 3 }";
  EXPECT_THAT(errors(with_switch("headroom = \"lots\"")),
              ElementsAre("s.toml:13:12: switch.headroom: is \"lots\", " + forms));
  EXPECT_THAT(errors(with_switch("headroom = 60000")),
              ElementsAre("s.toml:13:12: switch.headroom: is 60000, " + forms));
  EXPECT_THAT(errors(with_switch("headroom = { rate_dealy = 3 }")),
              ElementsAre("s.toml:13:12: switch.headroom: is a table, " + forms));
  EXPECT_THAT(errors(with_switch("headroom = { rate_delay = -1 }")),
              ElementsAre("s.toml:13:12: switch.headroom: rate_delay is -1, expected at least 0"));
  EXPECT_THAT(errors(with_switch("headroom = \"60 kB\"")),
              ElementsAre(HasSubstr("switch.headroom: \"60 kB\" has an unknown unit")));
}

TEST(SwitchSection, ReadsLevels) {
  const SwitchSettings settings = switches("levels = [[7, 6], [3], [0, 1, 2, 4, 5]]");
  EXPECT_EQ(settings.level_of_priority, (std::array<std::uint8_t, 8>{2, 2, 2, 1, 2, 2, 0, 0}));
}

TEST(SwitchSection, RefusesLevelsThatAreNoPartition) {
  for (const char* levels :
       {"[[7]]", "[[7, 7], [0, 1, 2, 3, 4, 5, 6]]", "[[8], [0, 1, 2, 3, 4, 5, 6, 7]]", "[0]", "3"}) {
    EXPECT_THAT(
        errors(with_switch(std::string("levels = ") + levels)),
        ElementsAre("s.toml:13:10: switch.levels: expected lists of priorities, each of 0..7 once, such as [[7], "
                    "[6, 5, 4, 3, 2, 1, 0]]"))
        << levels;
  }
}

TEST(SwitchSection, ReadsPools) {
  const SwitchSettings settings =
      switches("pool = [{ share = 0.75, priorities = [3] }, { share = 0.25, priorities = [0, 1, 2, 4, 5, 6, 7] }]");
  EXPECT_EQ(settings.pool_share[0], 0.75);
  EXPECT_EQ(settings.pool_share[1], 0.25);
  EXPECT_EQ(settings.pool_of_priority[3], 0);
  EXPECT_EQ(settings.pool_of_priority[7], 1);
}

TEST(SwitchSection, RefusesPoolsThatDoNotAddUp) {
  EXPECT_THAT(errors(with_switch("pool = [{ share = 0.5, priorities = [0, 1, 2, 3, 4, 5, 6, 7] }]")),
              ElementsAre("s.toml:12:2: switch: the shares of the pools sum to 0.5, expected 1"));
  EXPECT_THAT(errors(with_switch("pool = [{ share = 1.0, priorities = [1, 2, 3, 4, 5, 6, 7, 7] }]")),
              ElementsAre("s.toml:12:2: switch: priority 0 is served by 0 pools, expected one",
                          "s.toml:12:2: switch: priority 7 is served by 2 pools, expected one"));
}

TEST(SwitchSection, ReadsDisciplines) {
  const SwitchSettings settings =
      switches("discipline = \"round_robin\"\ndiscipline_of_priority = { 3 = \"deficit_round_robin\" }");
  EXPECT_EQ(settings.discipline_of_priority[0], Discipline::round_robin);
  EXPECT_EQ(settings.discipline_of_priority[3], Discipline::deficit_round_robin);
  EXPECT_THAT(errors(with_switch("discipline_of_priority = { 8 = \"rank\" }")),
              ElementsAre(HasSubstr("switch.discipline_of_priority.8: unknown key")));
}

TEST(SwitchSection, RefusesTwoDisciplinesInOneLevel) {
  const std::string levels = "levels = [[7], [6], [5, 4, 3], [2, 1, 0]]\n";
  EXPECT_THAT(errors(with_switch(levels + "discipline_of_priority = { 3 = \"round_robin\" }")),
              ElementsAre("s.toml:12:2: switch: priorities 3 and 4 share a level but have different disciplines, "
                          "expected one discipline per level"));
  EXPECT_THAT(errors(with_switch(levels + "discipline_of_priority = { 3 = \"round_robin\", 4 = \"round_robin\", 5 = "
                                          "\"round_robin\" }")),
              IsEmpty());
}

TEST(SwitchSection, RefusesRanksThatNobodyGives) {
  const std::string reason =
      ": is \"rank\", but no flow control assigns ranks to frames, expected one that does, or another discipline";
  EXPECT_THAT(errors(with_switch("discipline = \"rank\"")), ElementsAre("s.toml:13:14: switch.discipline" + reason));
  EXPECT_THAT(errors(with_switch("discipline_of_priority = { 3 = \"rank\" }")),
              ElementsAre("s.toml:13:26: switch.discipline_of_priority" + reason));
}

TEST(SwitchSection, TakesOneSchemeWhereAListIsMeant) {
  const std::string red = "congestion_point = \"red\"";
  EXPECT_EQ(switches(red).congestion_point[0].scheme->name, "red");
  EXPECT_EQ(switches("congestion_point = { scheme = \"red\" }").congestion_point[0].scheme->name, "red");
  EXPECT_EQ(switches("congestion_point = [\"red\"]").congestion_point[0].scheme->name, "red");
  EXPECT_THAT(switches("congestion_point = []").congestion_point, IsEmpty());
}

TEST(SchemeSlot, RefusesSchemesThatDoNotPlayTheRole) {
  EXPECT_THAT(
      errors(with_switch("forwarding = \"pfc\"")),
      ElementsAre(
          "s.toml:13:14: switch.forwarding.scheme: scheme \"pfc\" cannot be used as forwarding, expected one of " +
          schemes_in(scheme_role::kForwarding)));
  EXPECT_THAT(errors(with_switch("forwarding = \"ecpm\"")),
              ElementsAre("s.toml:13:14: switch.forwarding.scheme: unknown scheme \"ecpm\", expected one of " +
                          schemes_in(scheme_role::kForwarding) + " (did you mean \"ecmp\"?)"));
  EXPECT_THAT(errors(with_switch("forwarding = 3")),
              ElementsAre("s.toml:13:14: switch.forwarding: is 3, expected a table"));
  EXPECT_THAT(errors(changed("flow_control = [\"pfc\"]", "flow_control = [\"pfc\", \"pfc\"]")),
              ElementsAre(HasSubstr("switch.flow_control.1: \"pfc\" is listed twice")));
  EXPECT_THAT(errors(changed("flow_control = [\"pfc\"]", "flow_control = [{ quanta = 700 }]")),
              ElementsAre("s.toml:14:17: switch.flow_control.0.scheme: is missing, expected a string: a flow control"));
}

TEST(SchemeSlot, ReadsParametersByTheirKind) {
  const PolicyChoice choice =
      switches(
          "buffer_policy = { scheme = \"dynamic_threshold\", alpha = 2, resume_offset = \"6 KB\", "
          "scale_alpha_with_rate = false, reference_rate = \"25 Gbit/s\" }")
          .buffer_policy;
  EXPECT_EQ(choice.parameters.get<double>("alpha"), 2.0);
  EXPECT_EQ(choice.parameters.get<Bytes>("resume_offset"), 6_KB);
  EXPECT_EQ(choice.parameters.get<bool>("scale_alpha_with_rate"), false);
  EXPECT_EQ(choice.parameters.get<BitRate>("reference_rate"), 25_Gbps);
  EXPECT_EQ(choice.parameters.get<double>("egress_alpha"), 1.0);  // the default
}

TEST(SchemeSlot, RefusesParametersThatAreWrong) {
  EXPECT_THAT(errors(with_switch("buffer_policy = { scheme = \"dynamic_threshold\", alhpa = 2, resume_offset = 6, "
                                 "egress_alpha = 0 }")),
              ElementsAre("s.toml:13:49: switch.buffer_policy.alhpa: unknown key (did you mean \"alpha\"?)",
                          "s.toml:13:76: switch.buffer_policy.resume_offset: is 6, expected a size with its unit, such "
                          "as \"12 MB\"",
                          "s.toml:13:94: switch.buffer_policy.egress_alpha: is 0, expected at least 1e-06 and at most "
                          "1024.0"));
  EXPECT_THAT(errors(with_switch("forwarding = { scheme = \"ecmp\", hash = \"crc\" }")),
              ElementsAre(HasSubstr("switch.forwarding.hash: is \"crc\", expected one of \"mix\"")));
}

TEST(SchemeSlot, SuggestsTheParameterThatAPaperNamesOtherwise) {
  EXPECT_THAT(errors(changed("payload = 1000",
                             "payload = 1000\ntransport = { scheme = \"expresspass\", w_init = 2, "
                             "per_round = 3 }")),
              testing::IsSupersetOf({HasSubstr("host.transport.w_init: unknown key (did you mean \"initial_weight\"?)"),
                                     HasSubstr("host.transport.per_round: unknown key, expected one of")}));
  EXPECT_THAT(errors(changed("payload = 1000", "payload = 1000\ntransport = { scheme = \"expresspass\", W_init = 2 }")),
              Contains(HasSubstr("host.transport.W_init: unknown key (did you mean \"initial_weight\"?)")));
  // Words of a meaning that are not the parameter's name.
  EXPECT_THAT(
      errors(changed("flow_control = [\"pfc\"]", "flow_control = [{ scheme = \"floodgate\", BDP_nextHop = 1 }]")),
      Contains(HasSubstr("BDP_nextHop: unknown key, expected one of")));
}

TEST(SchemeSlot, ListsNoParameterThatTheRoleIgnores) {
  const auto found =
      errors(changed("payload = 1000", "payload = 1000\ntransport = { scheme = \"ndp\", header_queue = 8, x = 1 }"));
  EXPECT_THAT(found, Contains(HasSubstr("has no effect on the transport of \"ndp\"")));
  EXPECT_THAT(found, Contains(HasSubstr("transport.x: unknown key, expected one of scheme, initial_window, timeout, "
                                        "paths, pull_share")));
}

TEST(HostSection, ReadsWindowFramingAndPriorities) {
  EXPECT_EQ(hosts("window = { kind = \"fixed\", bytes = \"100 KB\", global_round_trip = true }").window.bytes, 100_KB);
  EXPECT_EQ(hosts("window = { kind = \"variable\" }").window.kind, WindowSettings::Kind::variable);
  EXPECT_EQ(hosts("acknowledge_priority = 0").acknowledge_priority, Priority{0});
  EXPECT_EQ(hosts("acknowledge_every = 16").acknowledge_every, 16U);
  EXPECT_FALSE(hosts("payload = 1460").acknowledge_priority.has_value());
  EXPECT_EQ(only(with_host("framing = \"hpcc_simulator\"")).settings.network.framing.data_overhead, 48);
  EXPECT_THAT(errors(with_host("framing = \"hpcc\"")),
              ElementsAre(HasSubstr("host.framing: is \"hpcc\", expected one of")));
  EXPECT_THAT(errors(with_host("acknowledge_priority = 8")),
              ElementsAre("s.toml:17:24: host.acknowledge_priority: is 8, expected at least 0 and at most 7"));
}

TEST(Combination, KeepsTheResponseBelowWhatHeadroomHolds) {
  const std::string slow =
      changed("flow_control = [\"pfc\"]", "flow_control = [{ scheme = \"pfc\", response = \"1 us\" }]");
  EXPECT_THAT(errors(slow),
              ElementsAre("s.toml:12:2: switch.pause_response: is 0 ps, expected at least the response time of "
                          "\"pfc\", which is 1 us: headroom must absorb the frames that arrive until then"));
  EXPECT_THAT(errors(changed("buffer = \"12 MB\"", "pause_response = \"1 us\"", slow)), IsEmpty());
}

class ChoosesQueues final : public Classifier {};

Scheme scheme_named(std::string_view name) {
  Scheme scheme;
  scheme.name = name;
  scheme.summary = "for a test";
  return scheme;
}

std::vector<std::string> combination_errors(const SwitchSettings& switches, const HostSettings& hosts) {
  Diagnostics diagnostics("s.toml");
  const Value root = *parse_toml("[switch]\nflow_control = []\n\n[host]\ncongestion_control = {}\n", diagnostics);
  EffectiveTable effective;
  Reader reader(diagnostics, &root, root.origin, {}, effective);
  check_combination(switches, {}, hosts, reader);
  return diagnostics.lines();
}

TEST(Combination, RefusesTwoFlowControlsThatClassify) {
  Scheme a = scheme_named("a");
  Scheme b = scheme_named("b");
  a.flow_control = b.flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> {
    return std::make_unique<ChoosesQueues>();
  };
  SwitchSettings switches;
  switches.flow_control = {{&a, {}}};
  EXPECT_THAT(combination_errors(switches, {}), IsEmpty());
  switches.flow_control.push_back({&b, {}});
  EXPECT_THAT(combination_errors(switches, {}),
              ElementsAre("s.toml:2:16: switch.flow_control: \"a\" and \"b\" both assign frames to queues, expected at "
                          "most one such scheme"));
}

TEST(Combination, RefusesTwoClaimantsOfAFramesBytes) {
  Scheme a = scheme_named("a");
  Scheme b = scheme_named("b");
  static constexpr HeaderField kOfA{"credits", 4, FrameKinds(FrameKind::data, FrameKind::ack)};
  static constexpr HeaderField kOfB{"grant", 4, FrameKinds(FrameKind::ack)};
  static constexpr HeaderField kOfNacks{"hole", 4, FrameKinds(FrameKind::nack)};
  a.fields = {&kOfA};
  b.fields = {&kOfB};
  a.traits.claims_own = true;
  SwitchSettings switches;
  HostSettings hosts;
  switches.flow_control = {{&a, {}}};
  hosts.congestion_control = {&a, {}};  // one scheme in two slots is one claimant
  EXPECT_THAT(combination_errors(switches, hosts), IsEmpty());
  hosts.congestion_control = {&b, {}};
  EXPECT_THAT(
      combination_errors(switches, hosts),
      ElementsAre(
          "s.toml:5:22: host.congestion_control: frames have no space for both the header field \"grant\" of \"b\" (4 "
          "bytes) and \"credits\" of \"a\" (switch.flow_control, 4 bytes), expected only one of the two schemes"));
  b.fields = {&kOfNacks};
  EXPECT_THAT(combination_errors(switches, hosts), IsEmpty()) << "no frame carries both";
  b.traits.claims_own = true;
  EXPECT_THAT(combination_errors(switches, hosts),
              ElementsAre(HasSubstr("\"b\" uses the scheme metadata of frames in a switch, which \"a\"")));
}

TEST(Combination, TakesSchemesWhoseHeaderFieldsFitBesideEachOther) {
  EXPECT_THAT(errors(changed("payload = 1000", "congestion_control = \"timely\"",
                             changed("[\"pfc\"]", "[\"pfc\"]\ncongestion_point = [\"hpcc\"]"))),
              IsEmpty());
  EXPECT_THAT(errors(changed("payload = 1000", "loss_recovery = \"irn\"", changed("[\"pfc\"]", "[\"bfc\"]"))),
              IsEmpty());
}

}  // namespace
}  // namespace weir::node_sections_test
