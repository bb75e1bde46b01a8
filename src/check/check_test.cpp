// SPDX-License-Identifier: Apache-2.0
#include "check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "check/check_text.h"
#include "config/quantity.h"
#include "scenario/test_scenario.h"

namespace weir::check_test {
namespace {

using namespace weir::literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing_scenario::changed;
using testing_scenario::kGood;
using testing_scenario::only;

CheckedVariant checked(const std::string& text) {
  const ScenarioVariant variant = only(text);
  return check_variant(variant.settings, variant.traffic);
}

std::vector<std::string> errors(const CheckedVariant& result) {
  std::vector<std::string> out;
  for (const CheckedError& error : result.errors) out.push_back(error.key + ": " + error.message);
  return out;
}

TEST(Check, WorksOutRoundTripsByHand) {
  const CheckedVariant result = checked(kGood);
  // A full packet is 1066 + 20 B on the wire: 86.88 ns at 100 Gbit/s; an acknowledgement 70 + 20 B: 7.2 ns. Within a
  // rack two links in each direction, between racks four.
  EXPECT_EQ(result.shortest_round_trip, 4_us + 2 * (86'880_ps + 7'200_ps));
  EXPECT_EQ(result.longest_round_trip, 8_us + 4 * (86'880_ps + 7'200_ps));
  EXPECT_EQ(result.bandwidth_delay_product, bytes_in(result.longest_round_trip, 100_Gbps));
}

TEST(Check, WarnsOfHeadroomThatIsLessThanLinksNeed) {
  const auto warnings = [](const std::string& headroom, const std::string& flow_control = "[\"pfc\"]") {
    return checked(changed("[\"pfc\"]", flow_control + "\nheadroom = " + headroom)).warnings;
  };
  EXPECT_THAT(warnings("\"computed\""), IsEmpty());
  EXPECT_THAT(warnings("\"28302 B\""), IsEmpty());
  EXPECT_THAT(warnings("\"28301 B\""),
              ElementsAre("headroom of a port of 100 Gbit/s and 1 us of 4 switches like tor0 is 28.301 KB, but such a "
                          "port needs up to 28.302 KB: frames of lossless priorities may be dropped there; expected "
                          "headroom = \"computed\", or a larger value"));
  EXPECT_THAT(warnings("{ rate_delay = 1 }"), SizeIs(1));
  EXPECT_THAT(warnings("\"1 KB\"", "[]"), ElementsAre(HasSubstr("switches have no flow control")))
      << "nobody is paused, and so nobody is to be waited for";
}

TEST(Check, AddsUpTheBuffer) {
  const CheckedVariant result = checked(changed("buffer = \"12 MB\"", "buffer = \"12 MB\"\nreserve = \"4 KiB\""));
  ASSERT_THAT(result.switches, SizeIs(2));  // ToRs have four ports, spines two
  ASSERT_THAT(result.headroom, SizeIs(1));
  const Bytes port = result.headroom[0].headroom;
  EXPECT_EQ(port, 1066_B + 1086_B + 84_B + 25'000_B + 1066_B);
  EXPECT_EQ(result.headroom[0].ports, 12U);
  EXPECT_EQ(result.switches[0].headroom, 4 * port);
  EXPECT_EQ(result.switches[0].reserve, 4 * 4_KiB);
  EXPECT_EQ(result.switches[0].shared, 12_MB - 4 * port - 4 * 4_KiB);
  EXPECT_EQ(result.switches[1].headroom, 2 * port);
  EXPECT_THAT(errors(result), IsEmpty());
}

TEST(Check, CountsEveryLosslessPriority) {
  const CheckedVariant one = checked(kGood);
  const CheckedVariant two = checked(changed("buffer = \"12 MB\"", "lossless = [3, 4]"));
  EXPECT_EQ(two.switches[0].headroom, 2 * one.switches[0].headroom);
  EXPECT_THAT(checked(changed("buffer = \"12 MB\"", "lossless = []")).headroom, IsEmpty());
}

TEST(Check, RefusesABufferThatHeadroomFills) {
  const CheckedVariant result = checked(changed("buffer = \"12 MB\"", "buffer = \"100 KB\""));
  EXPECT_THAT(
      errors(result),
      ElementsAre("switch.buffer: 2 switches like tor0: headroom (113.208 KB) and reserve (0 B) of 4 ports use up the "
                  "buffer of 100 KB, expected a larger buffer, fewer lossless priorities or less headroom"));
}

TEST(Check, WorksOutTheOfferedLoad) {
  const CheckedVariant result = checked(kGood);
  ASSERT_THAT(result.states, SizeIs(1));
  const std::vector<CheckedLink>& links = result.states[0].links;
  ASSERT_THAT(links, SizeIs(16));
  // Each host offers half its rate of payload; one payload byte takes 1.086 bytes on the wire. It receives the same
  // load, and each packet of 1000 B is acknowledged by 90 B on the wire.
  EXPECT_NEAR(links.front().data, 0.5 * 1.086, 1e-6);
  EXPECT_NEAR(links.front().acknowledgements, 0.5 * 0.090, 1e-6);
  EXPECT_THAT(links.front().sources, ElementsAre("background"));
  // Two of three destinations are in the other rack: 2 hosts x 0.543 x 2/3 over two uplinks.
  EXPECT_NEAR(links.back().data, 2 * 0.5 * 1.086 * 2 / 3 / 2, 1e-6);
}

/// The load offered to one direction in a state.
CheckedLink offered_to(const CheckedState& state, const Topology& topology, const std::string& direction) {
  for (const CheckedLink& link : state.links) {
    if (direction_name(topology, link.from, link.port) == direction) return link;
  }
  ADD_FAILURE() << "no " << direction;
  return {};
}

TEST(Check, CountsSmallPacketsAndAcknowledgements) {
  // A flow of 100 B is a packet of 186 B on the wire, acknowledged by 90 B.
  const std::string small = changed("size = \"64 KB\"\nload = 0.5", "size = \"100 B\"\nload = 0.4");
  const CheckedLink busiest = checked(small).states[0].links.front();
  EXPECT_NEAR(busiest.data, 0.4 * 1.86, 1e-6);
  EXPECT_NEAR(busiest.acknowledgements, 0.4 * 0.90, 1e-6);
  EXPECT_THAT(
      errors(checked(small)),
      testing::Contains(HasSubstr("the offered load is 1.104 times its rate (0.744 data, 0.360 acknowledgements)")));
  const std::string rare = changed("payload = 1000", "payload = 50\nacknowledge_every = 2", small);
  const CheckedLink halved = checked(rare).states[0].links.front();
  EXPECT_NEAR(halved.data, 0.4 * 2.72, 1e-6);
  EXPECT_NEAR(halved.acknowledgements, 0.4 * 0.90, 1e-6);
}

const std::string kIncast = R"(
[[traffic]]
name = "incast"
kind = "incast"
sources = ["h1", "h2", "h3"]
destinations = "h0"
degree = 3
size = "10 KB"
load = 0.9
)";

TEST(Check, RefusesOverload) {
  const CheckedVariant result = checked(kGood + kIncast);
  EXPECT_THAT(
      errors(result),
      ElementsAre(
          "traffic.background: link tor0 -> h0: the offered load is 1.565 times its rate (1.520 data, 0.045 "
          "acknowledgements) from 0 ps on, by background and incast; expected at most 1, or overload = \"intended\""));
  EXPECT_THAT(errors(checked(kGood + kIncast + "overload = \"intended\"\n")), IsEmpty());
}

TEST(Check, CountsTogetherOnlyWhatIsActiveTogether) {
  const std::string early = changed("load = 0.5", "load = 0.5\nstop = \"100 us\"");
  EXPECT_THAT(errors(checked(early + kIncast + "start = \"100 us\"\n")), IsEmpty());
  EXPECT_THAT(errors(checked(early + kIncast + "start = \"99 us\"\n")),
              ElementsAre(HasSubstr(
                  "the offered load is 1.565 times its rate (1.520 data, 0.045 acknowledgements) from 99 us on")));
}

/// Two racks of two hosts with single flows instead of the background.
std::string with_flows(const std::string& flows) {
  const std::string background =
      kGood.substr(kGood.find("[[traffic]]"), kGood.find("[run]") - kGood.find("[[traffic]]"));
  return changed(background, "[[traffic]]\nname = \"single\"\nkind = \"flows\"\nflow = [" + flows + "]\n\n");
}

TEST(Check, CountsARateLimitOnTheWire) {
  const ScenarioVariant variant =
      only(with_flows("{ source = \"h0\", destination = \"h2\", size = \"100 MB\", rate_limit = \"95 Gbit/s\" }"));
  const CheckedVariant result = check_variant(variant.settings, variant.traffic);
  const Topology& topology = variant.settings.network.topology;
  EXPECT_NEAR(offered_to(result.states[0], topology, "h0 -> tor0").data, 0.95, 1e-9);
  EXPECT_NEAR(offered_to(result.states[0], topology, "h2 -> tor1").acknowledgements, 0.95 * 90 / 1086, 1e-9);
  EXPECT_THAT(errors(result), IsEmpty());
}

TEST(Check, CountsARateLimitAboveTheLineAsTheLine) {
  const ScenarioVariant variant =
      only(with_flows("{ source = \"h0\", destination = \"h2\", size = \"endless\", rate_limit = \"400 Gbit/s\" }"));
  const CheckedVariant result = check_variant(variant.settings, variant.traffic);
  EXPECT_NEAR(offered_to(result.states[0], variant.settings.network.topology, "h0 -> tor0").data, 1, 1e-9);
  EXPECT_THAT(errors(result), IsEmpty());
}

TEST(Check, CountsALimitedFlowForAsLongAsItLasts) {
  const auto two_flows = [](const std::string& second_start) {
    const std::string flow = "source = \"h0\", destination = \"h2\", size = \"1 MB\", rate_limit = \"60 Gbit/s\"";
    return with_flows("{ " + flow + " }, { " + flow + ", start = \"" + second_start + "\" }");
  };
  // 1 MB is 1.086 MB on the wire: 144.8 us at 60 Gbit/s.
  EXPECT_THAT(errors(checked(two_flows("144.8 us"))), IsEmpty());
  EXPECT_THAT(errors(checked(two_flows("144.7 us"))),
              testing::Contains(HasSubstr("h0 -> tor0: the offered load is 1.200 times its rate (1.200 data, 0.000 "
                                          "acknowledgements) from 144.7 us on, by single")));
  const std::string stopped = "source = \"h0\", destination = \"h2\", size = \"endless\", rate_limit = \"60 Gbit/s\"";
  EXPECT_THAT(
      errors(checked(with_flows("{ " + stopped + ", stop = \"10 us\" }, { " + stopped + ", start = \"10 us\" }"))),
      IsEmpty());
}

TEST(Check, LeavesOutLinksThatAreDownFromTheStart) {
  const std::string failure = "[[failure]]\nbetween = [\"tor0\", \"spine0\"]\ndown = \"0 s\"\n";
  const ScenarioVariant variant = only(kGood + failure);
  const CheckedVariant result = check_variant(variant.settings, variant.traffic);
  const Topology& topology = variant.settings.network.topology;
  ASSERT_THAT(result.states, SizeIs(1));
  EXPECT_THAT(result.states[0].failed, SizeIs(1));
  EXPECT_EQ(offered_to(result.states[0], topology, "tor0 -> spine0").offered(), 0);
  EXPECT_NEAR(offered_to(result.states[0], topology, "tor0 -> spine1").data, 2 * 0.5 * 1.086 * 2 / 3, 1e-6);
  // More than one link can carry is an error.
  EXPECT_THAT(errors(checked(changed("load = 0.5", "load = 0.75") + failure)),
              testing::Contains(HasSubstr("link tor0 -> spine1: the offered load is 1.")));
}

TEST(Check, LooksAtTheNetworkAfterEachChangeOfRoutes) {
  const std::string failures =
      "[routing]\nfailure_detection = \"10 us\"\n"
      "[[failure]]\nbetween = [\"tor0\", \"spine0\"]\ndown = \"100 us\"\nup = \"300 us\"\n"
      "[[failure]]\nbetween = [\"tor1\", \"spine1\"]\ndown = \"200 us\"\n";
  const ScenarioVariant variant = only(changed("load = 0.5", "load = 0.6\nstop = \"250 us\"") + failures);
  const CheckedVariant result = check_variant(variant.settings, variant.traffic);
  ASSERT_THAT(result.states, SizeIs(4));
  EXPECT_THAT(result.states[0].failed, IsEmpty());
  EXPECT_EQ(result.states[1].from, Time() + 110_us);
  EXPECT_EQ(result.states[1].until, Time() + 210_us);
  EXPECT_THAT(result.states[1].failed, SizeIs(1));
  EXPECT_THAT(result.states[2].failed, SizeIs(2));
  EXPECT_GT(result.states[2].undelivered, 0);  // the racks are disconnected
  EXPECT_EQ(result.states[3].from, Time() + 310_us);
  EXPECT_EQ(result.states[3].links.front().offered(), 0);  // the traffic has ended
  const Topology& topology = variant.settings.network.topology;
  const CheckedLink detour = offered_to(result.states[1], topology, "tor0 -> spine1");
  EXPECT_NEAR(detour.data, 2 * offered_to(result.states[0], topology, "tor0 -> spine1").data, 1e-9);
  EXPECT_EQ(detour.at, Time() + 110_us);
  EXPECT_THAT(check_report(result, variant.settings, false),
              testing::AllOf(HasSubstr("from 0 ps on, with all links up:"),
                             HasSubstr("the highest load on a link in any of the 3 later states of the network:\nfrom "
                                       "110 us on, without tor0 - spine0:")));
  EXPECT_THAT(errors(checked(changed("load = 0.5", "load = 0.75") + failures)),
              testing::Contains(HasSubstr("from 110 us on while tor0 - spine0 is down, by background")));
}

TEST(Check, NotesAWindowBelowTheAcknowledgements) {
  const auto notes = [](const std::string& window) {
    return checked(changed("payload = 1000", "payload = 1000\nacknowledge_every = 64\n" + window)).notes;
  };
  EXPECT_THAT(notes("window = { kind = \"fixed\", bytes = \"2 KB\" }"),
              ElementsAre("host.acknowledge_every is 64, but a window of 2 KB holds 2 packets: there will be more "
                          "acknowledgements, one whenever the window closes"));
  EXPECT_THAT(notes("window = { kind = \"fixed\" }"), SizeIs(1));  // one of 52 KB, within a rack
  EXPECT_THAT(notes("window = { kind = \"fixed\", bytes = \"64 KB\" }"), IsEmpty());
  EXPECT_THAT(notes(""), IsEmpty());
}

/// The remark about the cyclic buffer dependency; empty: none.
std::string cycle_in(const std::string& text) {
  const ScenarioVariant variant = only(text);
  const CheckedVariant result = check_variant(variant.settings, variant.traffic);
  std::string said;
  for (const CheckedCycle& cycle : result.cycles) said += cycle_text(variant.settings.network.topology, cycle);
  return said;
}

// spfc figure 17 (a): a pod of four ToRs that has lost two links.
TEST(Check, NotesACyclicBufferDependency) {
  const std::string pod = changed("tors = 2", "tors = 4");
  const std::string failures = R"(
[[failure]]
between = ["tor3", "spine0"]
down = "0 s"
[[failure]]
between = ["tor0", "spine1"]
down = "100 us"
[routing]
failure_detection = "0 s"
)";
  EXPECT_EQ(cycle_in(pod), "");
  EXPECT_EQ(cycle_in(pod + failures),
            "cyclic buffer dependency without tor0 - spine1 and tor3 - spine0: tor1 -> spine0 waits for spine0 -> tor2 "
            "waits for tor2 -> spine1 waits for spine1 -> tor1 waits for tor1 -> spine0; 8 link directions lie on such "
            "cycles, where pauses can deadlock");
  EXPECT_EQ(cycle_in(changed("flow_control = [\"pfc\"]", "flow_control = []", pod) + failures), "");
}

/// spfc figure 17 (a), starting at this time.
std::string two_failures(const std::string& down) {
  return "[[failure]]\nbetween = [\"tor3\", \"spine0\"]\ndown = \"" + down +
         "\"\n[[failure]]\nbetween = [\"tor0\", \"spine1\"]\ndown = \"" + down +
         "\"\n[routing]\nfailure_detection = \"0 s\"\n";
}

TEST(Check, NotesTheCyclesOfTheDrain) {
  const std::string pod = changed("tors = 2", "tors = 4");
  const std::string stop = changed("stop = \"1 ms\"", "stop = \"100 us\"", pod);
  EXPECT_THAT(cycle_in(stop + two_failures("120 us")), HasSubstr("cyclic buffer dependency"));
  EXPECT_EQ(cycle_in(changed("stop = \"100 us\"", "stop = \"100 us\"\ndrain = false", stop) + two_failures("120 us")),
            "");
}

/// No pauses pass between a switch that pauses and one that does not support pauses.
TEST(Check, NotesNoCycleThroughSwitchesThatPauseNobody) {
  const std::string pod = changed("tors = 2", "tors = 4") + two_failures("0 s");
  const auto group = [&](const std::string& flow_control) {
    return cycle_in(pod + "[[switch.group]]\nname = \"spines\"\nswitches = [\"spine0\", \"spine1\"]\nflow_control = [" +
                    flow_control + "]\n");
  };
  EXPECT_THAT(group("\"pfc\""), HasSubstr("cyclic buffer dependency"));
  EXPECT_EQ(group(""), "");
}

TEST(Check, NotesTheLongestRoundTripOfAllRoutes) {
  const std::string pod = changed("tors = 2", "tors = 4");
  const auto longest = [](const std::string& text) {
    const ScenarioVariant variant = only(text);
    return check_variant(variant.settings, variant.traffic).longest_round_trip;
  };
  EXPECT_GT(longest(pod + two_failures("0 s")), longest(pod));
  EXPECT_EQ(longest(pod + two_failures("15 us")), longest(pod + two_failures("0 s")));
}

// bfc 5: its switches elide the turns that would close the cycle, unless this is disabled.
TEST(Check, NotesThatCyclesOfPausesByNameAreElided) {
  const std::string failures = R"(
[[failure]]
between = ["tor3", "spine0"]
down = "0 s"
[[failure]]
between = ["tor0", "spine1"]
down = "0 s"
)";
  const auto cycle = [&](const std::string& flow_control) {
    const std::string pod = changed("flow_control = [\"pfc\"]", "lossless = []\nflow_control = [" + flow_control + "]",
                                    changed("tors = 2", "tors = 4"));
    return cycle_in(pod + failures);
  };
  EXPECT_EQ(cycle("\"bfc\""), "");
  EXPECT_THAT(cycle("{ scheme = \"bfc\", elide = \"none\" }"), HasSubstr("cyclic buffer dependency"));
  EXPECT_EQ(cycle("{ scheme = \"bfc\", elide = \"cycles\" }"), "");
}

