// SPDX-License-Identifier: Apache-2.0
// Functions shared by the tests of traffic sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "traffic/source.h"
#include "units/random.h"

namespace weir::testing_support {

/// At most `count` flows of a source, in its order.
inline std::vector<FlowSpec> take(TrafficSource& source, std::size_t count) {
  std::vector<FlowSpec> flows;
  while (flows.size() < count && source.next_start() != Time::never()) flows.push_back(source.take());
  return flows;
}

/// The same, where each flow completes `duration` after its start.
inline std::vector<FlowSpec> take_completing(TrafficSource& source, std::size_t count, Duration duration) {
  std::vector<FlowSpec> flows;
  std::multimap<Time, FlowSpec> in_flight;
  while (flows.size() < count) {
    const Time next = source.next_start();
    if (!in_flight.empty() && in_flight.begin()->first <= next) {
      const auto [now, flow] = *in_flight.begin();
      in_flight.erase(in_flight.begin());
      source.on_completed(flow, now);
    } else if (next != Time::never()) {
      flows.push_back(source.take());
      in_flight.emplace(flows.back().start + duration, flows.back());
    } else {
      break;
    }
  }
  return flows;
}

/// A number that changes with any property of any flow or with their order.
inline std::uint64_t digest(const std::vector<FlowSpec>& flows) {
  std::uint64_t digest = 0;
  const auto add = [&](auto number) { digest = mix(digest, static_cast<std::uint64_t>(number)); };
  for (const FlowSpec& flow : flows) {
    add(flow.start.picoseconds());
    add(flow.source.value);
    add(flow.destination.value);
    add(flow.size.count());
    add(flow.priority);
    add(flow.label);
    add(flow.connection.value);
    add(flow.rate_limit.bits_per_second());
    add(flow.stop.picoseconds());
    add(flow.synchronous);
  }
  return digest;
}

inline bool in_order(const std::vector<FlowSpec>& flows) {
  for (std::size_t i = 1; i < flows.size(); ++i) {
    if (flows[i].start < flows[i - 1].start) return false;
  }
  return true;
}

/// The rate that a source reports as offered, by pair, in bits per second.
inline std::map<HostPair, double> offered(const TrafficSource& source) {
  std::map<HostPair, double> rates;
  source.offered([&](HostId from, HostId to, double rate) { rates[{from, to}] += rate; });
  return rates;
}

inline double total(const std::map<HostPair, double>& rates) {
  double sum = 0.0;
  for (const auto& [pair, rate] : rates) sum += rate;
  return sum;
}

/// The mean rate of flows between the first start and the last, in bits per second.
inline double realised(const std::vector<FlowSpec>& flows) {
  double bytes = 0.0;
  for (const FlowSpec& flow : flows) bytes += static_cast<double>(flow.size.count());
  return bytes * 8.0 / (flows.back().start - flows.front().start).seconds();
}

}  // namespace weir::testing_support
