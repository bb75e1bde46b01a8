// SPDX-License-Identifier: Apache-2.0
// The frames on some links, as a file for Wireshark.
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

/// Writes what it is told of: each link is an interface, each frame the bytes that real ports would send, with their
/// FCS. Payload is zeros.
class LinkCapture final : public WireTap {
 public:
  /// `settings.links` of `topology` are captured to `path`; `application` is noted as the writer.
  LinkCapture(const Topology& topology, const CaptureSettings& settings, const std::filesystem::path& path,
              const std::string& application);

  void on_wire(std::size_t number, Time now, const FramePool& pool, const Frame& frame) override;

  /// Once, at the end. What went wrong with the file, "path: reason", or nothing.
  [[nodiscard]] std::optional<std::string> commit() { return writer_.commit(); }

  [[nodiscard]] std::uint64_t written() const { return written_; }
  /// Beyond the limit on frames.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// Frames that have no form on real links: see emit().
  [[nodiscard]] std::uint64_t not_representable() const { return not_representable_; }

 private:
  [[nodiscard]] bool starts_message(const Frame& frame);

  const CaptureSettings settings_;
  PcapngWriter writer_;
  std::vector<std::byte> bytes_;
  // A Frame says where a message ends; RoCEv2 also says where it begins: with packet 0 of a queue pair, and behind the
  // last packet of a message.
  using QueuePair = std::tuple<HostId, HostId, QueuePairId>;
  std::map<QueuePair, std::set<std::uint32_t>> beginnings_;
  std::uint64_t written_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t not_representable_ = 0;
};

}  // namespace weir
