// SPDX-License-Identifier: Apache-2.0
#include "capture/link_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "wire/emit.h"
#include "wire/envelope.h"

namespace weir {
namespace {

/// InfiniBand reserves queue pairs 0 and 1 for management, so datagrams to them are dissected as management datagrams.
constexpr std::uint32_t kFirstQueuePair = 2;

}  // namespace

LinkCapture::LinkCapture(const Topology& topology, const CaptureSettings& settings, const std::filesystem::path& path,
                         const std::string& application)
    : settings_(settings), writer_(path, application), bytes_(std::numeric_limits<std::uint16_t>::max()) {
  for (const LinkDirection& link : settings_.links) {
    const NodeId to = topology.port(link.from, link.port).peer;
    writer_.add_interface(fmt::format("{} -> {}", topology.node(link.from).name, topology.node(to).name),
                          topology.link_at(link.from, link.port).rate, settings_.snap_length);
  }
}

void LinkCapture::on_wire(std::size_t number, Time now, const FramePool& pool, const Frame& frame) {
  if (written_ == settings_.frame_limit) {
    ++left_out_;
    return;
  }
  Envelope envelope = default_envelope(frame);
  if (frame.kind == FrameKind::data) envelope.starts_message = starts_message(frame);
  Frame numbered = frame;
  if (frame.queue_pair.exists()) numbered.queue_pair = QueuePairId(frame.queue_pair.value + kFirstQueuePair);
  const auto length = emit(pool, numbered, envelope, {}, Fcs::present, bytes_);
  if (!length) {
    ++not_representable_;
    return;
  }
  const std::size_t kept = settings_.snap_length == 0 ? *length : std::min<std::size_t>(*length, settings_.snap_length);
  writer_.add_frame(static_cast<std::uint32_t>(number), now, std::span(bytes_).first(kept), *length);
  ++written_;
}

bool LinkCapture::starts_message(const Frame& frame) {
  std::set<std::uint32_t>& beginnings =
      beginnings_.try_emplace({frame.source, frame.destination, frame.queue_pair}, std::set<std::uint32_t>{0})
          .first->second;
  if (frame.ends_message()) beginnings.insert(frame.sequence + 1);
  return beginnings.contains(frame.sequence);
}

}  // namespace weir
