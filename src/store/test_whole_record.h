// SPDX-License-Identifier: Apache-2.0
// A record with all fields set to different numbers, and the comparison of records.
#pragma once

#include <string>
#include <tuple>

#include "results/counters.h"
#include "results/run_record.h"

namespace weir {

// If a field is added to one of these, they no longer compile, as a reminder to add it to the store. Counters are
// covered by results/counter_list.h.
#define WEIR_TEST_NAME(member, type, csv, column, measure, meaning) , member

inline auto fields_of(const FoundPort& port) {
  const auto& [link, what] = port;
  return std::tie(link, what);
}
inline auto fields_of(const FlowRecord& flow) {
  const auto& [id, source, destination, size, start, flow_class, label, sender, receiver,
               ideal_fct WEIR_FLOW_COUNTERS(WEIR_TEST_NAME), stopped] = flow;
  return std::tie(id, source, destination, size, start, flow_class, label, sender, receiver,
                  ideal_fct WEIR_FLOW_COUNTERS(WEIR_TEST_NAME), stopped);
}
inline auto fields_of(const SwitchRecord& at) {
  const auto& [id, name, tier WEIR_SWITCH_COUNTERS(WEIR_TEST_NAME), occupancy, at_pause, drops] = at;
  return std::tie(id, name, tier WEIR_SWITCH_COUNTERS(WEIR_TEST_NAME), occupancy, at_pause, drops);
}
inline auto fields_of(const LinkRecord& link) {
  const auto& [from, to, from_tier, to_tier WEIR_LINK_COUNTERS(WEIR_TEST_NAME), rate] = link;
  return std::tie(from, to, from_tier, to_tier WEIR_LINK_COUNTERS(WEIR_TEST_NAME), rate);
}
inline auto fields_of(const Series& series) {
  const auto& [name, interval, values] = series;
  return std::tie(name, interval, values);
}
inline auto fields_of(const PauseSpan& span) {
  const auto& [link, begin, end] = span;
  return std::tie(link, begin, end);
}
inline auto fields_of(const PauseHold& hold) {
  const auto& [held, innocent, packets] = hold;
  return std::tie(held, innocent, packets);
}

/// The first difference of two lists of records; empty: none.
template <class List>
std::string difference(const std::string& what, const List& a, const List& b) {
  if (a.size() != b.size()) return what + ": " + std::to_string(a.size()) + " and " + std::to_string(b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (fields_of(a[i]) != fields_of(b[i])) return what + " " + std::to_string(i);
  }
  return "";
}

/// The first difference of two lists of statistics; empty: none.
inline std::string difference(const Statistics& a, const Statistics& b) {
  std::string found;
  const auto lists_of = [&found](const auto& of_a, const auto& of_b) {
    using Row = StatisticRow<decltype(of_a)>;
    const std::string name(StatisticTable<Row>::kName);
    if (of_a.size() != of_b.size()) found = name;
    for (std::size_t i = 0; i < of_a.size() && found.empty(); ++i) {
      for (const StatisticField<Row>& field : StatisticTable<Row>::kFields) {
        const bool same = field.histogram == nullptr ? field.get(of_a[i]) == field.get(of_b[i])
                                                     : of_a[i].*field.histogram == of_b[i].*field.histogram;
        if (!same) found = name + " " + std::to_string(i) + " " + std::string(field.column);
      }
    }
  };
  const auto& [egress_kinds, hops, policies, slowdown_split, congestion_trees, tree_pauses] = a;
  lists_of(egress_kinds, b.egress_kinds);
  lists_of(hops, b.hops);
  lists_of(policies, b.policies);
  lists_of(slowdown_split, b.slowdown_split);
  lists_of(congestion_trees, b.congestion_trees);
  lists_of(tree_pauses, b.tree_pauses);
  return found;
}

/// The first difference of two lists of findings; empty: none.
inline std::string difference(const std::vector<RunFinding>& a, const std::vector<RunFinding>& b) {
  const auto plain = [](const RunFinding& finding) {
    const auto& [kind, text, failed, ports] = finding;
    (void)ports;
    return std::tie(kind, text, failed);
  };
  if (a.size() != b.size()) return "findings: " + std::to_string(a.size()) + " and " + std::to_string(b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::string what = "finding " + std::to_string(i);
    if (plain(a[i]) != plain(b[i])) return what;
    if (const std::string ports = difference(what + " port", a[i].ports, b[i].ports); !ports.empty()) return ports;
  }
  return "";
}

inline std::string difference(const Timeline& a, const Timeline& b) {
  const auto fields = [](const Timeline& timeline) {
    const auto& [interval, intervals, carried, queued, pauses, left_out] = timeline;
    (void)pauses;
    return std::tie(interval, intervals, carried, queued, left_out);
  };
  if (fields(a) != fields(b)) return "timeline";
  return difference("pause", a.pauses, b.pauses);
}

/// The first difference of two records; empty: none.
inline std::string difference(const RunRecord& a, const RunRecord& b) {
  const auto plain = [](const RunRecord& record) {
    const auto& [scenario, variant, parameters, seed, version, digest, configuration, interrupted, failure, deadlock,
                 findings, simulated, wall WEIR_RUN_COUNTERS(WEIR_TEST_NAME), flows, labels, switches, links, series,
                 timeline, hold, queueing, active_flows, active_queues, by_kind, statistics] = record;
    (void)findings, (void)flows, (void)switches, (void)links, (void)series, (void)timeline, (void)hold;
    (void)statistics;
    return std::tie(scenario, variant, parameters, seed, version, digest, configuration, interrupted, failure, deadlock,
                    simulated, wall WEIR_RUN_COUNTERS(WEIR_TEST_NAME), labels, queueing, active_flows, active_queues,
                    by_kind);
  };
  if (plain(a) != plain(b)) return "run";
  for (const std::string& where :
       {difference(a.findings, b.findings), difference("flow", a.flows, b.flows),
        difference("switch", a.switches, b.switches), difference("link", a.links, b.links),
        difference("series", a.series, b.series), difference("hold", a.pause_hold, b.pause_hold),
        difference(a.timeline, b.timeline), difference(a.statistics, b.statistics)}) {
    if (!where.empty()) return where;
  }
  return "";
}

/// Numbers without repetition.
class Numbers {
 public:
  template <class Number = std::int64_t>
  Number next() {
    return static_cast<Number>(next_ += 7);
  }
  Duration duration() { return Duration::picoseconds(next()); }
  Time instant() { return Time::picoseconds(next()); }
  Histogram histogram() {
    Histogram histogram;
    for (int i = 0; i < 20; ++i) histogram.add(next() << i, next<std::uint64_t>());
    return histogram;
  }