TEST(Check, NotesTheCyclesOfEachStateOfTheNetwork) {
  const auto failure = [](const char* tor, const char* spine, const char* down, const char* up) {
    return std::string("[[failure]]\nbetween = [\"") + tor + "\", \"" + spine + "\"]\ndown = \"" + down +
           "\"\nup = \"" + up + "\"\n";
  };
  const ScenarioVariant variant =
      only(changed("tors = 2", "tors = 4") + failure("tor3", "spine0", "10 us", "20 us") +
           failure("tor0", "spine1", "10 us", "40 us") + failure("tor2", "spine0", "30 us", "40 us") +
           "[routing]\nfailure_detection = \"0 s\"\n");
  const CheckedVariant checked = check_variant(variant.settings, variant.traffic);
  ASSERT_THAT(checked.cycles, SizeIs(2));
  EXPECT_THAT(cycle_text(variant.settings.network.topology, checked.cycles[0]), HasSubstr("tor3 - spine0"));
  EXPECT_THAT(cycle_text(variant.settings.network.topology, checked.cycles[1]), HasSubstr("tor2 - spine0"));
}

/// Figure 17's pod, in which no two links are down at once: frames that went up by earlier routes meet those that use
/// later ones.
TEST(Check, NotesCyclesThatNoRoutesAloneHave) {
  const auto failure = [](const char* tor, const char* spine, const char* down, const char* up) {
    return std::string("[[failure]]\nbetween = [\"") + tor + "\", \"" + spine + "\"]\ndown = \"" + down +
           "\"\nup = \"" + up + "\"\n";
  };
  const std::string pod = changed("tors = 2", "tors = 4") + "[routing]\nfailure_detection = \"0 s\"\n";
  const std::string in_turn = failure("tor3", "spine0", "10 us", "20 us") + failure("tor0", "spine1", "20 us", "30 us");
  EXPECT_THAT(cycle_in(pod + in_turn), testing::StartsWith("cyclic buffer dependency without tor0 - spine1 and "
                                                           "tor3 - spine0 in turn, while routes change: "));
  EXPECT_EQ(cycle_in(pod), "");
  // A link that never recovers sends frames down again, but none up to where they came from.
  EXPECT_EQ(cycle_in(pod + "[[failure]]\nbetween = [\"tor3\", \"spine0\"]\ndown = \"10 us\"\n"), "");
}

