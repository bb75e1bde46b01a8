// SPDX-License-Identifier: Apache-2.0
// The counters of records as tables, for code that writes, reads or sums them (counter_list.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "results/run_record.h"

namespace weir {

/// One counter of a record. Times are in picoseconds.
template <class Record>
struct Counter {
  std::string_view csv;      ///< its column in a CSV file
  std::string_view column;   ///< its column in a table of the store
  std::string_view measure;  ///< its name in criteria; empty: none, or a separately handled one
  std::string_view meaning;
  bool is_time;
  std::int64_t (*get)(const Record&);
  void (*set)(Record&, std::int64_t);
  [[nodiscard]] bool is_size() const { return column.ends_with("_bytes"); }
};

namespace detail {

template <class Record, class Type, Type Record::*member>
constexpr Counter<Record> counter(std::string_view csv, std::string_view column, std::string_view measure,
                                  std::string_view meaning) {
  if constexpr (std::is_same_v<Type, Duration>) {
    return {csv,
            column,
            measure,
            meaning,
            true,
            [](const Record& record) { return (record.*member).picoseconds(); },
            [](Record& record, std::int64_t value) { record.*member = Duration::picoseconds(value); }};
  } else {
    return {csv,
            column,
            measure,
            meaning,
            false,
            [](const Record& record) { return static_cast<std::int64_t>(record.*member); },
            [](Record& record, std::int64_t value) { record.*member = static_cast<Type>(value); }};
  }
}

}  // namespace detail

#define WEIR_COUNTER(member, type, csv, column, measure, meaning) \
  counter<Record, type, &Record::member>(csv, column, measure, meaning),

namespace detail {

constexpr auto link_counters() {
  using Record = LinkRecord;
  return std::to_array<Counter<Record>>({WEIR_LINK_COUNTERS(WEIR_COUNTER)});
}
constexpr auto switch_counters() {
  using Record = SwitchRecord;
  return std::to_array<Counter<Record>>({WEIR_SWITCH_COUNTERS(WEIR_COUNTER)});
}
constexpr auto flow_counters() {
  using Record = FlowRecord;
  return std::to_array<Counter<Record>>({WEIR_FLOW_COUNTERS(WEIR_COUNTER)});
}
constexpr auto run_counters() {
  using Record = RunRecord;
  return std::to_array<Counter<Record>>({WEIR_RUN_COUNTERS(WEIR_COUNTER)});
}

}  // namespace detail

#undef WEIR_COUNTER

inline constexpr auto kLinkCounters = detail::link_counters();
inline constexpr auto kSwitchCounters = detail::switch_counters();
inline constexpr auto kFlowCounters = detail::flow_counters();
inline constexpr auto kRunCounters = detail::run_counters();

}  // namespace weir
