// SPDX-License-Identifier: Apache-2.0
// The NIC's part of the first-round-trip mark. It exists in NICs of a network in which a scheme reads the mark.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/first_round_trip.h"
#include "policy/transport.h"

namespace weir {

/// Marks the packets of a message that leave before its sender has received feedback for it: none of them is
/// acknowledged, and none is a retransmission (which follows a negative acknowledgement, or a timeout, which is longer
/// than a round trip). It blocks nothing; it is a flow control only to receive on_sent(), whose context must be a
/// TransportContext.
class FirstRoundTripWriter final : public NicFlowControl {
 public:
  explicit FirstRoundTripWriter(const HeaderLayout& layout) : field_(layout) {}

  /// A sender half opens. May allocate.
  void open(const SendState& sender) {
    if (place_of(sender.number) >= sent_again_end_.size()) sent_again_end_.resize(place_of(sender.number) + 1);
    sent_again_end_[place_of(sender.number)] = sender.unacknowledged;
  }
  [[nodiscard]] bool marks_sent() const override { return true; }
  void on_sent(NicContext& context, SendState& sender, GateId, Frame& frame) override {
    if (frame.kind != FrameKind::data) return;
    std::uint32_t& again_end = sent_again_end_[place_of(sender.number)];
    if (frame.retransmitted() && sequence_before(again_end, frame.sequence + 1)) again_end = frame.sequence + 1;
    const std::uint32_t first = static_cast<TransportContext&>(context).message_of(sender, frame.sequence).first;
    field_.mark(frame, !sequence_before(first, sender.unacknowledged) && !sequence_before(first, again_end));
  }

 private:
  FirstRoundTrip field_;
  std::vector<std::uint32_t> sent_again_end_;  // by place_of(): end of the packets that were sent again
};

}  // namespace weir