/// PFC in combination with BFC elides nothing: its cycles are reported, and BFC's are elided as before.
TEST(Check, ListsEntriesBesidePfcAndNotesItsCycles) {
  const std::string pod =
      changed("flow_control = [\"pfc\"]", "flow_control = [\"pfc\", { scheme = \"bfc\", elide = \"cycles\" }]",
              changed("tors = 2", "tors = 4")) +
      two_failures("0 s");
  const ScenarioVariant variant = only(pod);
  const CheckedVariant checked = check_variant(variant.settings, variant.traffic);
  EXPECT_THAT(checked.exempt_turns, Not(IsEmpty()));  // [BFC-E-2]
  EXPECT_THAT(checked.cycles, SizeIs(1));
  EXPECT_THAT(check_report(checked, variant.settings, false), HasSubstr("but the cycles above remain"));
}

TEST(Check, ListsTheEntriesThatElideBackpressure) {
  const std::string cycles =
      changed("flow_control = [\"pfc\"]", "lossless = []\nflow_control = [{ scheme = \"bfc\", elide = \"cycles\" }]",
              changed("tors = 2", "tors = 4"));
  const std::string failures =
      "[[failure]]\nbetween = [\"tor3\", \"spine0\"]\ndown = \"0 s\"\n"
      "[[failure]]\nbetween = [\"tor0\", \"spine1\"]\ndown = \"0 s\"\n";
  EXPECT_THAT(check_variant(only(cycles).settings, {}).exempt_turns, IsEmpty());
  const ScenarioVariant variant = only(cycles + failures);
  const CheckedVariant checked = check_variant(variant.settings, {});
  EXPECT_THAT(checked.exempt_turns, Not(IsEmpty()));
  EXPECT_THAT(check_report(checked, variant.settings, false), HasSubstr("match-action entries suppress pauses"));
  const std::string entries = entries_text(checked, variant.settings.network.topology);
  EXPECT_THAT(entries, StartsWith("switch,ingress,from,egress,to\n"));
  EXPECT_EQ(std::count(entries.begin(), entries.end(), '\n'), static_cast<long>(checked.exempt_turns.size()) + 1);
}

