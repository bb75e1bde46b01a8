// SPDX-License-Identifier: Apache-2.0
// Floodgate in any network, with any of its options, losses and failures of links: windows, credits and VOQs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "random_network.h"
#include "schemes/floodgate/floodgate.h"
#include "schemes/floodgate/floodgate_switch.h"
#include "shape_lab.h"

namespace weir::whole::floodgate_property_test {
namespace {

using floodgate::FloodgateSwitch;
using shape::Made;

/// A Floodgate switch whose accounts are audited as it runs.
class Audited : public FloodgateSwitch {
 public:
  explicit Audited(const Parameters& parameters) : FloodgateSwitch(floodgate::Settings(parameters)) {}

  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override {
    FloodgateSwitch::on_depart(context, queue, frame);
    if (++departures % 16 != 0 || !wrong.empty()) return;
    wrong = audit();
    most_voqs = std::max(most_voqs, windows().voqs().in_use());
  }

  std::uint64_t departures = 0;
  std::size_t most_voqs = 0;  ///< at audits
  std::string wrong;          ///< the first violation
};

const Scheme& audited() {
  static const Scheme scheme = [] {
    Scheme copy = floodgate::scheme;
    copy.name = "audited";
    copy.flow_control = shape::make<FlowControl, Audited>;
    return copy;
  }();
  return scheme;
}

/// Options of Floodgate. Zero is the default of each.
struct Options {
  int variant = 0;   ///< 1 ideal
  int unit = 0;      ///< 1 bytes
  int window = 0;    ///< packets; 0: by the rule
  int of_port = 0;   ///< 1: windows are
  int frames = 0;    ///< 1: credit frames are lists
  int earned = 0;    ///< 1: in the egress queue
  int early = 0;     ///< 1: credits leave after some bytes, too
  int delay = 0;     ///< thre_credit: 0 the default, 1 small, 2 without delayCredit
  int queues = 0;    ///< 0: more than destinations
  int pipeline = 0;  ///< 1: VOQs stay at their port
  int pauses = 0;    ///< 1: hosts are paused
  int table = 0;     ///< 1: hashed, of three entries; 2: exact, of four

