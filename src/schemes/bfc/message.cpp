// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/message.h"

#include <algorithm>

#include "wire/control_header.h"

namespace weir::bfc {
namespace {

constexpr std::uint32_t kBesideControl = 14 + 4 + 4;  // bytes of tagged Ethernet before and after the header

std::size_t bytes_for(std::size_t queues) {
  return (queues + 7) / 8;
}

FrameId make(FramePool& frames, const Framing& framing, Say say) {  // [BFC-W-2]
  const FrameId id = frames.allocate();
  if (!id.exists()) return id;
  Frame& frame = frames[id];
  frame.kind = FrameKind::hop_control;
  frame.protocol = kProtocol;
  frame.tag_value = static_cast<std::uint32_t>(say);
  frame.frame_bytes =
      framing.padded(kBesideControl + static_cast<std::uint32_t>(control_header_bytes(ControlReach::neighbour)));
  return id;
}

bool fill(FramePool& frames, const Framing& framing, Frame& frame, std::span<const std::uint64_t> words,
          std::size_t queues) {
  const std::size_t length = bytes_for(queues);
  const std::span<std::byte> block = frames.extend(frame, length);
  if (block.size() < length) return false;
  for (std::size_t i = 0; i < length; ++i) block[i] = static_cast<std::byte>(words[i / 8] >> (i % 8 * 8));
  frame.tag_value = static_cast<std::uint32_t>(Say::bitmap);
  frame.tag = 0;
  frame.sequence = static_cast<std::uint32_t>(queues);
  frame.frame_bytes = bitmap_bytes(framing, queues);
  return true;
}

}  // namespace

std::uint16_t bitmap_bytes(const Framing& framing, std::size_t queues) {
  const std::size_t on_wire = control_header_bytes(ControlReach::neighbour) + (bytes_for(queues) + 3) / 4 * 4;
  return framing.padded(kBesideControl + static_cast<std::uint32_t>(on_wire));
}

FrameId make_message(FramePool& frames, const Framing& framing, bool pause, std::size_t queue) {
  const FrameId id = make(frames, framing, pause ? Say::pause : Say::resume);
  if (id.exists()) frames[id].tag = tag_of(queue);
  return id;
}

FrameId make_message(FramePool& frames, const Framing& framing, bool pause, const FlowKey& flow,
                     QueuePairId queue_pair) {
  const FrameId id = make(frames, framing, pause ? Say::pause_flow : Say::resume_flow);
  if (!id.exists()) return id;
  Frame& frame = frames[id];
  frame.source = flow.source;
  frame.destination = flow.destination;
  frame.entropy = flow.entropy;
  frame.queue_pair = queue_pair;
  return id;
}

FrameId make_bitmap(FramePool& frames, const Framing& framing, std::span<const std::uint64_t> words,
                    std::size_t queues) {
  const FrameId id = make(frames, framing, Say::bitmap);
  if (!id.exists() || fill(frames, framing, frames[id], words, queues)) return id;
  frames.release(id);
  return FrameId::none();
}

bool turn_into_bitmap(FramePool& frames, const Framing& framing, Frame& frame, std::span<const std::uint64_t> words,
                      std::size_t queues) {
  return fill(frames, framing, frame, words, queues);
}

std::optional<Message> read_message(const FramePool& frames, const Frame& frame, std::size_t queues) {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return std::nullopt;
  Message message;
  switch (frame.tag_value) {
    case static_cast<std::uint32_t>(Say::resume):
    case static_cast<std::uint32_t>(Say::pause): {
      const auto queue = queue_in(frame.tag, queues);
      if (!queue) return std::nullopt;
      message.queue = *queue;
      break;
    }
    case static_cast<std::uint32_t>(Say::bitmap):
      message.bits = frames.extension(frame);
      message.queues = std::min({std::size_t{frame.sequence}, queues, message.bits.size() * 8});  // [BFC-W-3]
      break;
    case static_cast<std::uint32_t>(Say::resume_flow):
    case static_cast<std::uint32_t>(Say::pause_flow):
      message.flow = FlowKey::of(frame);
      message.queue_pair = frame.queue_pair;
      break;
    default:
      return std::nullopt;
  }
  message.say = static_cast<Say>(frame.tag_value);
  return message;
}

std::optional<ControlVerdict> judge_message(const SwitchContext& context, PortId port, const Frame& frame,
                                            std::size_t queues, bool by_flow) {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return std::nullopt;
  if (!speaks_bfc(context, port)) return ControlVerdict::not_spoken;
  if (context.port(port).peer.is_host()) return ControlVerdict::wrong_neighbour;
  const std::optional<Message> said = read_message(context.frames(), frame, queues);
  const bool of_queue = frame.tag_value == static_cast<std::uint32_t>(Say::pause) ||
                        frame.tag_value == static_cast<std::uint32_t>(Say::resume);
  if (!said) return of_queue && frame.tag != 0 ? ControlVerdict::no_target : ControlVerdict::malformed;
  if (said->say == Say::bitmap) {
    if (said->queues == 0) return ControlVerdict::malformed;
    return by_flow ? ControlVerdict::not_spoken : ControlVerdict::accepted;
  }
  if (of_queue == by_flow) return ControlVerdict::not_spoken;
  const bool names_flow = said->flow.source.exists() && said->flow.destination.exists();
  return of_queue || names_flow ? ControlVerdict::accepted : ControlVerdict::no_target;
}

}  // namespace weir::bfc
