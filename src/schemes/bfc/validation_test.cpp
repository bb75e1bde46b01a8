// SPDX-License-Identifier: Apache-2.0
// Which parameters of BFC are rejected, and which cause warnings.
#include "schemes/bfc/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schemes/bfc/test_switch.h"
#include "schemes/test_parameters.h"

namespace weir::bfc::validation_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::size_t errors(const Values& values) {
  return scheme.errors(parameters_with(values)).size();
}

TEST(BfcParameters, AreRefusedWhenTheyMakeNoSense) {
  EXPECT_EQ(errors({}), 0u);
  EXPECT_EQ(errors({{"queues", std::int64_t{3}}, {"classes", std::int64_t{4}}}), 1u);
  EXPECT_EQ(errors({{"queues", std::int64_t{1}}, {"control_queue", std::string("inside")}}), 1u);
  EXPECT_EQ(errors({{"queues", std::int64_t{2048}}, {"classes", std::int64_t{4}}, {"queues_of", std::string("class")}}),
            1u);
  EXPECT_EQ(errors({{"classes", std::int64_t{5}}}), 1u) << "priority 3 and four below";
  EXPECT_EQ(errors({{"queues", std::int64_t{1}}, {"incast_label", true}}), 1u);
  EXPECT_EQ(errors({{"nic_queues", std::int64_t{1}}, {"incast_label", true}}), 1u);
  EXPECT_EQ(errors({{"flow_table_factor", std::int64_t{0}}}), 1u);
  EXPECT_EQ(errors({{"refresh", Duration()}}), 1u);
  EXPECT_EQ(errors({{"flow_table_factor", std::int64_t{0}}, {"pause", std::string("flow")}}), 0u);
  EXPECT_EQ(errors({{"flow_table_factor", std::int64_t{0}}, {"assignment", std::string("single")}}), 0u);
  EXPECT_EQ(errors({{"flow_table_factor", std::int64_t{0}}, {"assignment", std::string("stochastic")}}), 0u);
  EXPECT_EQ(errors({{"sampling", 0.5}, {"pause", std::string("flow")}}), 1u);
}

// [BFC-IN-3]
TEST(BfcParameters, AreRefusedWithWhatIsExpected) {
  const auto error = [](const Values& values) { return scheme.errors(parameters_with(values)); };
  const Values inside = {{"queues", std::int64_t{1}}, {"control_queue", std::string("inside")}};
  EXPECT_THAT(error(inside), ElementsAre("queues = 1 is not enough for 1 class, because control_queue = \"inside\" "
                                         "takes one queue; expected at least 2"));
  EXPECT_THAT(error({{"queues", std::int64_t{3}}, {"classes", std::int64_t{4}}}),
              ElementsAre("queues = 3 is not enough for 4 classes; expected at least 4"));
  EXPECT_THAT(error({{"classes", std::int64_t{5}}}),
              ElementsAre("classes = 5, but between priority = 3 and 0 there are only 4; expected at most 4"));
  EXPECT_THAT(error({{"queues", std::int64_t{3}}, {"classes", std::int64_t{2}}, {"incast_label", true}}),
              ElementsAre("incast_label takes one queue per class for incasts, and queues = 3 leaves none for other "
                          "flows; expected at least 4"));
  EXPECT_THAT(error({{"queues", std::int64_t{4}}, {"classes", std::int64_t{2}}, {"incast_label", true}}), IsEmpty());
  EXPECT_THAT(error({{"nic_queues", std::int64_t{1}}, {"incast_label", true}}),
              ElementsAre(HasSubstr("nic_queues = 1 leaves none for other flows; expected at least 2")));
  EXPECT_THAT(error({{"flow_table_factor", std::int64_t{0}}}), ElementsAre(HasSubstr("expected at least 1")));
  EXPECT_THAT(error({{"flow_table_entries", std::int64_t{3}}, {"pipelines", std::int64_t{4}}}),
              ElementsAre(HasSubstr("not a multiple of 4, the number of pipelines times classes; expected 4")));
  EXPECT_THAT(error({{"flow_table_entries", std::int64_t{1}}}), IsEmpty());
  const Values ideal = {{"pause", std::string("flow")}, {"incast_label", true}};
  EXPECT_THAT(error(ideal), ElementsAre("pause = \"flow\" is ideal and excludes assignment, pipelines, empty_refresh, "
                                        "sampling, incast_label and gate_fifo; expected incast_label = false"));
  const Values all = {{"pause", std::string("flow")},
                      {"assignment", std::string("single")},
                      {"pipelines", std::int64_t{2}},
                      {"empty_refresh", 1_us},
                      {"sampling", 0.5},
                      {"gate_fifo", 10_KB}};
  EXPECT_THAT(error(all),
              ElementsAre(HasSubstr("; expected assignment = \"dynamic\", pipelines = 1, empty_refresh = \"0 us\", "
                                    "sampling = 1 and gate_fifo = \"0 B\"")));
}

