// SPDX-License-Identifier: Apache-2.0
// Reads what the configurations of switches, NICs and testbeds with real ports have in common.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/reader.h"
#include "config/value.h"
#include "fabric/settings.h"
#include "scenario/node_names.h"
#include "scenario/real_process.h"
#include "wire/address.h"

namespace weir {

/// The largest number of packet buffers of one process.
inline constexpr std::size_t kMostBuffers = std::size_t{1} << 22;

/// The address that "52:54:00:12:34:56" writes.
std::optional<MacAddress> mac_address_from(std::string_view text);

/// Reads an address under a key; nullopt, with an error, if it is none.
std::optional<MacAddress> read_mac(Reader& reader, std::string_view key, const std::string& text);

/// Refuses the device that the key names if another key has named it: DPDK opens one only once. `seen` has the names of
/// all before, without their arguments.
void refuse_second_use(Reader& reader, std::string_view key, const std::string& device, std::set<std::string>& seen);

/// Reads the [[neighbour]] tables.
void read_neighbours(Reader& root, const NodeNames& names, RealProcess& out);
/// Reads the keys of [real] for the packet buffers; `packets` of them unless the file says how many.
void read_buffers(Reader& section, std::size_t packets, RealProcess& out);

/// Refuses schemes that no switch could implement.
void refuse_ideal(const SwitchSettings& switches, const Value& root, Diagnostics& diagnostics);
/// The same for all switches of the network.
void refuse_ideal(const Settings& settings, const Value& root, Diagnostics& diagnostics);
/// Refuses the frame sizes of other simulators.
void refuse_other_framing(const Settings& settings, const Value& root, Diagnostics& diagnostics);

/// The longest packet on the links of a network, in bytes without FCS. Longer than the frames of the simulation where
/// schemes add headers: these have a fixed part on the wire (wire/scheme_shim.h), which is not accounted.
[[nodiscard]] std::size_t longest_packet(const Settings& settings);

/// Moves the top-level members with one of these keys out of `root`.
Value take_members(Value& root, const std::vector<std::string_view>& keys);

/// Reads tables that a scenario does not have, which take_members() moved out of a file. No key of them may be left
/// unread.
void read_own_tables(const Value& own, Diagnostics& diagnostics, const std::function<void(Reader&)>& read);

/// Reads the root of a file; `directory` is the folder of the file, empty for a text.
using ReadRoot = std::function<void(Value root, const std::filesystem::path& directory, Diagnostics& diagnostics)>;
/// Parses a TOML text and hands it to `read`. Returns all errors, one line each; `file` is the name used in them.
std::vector<std::string> errors_of_text(std::string_view text, const std::string& file, const ReadRoot& read);
/// The same for a file, which may be missing or unreadable.
std::vector<std::string> errors_of_file(const std::string& path, const ReadRoot& read);

}  // namespace weir
