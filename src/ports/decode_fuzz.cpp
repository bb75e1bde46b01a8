// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes received by a switch port: whatever decode() accepts can be patched in place, and leaves no frame
// behind. Header checksums are corrected if the first byte says so, so that the fuzzer gets past them.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "ports/decode.h"
#include "ports/frame_header.h"
#include "ports/packet.h"
#include "ports/patch.h"
#include "wire/parse.h"
#include "wire/testing/byte_source.h"
#include "wire/testing/checksum_repair.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static weir::FramePool pool(4);
  static const weir::Neighbours neighbours(1'000);
  if (size == 0) return 0;
  std::vector<std::byte> bytes = weir::testing::to_bytes({data + 1, size - 1});
  if ((data[0] & 1u) != 0) {
    weir::testing::Repair(bytes, weir::Fcs::absent, weir::testing::Repair::Zero::nothing);
  }
  const auto decoded = weir::decode(pool, bytes, neighbours);
  if (!decoded) {
    if (pool.in_use() != 0) std::abort();
    return 0;
  }
  const weir::Frame& frame = pool[decoded->id];
  if (frame.priority >= weir::kPriorities) std::abort();
  if (frame.source.exists() && frame.source.index() >= neighbours.hosts()) std::abort();
  if (frame.destination.exists() && frame.destination.index() >= neighbours.hosts()) std::abort();
  if (!frame.is_hop_control() && !frame.destination.exists()) std::abort();
  // A forwarder that writes the headers anew parses them again.
  if (!decoded->opaque) {
    const auto again = weir::parse(pool, bytes, weir::Fcs::absent, weir::IcrcCheck::skip);
    if (!again) std::abort();
    weir::Frame parsed = pool[again->id];
    const bool same_extension = parsed.extension.exists() == frame.extension.exists();
    parsed.extension = frame.extension;
    if (!same_extension || weir::FrameHeader(parsed) != weir::FrameHeader(frame)) std::abort();
    if (again->envelope.has_shim != decoded->has_shim) std::abort();
    if (again->envelope.extension_bytes != decoded->extension_bytes) std::abort();
    pool.release(again->id);
  }
  if (!frame.is_hop_control()) {
    const std::vector<std::byte> before = bytes;
    weir::lower_time_to_live(bytes);
    weir::mark_congestion(bytes);
    weir::set_priority(bytes, data[0] >> 5);
    if (weir::is_ipv4(before) != weir::is_ipv4(bytes)) std::abort();
    const bool rocev2 = frame.kind == weir::FrameKind::data || frame.kind == weir::FrameKind::ack ||
                        frame.kind == weir::FrameKind::nack || frame.kind == weir::FrameKind::cnp;
    if (rocev2) {
      const std::vector<std::byte> header(std::size_t{4} * (data[0] % 8));
      const std::size_t length = bytes.size();
      bytes.resize(length + header.size());
      weir::Packet packet{bytes.data(), bytes.data(), static_cast<std::uint32_t>(length),
                          static_cast<std::uint32_t>(bytes.size())};
      static_cast<void>(weir::replace_shim(packet, header));
      if (packet.length > bytes.size() || !weir::replace_shim(packet, {})) std::abort();
    }
  }
  pool.release(decoded->id);
  return 0;
}