 private:
  std::int64_t next_ = 1;
};

template <class Counters, class Record>
void count(const Counters& counters, Record& record, Numbers& numbers) {
  for (const auto& counter : counters) counter.set(record, numbers.next());
}

inline FlowRecord whole_flow(Numbers& numbers, std::size_t index) {
  FlowRecord flow;
  flow.id = FlowId(numbers.next<std::size_t>());
  flow.source = HostId(numbers.next<std::size_t>());
  flow.destination = HostId(numbers.next<std::size_t>());
  flow.size = Bytes(5'000'000'000 + numbers.next());  // more than 32 bits
  flow.start = numbers.instant();
  flow.flow_class = static_cast<FlowClass>(index % kFlowClasses);
  flow.label = static_cast<std::uint8_t>(255 - index % 2);
  flow.sender_completion = numbers.duration();
  flow.receiver_completion = numbers.duration();
  flow.ideal_fct = numbers.duration();
  count(kFlowCounters, flow, numbers);
  flow.stopped = index % 2 == 1;
  // A flow that did not complete.
  if (index == 2) flow.sender_completion = flow.receiver_completion = flow.ideal_fct = Duration();
  return flow;
}

inline SwitchRecord whole_switch(Numbers& numbers, std::size_t index) {
  SwitchRecord at;
  at.id = SwitchId(index + 3);
  at.name = "tor" + std::to_string(index);
  at.tier = static_cast<int>(index) + 1;
  count(kSwitchCounters, at, numbers);
  at.occupancy = numbers.histogram();
  at.occupancy_at_pause = numbers.histogram();
  for (std::uint64_t& drops : at.drops) drops = numbers.next<std::uint64_t>();
  return at;
}

inline LinkRecord whole_link(Numbers& numbers, std::size_t index) {
  LinkRecord link;
  link.from = "tor" + std::to_string(index);
  link.to = "core" + std::to_string(index);
  link.from_tier = 1;
  link.to_tier = 2;
  count(kLinkCounters, link, numbers);
  link.rate = BitRate(400'000'000'000 + numbers.next());
  return link;
}

/// `flows` flows; names that require quoting, numbers at the limits of their ranges, values without an exact decimal
/// representation.
inline RunRecord whole_record(std::string variant, std::size_t flows = 3) {
  Numbers numbers;
  RunRecord record;
  record.scenario = "It's a \"test\"; -- \xC3\xA9";
  record.variant = std::move(variant);
  record.parameters = {{"load", "0.8", 0.8}, {"it's", "a \"text\"", std::nullopt}};
  record.seed = ~std::uint64_t{0};
  record.version = "0.1.0";
  record.digest = "0123456789abcdef";
  record.effective_configuration = "[run]\nseed = 1\n";
  record.failure = "switch tor0 dropped a frame";
  record.deadlock = true;
  record.findings = {
      {FindingKind::warning, "it's \"wary\"", "", {}},
      {FindingKind::cyclic_buffer_dependency, "8 directions", "tor0 - core0", {{2, ""}, {0, ""}, {1, ""}}},
      {FindingKind::note, "a note", "", {}},
      {FindingKind::deadlock, "2 ports are blocked forever", "", {{1, "priority 3"}, {0, "priority 3"}}}};
  record.simulated = Time::picoseconds(10'000'000'000);
  record.wall_seconds = 0.1;
  count(kRunCounters, record, numbers);
  for (std::size_t i = 0; i < flows; ++i) record.flows.push_back(whole_flow(numbers, i));
  record.labels = {"plain", "it's \"own\""};
  for (std::size_t i = 0; i < 2; ++i) record.switches.push_back(whole_switch(numbers, i));
  for (std::size_t i = 0; i < 3; ++i) record.links.push_back(whole_link(numbers, i));
  record.series = {{"throughput.incast bit/s", numbers.duration(), {1.0 / 3, 0, 1e300, -2.5e-310}},
                   {"no_unit", numbers.duration(), {}},
                   {"long unit of things", numbers.duration(), {42}},
                   {"blank ", numbers.duration(), {7}}};
  record.timeline.interval = numbers.duration();
  record.timeline.intervals = 5;
  for (std::uint32_t i = 0; i < 15; ++i) {
    record.timeline.carried.push_back(0xFEDCBA98U - 0x1111111 * i);
    record.timeline.queued.push_back(i * i);
  }
  record.timeline.pauses = {{2, Time::picoseconds(5), Time::picoseconds(90)},
                            {0, Time::picoseconds(5), Time::picoseconds(60)},
                            {2, Time::picoseconds(95), Time::picoseconds(99)}};
  record.timeline.pauses_left_out = 4;
  for (PauseHold& hold : record.pause_hold)
    hold = {numbers.duration(), numbers.duration(), numbers.next<std::uint64_t>()};
  for (Histogram& histogram : record.queueing_by_tier) histogram = numbers.histogram();
  // A sum that exceeds 64 bits.
  record.queueing_by_tier[1].add(std::int64_t{1} << 62, 1'000);
  record.active_flows = numbers.histogram();
  record.active_queues = numbers.histogram();
  for (std::int64_t& bytes : record.bytes_by_kind) bytes = numbers.next();
  Statistics& statistics = record.statistics;
  for (std::size_t i = 0; i < 2; ++i) {
    statistics.egress_kinds.push_back({"tor" + std::to_string(i), "core0", 1, 2, i == 0 ? "data" : "hop_control",
                                       numbers.next(), 5'000'000'000 + numbers.next()});
    statistics.hops.push_back({std::string(kHopClasses[i]), numbers.next(), 1, std::string(kHopDirections[i]),
                               numbers.next(), numbers.next(), 1.0 / 3 + static_cast<double>(i), numbers.histogram()});
    statistics.policies.push_back({"scheme.count", i == 0 ? "" : "it's bytes", "gauge", "tor0", 1,
                                   i == 0 ? PolicyRecord::kNone : 3, i == 0 ? PolicyRecord::kNone : 0, -0.125, 1e300});
    statistics.slowdown_split.push_back({std::string(kSplitClasses[i]), numbers.next(), 3.5, 1.0 / 3, 0.25, 0, 1e-9});
  }
  statistics.hops.push_back({"all", 0, 1, "across", 1, 1, 0, {}});  // no frame has left
  return record;
}

}  // namespace weir