TEST(Check, WarnsOfACongestionControlThatNobodyTalksTo) {
  const auto warnings = [](const std::string& control, const std::string& points) {
    ScenarioVariant variant = only(kGood);
    variant.settings.hosts.congestion_control = {find_scheme(control), Parameters(find_scheme(control)->parameters)};
    variant.settings.switches.congestion_point.clear();
    if (!points.empty()) {
      variant.settings.switches.congestion_point = {{find_scheme(points), Parameters(find_scheme(points)->parameters)}};
    }
    return check_variant(variant.settings, variant.traffic).warnings;
  };
  EXPECT_THAT(warnings("dcqcn", ""),
              ElementsAre(AllOf(HasSubstr("dcqcn: nothing reduces its rate: it reacts to ECN marks"),
                                HasSubstr("\"red\""), HasSubstr("\"pi\""))));
  EXPECT_THAT(warnings("dctcp", "hpcc"), Contains(HasSubstr("dctcp: nothing reduces its rate")));
  EXPECT_THAT(warnings("dcqcn", "red"), IsEmpty());
  EXPECT_THAT(warnings("dctcp", "pi"), IsEmpty());
  EXPECT_THAT(warnings("hpcc", ""), ElementsAre(HasSubstr("expected switch.congestion_point = [\"hpcc\"]")));
  EXPECT_THAT(warnings("hpcc", "hpcc"), IsEmpty());
  EXPECT_THAT(warnings("line_rate", "rocc"),
              ElementsAre(HasSubstr("rocc: no host reacts to its congestion point; expected host.congestion_control = "
                                    "\"rocc\" instead of \"line_rate\"")));
  EXPECT_THAT(warnings("timely", ""), IsEmpty());
}

