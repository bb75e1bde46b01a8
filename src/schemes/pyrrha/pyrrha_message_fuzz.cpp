// SPDX-License-Identifier: Apache-2.0
// Control frames with any fields: what Pyrrha accepts is what it would send.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "schemes/pyrrha/message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static weir::FramePool pool(4);
  constexpr std::size_t kWords = 3;
  std::uint32_t words[kWords];
  if (size < 1 + sizeof words) return 0;
  std::memcpy(words, data + 1, sizeof words);
  const weir::FrameId id = pool.allocate();
  weir::Frame& frame = pool[id];
  frame.kind = weir::FrameKind::hop_control;
  frame.protocol = weir::pyrrha::kProtocol;
  frame.tag = data[0];
  frame.queue_pair = weir::QueuePairId(words[0]);
  frame.tag_value = words[1];
  frame.sequence = words[2];
  if (const auto message = weir::pyrrha::read_message(frame)) {
    const weir::FrameId made = weir::pyrrha::make_message(pool, weir::Framing::rocev2(), *message);
    const weir::Frame& other = pool[made];
    if (other.tag != frame.tag || other.queue_pair != frame.queue_pair || other.tag_value != frame.tag_value ||
        other.sequence != frame.sequence) {
      std::abort();
    }
    pool.release(made);
  }
  pool.release(id);
  return 0;
}
