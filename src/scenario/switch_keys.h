// SPDX-License-Identifier: Apache-2.0
// The keys that [switch] and its groups have in common.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "fabric/settings.h"
#include "scenario/node_names.h"
#include "scenario/scheme_slot.h"
#include "scenario/switch_presets.h"

namespace weir {

/// Their meanings.
namespace switch_key {
inline constexpr std::string_view kBuffer = "packet memory per switch";
inline constexpr std::string_view kPreset =
    "a switch chip (see `weir list presets`): sets `buffer` unless given, and limits the port capacity";
inline constexpr std::string_view kReserve = "guaranteed buffer per ingress port and lossless priority";
}  // namespace switch_key

/// Limit of buffers and their parts, such that thresholds that are a multiple of the free buffer do not overflow.
inline constexpr Bytes kLargestMemory = Bytes(1'000'000'000'000'000);
inline Range<Bytes> part_of_memory() {
  return {std::nullopt, kLargestMemory, false};
}
inline Range<Bytes> whole_memory() {
  return {Bytes(), kLargestMemory, true};
}

/// The key "headroom"; nullopt if it is missing.
std::optional<HeadroomRule> read_headroom(Reader& section, std::string_view default_value);
/// The key "preset"; nullopt if it is missing or invalid.
const SwitchPreset* read_preset(Reader& section);
/// Refuses a preset whose chip has less capacity than the ports of one of these switches. `preset` may be nullptr.
void refuse_small_preset(Reader& section, const SwitchPreset* preset, const Topology& topology,
                         const std::vector<SwitchId>& switches);
/// The key "pause_watchdog"; nothing when it is missing.
std::optional<PauseWatchdogConfig> read_pause_watchdog(Reader& section);
/// A list of slots, each scheme once.
std::vector<PolicyChoice> read_schemes(const std::vector<Reader>& slots, const SchemeRole& role);
/// The key "group" of [switch]: settings of some switches. Refuses a switch in two groups.
std::vector<SwitchGroup> read_switch_groups(Reader& section, const NodeNames& names);

}  // namespace weir