  friend std::ostream& operator<<(std::ostream& out, const Options& o) {
    return out << "variant " << o.variant << " unit " << o.unit << " window " << o.window << " of_port " << o.of_port
               << " frames " << o.frames << " earned " << o.earned << " early " << o.early << " delay " << o.delay
               << " queues " << o.queues << " pipeline " << o.pipeline << " pauses " << o.pauses << " table "
               << o.table;
  }
};

rc::Gen<Options> any_options() {
  const auto either = [] { return rc::gen::weightedElement<int>({{2, 0}, {1, 1}}); };
  using rc::gen::set;
  return rc::gen::build<Options>(
      set(&Options::variant, rc::gen::weightedElement<int>({{4, 0}, {1, 1}})), set(&Options::unit, either()),
      set(&Options::window, rc::gen::weightedElement<int>({{1, 0}, {1, 1}, {1, 2}, {1, 5}})),
      set(&Options::of_port, either()), set(&Options::frames, either()), set(&Options::earned, either()),
      set(&Options::early, either()), set(&Options::delay, rc::gen::weightedElement<int>({{2, 0}, {1, 1}, {1, 2}})),
      set(&Options::queues, rc::gen::weightedElement<int>({{2, 0}, {1, 2}, {1, 3}})), set(&Options::pipeline, either()),
      set(&Options::pauses, either()), set(&Options::table, rc::gen::weightedElement<int>({{4, 0}, {1, 1}, {1, 2}})));
}

Values values_of(const Options& o, const RandomNetwork& n) {
  const std::int64_t packet = kPayloads[static_cast<std::size_t>(n.payload)] + 150;
  Values values = {{"syn_timeout", 200_us}, {"pause_timeout", 500_us}};
  if (o.variant == 1) values.emplace_back("variant", std::string("ideal"));
  if (o.unit == 1) values.emplace_back("unit", std::string("bytes"));
  if (o.window > 0) values.emplace_back("window", Bytes(o.window * packet));
  if (o.of_port == 1) values.emplace_back("window_of", std::string("port"));
  if (o.frames == 1) values.emplace_back("credit_frames", std::string("list"));
  if (o.earned == 1) values.emplace_back("credit_earned", std::string("voq"));
  if (o.early == 1) values.emplace_back("credit_bytes", Bytes(3 * packet));
  if (o.delay == 1) values.emplace_back("credit_threshold", Bytes(2 * packet));
  if (o.delay == 2) values.emplace_back("delay_credit", false);
  if (o.queues > 0) values.emplace_back("queues", std::int64_t{o.queues});
  if (o.pipeline == 1) values.emplace_back("pipeline", std::string("port"));
  if (o.pauses == 1) {
    values.emplace_back("pause_destinations", true);
    values.emplace_back("pause_threshold", Bytes(3 * packet));
  }
  if (o.table == 1) values.emplace_back("table", std::string("hashed"));
  if (o.table > 0) values.emplace_back("table_entries", std::int64_t{o.table + 2});
  return values;
}

/// What happened in a run.
struct Totals {
  std::size_t most_voqs = 0;
  std::uint64_t recovered = 0;
  std::uint64_t shared = 0;
  double most_voqs_of_tags = 0;
};

/// What `run(extra)` finds wrong in a run that is longer by this; empty: nothing. Windows of one packet can pass
/// packets more slowly than a run allows for: then a much longer one decides.
template <class Run>
std::string mistake_at_last(Run run) {
  return run(Duration()).empty() ? std::string() : run(20 * kLength);
}

/// In a run with these options.
std::string mistake_in_run(const RandomNetwork& n, const Options& options, Duration extra, Totals& totals) {
  Settings settings = settings_of(n, nullptr);
  settings.run.stop += extra;
  PolicyChoice choice{&audited(), Parameters(audited().parameters)};
  for (const auto& [name, value] : values_of(options, n)) {
    if (!choice.parameters.set(name, value)) return "no parameter " + std::string(name);
  }
  settings.switches.flow_control.insert(settings.switches.flow_control.begin(), choice);
  settings.measurement.policies = true;
  Simulation simulation(settings);
  const RunRecord record = simulation.run();
  // Where a link fails, packets that are behind it already go down and up again. The windows of a switch that they pass
  // twice may then wait for each other, as floodgate.md says.
  if (!record.failure.empty() && !(record.deadlock && !n.outages.empty())) return record.failure;
  const bool all_complete =
      std::all_of(record.flows.begin(), record.flows.end(), [](const FlowRecord& flow) { return flow.completed(); });
  if (is_lossless(n) && !all_complete) return "flows that do not complete";
  if (is_in_order(n) && record.retransmitted_frames + record.out_of_order_frames > 0) return "packets out of order";
  if (all_complete && !left_behind(simulation.fabric()).empty()) return left_behind(simulation.fabric());
  for (const PolicyRecord& row : record.statistics.policies) {
    if (row.name == "floodgate.fullest_window" && row.maximum > 1) return "a window is exceeded";
    if (all_complete && row.name == "floodgate.uncredited" && row.value != 0) return "a window is not full again";
  }
  for (std::size_t i = 0; i < simulation.fabric().switches(); ++i) {
    const Audited& node = Made<Audited>::at(i);
    const std::string at = " at switch " + std::to_string(i);
    if (!node.wrong.empty()) return node.wrong + at;
    if (const std::string wrong = node.audit(); !wrong.empty()) return wrong + at;
    totals.most_voqs = std::max(totals.most_voqs, node.most_voqs);
    totals.recovered += node.windows().counts().recovered;
    totals.shared += node.windows().voqs().shared();
    if (!all_complete) continue;
    if (node.windows().active() > 0) return "a destination stays active" + at;
    if (node.windows().voqs().in_use() > 0 || node.windows().voq_bytes().value() != 0) return "a VOQ stays in use" + at;
  }
  return {};
}

std::string mistake_in(const RandomNetwork& n, const Options& options, Totals& totals) {
  return mistake_at_last([&](Duration extra) { return mistake_in_run(n, options, extra, totals); });
}
std::string mistake_in(const RandomNetwork& n, const Options& options) {
  Totals totals;
  return mistake_in(n, options, totals);
}

/// In a run with PFC with tags, whose pauses start at so many packets.
std::string mistake_with_tags(const RandomNetwork& n, int packets, bool pauses_hosts, Duration extra, Totals& totals) {
  const Bytes threshold(packets * (kPayloads[static_cast<std::size_t>(n.payload)] + 150));
  Settings settings = settings_of(n, nullptr);
  settings.run.stop += extra;
  settings.switches.flow_control.insert(
      settings.switches.flow_control.begin(),
      choose("floodgate",
             {{"variant", std::string("tag")}, {"tag_threshold", threshold}, {"pause_destinations", pauses_hosts}}));
  settings.measurement.policies = true;
  Simulation simulation(settings);
  const RunRecord record = simulation.run();
  if (!record.failure.empty() && !(record.deadlock && !n.outages.empty())) return record.failure;
  const bool all_complete =
      std::all_of(record.flows.begin(), record.flows.end(), [](const FlowRecord& flow) { return flow.completed(); });
  if (is_lossless(n) && !all_complete) return "flows that do not complete";
  if (is_in_order(n) && record.retransmitted_frames + record.out_of_order_frames > 0) return "packets out of order";
  if (!all_complete) return {};
  for (const PolicyRecord& row : record.statistics.policies) {
    if (row.name == "floodgate.voqs") totals.most_voqs_of_tags = std::max(totals.most_voqs_of_tags, row.maximum);
    if (row.name == "floodgate.voqs" && row.value != 0) return "a VOQ stays in use";
    if (row.name == "floodgate.voq_bytes" && row.value != 0) return "a VOQ is not empty";
  }
  return left_behind(simulation.fabric());
}

RC_GTEST_PROP(FloodgateInAnyNetwork, KeepsItsWindowsAndTheOrder, ()) {
  const RandomNetwork n = *any_network({.losses = false});
  const std::string mistake = mistake_in(n, *any_options());
  if (!mistake.empty()) RC_FAIL(mistake);
}

RC_GTEST_PROP(FloodgateInAnyNetwork, RecoversFromLosses, ()) {
  const RandomNetwork n = *any_network({.losses = true});
  const std::string mistake = mistake_in(n, *any_options());
  if (!mistake.empty()) RC_FAIL(mistake);
}

RC_GTEST_PROP(FloodgateInAnyNetwork, PausesByTagsAndResumes, ()) {
  const RandomNetwork n = *any_network({.losses = *rc::gen::arbitrary<bool>()});
  const int packets = *rc::gen::inRange(1, 8);
  const bool pauses_hosts = *rc::gen::arbitrary<bool>();
  Totals totals;
  const std::string mistake =
      mistake_at_last([&](Duration extra) { return mistake_with_tags(n, packets, pauses_hosts, extra, totals); });
  if (!mistake.empty()) RC_FAIL(mistake);
}

/// What the properties check happens in a network with incasts; in 20 networks chosen at random it may not.
TEST(FloodgateInANetwork, UsesAndSharesVoqs) {
  RandomNetwork n;
  n.shape = 2;
  n.hosts = 12;
  n.seed = 1;
  n.offers = {
      {.kind = 1, .size = 5, .degree = 11}, {.kind = 1, .size = 5, .degree = 11, .start = 5}, {.kind = 0, .size = 5}};
  Totals totals;
  EXPECT_EQ(mistake_in(n, {.window = 1, .queues = 2}, totals), "");
  EXPECT_GT(totals.most_voqs, 1u);
  EXPECT_GT(totals.shared, 0u);
  EXPECT_EQ(mistake_with_tags(n, 1, true, Duration(), totals), "");
  EXPECT_GT(totals.most_voqs_of_tags, 1);
  for (int link = 0; link < 24; ++link) {
    n.outages = {{.link = link, .down = 10, .lasts = 20, .detection = 10}};
    EXPECT_EQ(mistake_in(n, {.window = 2}, totals), "") << "link " << link;
  }
  EXPECT_GT(totals.recovered, 0u);
}

// [FLOODGATE-R-5] What is for a dead link passes its window and is dropped: it is not sent, and counts as no excess.
TEST(FloodgateWhereALinkFails, ExceedsNoWindow) {
  RandomNetwork n;
  n.shape = 2;
  n.hosts = 8;
  n.offers = {{.kind = 1, .priority = 0, .size = 4, .degree = 10, .start = 0, .limit = 0}};
  for (int link = 0; link < 10; ++link) {
    n.outages = {{.link = link, .down = 5, .lasts = 20, .times = 0, .ends = true, .detection = 10}};
    EXPECT_EQ(mistake_in(n, {.window = 2}), "") << "link " << link;
  }
}

// A VOQ that belongs to no port sends a packet on in the same step in which it joins an idle switch.
TEST(FloodgateWhereALinkFails, SendsOnAtOnceWhatJoinsAVoq) {
  RandomNetwork n;
  n.shape = 3;
  n.hosts = 8;
  n.host_rate = 4;
  n.host_delay = 1;
  n.shared = 3;
  n.threshold = 2;
  n.lossy = n.pool_for_lossy = true;
  n.window = 1;
  n.acknowledge_every = 2;
  n.acknowledge_priority = 1;
  n.seed = 18;
  n.offers = {{.kind = 2, .priority = 1, .size = 0, .degree = 11, .start = 5, .limit = 7},
              {.kind = 2, .priority = 2, .size = 3, .degree = 8, .start = 4, .limit = 7}};
  n.outages = {{.link = 37, .down = 58, .lasts = 25, .times = 2, .ends = true, .detection = 38}};
  EXPECT_EQ(mistake_in(n, {.window = 1, .frames = 1, .delay = 1}), "");
}

// Whose copies of packets take longer than the run.
TEST(FloodgateWithSmallWindows, LeavesNothingBehindAtLast) {
  RandomNetwork n;
  n.shape = 1;
  n.shared = 4;
  n.threshold = 3;
  n.pool_for_lossy = true;
  n.binary = true;
  n.response = 250;
  n.reserve = 3'000;
  n.forwarding = 3;
  n.payload = 3;
  n.acknowledgements_ignore_pause = true;
  n.shortest_first = true;
  n.seed = 84;
  n.offers = {{.kind = 2, .priority = 0, .size = 5, .degree = 7, .start = 0, .limit = 1}};
  EXPECT_EQ(mistake_in(n, {.variant = 1, .unit = 1, .window = 1, .earned = 1, .queues = 3}), "");
}

// [FLOODGATE-T-4] With entries that destinations on both sides share, neither side delays the credits of the other.
TEST(FloodgateBetweenTwoSwitches, DelaysNoCreditByWhatGoesBack) {
  RandomNetwork n;
  n.shape = 1;
  n.hosts = 6;
  n.offers = {{.kind = 0, .priority = 0, .size = 4, .degree = 1, .start = 0, .limit = 1}};
  for (int links = 1; links < 3; ++links) {
    n.parallel = links;
    for (n.seed = 30; n.seed < 40; ++n.seed) {
      const Options options{.unit = 1, .window = 1, .frames = 1, .delay = 1, .queues = 2, .table = 1};
      EXPECT_EQ(mistake_in(n, options), "") << links << " links, seed " << n.seed;
    }
  }
}

}  // namespace
}  // namespace weir::whole::floodgate_property_test
