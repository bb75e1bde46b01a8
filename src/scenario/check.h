// What can be known of a scenario before it is run: round trips, headroom and buffer arithmetic, offered load.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fabric/settings.h"
#include "net/topology.h"
#include "scenario/traffic_section.h"

namespace weir {

/// What is offered to one direction of a link at the time when most is offered to it.
struct CheckedLink {
  NodeId from;
  PortId port;
  double fraction = 0;               ///< of its rate; headers counted as those of full packets, acknowledgements not
  Time at;                           ///< from when
  std::vector<std::string> sources;  ///< the traffic that loads it then
  bool intended = false;             ///< some of that traffic says overload = "intended"
};

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
  std::size_t ports = 0;
  Bytes headroom;  ///< for each lossless priority
};

struct CheckedVariant {
  Duration
      shortest_round_trip;  ///< of the base round trips between hosts: a full packet there, its acknowledgement back
  Duration longest_round_trip;
  Bytes bandwidth_delay_product;  ///< the largest of any pair
  std::vector<CheckedSwitches> switches;
  std::vector<CheckedHeadroom> headroom;
  std::vector<CheckedLink> links;  ///< both directions of all links, the highest fraction first
  std::vector<std::string> errors;
};

/// A link that is offered more than its rate is an error unless traffic that loads it intends it; so is a buffer that
/// reserve and headroom fill.
CheckedVariant check_variant(const Settings& settings, const std::vector<TrafficEntry>& traffic);

/// For a person to read. `links` lists every link that is offered anything, instead of a row for links alike.
std::string check_report(const CheckedVariant& checked, const Settings& settings, bool links);

}  // namespace weir
