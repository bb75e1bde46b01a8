// SPDX-License-Identifier: Apache-2.0
// Analysis of a scenario before it runs: round trips, headroom and buffer arithmetic, offered load.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/check_load.h"
#include "fabric/settings.h"
#include "net/buffer_cycles.h"
#include "net/topology.h"
#include "scenario/scenario.h"
#include "scenario/traffic_entry.h"

namespace weir {

/// The division of the buffer of identical switches.
struct CheckedSwitches {
  std::vector<SwitchId> switches;
  int tier = 0;
  std::size_t ports = 0;
  Bytes buffer;
  Bytes reserve;   ///< over all ports and lossless priorities
  Bytes headroom;  ///< over all ports and lossless priorities
  Bytes shared;    ///< the remainder for the service pools; zero or below: it does not fit
};

/// The headroom of identical ports.
struct CheckedHeadroom {
  BitRate rate;
  Duration delay;
  bool computed = false;  ///< computed from the terms of policy/headroom.h
  bool pfc = false;       ///< these switches send PFC
  std::size_t ports = 0;
  Bytes headroom;  ///< per lossless priority
  Bytes needed;    ///< bytes that can still arrive after a PAUSE is decided
  std::vector<SwitchId> switches;
};

/// The reason why a variant is not run.
struct CheckedError {
  std::string key;      ///< including its section; or the name of an element of a list of tables: "traffic.background"
  std::string message;  ///< what is wrong and what was expected
};

/// Pauses that can wait for each other in a cycle.
struct CheckedCycle {
  std::vector<LinkId> failed;  ///< links that the routes avoid in this state
  bool rerouting = false;      ///< of frames on routes of several times; routes of one time alone do not close it
  BufferCycles found;
};

struct CheckedVariant {
  /// Over the base round trips between hosts: a full packet in one direction and its acknowledgement back, on the
  /// routes of any time until the run ends.
  Duration shortest_round_trip;
  Duration longest_round_trip;
  Bytes bandwidth_delay_product;  ///< the maximum over all pairs
  std::vector<CheckedSwitches> switches;
  std::vector<CheckedHeadroom> headroom;
  std::vector<CheckedState> states;  ///< the network at the start, and after each change of routes
  std::vector<CheckedError> errors;
  /// For each state of the network with a cyclic buffer dependency (net/buffer_cycles.h) where frames can be paused:
  /// one per set of failed links; or, if no single state has one, the cycle over all states in sequence.
  std::vector<CheckedCycle> cycles;
  std::vector<Turn> exempt_turns;     ///< match-action entries that a scheme requires (fabric/exempt_turns.h)
  std::vector<std::string> derived;   ///< values that schemes compute (Scheme::derived), with the scheme's name
  std::vector<std::string> notes;     ///< remarks for the user that are not errors
  std::vector<std::string> warnings;  ///< problems that schemes expect (Scheme::warnings), with the scheme's name
};

/// Overload of a link is an error unless the traffic that causes it intends it; so are reserve and headroom that leave
/// nothing of a buffer. `all_links_up`: also searches for cycles with all links up, as check_failures()
/// (check/verdict.h) does.
CheckedVariant check_variant(const Settings& settings, const std::vector<TrafficEntry>& traffic,
                             bool all_links_up = true);

/// The errors of check_variant() only, for many variants in sequence. Offered load is computed once for all variants
/// with the same network, traffic and framing, whatever their schemes.
class ErrorCheck {
 public:
  std::vector<CheckedError> of(const ScenarioVariant& variant);

 private:
  std::map<std::string, std::vector<CheckedError>> overloads_;  ///< by all inputs of the offered load, as text
};

}  // namespace weir
