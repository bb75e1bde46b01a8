// SPDX-License-Identifier: Apache-2.0
// What can be known of a scenario before it is run: round trips, headroom and buffer arithmetic, offered load.
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

/// How the buffer of switches that are alike divides.
struct CheckedSwitches {
  std::vector<SwitchId> switches;
  int tier = 0;
  std::size_t ports = 0;
  Bytes buffer;
  Bytes reserve;   ///< over all ports and lossless priorities
  Bytes headroom;  ///< over all ports and lossless priorities
  Bytes shared;    ///< what is left for the service pools; zero or below: it does not fit
};

/// The headroom of ports that are alike.
struct CheckedHeadroom {
  BitRate rate;
  Duration delay;
  bool computed = false;  ///< by the terms of policy/headroom.h
  bool pfc = false;       ///< these switches send PFC
  std::size_t ports = 0;
  Bytes headroom;  ///< for each lossless priority
  Bytes needed;    ///< what can still arrive after a PAUSE is decided
  std::vector<SwitchId> switches;
};

/// Why a variant is not run.
struct CheckedError {
  std::string key;      ///< with its section; or the name of an element of a list of tables: "traffic.background"
  std::string message;  ///< what is wrong, what was expected
};

/// Pauses that can wait for each other in a cycle.
struct CheckedCycle {
  std::vector<LinkId> failed;  ///< links that the routes avoid then
  bool rerouting = false;  ///< at one time or another: of frames that came by routes of several times, by none alone
  BufferCycles found;
};

struct CheckedVariant {
  /// Of the base round trips between hosts, a full packet there and its acknowledgement back, on the routes of any time
  /// until the run ends.
  Duration shortest_round_trip;
  Duration longest_round_trip;
  Bytes bandwidth_delay_product;  ///< the largest of any pair
  std::vector<CheckedSwitches> switches;
  std::vector<CheckedHeadroom> headroom;
  std::vector<CheckedState> states;  ///< the network at the start, and after each change of routes
  std::vector<CheckedError> errors;
  /// Of each state of the network that has a cyclic buffer dependency (net/buffer_cycles.h) where frames can be held
  /// back: one for each set of failed links; or, where there is none, of all states behind each other.
  std::vector<CheckedCycle> cycles;
  std::vector<Turn> exempt_turns;     ///< match-action entries that a scheme asks for (fabric/exempt_turns.h)
  std::vector<std::string> notes;     ///< what a user should know although nothing is wrong
  std::vector<std::string> warnings;  ///< what schemes expect trouble from (Scheme::warnings), with the scheme's name
};

/// A link that is offered more than its rate is an error unless traffic that loads it intends it; so is a buffer that
/// reserve and headroom fill.
/// `all_links_up`: cycles are also looked for with all links up, which check_failures() (check/verdict.h) does too.
CheckedVariant check_variant(const Settings& settings, const std::vector<TrafficEntry>& traffic,
                             bool all_links_up = true);

/// The errors of check_variant() alone, for many variants one after the other. What is offered to links is worked out
/// once for all that agree in network, traffic and framing, whatever their schemes.
class ErrorCheck {
 public:
  std::vector<CheckedError> of(const ScenarioVariant& variant);

 private:
  std::map<std::string, std::vector<CheckedError>> overloads_;  ///< by all that the offered load hangs on, as text
};

}  // namespace weir
