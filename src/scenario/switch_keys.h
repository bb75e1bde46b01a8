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

namespace weir {

/// What they mean.
namespace switch_key {
inline constexpr std::string_view kBuffer = "the packet memory of each switch";
inline constexpr std::string_view kReserve = "for each ingress port and lossless priority";
}  // namespace switch_key

/// Of buffers and their parts: thresholds that are a multiple of the free buffer can still be counted.
inline constexpr Bytes kLargestMemory = Bytes(1'000'000'000'000'000);
inline Range<Bytes> part_of_memory() {
  return {std::nullopt, kLargestMemory, false};
}
inline Range<Bytes> whole_memory() {
  return {Bytes(), kLargestMemory, true};
}

/// The key "headroom"; nothing when it is missing.
std::optional<HeadroomRule> read_headroom(Reader& section, std::string_view default_value);
/// A list of slots, each scheme once.
std::vector<PolicyChoice> read_schemes(const std::vector<Reader>& slots, const SchemeRole& role);
/// The key "group" of [switch]: what some switches have of their own. Refuses a switch in two groups.
std::vector<SwitchGroup> read_switch_groups(Reader& section, const NodeNames& names);

}  // namespace weir
