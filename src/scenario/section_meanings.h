// SPDX-License-Identifier: Apache-2.0
// The purpose of each table of a scenario, for its reader and for the reference.
#pragma once

#include <string_view>

namespace weir {

inline constexpr std::string_view kAboutMeaning = "title and purpose";
inline constexpr std::string_view kTopologyMeaning = "topology of the network";
inline constexpr std::string_view kFailureMeaning = "a link failure, permanent or temporary";
inline constexpr std::string_view kWeightMeaning = "weight of a port relative to the other equal-cost ports";
inline constexpr std::string_view kRoutingMeaning = "route computation";
inline constexpr std::string_view kSwitchMeaning = "settings of all switches";
inline constexpr std::string_view kHostMeaning = "settings of all NICs";
inline constexpr std::string_view kMeasureMeaning = "measurements other than flow completion times";
inline constexpr std::string_view kCaptureMeaning = "frames on selected links, written as pcapng for Wireshark";
inline constexpr std::string_view kRunMeaning = "duration, seeds and limits";
inline constexpr std::string_view kTrafficMeaning = "a source of flows";
inline constexpr std::string_view kSweepMeaning =
    "a swept parameter: every variant runs with each of its values; several sweeps form a grid";

}  // namespace weir
