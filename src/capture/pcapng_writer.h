// SPDX-License-Identifier: Apache-2.0
// Writes capture files for Wireshark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "results/output_file.h"
#include "units/bit_rate.h"
#include "units/time.h"

namespace weir {

/// Writes a pcapng file (draft-ietf-opsawg-pcapng) with one section: its header, one interface description per link,
/// one enhanced packet per frame. Integers are written in little-endian order on any computer.
class PcapngWriter {
 public:
  /// `application`: the writer's name in the section header.
  PcapngWriter(const std::filesystem::path& path, std::string_view application);

  /// Adds an Ethernet interface whose frames end with their FCS. `snap_length`: maximum number of bytes stored per
  /// frame; zero: unlimited. All interfaces must be added before any frames. Returns its index.
  std::uint32_t add_interface(std::string_view name, BitRate speed, std::uint32_t snap_length);

  /// Adds a frame sent on the interface; the caller truncates `bytes` to the interface's snap length, `length` is the
  /// original length. Time is rounded down to nanoseconds.
  void add_frame(std::uint32_t interface_number, Time time, std::span<const std::byte> bytes, std::size_t length);

  /// Call once, at the end: renames the file to its final name. Returns the first error as "path: reason", if any.
  [[nodiscard]] std::optional<std::string> commit() { return file_.commit(); }

 private:
  void write_block(std::uint32_t type);

  OutputFile file_;
  std::string body_;  // of the current block; reused for its capacity
  std::uint32_t interfaces_ = 0;
};

}  // namespace weir
