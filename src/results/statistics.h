// SPDX-License-Identifier: Apache-2.0
// Statistics that a run gives as rows: what a scenario asks for under [measure], and what policies count. One table of
// fields says all of them to the CSV files, the store, the report's JSON and the measures of criteria.
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

/// Frames of one kind that one port sent (measure.egress_kinds).
struct EgressKindRecord {
  std::string from;  ///< the node of the port
  std::string to;    ///< at the other end of its link
  std::int64_t from_tier = 0;
  std::int64_t to_tier = 0;
  std::string kind;
  std::int64_t frames = 0;
  std::int64_t bytes = 0;
};

/// Frames of some flows at one hop of their way, at ports of one tier that lead one way (measure.hops).
struct HopRecord {
  std::string flow_class;        ///< kHopClasses
  std::int64_t hop = 0;          ///< 1 is the first switch of a frame; 0: any
  std::int64_t tier = 0;         ///< of the switch
  std::string direction;         ///< of the port where a frame leaves: kHopDirections
  std::int64_t port_most = 0;    ///< bytes
  std::int64_t switch_most = 0;  ///< bytes
  double mean = 0;               ///< bytes
  Histogram delay;               ///< picoseconds in the switch, by frame
};

/// Which frames a HopRecord is of. Those of flows are data frames; the flow's class is the one that it had come to when
/// the frame came to the switch.
enum class HopClass : std::uint8_t { incast, victim, background, not_incast, all, control, everything };
inline constexpr std::array<std::string_view, 7> kHopClasses{"incast", "victim",  "background", "not incast",
                                                             "all",    "control", "everything"};
/// Of a port: towards a higher tier, a lower one or a host, or a switch of the same tier.
inline constexpr std::array<std::string_view, 3> kHopDirections{"up", "down", "across"};
/// By FrameKind; "mark" is no frame. Never to change, as stores have them.
inline constexpr std::array<std::string_view, 9> kStoredFrameKinds{
    "data", "ack", "nack", "cnp", "pfc", "hop_control", "host_control", "mark", "datagram"};

/// A counter or gauge of a policy at the end of a run (measure.policies).
struct PolicyRecord {
  static constexpr std::int64_t kNone = -1;

  std::string name;            ///< with the scheme's: "bfc.pauses"
  std::string unit;            ///< empty for a plain number
  std::string kind;            ///< "counter" or "gauge"
  std::string node;            ///< the switch or host
  std::int64_t tier = 0;       ///< of it; 0 is a host
  std::int64_t port = kNone;   ///< kNone: of the whole node
  std::int64_t group = kNone;  ///< of queues; kNone: of the whole port, or node
  double value = 0;            ///< at the end
  double maximum = 0;          ///< at any time
};

/// What made flows of a group slower than ideal (measure.slowdown_split): means over those that completed. The parts
/// are in units of the flow's ideal FCT, so that they and 1 add up to the slowdown.
struct SlowdownSplitRecord {
  std::string flow_class;  ///< kSplitClasses
  std::int64_t flows = 0;
  double slowdown = 1;  ///< see slowdown_of()
  double queueing = 0;  ///< what is left: queues of switches, the NIC's wire, longer paths
  double pause = 0;     ///< SenderWaits::paused
  double pacing = 0;    ///< SenderWaits::paced
  double timeout = 0;   ///< SenderWaits::timed_out
};
inline constexpr std::array<std::string_view, 5> kSplitClasses{"incast", "victim", "background", "not incast", "all"};

// ---- fields ----

/// How a measure makes one number of the rows that its arguments choose.
enum class StatisticUse : std::uint8_t {
  key,        ///< chooses rows
  sum,        ///< a number that adds up
  most,       ///< a number of which the largest counts
  histogram,  ///< a distribution: its mean, a quantile and the largest value
};

enum class StatisticUnit : std::uint8_t { none, bytes, picoseconds };

