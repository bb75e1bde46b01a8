// SPDX-License-Identifier: Apache-2.0
// Statistics of a run in rows: those that a scenario requests under [measure], and those that policies count. One table
// of fields defines all of them for the CSV files, the store, the report's JSON and the measures of criteria.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "results/histogram.h"

namespace weir {

/// Frames of one kind sent by one port (measure.egress_kinds).
struct EgressKindRecord {
  std::string from;  ///< the node of the port
  std::string to;    ///< the other end of its link
  std::int64_t from_tier = 0;
  std::int64_t to_tier = 0;
  std::string kind;
  std::int64_t frames = 0;
  std::int64_t bytes = 0;
};

/// Frames of some flows at one hop of their paths, at ports of one tier in one direction (measure.hops).
struct HopRecord {
  std::string flow_class;        ///< kHopClasses
  std::int64_t hop = 0;          ///< 1 is a frame's first switch; 0: any
  std::int64_t tier = 0;         ///< of the switch
  std::string direction;         ///< of the egress port: kHopDirections
  std::int64_t port_most = 0;    ///< bytes
  std::int64_t switch_most = 0;  ///< bytes
  double mean = 0;               ///< bytes
  Histogram delay;               ///< picoseconds in the switch, per frame
};

/// The frames that a HopRecord covers. Frames of flows are data frames, with the flow's class when the frame arrived at
/// the switch.
enum class HopClass : std::uint8_t { incast, victim, background, not_incast, all, control, everything };
inline constexpr std::array<std::string_view, 7> kHopClasses{"incast", "victim",  "background", "not incast",
                                                             "all",    "control", "everything"};
/// Of a port: to a higher tier, to a lower one or a host, or to a switch of the same tier.
inline constexpr std::array<std::string_view, 3> kHopDirections{"up", "down", "across"};
/// By FrameKind; "mark" is no frame. Must never change, because stores contain them.
inline constexpr std::array<std::string_view, 9> kStoredFrameKinds{
    "data", "ack", "nack", "cnp", "pfc", "hop_control", "host_control", "mark", "datagram"};

/// A counter or gauge of a policy at the end of a run (measure.policies).
struct PolicyRecord {
  static constexpr std::int64_t kNone = -1;

