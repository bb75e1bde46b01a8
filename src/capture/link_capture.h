// SPDX-License-Identifier: Apache-2.0
// Writes the frames of selected links to a file for Wireshark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "capture/pcapng_writer.h"
#include "fabric/settings.h"
#include "fabric/wire_tap.h"

namespace weir {

/// Captures frames: one interface per link direction; each frame contains the bytes that real ports would send, with
/// its FCS. Payload is zeros.
class LinkCapture final : public WireTap {
 public:
  /// `settings.links` of `topology` are captured to `path`; `application` is recorded as the writer.
  LinkCapture(const Topology& topology, const CaptureSettings& settings, const std::filesystem::path& path,
              const std::string& application);

  void on_wire(std::size_t number, Time now, const FramePool& pool, const Frame& frame) override;

  /// Call once, at the end. Returns the file's error, "path: reason", if any.
  [[nodiscard]] std::optional<std::string> commit() { return writer_.commit(); }

  [[nodiscard]] std::uint64_t written() const { return written_; }
  /// Number of frames beyond the limit.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// Number of frames that have no representation on real links: see emit().
  [[nodiscard]] std::uint64_t not_representable() const { return not_representable_; }

 private:
  [[nodiscard]] bool starts_message(const Frame& frame);

  const CaptureSettings settings_;
  PcapngWriter writer_;
  std::vector<std::byte> bytes_;
  // A Frame contains the end of a message; RoCEv2 also requires its beginning: packet 0 of a queue pair, and each
  // packet after the last one of a message.
  using QueuePair = std::tuple<HostId, HostId, QueuePairId>;
  std::map<QueuePair, std::set<std::uint32_t>> beginnings_;
  std::uint64_t written_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t not_representable_ = 0;
};

}  // namespace weir