/// Nothing, a whole number, a number or a text.
using StatisticValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// One field of a kind of row.
template <class Row>
struct StatisticField {
  std::string_view column;   ///< of CSV, the store and JSON; of a histogram, what its columns begin with
  std::string_view measure;  ///< in criteria: of a key, the argument; empty: none
  StatisticUse use = StatisticUse::key;
  StatisticUnit unit = StatisticUnit::none;
  /// Of a key: what rows are meant where a measure does not say; empty: all rows.
  std::string_view otherwise;
  /// Of a key: the texts that there are; empty: any.
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
    // A whole number below zero stands for nothing: what could be one is of another type.
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

// X(member, column, measure, use, unit, otherwise, texts, is a node, meaning). Columns stand in this order.

inline constexpr std::span<const std::string_view> kAnyText{};

#define WEIR_EGRESS_KIND_FIELDS(X)                                                                              \
  X(from, "from_name", "from", key, none, "", kAnyText, true, "the node that sent them")                        \
  X(to, "to_name", "to", key, none, "", kAnyText, true, "the node at the other end of the link")                \
  X(from_tier, "from_tier", "from_tier", key, none, "", kAnyText, false, "of the sender; 0 is a host")          \
  X(to_tier, "to_tier", "to_tier", key, none, "", kAnyText, false, "of the node at the other end; 0 is a host") \
  X(kind, "kind", "kind", key, none, "", kStoredFrameKinds, false, "as in `frame_kinds`")                       \
  X(frames, "sent_frames", "egress_frames", sum, none, "", kAnyText, false, "that were put on the wire")        \
  X(bytes, "sent_bytes", "egress_bytes", sum, bytes, "", kAnyText, false, "frame bytes that were put on the wire")

#define WEIR_HOP_FIELDS(X)                                                                                          \
  X(flow_class, "class", "class", key, none, "all", kHopClasses, false,                                             \
    "of flows, as each was when its frame came: `incast`, `victim`, `background`, `not incast`, `all`; `control`: " \
    "what is no data; `everything`: both")                                                                          \
  X(hop, "hop", "hop", key, none, "0", kAnyText, false, "1: the first switch of a frame, and so on; 0: any")        \
  X(tier, "tier", "tier", key, none, "", kAnyText, false, "of the switch: 1 is a top of rack")                      \
  X(direction, "direction", "direction", key, none, "", kHopDirections, false,                                      \
    "of the port that frames leave by, wherever in the switch they wait: `up`, `down` or `across`")                 \
  X(port_most, "port_maximum_bytes", "port_buffered_max", most, bytes, "", kAnyText, false,                         \
    "most that the switch ever held for one such port")                                                             \
  X(switch_most, "switch_maximum_bytes", "switch_buffered_max", most, bytes, "", kAnyText, false,                   \
    "most that one switch ever held for all its such ports together")                                               \
  X(mean, "mean_bytes", "buffered_mean", sum, bytes, "", kAnyText, false,                                           \
    "that all switches held for such ports together, over time")                                                    \
  X(delay, "delay", "hop_delay", histogram, picoseconds, "", kAnyText, false, "a frame's time in the switch")

#define WEIR_POLICY_FIELDS(X)                                                                 \
  X(name, "name", "name", key, none, "", kAnyText, false, "with the scheme's")                \
  X(unit, "unit", "", key, none, "", kAnyText, false, "of its values; empty: a plain number") \
  X(kind, "kind", "", key, none, "", kAnyText, false, "`counter` or `gauge`")                 \
  X(node, "node", "node", key, none, "", kAnyText, true, "the switch or host")                \
  X(tier, "tier", "tier", key, none, "", kAnyText, false, "of it; 0 is a host")               \
  X(port, "port", "port", key, none, "", kAnyText, false, "NULL: of the whole node")          \
  X(group, "queue_group", "group", key, none, "", kAnyText, false,                            \
    "of queues, from 0; NULL: of the whole port, or node")                                    \
  X(value, "value", "policy_total", sum, none, "", kAnyText, false, "at the end")             \
  X(maximum, "maximum", "policy_max", most, none, "", kAnyText, false, "at any time of the run, exactly")

#define WEIR_SLOWDOWN_SPLIT_FIELDS(X)                                                                                \
  X(flow_class, "class", "class", key, none, "all", kSplitClasses, false,                                            \
    "of flows, as each was at its end: `incast`, `victim`, `background`, `not incast`, `all`")                       \
  X(flows, "flows", "", sum, none, "", kAnyText, false, "that completed and whose ideal FCT is known")               \
  X(slowdown, "slowdown", "", sum, none, "", kAnyText, false, "mean")                                                \
  X(queueing, "queueing", "", sum, none, "", kAnyText, false,                                                        \
    "mean of what is left of the slowdown above 1: queues in the network, those behind paused ports too, and turns " \
    "at "                                                                                                            \
    "the wire of the host")                                                                                          \
  X(pause, "pause", "", sum, none, "", kAnyText, false, "mean time, by the ideal FCT, that pauses held the sender")  \
  X(pacing, "pacing", "", sum, none, "", kAnyText, false,                                                            \
    "mean time, by the ideal FCT, that a full window or the rate of the congestion control held the sender")         \
  X(timeout, "timeout", "", sum, none, "", kAnyText, false,                                                          \
    "mean time, by the ideal FCT, that the sender waited for retransmission timeouts")

#define WEIR_STATISTIC_FIELD(member, column, measure, use, unit, otherwise, texts, is_node, meaning)              \
  detail::statistic<Row, &Row::member>(column, measure, StatisticUse::use, StatisticUnit::unit, otherwise, texts, \
                                       is_node, meaning),

/// The fields of a kind of row, and its name: of its table in the store, its CSV file, its array in JSON.
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

#undef WEIR_STATISTIC_FIELD

/// The rows of a run.
struct Statistics {
  std::vector<EgressKindRecord> egress_kinds;
  std::vector<HopRecord> hops;
  std::vector<PolicyRecord> policies;
  std::vector<SlowdownSplitRecord> slowdown_split;
};

/// Calls visit(rows) for each kind of them. `all` is a Statistics, const or not.
template <class All, class Visit>
void for_each_statistic(All& all, Visit visit) {
  visit(all.egress_kinds);
  visit(all.hops);
  visit(all.policies);
  visit(all.slowdown_split);
}

/// What its rows are.
template <class Rows>
using StatisticRow = typename std::remove_cvref_t<Rows>::value_type;

/// What a histogram has beside its buckets, in columns "<field>_<name>".
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

/// The columns of a row, in order, each with its value: visit(name, value). `picoseconds`: times are such; else they
/// are microseconds, and names end with that.
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
