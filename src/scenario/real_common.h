// SPDX-License-Identifier: Apache-2.0
// What the configurations of switches and NICs with real ports have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/diagnostics.h"
#include "config/reader.h"
#include "config/value.h"
#include "fabric/settings.h"
#include "scenario/node_names.h"
#include "wire/address.h"

namespace weir {

/// The address that "52:54:00:12:34:56" writes.
std::optional<MacAddress> mac_address_from(std::string_view text);

/// Reads an address under a key; nullopt, with an error, if it is none.
std::optional<MacAddress> read_mac(Reader& reader, std::string_view key, const std::string& text);

/// Reads a [[neighbour]] table.
void read_neighbour(Reader& neighbour, const NodeNames& names, std::vector<std::pair<HostId, MacAddress>>& out);

/// Refuses schemes that no switch could implement.
void refuse_ideal(const SwitchSettings& switches, const Value& root, Diagnostics& diagnostics);
/// Refuses the frame sizes of other simulators.
void refuse_other_framing(const Settings& settings, const Value& root, Diagnostics& diagnostics);

/// Moves the top-level members with one of these keys out of `root`.
Value take_members(Value& root, const std::vector<std::string_view>& keys);

}  // namespace weir
