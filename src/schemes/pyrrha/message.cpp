// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/message.h"

#include "wire/control_header.h"

namespace weir::pyrrha {
namespace {

constexpr std::uint32_t kAroundHeader = 14 + 4 + 4;  // bytes of tagged Ethernet before and after the control header
constexpr std::uint32_t kPortBits = 16;

constexpr bool is_named_as_sent(Root root) {
  return !is_host(root) || port_in(root) == 0;
}

}  // namespace

FrameId make_message(FramePool& frames, const Framing& framing, const Message& message) {
  const FrameId id = frames.allocate();
  if (!id.exists()) return id;
  Frame& frame = frames[id];
  frame.kind = FrameKind::hop_control;
  frame.protocol = kProtocol;
  frame.tag = static_cast<std::uint16_t>(message.kind);
  frame.queue_pair = QueuePairId(switch_in(message.root));
  frame.tag_value = port_in(message.root);
  frame.sequence = 0;
  if (message.kind == Kind::merge) {
    frame.tag_value |= port_in(message.successor) << kPortBits;
    frame.sequence = switch_in(message.successor);
  }
  frame.frame_bytes =
      framing.padded(kAroundHeader + static_cast<std::uint32_t>(control_header_bytes(ControlReach::neighbour)));
  return id;
}

std::optional<Message> read_message(const Frame& frame) {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return std::nullopt;
  if (frame.tag > static_cast<std::uint16_t>(Kind::deallocate) || !frame.queue_pair.exists()) return std::nullopt;
  Message message;
  message.kind = static_cast<Kind>(frame.tag);
  message.root = Root{frame.queue_pair.value} << kPortBits | (frame.tag_value & (kPorts - 1));
  const std::uint32_t other_port = frame.tag_value >> kPortBits;
  if (message.kind == Kind::merge) {
    message.successor = Root{frame.sequence} << kPortBits | other_port;
    if (message.successor == message.root || is_host(message.root)) return std::nullopt;
    if (switch_in(message.successor) == SwitchId::none().value || !is_named_as_sent(message.successor)) {
      return std::nullopt;
    }
  } else if (other_port != 0 || frame.sequence != 0) {
    return std::nullopt;
  }
  if (!is_named_as_sent(message.root)) return std::nullopt;
  return message;
}

}  // namespace weir::pyrrha
