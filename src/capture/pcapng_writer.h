// SPDX-License-Identifier: Apache-2.0
// A capture file that Wireshark reads.
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

/// Writes a pcapng file (draft-ietf-opsawg-pcapng) of one section: its header, an interface description a link, an
/// enhanced packet a frame. Integers are written lowest byte first on any machine.
class PcapngWriter {
 public:
  /// `application` wrote it, for the section header.
  PcapngWriter(const std::filesystem::path& path, std::string_view application);

  /// An Ethernet interface whose frames end with their FCS. `snap_length`: of each frame at most so many bytes are
  /// kept; zero: all. All interfaces come before all frames. Gives its number.
  std::uint32_t add_interface(std::string_view name, BitRate speed, std::uint32_t snap_length);

  /// A frame that was sent on the interface; `bytes` is cut at the interface's snap length by the caller, `length` is
  /// what it was. Time is rounded down to nanoseconds.
  void add_frame(std::uint32_t interface_number, Time time, std::span<const std::byte> bytes, std::size_t length);

  /// Once, at the end: the file takes its name. The first error since the beginning as "path: reason", or nothing.
  [[nodiscard]] std::optional<std::string> commit() { return file_.commit(); }

 private:
  void write_block(std::uint32_t type);

  OutputFile file_;
  std::string body_;  // of the block at hand; kept for its capacity
  std::uint32_t interfaces_ = 0;
};

}  // namespace weir