TEST(Check, WarnsOfALossRecoveryThatNoSwitchTells) {
  ScenarioVariant variant = only(kGood);
  const Scheme* perfect = find_scheme("perfect_retransmission");
  variant.settings.hosts.loss_recovery = {perfect, Parameters(perfect->parameters)};
  EXPECT_THAT(
      check_variant(variant.settings, variant.traffic).warnings,
      ElementsAre(HasSubstr("perfect_retransmission: no switch notifies it of losses, because none has its congestion "
                            "point; expected \"perfect_retransmission\" in switch.congestion_point")));
  variant.settings.switches.congestion_point = {{perfect, Parameters(perfect->parameters)}};
  EXPECT_THAT(check_variant(variant.settings, variant.traffic).warnings, IsEmpty());
}

/// Four hosts, all to all: two pairs cross from rack to rack by each of two spines, three end at each host.
TEST(Check, TellsSchemesHowManyPairsShareALink) {
  ScenarioVariant variant =
      only(changed("fabric_link = { rate = \"100 Gbit/s\"", "fabric_link = { rate = \"400 Gbit/s\""));
  const Scheme counts = {
      .name = "counts",
      .summary = "says what it sees",
      .traits = {},
      .warnings =
          [](const Parameters&, const SchemeSurroundings& around) {
            std::vector<std::string> out;
            for (const auto& [rate, pairs] : around.network.links)
              out.push_back(to_text(rate) + " " + std::to_string(pairs));
            out.push_back(around.at_switch ? "switch" : "host");
            if (around.hosts.congestion_control.scheme->name == "counts") out.emplace_back("of hosts");
            return out;
          },
  };
  variant.settings.hosts.congestion_control = {&counts, Parameters(counts.parameters)};
  EXPECT_THAT(
      check_variant(variant.settings, variant.traffic).warnings,
      ElementsAre("counts: 100 Gbit/s 3.000000", "counts: 400 Gbit/s 2.000000", "counts: host", "counts: of hosts"));
}

