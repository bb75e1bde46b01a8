// SPDX-License-Identifier: Apache-2.0
// The purpose of each table of a scenario, for its reader and for the reference.
#pragma once

#include <string_view>

namespace weir {

inline constexpr std::string_view kAboutMeaning = "what it is about";
inline constexpr std::string_view kTopologyMeaning = "the network";
inline constexpr std::string_view kFailureMeaning = "a link that fails, and perhaps comes back";
inline constexpr std::string_view kWeightMeaning = "how much of the traffic a port attracts against its equals";
inline constexpr std::string_view kRoutingMeaning = "what the network's controller does";
inline constexpr std::string_view kSwitchMeaning = "all switches";
inline constexpr std::string_view kHostMeaning = "all NICs";
inline constexpr std::string_view kMeasureMeaning = "what is measured beside flows";
inline constexpr std::string_view kCaptureMeaning = "frames on links, as a file for Wireshark";
inline constexpr std::string_view kRunMeaning = "how long, and from what seed";
inline constexpr std::string_view kTrafficMeaning = "a source of flows";
inline constexpr std::string_view kSweepMeaning =
    "a value that is varied: every variant is run with each; several make a grid";

}  // namespace weir