  std::string name;            ///< prefixed with the scheme: "bfc.pauses"
  std::string unit;            ///< empty for a dimensionless number
  std::string kind;            ///< "counter" or "gauge"
  std::string node;            ///< the switch or host
  std::int64_t tier = 0;       ///< of the node; 0 is a host
  std::int64_t port = kNone;   ///< kNone: of the whole node
  std::int64_t group = kNone;  ///< of queues; kNone: of the whole port, or node
  double value = 0;            ///< at the end
  double maximum = 0;          ///< at any time
};

/// Contributions to the slowdown of flows of a group (measure.slowdown_split): means over the completed flows. The
/// contributions are in units of the flow's ideal FCT, so that they and 1 add up to the slowdown.
struct SlowdownSplitRecord {
  std::string flow_class;  ///< kSplitClasses
  std::int64_t flows = 0;
  double slowdown = 1;  ///< see slowdown_of()
  double queueing = 0;  ///< the remainder: queues of switches, the NIC's wire, longer paths
  double pause = 0;     ///< SenderWaits::paused
  double pacing = 0;    ///< SenderWaits::paced
  double timeout = 0;   ///< SenderWaits::timed_out
};
inline constexpr std::array<std::string_view, 5> kSplitClasses{"incast", "victim", "background", "not incast", "all"};

/// A congestion tree (measure.congestion_trees): from the first pause that names its root until none is in force. Its
/// members are the nodes that were paused.
struct CongestionTreeRecord {
  std::string root;       ///< the switch of the port at which it begins
  std::string root_to;    ///< the other end of that port's link
  std::int64_t port = 0;  ///< the number of that port
  std::int64_t tier = 0;  ///< of the root's switch
  double begin_us = 0;
  double end_us = 0;  ///< or the end of the run
  std::int64_t members = 0;
  std::int64_t most = 0;   ///< members paused at once
  std::int64_t hosts = 0;  ///< among the members
  std::int64_t depth = 0;  ///< links from the root's switch to the farthest member
  std::int64_t pauses = 0;
  std::string merged_into;  ///< the root for which the port gave up being one, last: "switch:port"; empty: none
  double merged_us = 0;     ///< when; 0: never
};

/// Who paused whom for the root of a tree.
struct TreePauseRecord {
  std::int64_t tree = 0;  ///< the row of its CongestionTreeRecord
  std::string paused;
  std::string by;
  double begin_us = 0;
  double end_us = 0;  ///< or the end of the run
};

// ---- fields ----

/// How a measure combines the rows that its arguments select.
enum class StatisticUse : std::uint8_t {
  key,        ///< selects rows
  sum,        ///< an additive number
  most,       ///< a number of which the maximum counts
  histogram,  ///< a distribution: its mean, a quantile and the largest value
};

enum class StatisticUnit : std::uint8_t { none, bytes, picoseconds };

/// Empty, an integer, a number or a text.
using StatisticValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// One field of a kind of row.
template <class Row>
struct StatisticField {
  std::string_view column;   ///< in CSV, the store and JSON; for a histogram, the prefix of its columns
  std::string_view measure;  ///< in criteria: for a key, the argument; empty: none
  StatisticUse use = StatisticUse::key;
  StatisticUnit unit = StatisticUnit::none;
  /// For a key: the rows selected if a measure does not give it; empty: all rows.
  std::string_view otherwise;
  /// For a key: the valid texts; empty: any.
  std::span<const std::string_view> texts;
  bool is_node = false;  ///< a key that names nodes: "h0..h3"
  bool is_text = false;
  std::string_view meaning;
  StatisticValue (*get)(const Row&);
  void (*set)(Row&, const StatisticValue&);
  Histogram Row::*histogram = nullptr;
};

namespace detail {

template <class Row, auto member>
constexpr StatisticField<Row> statistic(std::string_view column, std::string_view measure, StatisticUse use,
                                        StatisticUnit unit, std::string_view otherwise,
                                        std::span<const std::string_view> texts, bool is_node,
                                        std::string_view meaning) {
  using Type = std::remove_cvref_t<decltype(std::declval<Row>().*member)>;
  StatisticField<Row> field{column,    measure, use,     unit,
                            otherwise, texts,   is_node, std::is_same_v<Type, std::string>,
                            meaning,   nullptr, nullptr, nullptr};
  if constexpr (std::is_same_v<Type, Histogram>) {
    field.histogram = member;
  } else {
    // A negative integer means no value; members that can be negative have another type.
    field.get = [](const Row& row) -> StatisticValue {
      if constexpr (std::is_same_v<Type, std::int64_t>) {
        if (row.*member < 0) return std::monostate();
      }
      return row.*member;
    };
    field.set = [](Row& row, const StatisticValue& value) {
      if (const auto* is = std::get_if<Type>(&value)) {
        row.*member = *is;
      } else if constexpr (std::is_same_v<Type, std::int64_t>) {
        row.*member = -1;
      }
    };
  }
  return field;
}

}  // namespace detail

// X(member, column, measure, use, unit, otherwise, texts, is a node, meaning). The order here is the order of columns.

inline constexpr std::span<const std::string_view> kAnyText{};

#define WEIR_EGRESS_KIND_FIELDS(X)                                                                                 \
  X(from, "from_name", "from", key, none, "", kAnyText, true, "node that sent the frames")                         \
  X(to, "to_name", "to", key, none, "", kAnyText, true, "node at the other end of the link")                       \
  X(from_tier, "from_tier", "from_tier", key, none, "", kAnyText, false, "tier of the sender; 0: a host")          \
  X(to_tier, "to_tier", "to_tier", key, none, "", kAnyText, false, "tier of the node at the other end; 0: a host") \
  X(kind, "kind", "kind", key, none, "", kStoredFrameKinds, false, "kind of frame, as in `frame_kinds`")           \
  X(frames, "sent_frames", "egress_frames", sum, none, "", kAnyText, false, "frames sent")                         \
  X(bytes, "sent_bytes", "egress_bytes", sum, bytes, "", kAnyText, false, "frame bytes sent")

#define WEIR_HOP_FIELDS(X)                                                                                       \
  X(flow_class, "class", "class", key, none, "all", kHopClasses, false,                                          \
    "flow class at the arrival of the frame: `incast`, `victim`, `background`, `not incast`, `all`; `control`: " \
    "frames other than data; `everything`: both")                                                                \
  X(hop, "hop", "hop", key, none, "0", kAnyText, false,                                                          \
    "position of the switch on the path of a frame, from 1; 0: any")                                             \
  X(tier, "tier", "tier", key, none, "", kAnyText, false, "tier of the switch; 1: a ToR")                        \
  X(direction, "direction", "direction", key, none, "", kHopDirections, false,                                   \
    "direction of the egress port of the frames, in whichever queue they wait: `up`, `down` or `across`")        \
  X(port_most, "port_maximum_bytes", "port_buffered_max", most, bytes, "", kAnyText, false,                      \
    "maximum number of bytes that a switch held for one such port")                                              \
  X(switch_most, "switch_maximum_bytes", "switch_buffered_max", most, bytes, "", kAnyText, false,                \
    "maximum number of bytes that a switch held for all such ports together")                                    \
  X(mean, "mean_bytes", "buffered_mean", sum, bytes, "", kAnyText, false,                                        \
    "bytes that all switches held for such ports together, averaged over time")                                  \
  X(delay, "delay", "hop_delay", histogram, picoseconds, "", kAnyText, false, "time of a frame in the switch")

#define WEIR_POLICY_FIELDS(X)                                                                         \
  X(name, "name", "name", key, none, "", kAnyText, false, "name, prefixed with the scheme's name")    \
  X(unit, "unit", "", key, none, "", kAnyText, false, "unit of the values; empty: a plain number")    \
  X(kind, "kind", "", key, none, "", kAnyText, false, "`counter` or `gauge`")                         \
  X(node, "node", "node", key, none, "", kAnyText, true, "switch or host")                            \
  X(tier, "tier", "tier", key, none, "", kAnyText, false, "tier of the node; 0: a host")              \
  X(port, "port", "port", key, none, "", kAnyText, false, "number of the port; NULL: the whole node") \
  X(group, "queue_group", "group", key, none, "", kAnyText, false,                                    \
    "number of the queue group, from 0; NULL: the whole port or node")                                \
  X(value, "value", "policy_total", sum, none, "", kAnyText, false, "value at the end of the run")    \
  X(maximum, "maximum", "policy_max", most, none, "", kAnyText, false, "exact maximum during the run")

#define WEIR_SLOWDOWN_SPLIT_FIELDS(X)                                                                                  \
  X(flow_class, "class", "class", key, none, "all", kSplitClasses, false,                                              \
    "flow class at the end of the flow: `incast`, `victim`, `background`, `not incast`, `all`")                        \
  X(flows, "flows", "", sum, none, "", kAnyText, false, "completed flows whose ideal FCT is known")                    \
  X(slowdown, "slowdown", "", sum, none, "", kAnyText, false, "mean slowdown")                                         \
  X(queueing, "queueing", "", sum, none, "", kAnyText, false,                                                          \
    "mean remainder of the slowdown above 1: queueing in the network, including behind paused ports, and waiting for " \
    "other queue pairs of the host")                                                                                   \
  X(pause, "pause", "", sum, none, "", kAnyText, false,                                                                \
    "mean time for which pauses blocked the sender, divided by the ideal FCT")                                         \
  X(pacing, "pacing", "", sum, none, "", kAnyText, false,                                                              \
    "mean time for which a full window or the rate of the congestion control delayed the sender, divided by the "      \
    "ideal FCT")                                                                                                       \
  X(timeout, "timeout", "", sum, none, "", kAnyText, false,                                                            \
    "mean time for which the sender waited for retransmission timeouts, divided by the ideal FCT")

#define WEIR_CONGESTION_TREE_FIELDS(X)                                                                          \
  X(root, "root_name", "", key, none, "", kAnyText, true, "switch whose port is the congestion root")           \
  X(root_to, "root_to_name", "", key, none, "", kAnyText, true, "node at the other end of that port's link")    \
  X(port, "root_port", "", key, none, "", kAnyText, false, "number of that port")                               \
  X(tier, "tier", "", key, none, "", kAnyText, false, "tier of the root's switch; 1: a ToR")                    \
  X(begin_us, "begin_us", "", sum, none, "", kAnyText, false, "first pause for the root, in microseconds")      \
  X(end_us, "end_us", "", sum, none, "", kAnyText, false,                                                       \
    "when no pause for it was in force any more, or the end of the run, in microseconds")                       \
  X(members, "members", "", sum, none, "", kAnyText, false, "nodes that were paused for the root")              \
  X(most, "most_members", "", most, none, "", kAnyText, false, "maximum number of nodes paused at once")        \
  X(hosts, "hosts", "", sum, none, "", kAnyText, false, "hosts among the members")                              \
  X(depth, "depth", "", most, none, "", kAnyText, false, "links from the root's switch to the farthest member") \
  X(pauses, "pauses", "", sum, none, "", kAnyText, false, "pauses for the root, each until its resume")         \
  X(merged_into, "merged_into", "", key, none, "", kAnyText, false,                                             \
    "`switch:port` of the root for whose tree this root was given up, last; empty: none")                       \
  X(merged_us, "merged_us", "", sum, none, "", kAnyText, false, "when, in microseconds; 0: never")

#define WEIR_TREE_PAUSE_FIELDS(X)                                                                         \
  X(tree, "tree", "", key, none, "", kAnyText, false, "`row_index` of the tree in congestion_trees")      \
  X(paused, "paused_name", "", key, none, "", kAnyText, true, "node that was paused")                     \
  X(by, "by_name", "", key, none, "", kAnyText, true, "node that paused it")                              \
  X(begin_us, "begin_us", "", sum, none, "", kAnyText, false, "when the pause was sent, in microseconds") \
  X(end_us, "end_us", "", sum, none, "", kAnyText, false, "when it ended, or the end of the run, in microseconds")

#define WEIR_STATISTIC_FIELD(member, column, measure, use, unit, otherwise, texts, is_node, meaning)              \
  detail::statistic<Row, &Row::member>(column, measure, StatisticUse::use, StatisticUnit::unit, otherwise, texts, \
                                       is_node, meaning),

/// The fields of a kind of row, and its name: of its table in the store, of its CSV file, of its array in JSON.
template <class Row>
struct StatisticTable;

template <>
struct StatisticTable<EgressKindRecord> {
  using Row = EgressKindRecord;
  static constexpr std::string_view kName = "egress_kinds";
  static constexpr auto kFields = std::to_array<StatisticField<Row>>({WEIR_EGRESS_KIND_FIELDS(WEIR_STATISTIC_FIELD)});
};

template <>
struct StatisticTable<HopRecord> {
  using Row = HopRecord;
  static constexpr std::string_view kName = "hops";
  static constexpr auto kFields = std::to_array<StatisticField<Row>>({WEIR_HOP_FIELDS(WEIR_STATISTIC_FIELD)});
};

template <>
struct StatisticTable<PolicyRecord> {
  using Row = PolicyRecord;
  static constexpr std::string_view kName = "policies";
  static constexpr auto kFields = std::to_array<StatisticField<Row>>({WEIR_POLICY_FIELDS(WEIR_STATISTIC_FIELD)});
};

template <>
struct StatisticTable<SlowdownSplitRecord> {
  using Row = SlowdownSplitRecord;
  static constexpr std::string_view kName = "slowdown_split";
  static constexpr auto kFields =
      std::to_array<StatisticField<Row>>({WEIR_SLOWDOWN_SPLIT_FIELDS(WEIR_STATISTIC_FIELD)});
};

template <>
struct StatisticTable<CongestionTreeRecord> {
  using Row = CongestionTreeRecord;
  static constexpr std::string_view kName = "congestion_trees";
  static constexpr auto kFields =
      std::to_array<StatisticField<Row>>({WEIR_CONGESTION_TREE_FIELDS(WEIR_STATISTIC_FIELD)});
};

template <>
struct StatisticTable<TreePauseRecord> {
  using Row = TreePauseRecord;
  static constexpr std::string_view kName = "tree_pauses";
  static constexpr auto kFields = std::to_array<StatisticField<Row>>({WEIR_TREE_PAUSE_FIELDS(WEIR_STATISTIC_FIELD)});
};

#undef WEIR_STATISTIC_FIELD

/// The rows of a run.
struct Statistics {
  std::vector<EgressKindRecord> egress_kinds;
  std::vector<HopRecord> hops;
  std::vector<PolicyRecord> policies;
  std::vector<SlowdownSplitRecord> slowdown_split;
  std::vector<CongestionTreeRecord> congestion_trees;  ///< in order of begin
  std::vector<TreePauseRecord> tree_pauses;            ///< by tree, then in order of begin
};

/// Calls visit(rows) for each kind of row. `all` is a Statistics, const or not.
template <class All, class Visit>
void for_each_statistic(All& all, Visit visit) {
  visit(all.egress_kinds);
  visit(all.hops);
  visit(all.policies);
  visit(all.slowdown_split);
  visit(all.congestion_trees);
  visit(all.tree_pauses);
}

/// The type of its rows.
template <class Rows>
using StatisticRow = typename std::remove_cvref_t<Rows>::value_type;

/// Numbers of a histogram besides its buckets, in columns "<field>_<name>".
struct HistogramColumn {
  std::string_view name;
  bool is_count = false;
  double (*get)(const Histogram&);
};
inline constexpr std::array<HistogramColumn, 4> kHistogramColumns{{
    {"frames", true, [](const Histogram& values) { return static_cast<double>(values.count()); }},
    {"mean", false, [](const Histogram& values) { return values.mean(); }},
    {"p99", false, [](const Histogram& values) { return static_cast<double>(values.quantile(0.99)); }},
    {"maximum", false, [](const Histogram& values) { return static_cast<double>(values.maximum()); }},
}};

/// The columns of a row, in order, each with its value: visit(name, value). With `picoseconds`, times are in
/// picoseconds; otherwise they are in microseconds, and names end accordingly.
template <class Row, class Visit>
void for_each_column(const Row& row, bool picoseconds, Visit visit) {
  for (const StatisticField<Row>& field : StatisticTable<Row>::kFields) {
    if (field.histogram == nullptr) {
      visit(std::string(field.column), field.get(row));
      continue;
    }
    const Histogram& values = row.*field.histogram;
    for (const HistogramColumn& column : kHistogramColumns) {
      std::string name = std::string(field.column).append("_").append(column.name);
      const double value = column.get(values);
      if (column.is_count) {
        visit(std::move(name), StatisticValue(static_cast<std::int64_t>(value)));
      } else {
        visit(name.append(picoseconds ? "_ps" : "_us"), StatisticValue(picoseconds ? value : value / 1e6));
      }
    }
  }
}

}  // namespace weir