/// Ports are checked if they have the congestion point.
TEST(Check, RefusesACongestionPointByTheRatesOfItsPorts) {
  const Scheme picky = {.name = "picky",
                        .summary = "takes slow ports",
                        .traits = {},
                        .refusals = [](const Parameters&, const SchemePlace& place) {
                          std::vector<ParameterRefusal> out;
                          for (const BitRate port : place.ports) {
                            if (port > 100_Gbps) out.push_back({"rate", "ports of " + to_text(port)});
                          }
                          return out;
                        }};
  const PolicyChoice choice = {&picky, Parameters(picky.parameters)};
  ScenarioVariant variant =
      only(changed("fabric_link = { rate = \"100 Gbit/s\"", "fabric_link = { rate = \"400 Gbit/s\""));
  Settings& settings = variant.settings;
  settings.switches.congestion_point = {choice};
  EXPECT_THAT(errors(check_variant(settings, variant.traffic)),
              ElementsAre("switch.congestion_point.0.rate: picky: ports of 400 Gbit/s"));
  ErrorCheck check;
  EXPECT_THAT(check.of(variant), SizeIs(1));
  settings.switches.congestion_point.clear();
  SwitchGroup& edge = settings.switch_groups.emplace_back();
  edge.name = "edge";
  edge.switches = {SwitchId(0)};
  edge.congestion_point = {choice};
  EXPECT_THAT(errors(check_variant(settings, variant.traffic)),
              ElementsAre("switch.group.edge.congestion_point.0.rate: picky: ports of 400 Gbit/s"));
}