TEST(BfcParameters, AreRefusedWhereNoPortIsSoFast) {
  const SchemePlace place = {.ports = {BitRate(40'000'000'000), BitRate(100'000'000'000)}, .hosts = 4};
  const auto refusals = [&](const Values& values) {
    return testing_scheme::texts_of(scheme.refusals(parameters_with(values), place));
  };
  // 84 bytes at 100 Gbit/s
  EXPECT_THAT(refusals({{"refresh", 1_ps}}), ElementsAre(HasSubstr("one bitmap of 32 queues every 6.72 ns")))
      << "[BFC-IN-1]";
  EXPECT_THAT(refusals({{"refresh", 6'719_ps}}), SizeIs(1));
  EXPECT_THAT(refusals({{"refresh", 6'720_ps}}), IsEmpty());
  EXPECT_THAT(refusals({{"empty_refresh", 1_ps}}), ElementsAre(HasSubstr("empty_refresh"))) << "[BFC-IN-1]";
  EXPECT_THAT(refusals({{"empty_refresh", 6'720_ps}}), IsEmpty());
  EXPECT_THAT(refusals({}), IsEmpty());
}

// [BFC-IN-1]
TEST(BfcParameters, AreRefusedWhereNoPortIsSoFastForABitmapOfItsLength) {
  const SchemePlace place = {.ports = {BitRate(100'000'000'000)}, .hosts = 4};
  const auto refusals = [&](const Values& values) {
    return testing_scheme::texts_of(scheme.refusals(parameters_with(values), place));
  };
  // 14 + 4 of Ethernet, 32 of header, 128 or 512 of bits, 4 of FCS, 20 of preamble and gap
  const std::int64_t most = 4'096;
  const std::int64_t many = 1'024;
  EXPECT_THAT(refusals({{"queues", many}, {"refresh", 16'159_ps}}),
              ElementsAre(HasSubstr("one bitmap of 1024 queues every 16.16 ns")));
  EXPECT_THAT(refusals({{"queues", many}, {"refresh", 16'160_ps}}), IsEmpty());
  EXPECT_THAT(refusals({{"queues", most}, {"refresh", 46'879_ps}}),
              ElementsAre(HasSubstr("one bitmap of 4096 queues every 46.88 ns")));
  EXPECT_THAT(refusals({{"queues", most}, {"refresh", 46'880_ps}}), IsEmpty());
  EXPECT_THAT(refusals({{"queues", many}, {"classes", std::int64_t{4}}, {"refresh", 16'159_ps}}), SizeIs(1));
  EXPECT_THAT(refusals({{"nic_queues", most}, {"refresh", 46'879_ps}}), SizeIs(1)) << "those of the NICs";
  EXPECT_THAT(refusals({{"nic_queues", most}, {"nic_backpressure", false}, {"refresh", 6'720_ps}}), IsEmpty())
      << "which have none here";
  EXPECT_THAT(refusals({{"queues", most}, {"empty_refresh", 6'720_ps}}), IsEmpty()) << "nothing is said then";
}

/// A network that suits the defaults: its hosts run BFC and meet the requirements of its options.
SchemeSurroundings suitable() {
  SchemeSurroundings around = {
      .network = {.links = {{BitRate(100'000'000'000)}}, .longest_round_trip = 8_us, .switch_ports = 384}};
  around.hosts.offered = {kPriority};
  around.hosts.windows = around.hosts.shortest_remaining_first = true;
  return around;
}

std::vector<std::string> warnings(const Values& values, const std::vector<Parameters>& at_hosts,
                                  bool some_without = false) {
  SchemeSurroundings around = suitable();
  for (const Parameters& parameters : at_hosts) around.hosts.flow_control.push_back({{&scheme, &parameters}});
  if (some_without) around.hosts.flow_control.emplace_back();
  const Parameters parameters = parameters_with(values);
  std::vector<std::string> out = idle_warnings(scheme, parameters);
  for (std::string& warning : scheme.warnings(parameters, around)) out.push_back(std::move(warning));
  return out;
}

TEST(BfcParameters, AreWarnedOfWhereHostsWriteNoSizeOrLabel) {
  const Values srf = {{"order", std::string("shortest_remaining")}};
  const Values label = {{"incast_label", true}};
  EXPECT_THAT(warnings(srf, {parameters_with(srf)}), IsEmpty());
  EXPECT_THAT(warnings({}, {}, true), IsEmpty());
  EXPECT_THAT(warnings(srf, {parameters_with(srf)}, true), ElementsAre(HasSubstr("do not write the remaining size")))
      << "[BFC-D-4]";
  EXPECT_THAT(warnings(srf, {parameters_with({})}), SizeIs(1)) << "it runs BFC, and writes none";
  EXPECT_THAT(warnings(label, {parameters_with(label)}, true), ElementsAre(HasSubstr("do not write the label")));
  EXPECT_THAT(warnings(label, {parameters_with(srf)}), SizeIs(1));
}

// [BFC-IN-2]
TEST(BfcParameters, AreWarnedOfWhatIsHardlyMeant) {
  const auto of = [](const Values& values, auto change) {
    SchemeSurroundings around = suitable();
    const Parameters parameters = parameters_with(values);
    around.hosts.flow_control = {{{&scheme, &parameters}}};
    change(around);
    std::vector<std::string> out = idle_warnings(scheme, parameters);
    for (std::string& warning : scheme.warnings(parameters, around)) out.push_back(std::move(warning));
    return out;
  };
  const auto as_is = [](SchemeSurroundings&) {};
  EXPECT_THAT(of({}, as_is), IsEmpty());
  EXPECT_THAT(
      of({{"priority", std::int64_t{5}}}, as_is),
      ElementsAre("no data has its priorities (5), so it has no effect: the data has 3; expected priority = 3"));
  EXPECT_THAT(of({{"priority", std::int64_t{5}}, {"classes", std::int64_t{4}}}, as_is), IsEmpty());
  EXPECT_THAT(of({{"priority", std::int64_t{5}}}, [](auto& around) { around.hosts.offered.clear(); }), IsEmpty());
  EXPECT_THAT(of({{"queues", std::int64_t{10}}, {"classes", std::int64_t{4}}}, as_is),
              ElementsAre("2 of a port's queues belong to no class: 4 classes have 2 each; expected queues = 8 or 12"));
  EXPECT_THAT(
      of({{"queues", std::int64_t{9}}, {"classes", std::int64_t{4}}, {"control_queue", std::string("inside")}}, as_is),
      IsEmpty());
  EXPECT_THAT(of({{"hop_round_trip", 1_s}}, as_is),
              ElementsAre(HasSubstr("the round-trip time of the longest whole path is 8 us")));
  EXPECT_THAT(of({{"hop_round_trip", 8_us}}, as_is), IsEmpty());
  EXPECT_THAT(of({{"refresh", 67_ns}}, as_is), ElementsAre(HasSubstr("expected refresh at least 67.2 ns")));
  EXPECT_THAT(of({{"refresh", 68_ns}}, as_is), IsEmpty());
  EXPECT_THAT(of({{"queues", std::int64_t{1'024}}, {"refresh", 100_ns}}, as_is),
              ElementsAre("bitmaps of 1024 queues every 100 ns take 16.16 % of a link of 100 Gbit/s; expected refresh "
                          "at least 161.6 ns"));
  EXPECT_THAT(of({{"queues", std::int64_t{4'096}}, {"refresh", 60_ns}}, as_is),
              ElementsAre(HasSubstr("expected refresh at least 468.8 ns"), HasSubstr("GB of memory")));
  EXPECT_THAT(of({{"nic_queues", std::int64_t{4'096}}, {"refresh", 400_ns}}, as_is), SizeIs(1));
  EXPECT_THAT(of({{"nic_queues", std::int64_t{4'096}}, {"refresh", 469_ns}}, as_is), IsEmpty());
  const Values srf = {{"order", std::string("shortest_remaining")}};
  EXPECT_THAT(of(srf, as_is), IsEmpty());
  EXPECT_THAT(of(srf, [](auto& around) { around.hosts.shortest_remaining_first = false; }),
              ElementsAre(HasSubstr("expected host.shortest_remaining_first")));
  const Values ignoring_pauses = {{"nic_backpressure", false}};
  EXPECT_THAT(of(ignoring_pauses, as_is), IsEmpty());
  EXPECT_THAT(of(ignoring_pauses, [](auto& around) { around.hosts.windows = false; }),
              ElementsAre(HasSubstr("expected a window")));
  EXPECT_THAT(of({{"flow_table_factor", std::int64_t{10'000}}}, as_is),
              ElementsAre(HasSubstr("expected at most 162760 entries a port")))
      << "1 GB of 16 B at 384 ports";
  EXPECT_THAT(of({{"flow_table_factor", std::int64_t{10'000}}, {"assignment", std::string("single")}}, as_is),
              ElementsAre(HasSubstr("has no effect")))
      << "and takes no memory";
}

// [BFC-IN-4]
TEST(BfcParameters, AreWarnedOfWhereTheyHaveNoEffect) {
  const auto of = [](const Values& values) { return warnings(values, {parameters_with(values)}); };
  const std::string flow = "flow";
  const std::string stochastic = "stochastic";
  const Values table = {{"flow_table_entries", std::int64_t{64}}};
  const auto with = [](Values values, const Values& others) {
    values.insert(values.end(), others.begin(), others.end());
    return values;
  };
  EXPECT_THAT(of(table), IsEmpty());
  EXPECT_THAT(of(with(table, {{"flow_table_factor", std::int64_t{7}}})),
              ElementsAre("flow_table_factor has no effect with flow_table_entries"));

  EXPECT_THAT(of({{"pause", flow}}), IsEmpty());
  EXPECT_THAT(of(with(table, {{"pause", flow}, {"sticky", 0.0}})),
              ElementsAre("flow_table_entries and sticky have no effect with pause = \"flow\""));
  EXPECT_THAT(of(with(table, {{"pause", flow},
                              {"flow_table_factor", std::int64_t{7}},
                              {"sticky", 1.0},
                              {"refresh", 10_us},
                              {"nic_queues", std::int64_t{8}},
                              {"nic_backpressure", false}})),
              ElementsAre("flow_table_factor, flow_table_entries, sticky, refresh and nic_queues have no effect with "
                          "pause = \"flow\""));
  EXPECT_THAT(of({{"pause", flow}, {"hop_round_trip", 2_us}, {"assign_paused", false}, {"elide", std::string("none")}}),
              IsEmpty());
  EXPECT_THAT(of({{"pause", flow}, {"hop_round_trip", 2_us}, {"threshold", 1_us}}),
              ElementsAre("hop_round_trip has no effect with pause = \"flow\" and a threshold"));

  EXPECT_THAT(of({{"assignment", stochastic}}), IsEmpty());
  EXPECT_THAT(of({{"assignment", stochastic}, {"pipelines", std::int64_t{4}}, {"empty_refresh", 10_us}}),
              ElementsAre("pipelines and empty_refresh have no effect with assignment = \"stochastic\""));
  EXPECT_THAT(of(with(table, {{"assignment", std::string("single")}, {"assign_paused", false}})),
              ElementsAre("flow_table_entries and assign_paused have no effect with assignment = \"single\""));
  EXPECT_THAT(of({{"assignment", stochastic}, {"sticky", 1.0}}), IsEmpty()) << "it is of NICs too";
  EXPECT_THAT(of(with(table, {{"assignment", stochastic}, {"pause_from", std::int64_t{2}}})), IsEmpty())
      << "[BFC-B-9] the table counts frames";
  EXPECT_THAT(of(with(table, {{"assignment", stochastic},
                              {"pause_from", std::int64_t{2}},
                              {"flow_table_factor", std::int64_t{7}},
                              {"assign_paused", false}})),
              ElementsAre("assign_paused has no effect with assignment = \"stochastic\"",
                          "flow_table_factor has no effect with flow_table_entries"));

  const Values beside = {{"scan_beside", std::int64_t{5}}};
  EXPECT_THAT(of(beside), IsEmpty());
  EXPECT_THAT(of(with(beside, {{"empty_queue", std::string("lowest")}})),
              ElementsAre("scan_beside has no effect with empty_queue = \"lowest\""));
  EXPECT_THAT(of(with(beside, {{"assignment", stochastic}})), IsEmpty()) << "NICs choose too";

  const Values ignoring_pauses = {{"nic_backpressure", false}};
  EXPECT_THAT(of(with(ignoring_pauses, {{"sticky", 1.0}})), IsEmpty());
  EXPECT_THAT(of(with(ignoring_pauses, {{"nic_queues", std::int64_t{8}}})),
              ElementsAre("nic_queues has no effect with nic_backpressure = false"));
  EXPECT_THAT(of(with(ignoring_pauses, {{"nic_queues", std::int64_t{8}}, {"assignment", stochastic}, {"sticky", 1.0}})),
              ElementsAre("sticky has no effect with assignment = \"stochastic\" and nic_backpressure = false",
                          "nic_queues has no effect with nic_backpressure = false"));
  EXPECT_THAT(of(with(ignoring_pauses, {{"assignment", stochastic}, {"empty_queue", std::string("random")}})),
              ElementsAre("empty_queue has no effect with assignment = \"stochastic\" and nic_backpressure = false"));
}

TEST(BfcParameters, AreWarnedOfWhereSomePauseFlowsAndSomePauseQueues) {
  const Values queue = {};
  const Values flow = {{"pause", std::string("flow")}};
  EXPECT_THAT(warnings(queue, {parameters_with(queue)}), IsEmpty());
  EXPECT_THAT(warnings(flow, {parameters_with(flow)}, true), IsEmpty());
  const auto of_queue = warnings(queue, {parameters_with(flow)});
  EXPECT_THAT(of_queue, ElementsAre(HasSubstr("do not obey each other"))) << "[BFC-IN-5]";
  EXPECT_EQ(of_queue, warnings(flow, {parameters_with(flow), parameters_with(queue)}))
      << "in the same words: said once";
}

TEST(BfcParameters, AreWarnedOfLinksThatDamageWhatTheIdealSaysOnce) {
  SchemeSurroundings around = suitable();
  const Parameters ideal = parameters_with({{"pause", std::string("flow")}});
  EXPECT_THAT(scheme.warnings(ideal, around), IsEmpty());
  around.network.damages = true;
  EXPECT_THAT(scheme.warnings(ideal, around), ElementsAre(HasSubstr("the flow stays paused forever"))) << "[BFC-V-8]";
  EXPECT_THAT(scheme.warnings(parameters_with({}), around), IsEmpty());
}

}  // namespace
}  // namespace weir::bfc::validation_test
