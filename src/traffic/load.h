// SPDX-License-Identifier: Apache-2.0
// Definition of "load": the total rate to offer for a load of host links or of core links.
#pragma once

#include <cstddef>
#include <cstdint>

#include "units/bit_rate.h"

namespace weir {

/// The payload rate that loads the links of `senders` hosts by `load` on average (HPCC, floodgate 6, pyrrha 6.1).
constexpr BitRate offered_for_host_load(double load, BitRate host_rate, std::size_t senders) {
  return BitRate(static_cast<std::int64_t>(
      load * static_cast<double>(host_rate.bits_per_second()) * static_cast<double>(senders) + 0.5));
}

/// The payload rate that loads `links` core links, in one direction each, by `load` on average if a share `core_share`
/// of the flows crosses the core. bfc 6.2.1 gives the load of the core links; the runner published by its authors
/// assumes that every flow crosses it (a `core_share` of 1), so its uniform pairs load the core slightly less. spfc
/// VII.D's load of ToR down-links is offered_for_host_load.
constexpr BitRate offered_for_core_load(double load, BitRate core_rate, std::size_t links, double core_share = 1.0) {
  return BitRate(static_cast<std::int64_t>(
      load * static_cast<double>(core_rate.bits_per_second()) * static_cast<double>(links) / core_share + 0.5));
}

/// The mean time in picoseconds between events of this number of bytes that offer `rate`.
constexpr double mean_interval(double bytes_per_event, BitRate rate) {
  return bytes_per_event * 8e12 / static_cast<double>(rate.bits_per_second());
}

}  // namespace weir