TEST(Check, RefusesAnyRoleOfASwitchByItsPlace) {
  const Scheme never = {.name = "never",
                        .summary = "runs nowhere",
                        .traits = {},
                        .refusals = [](const Parameters&, const SchemePlace& place) {
                          return std::vector<ParameterRefusal>{{"", std::to_string(place.hosts) + " hosts"}};
                        }};
  const PolicyChoice choice = {&never, Parameters(never.parameters)};
  ScenarioVariant variant = only(kGood);
  Settings& settings = variant.settings;
  settings.switches.forwarding = settings.switches.buffer_policy = choice;
  settings.switches.flow_control = {choice};
  EXPECT_THAT(errors(check_variant(settings, variant.traffic)),
              ElementsAre("switch.buffer_policy: never: 4 hosts", "switch.flow_control.0: never: 4 hosts",
                          "switch.forwarding: never: 4 hosts"));
  ErrorCheck check;
  EXPECT_THAT(check.of(variant), SizeIs(3));
}

/// The parts of hosts, traffic and other switch roles that schemes are notified of.
TEST(Check, TellsSchemesWhatStandsBesideThem) {
  const Scheme sees = {
      .name = "sees",
      .summary = "says what it sees",
      .traits = {},
      .warnings =
          [](const Parameters&, const SchemeSurroundings& around) {
            std::string line = std::to_string(around.network.switch_ports) + " ports;";
            for (const Priority priority : around.hosts.offered) line += " " + std::to_string(priority);
            if (around.at_switch->lossless[3]) line += " lossless";
            for (const SchemeInUse& beside : around.at_switch->flow_control)
              line += " " + std::string(beside.scheme->name);
            if (around.hosts.windows) line += " windows";
            if (around.hosts.shortest_remaining_first) line += " shortest";
            return std::vector<std::string>{line};
          },
  };
  ScenarioVariant variant = only(kGood);
  Settings& settings = variant.settings;
  const auto seen = [&] { return check_variant(settings, variant.traffic).warnings; };
  settings.switches.buffer_policy = {&sees, Parameters(sees.parameters)};
  EXPECT_THAT(seen(), ElementsAre("sees: 12 ports; 3 lossless pfc"));
  settings.switches.lossless = {};
  settings.switches.flow_control.clear();
  settings.hosts.window.kind = WindowSettings::Kind::fixed;
  settings.hosts.shortest_remaining_first = true;
  variant.traffic.front().priority = 5;
  EXPECT_THAT(seen(), ElementsAre("sees: 12 ports; 5 windows shortest"));
  settings.hosts.window.kind = WindowSettings::Kind::none;
  const Scheme* window = find_scheme("bfc_window");
  settings.hosts.congestion_control = {window, Parameters(window->parameters)};
  variant.traffic.front().list = [](std::uint64_t) {
    std::vector<FlowSpec> flows(2);
    flows[0].priority = 1;
    flows[1].priority = 7;
    return flows;
  };
  EXPECT_THAT(seen(), ElementsAre("sees: 12 ports; 1 7 windows shortest"));
  const Scheme* optional = find_scheme("hpcc");
  settings.hosts.congestion_control = {optional, Parameters(optional->parameters)};
  EXPECT_THAT(seen(), Contains("sees: 12 ports; 1 7 windows shortest"));
  settings.hosts.congestion_control.parameters.set("window", false);
  EXPECT_THAT(seen(), Contains("sees: 12 ports; 1 7 shortest"));
}

// In sequence, so that state kept from one variant would affect the next.
TEST(ErrorCheck, SaysOfEachVariantWhatCheckSays) {
  const std::string overloaded = changed("load = 0.5", "load = 0.95");
  ErrorCheck check;
  std::size_t refused = 0;
  for (const std::string& text :
       {overloaded, kGood, overloaded, changed("stop = \"1 ms\"", "stop = \"2 ms\"", overloaded),
        changed("payload = 1000", "payload = 64"),
        changed("payload = 1000", "framing = \"hpcc_simulator\"", overloaded),
        changed("payload = 1000", "payload = 100\nacknowledge_every = 2"),
        changed("payload = 1000", "payload = 100\nacknowledge_every = 200"),
        changed("spines = 2", "spines = 1", overloaded), changed("buffer = \"12 MB\"", "buffer = \"100 KB\""),
        changed("buffer = \"12 MB\"", "buffer = \"100 KB\"", overloaded),
        changed("flow_control = [\"pfc\"]", "flow_control = [\"bfc\"]", overloaded)}) {
    const ScenarioVariant variant = only(text);
    CheckedVariant found;
    found.errors = check.of(variant);
    EXPECT_EQ(errors(found), errors(checked(text))) << text;
    if (!found.errors.empty()) ++refused;
  }
  EXPECT_GE(refused, 6U);
}

TEST(Check, WarnsOfWhatASchemeExpectsOfTheNetwork) {
  const auto warnings = [](const std::string& interval) {
    return checked(
               changed("buffer = \"12 MB\"",
                       "buffer = \"12 MB\"\nbuffer_policy = { scheme = \"spfc\", interval = \"" + interval + "\" }"))
        .warnings;
  };
  EXPECT_THAT(warnings("33 us"), ElementsAre(HasSubstr("spfc: interval is less than 4 base round")));
  EXPECT_THAT(warnings("34 us"), IsEmpty());
}

