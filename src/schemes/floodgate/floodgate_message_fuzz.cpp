// SPDX-License-Identifier: Apache-2.0
// Any control frame that comes in as bytes: what Floodgate reads of it lies within the frame.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "schemes/floodgate/message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static weir::FramePool pool(4);
  constexpr std::size_t kHeader = 4;
  if (size < kHeader) return 0;
  const weir::FrameId id = pool.allocate();
  weir::Frame& frame = pool[id];
  frame.kind = weir::FrameKind::hop_control;
  frame.protocol = weir::floodgate::kProtocol;
  frame.tag = data[0];
  frame.tag_value = static_cast<std::uint32_t>(data[1] << 8 | data[2]);
  frame.sequence = data[3] * 0x0101'0101u;
  if (size > kHeader) {
    const std::size_t length = std::min(size - kHeader, weir::FramePool::kLongExtension);
    const auto block = pool.extend(frame, length);
    std::transform(data + kHeader, data + kHeader + length, block.begin(),
                   [](std::uint8_t byte) { return static_cast<std::byte>(byte); });
  }
  if (const auto message = weir::floodgate::read_message(pool, frame); message) {
    if (message->listed > weir::floodgate::kMostListed || message->credit.psn > weir::floodgate::kSequenceMask) {
      std::abort();
    }
    std::uint64_t units = 0;
    for (std::size_t i = 0; i < message->listed; ++i) units += message->at(i).units;
    if (message->listed == 0 && units != 0) std::abort();
  }
  pool.release(id);
  return 0;
}
