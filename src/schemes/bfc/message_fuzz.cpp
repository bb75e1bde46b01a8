// SPDX-License-Identifier: Apache-2.0
// Any control frame decoded from bytes: what BFC reads from it lies within its queues and within the frame.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "schemes/bfc/message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static weir::FramePool pool(4);
  constexpr std::size_t kHeader = 4;
  if (size < kHeader) return 0;
  const weir::FrameId id = pool.allocate();
  weir::Frame& frame = pool[id];
  frame.kind = weir::FrameKind::hop_control;
  frame.protocol = weir::bfc::kProtocol;
  frame.tag_value = data[0];
  frame.tag = static_cast<std::uint16_t>(data[1] << 8 | data[2]);
  frame.sequence = static_cast<std::uint32_t>(frame.tag * (data[3] + 1u));
  const std::size_t queues = 1 + (data[3] * 64u + data[2]) % 4'096;
  if (size > kHeader) {
    const std::size_t length = std::min(size - kHeader, weir::FramePool::kLongExtension);
    const auto block = pool.extend(frame, length);
    std::transform(data + kHeader, data + kHeader + length, block.begin(),
                   [](std::uint8_t byte) { return static_cast<std::byte>(byte); });
  }
  if (const auto said = weir::bfc::read_message(pool, frame, queues); said) {
    if (said->queue >= queues || said->queues > queues) std::abort();
    std::size_t paused = 0;
    for (std::size_t queue = 0; queue < said->queues; ++queue) paused += said->paused(queue) ? 1 : 0;
    if (paused > queues) std::abort();
  }
  pool.release(id);
  return 0;
}