/// Two schemes with the same name: a warning of both is reported once.
TEST(Check, TellsEachWarningOfASchemeOnceWithItsName) {
  ScenarioVariant variant = only(kGood);
  const Scheme wary = {
      .name = "wary",
      .summary = "warns of all networks",
      .traits = {},
      .warnings =
          [](const Parameters&, const SchemeSurroundings& around) {
            return std::vector<std::string>{"round trips of " + to_text(around.network.longest_round_trip),
                                            "links from " + to_text(around.network.slowest_link())};
          },
  };
  for (int i = 0; i < 2; ++i)
    variant.settings.switches.congestion_point.push_back({&wary, Parameters(wary.parameters)});
  const CheckedVariant result = check_variant(variant.settings, variant.traffic);
  EXPECT_THAT(result.warnings, ElementsAre("wary: round trips of 8376.32 ns", "wary: links from 100 Gbit/s"));
  EXPECT_THAT(errors(result), IsEmpty()) << "it can be run";
}

/// What a scheme is told of the links between switches, and what it computes.
TEST(Check, TellsSchemesOfLinksBetweenSwitchesAndShowsWhatTheyCompute) {
  const Scheme computes = {
      .name = "computes",
      .summary = "counts the links of its switches",
      .traits = {},
      .parameters = {{.name = "size", .default_value = Bytes(10), .meaning = "a size", .source = "this test"}},
      .idle = [](const Parameters&) -> std::vector<IdleParameter> {
        return {{"size", "this test"}};
      },
      .derived = [](const Parameters&, const SchemeSurroundings& around) -> std::vector<DerivedValue> {
        std::vector<DerivedValue> out;
        for (const SwitchLinks& links : around.links) {
          if (links.from != around.at_kind) continue;
          out.push_back({"way",
                         std::to_string(links.from) + " to " + std::to_string(links.to) + " with " +
                             std::to_string(around.network.maximum_frame + around.network.framing.wire_overhead) + " B",
                         links.rate, links.delay});
        }
        out.push_back({"ports", std::to_string(around.network.switch_ports)});
        return out;
      },
  };
  ScenarioVariant variant =
      only(testing_scenario::with_groups("[[switch.group]]\nname = \"up\"\nswitches = "
                                         "[\"spine*\"]\nbuffer = \"9 MB\"\n"));
  Settings& settings = variant.settings;
  settings.switches.buffer_policy = {&computes, Parameters(computes.parameters)};
  const CheckedVariant result = check_variant(settings, variant.traffic);
  EXPECT_THAT(result.derived,
              ElementsAre("computes: way over links of 100 Gbit/s and 1 us between switches = 0 to 1 with 1086 B",
                          "computes: ports = 12",
                          "computes: way over links of 100 Gbit/s and 1 us between switches = 1 to 0 with 1086 B"));
  EXPECT_THAT(check_report(result, settings, false), HasSubstr("\ncomputes: ports = 12\n"));
  EXPECT_THAT(result.warnings, IsEmpty()) << "a default may have no effect";
  settings.switches.buffer_policy.parameters.set("size", Bytes(11));
  EXPECT_THAT(check_variant(settings, variant.traffic).warnings,
              ElementsAre("computes: size has no effect with this test"));
}

TEST(Check, ReportsForAPerson) {
  const ScenarioVariant variant = only(kGood);
  const CheckedVariant result = check_variant(variant.settings, variant.traffic);
  EXPECT_EQ(check_report(result, variant.settings, false),
            R"(4 hosts, 4 switches, 8 links
base round trip 4188.16 ns to 8376.32 ns, bandwidth-delay product at most 104.704 KB

switches                ports  buffer  headroom  reserve  shared
                                   MB        MB       MB      MB
----------------------  -----  ------  --------  -------  ------
2 switches like tor0        4    12.0      0.11        0    11.9
2 switches like spine0      2    12.0     0.057        0    11.9
headroom of a port of 100 Gbit/s and 1 us: 28.302 KB per lossless priority
    = 1066 crossing + 1086 own frame + 84 PFC frame + 25000 in flight + 0 response + 1066 neighbour's frame

                     offered         most on one
links        number     mean     data     ACKs   in all  which is        by
                     of rate  of rate  of rate  of rate
-----------  ------  -------  -------  -------  -------  --------------  ----------
host -> ToR       4    0.588    0.543    0.045    0.588  h0 -> tor0      background
ToR -> host       4    0.588    0.543    0.045    0.588  tor0 -> h0      background
ToR -> core       4    0.392    0.362    0.030    0.392  tor0 -> spine0  background
core -> ToR       4    0.392    0.362    0.030    0.392  spine0 -> tor0  background
)");
  EXPECT_THAT(check_report(result, variant.settings, true),
              HasSubstr("tor1 -> h3        0.543    0.045    0.588  0 ps  background\n"));
}

}  // namespace
}  // namespace weir::check_test
