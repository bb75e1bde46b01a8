// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/backpressure.h"

#include <algorithm>

#include "schemes/bfc/message.h"

namespace weir::bfc {
namespace {

/// The BFC control frame that waits at `port` for the wire, or nullptr.
Frame* waiting(const SwitchContext& context, PortId port) {
  FramePool& frames = context.frames();
  for (FrameId id = context.port(port).control_head; id.exists(); id = frames[id].next) {
    if (frames[id].protocol == kProtocol && frames[id].kind == FrameKind::hop_control) return &frames[id];
  }
  return nullptr;
}

}  // namespace

Backpressure::Backpressure(SwitchContext& context, SwitchPolicy& owner, const Settings& settings)
    : refresh_(settings.refresh),
      pause_at_once_(settings.pause_at_once),
      timer_(context.new_timer(owner)),
      counters_(context.ports(), queues_upstream(context, settings)),
      bitmaps_left_(context.ports()),
      decisions_(2 * context.ports()) {}

// [BFC-B-8]
std::size_t Backpressure::queues_upstream(const SwitchContext& context, const Settings& settings) {
  std::size_t most = settings.queues_of_neighbour();
  for (std::size_t port = 0; port < context.ports(); ++port) {
    most = std::max<std::size_t>(most, context.port(PortId(port)).peer.announces(kProtocol));
  }
  return most;
}

void Backpressure::add(SwitchContext& context, PortId ingress, std::size_t queue) {
  if (counters_.add(ingress, queue)) tell(context, ingress, true, queue);  // [BFC-B-3]
}

void Backpressure::remove(SwitchContext& context, PortId ingress, std::size_t queue) {
  if (counters_.remove(ingress, queue)) tell(context, ingress, false, queue);  // [BFC-B-4]
}

void Backpressure::tell(SwitchContext& context, PortId ingress, bool pause, std::size_t queue) {
  context.note_hop_pause(ingress, queue, pause);
  ++decisions_[2 * ingress.index() + (pause ? 1 : 0)];
  bitmaps_left_[ingress.index()] = kLastBitmaps;
  if (!armed_) arm(context);
  if (!pause_at_once_) {  // [BFC-B-10]
    if (!pause) send_bitmap(context, ingress);
    return;
  }
  FramePool& frames = context.frames();
  // [BFC-B-7] Short data frames may arrive faster than one control frame per data frame could be sent.
  if (Frame* frame = waiting(context, ingress); frame != nullptr) {
    if (turn_into_bitmap(frames, context.framing(), *frame, counters_.bitmap(ingress), counters_.queues())) return;
  }
  const FrameId frame = make_message(frames, context.framing(), pause, queue);
  if (frame.exists()) context.send(ingress, frame);  // if no frame was available, the next bitmap carries the change
}

void Backpressure::arm(SwitchContext& context) {
  armed_ = true;
  // [BFC-B-10] If a pause waits for its bitmap, bitmaps are sent at multiples of the interval, as if they were never
  // suspended.
  const Duration passed = pause_at_once_ ? Duration() : context.now().since_start() % refresh_;
  context.arm(timer_, context.now() + (refresh_ - passed));
}

bool Backpressure::send_bitmap(SwitchContext& context, PortId ingress) {
  const auto bitmap = counters_.bitmap(ingress);
  FramePool& frames = context.frames();
  if (Frame* frame = waiting(context, ingress); frame != nullptr) {
    if (turn_into_bitmap(frames, context.framing(), *frame, bitmap, counters_.queues())) return true;
  }
  const FrameId frame = make_bitmap(frames, context.framing(), bitmap, counters_.queues());
  if (frame.exists()) context.send(ingress, frame);
  return frame.exists();
}

void Backpressure::restate(SwitchContext& context, PortId ingress) {
  const bool sent = send_bitmap(context, ingress);
  const auto bitmap = counters_.bitmap(ingress);
  std::uint8_t& left = bitmaps_left_[ingress.index()];
  if (std::any_of(bitmap.begin(), bitmap.end(), [](std::uint64_t word) { return word != 0; })) {
    left = kLastBitmaps;
  } else if (sent) {
    --left;  // [BFC-B-6] a bitmap that found no frame does not count
  }
}

bool Backpressure::on_timer(SwitchContext& context, TimerId timer) {
  if (timer != timer_) return false;
  armed_ = false;
  for (std::size_t port = 0; port < bitmaps_left_.size(); ++port) {
    if (bitmaps_left_[port] == 0) continue;
    restate(context, PortId(port));  // [BFC-B-5]
    armed_ = true;
  }
  if (armed_) arm(context);
  return true;
}

// [BFC-L-1]
void Backpressure::on_link(SwitchContext& context, PortId ingress) {
  const auto bitmap = counters_.bitmap(ingress);
  for (std::size_t queue = 0; queue < counters_.queues(); ++queue) {
    if ((bitmap[queue / 64] >> (queue % 64) & 1) != 0) context.note_hop_pause(ingress, queue, false);
  }
  counters_.forget(ingress);
  bitmaps_left_[ingress.index()] = 0;
}

}  // namespace weir::bfc
