// SPDX-License-Identifier: Apache-2.0
// Warnings that several schemes share, with the same words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/scheme.h"
#include "units/bytes.h"
#include "units/time.h"
#include "units/words.h"

namespace weir {

/// If a timeout is less than the longest round trip. `consequence` completes "so that ...".
inline void warn_of_short_timeout(std::string_view parameter, Duration timeout, const NetworkView& network,
                                  std::string_view consequence, std::vector<std::string>& out) {
  if (timeout >= network.longest_round_trip) return;
  out.push_back(std::string(parameter) + " is less than a round trip, so that " + std::string(consequence) +
                "; expected at least " + std::to_string(network.longest_round_trip.picoseconds() / 1'000'000 + 1) +
                " us");
}

/// If what a flow may send without waiting is less than a bandwidth-delay product. `who`: "a single flow".
inline void warn_of_small_window(std::string_view parameter, Bytes window, const NetworkView& network,
                                 std::string_view who, std::vector<std::string>& out) {
  const Bytes least = bytes_in(network.longest_round_trip, network.slowest_link());
  if (window >= least) return;
  out.push_back(std::string(parameter) + " is " + std::to_string(window.count()) +
                " B, less than a bandwidth-delay product, so that " + std::string(who) +
                " cannot fill its link; expected at least " + std::to_string(least.count()) + " B");
}

/// If a window is more packets than a flow may have in flight.
inline void warn_of_many_packets(std::string_view parameter, Bytes window, std::int64_t payload, std::int64_t most,
                                 std::vector<std::string>& out) {
  const std::int64_t packets = (window.count() + payload - 1) / payload;
  if (packets <= most) return;
  out.push_back(std::string(parameter) + " is " + std::to_string(packets) + " packets of " + std::to_string(payload) +
                " B, but a flow has at most " + std::to_string(most) +
                " in flight; expected a host.payload of at least " +
                std::to_string((window.count() + most - 1) / most));
}

/// If the hosts send data, and none of it has `priority`. Returns whether it warns.
inline bool warn_of_idle_priority(Priority priority, const HostView& hosts, std::vector<std::string>& out) {
  if (hosts.offered.empty() || hosts.offered.contains(priority)) return false;
  std::vector<std::string> offered;
  for (const Priority other : hosts.offered) offered.push_back(std::to_string(static_cast<int>(other)));
  out.push_back("no data has its priority (" + std::to_string(static_cast<int>(priority)) +
                "), so it has no effect: the data has " + join_words(offered) +
                "; expected priority = " + offered.back());
  return true;
}

/// If a forwarding keeps the packets of a flow on one of several equal paths.
inline void warn_of_single_paths(const std::vector<const Scheme*>& forwardings, std::string_view consequence,
                                 std::string_view expected, std::vector<std::string>& out) {
  for (const Scheme* forwarding : forwardings) {
    if (forwarding->traits.spreads_packets) continue;
    out.push_back("\"" + std::string(forwarding->name) + "\" does not spread the packets of a flow evenly, so that " +
                  std::string(consequence) + "; expected switch.forwarding = " + std::string(expected));
  }
}

}  // namespace weir
