// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/message.h"

#include "wire/byte_order.h"
#include "wire/control_header.h"

namespace weir::floodgate {
namespace {

constexpr std::uint32_t kBesideControl = 14 + 4 + 4;  // bytes of tagged Ethernet before and behind the header

using Entry = std::span<const std::byte, kCreditBytes>;

FrameId make(FramePool& frames, Say say) {
  const FrameId id = frames.allocate();
  if (!id.exists()) return id;
  Frame& frame = frames[id];
  frame.kind = FrameKind::hop_control;
  frame.protocol = kProtocol;
  frame.tag = static_cast<std::uint16_t>(say);
  return id;
}

}  // namespace

Credit Message::at(std::size_t which) const {
  const Entry entry(list.subspan(which * kCreditBytes).first<kCreditBytes>());
  return {load_be32<0>(entry), load_be32<4>(entry), load_be32<8>(entry)};
}

std::uint16_t list_bytes(const Framing& framing, std::size_t listed) {
  return framing.padded(kBesideControl + static_cast<std::uint32_t>(control_header_bytes(ControlReach::neighbour) +
                                                                    listed * kCreditBytes));
}

FrameId make_message(FramePool& frames, const Framing& framing, Say say, const Credit& credit) {
  const FrameId id = make(frames, say);
  if (!id.exists()) return id;
  Frame& frame = frames[id];
  frame.queue_pair = QueuePairId(credit.name);
  frame.tag_value = credit.units;
  frame.sequence = credit.psn;
  frame.frame_bytes = list_bytes(framing, 0);
  return id;
}

FrameId make_list(FramePool& frames, const Framing& framing, std::span<const Credit> credits) {
  const FrameId id = make(frames, Say::credits);
  if (!id.exists()) return id;
  Frame& frame = frames[id];
  const std::span<std::byte> block = frames.extend(frame, credits.size() * kCreditBytes);
  if (block.size() < credits.size() * kCreditBytes) {
    frames.release(id);
    return FrameId::none();
  }
  for (std::size_t i = 0; i < credits.size(); ++i) {
    const std::span<std::byte, kCreditBytes> entry(block.subspan(i * kCreditBytes).first<kCreditBytes>());
    store_be32<0>(entry, credits[i].name);
    store_be32<4>(entry, credits[i].units);
    store_be32<8>(entry, credits[i].psn);
  }
  frame.tag_value = static_cast<std::uint32_t>(credits.size());
  frame.frame_bytes = list_bytes(framing, credits.size());
  return id;
}

std::optional<Message> read_message(const FramePool& frames, const Frame& frame) {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return std::nullopt;
  if (frame.tag > static_cast<std::uint16_t>(Say::resume)) return std::nullopt;
  Message message;
  message.say = static_cast<Say>(frame.tag);
  if (message.say != Say::credits) {
    message.credit = {frame.queue_pair.value, frame.tag_value, frame.sequence & kSequenceMask};
    return message;
  }
  message.list = frames.extension(frame);
  message.listed = frame.tag_value;
  if (message.listed > kMostListed || message.listed * kCreditBytes > message.list.size()) return std::nullopt;
  return message;
}

}  // namespace weir::floodgate
