// SPDX-License-Identifier: Apache-2.0
#include "schemes/perfect_retransmission/perfect_retransmission.h"

#include <memory>

#include "policy/packet_bitmap.h"
#include "policy/reorder_window.h"

namespace weir::perfect_retransmission {

using namespace literals;

namespace {

/// Bytes of a notice on tagged Ethernet: 14 Ethernet, 4 802.1Q, 20 IPv4, 24 control header, 4 FCS.
constexpr std::uint16_t kNoticeBytes = 66;

// ---- the switch ----

class DropNotifier final : public CongestionPoint {
 public:
  explicit DropNotifier(Priority priority) : priority_(priority) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.drop = true;
    return hooks;
  }

  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) override {
    if (frame.kind == FrameKind::data && is_for_want_of_buffer(reason)) notify(context, frame);
  }

 private:
  // [PERFECT-S-2] The header of a damaged frame identifies no flow, and if a link is down the retransmission would be
  // lost too.
  static bool is_for_want_of_buffer(DropReason reason) {
    return reason == DropReason::egress_threshold || reason == DropReason::buffer_full || reason == DropReason::policy;
  }

  // [PERFECT-S-1] If the pool has no frame, the sender's timer recovers the loss.
  void notify(SwitchContext& context, const Frame& lost) const {
    const FrameId id = context.frames().allocate();
    if (!id.exists()) return;
    Frame& notice = context.frames()[id];
    notice.kind = FrameKind::host_control;
    notice.protocol = kProtocol;
    notice.priority = priority_;  // [PERFECT-S-3]
    notice.frame_bytes = context.framing().padded(kNoticeBytes);
    notice.source = lost.destination;  // with the queue pair, identifies the flow at its source
    notice.destination = lost.source;
    notice.queue_pair = lost.queue_pair;
    notice.entropy = lost.entropy;
    notice.sequence = lost.sequence;
    notice.set_ecn(Ecn::not_capable);
    context.send_to_host(id);
  }

  Priority priority_;
};

// ---- the NIC ----

struct SenderState {
  PacketBitmap lost;
  std::uint32_t losses = 0;
};

class NoticedRecovery final : public LossRecovery {
 public:
  explicit NoticedRecovery(Duration timeout) : timeout_(timeout) {}

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(SenderState); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(ReorderWindow); }
  void open(NicContext&, SendState& sender) override {
    sender.recovery.emplace<SenderState>();
    sender.packet_limit = PacketBitmap::kSpan;  // [PERFECT-H-4]
  }
  void open(NicContext&, ReceiveState& receiver) override { receiver.recovery.emplace<ReorderWindow>(); }

  Pick pick(NicContext&, SendState& sender) override {
    const std::uint32_t lost = state_of(sender).lost.first(sender.unacknowledged, sender.next);
    settle(sender, lost);
    return {lost, false};
  }

  void on_ack(NicContext&, SendState& sender, const Frame& ack) override { acknowledge(sender, ack.sequence); }
  void on_nack(NicContext&, SendState& sender, const Frame& nack) override { acknowledge(sender, nack.sequence); }

  // [PERFECT-H-1] Exactly the packet that the notice names.
  bool on_feedback(NicContext& context, const Frame& frame) override {
    if (frame.protocol != kProtocol) return false;
    SendState* sender = context.sender_to(frame.source, frame.queue_pair);
    if (sender != nullptr) lose(*sender, frame.sequence);
    return true;
  }

  [[nodiscard]] Duration timeout(const NicContext&, const SendState&) const override {
    return timeout_ == Duration() ? Duration::max() : timeout_;
  }
  // [PERFECT-H-3] Losses without a notice: all packets in flight.
  void on_timeout(NicContext&, SendState& sender) override {
    for (std::uint32_t sequence = sender.unacknowledged; sequence != sender.next; ++sequence) lose(sender, sequence);
  }

  // [PERFECT-H-2]
  Reception on_data(NicContext&, ReceiveState& receiver, const Frame& data) override {
    const auto [arrival, completed] = receiver.recovery.as<ReorderWindow>().arrive(receiver, data);
    if (arrival == ReorderWindow::Arrival::beyond) return {};
    return {Reply::ack, arrival != ReorderWindow::Arrival::duplicate, completed};
  }

 private:
  static SenderState& state_of(const SendState& sender) { return sender.recovery.as<SenderState>(); }

  // Wire data: only a packet in flight can be lost.
  static void lose(SendState& sender, std::uint32_t sequence) {
    SenderState& state = state_of(sender);
    if (sequence - sender.unacknowledged >= sender.packets_in_flight() || state.lost.contains(sequence)) return;
    state.lost.insert(sequence);
    ++state.losses;
    sender.resend = true;
  }
  /// The packet is retransmitted, or known to have arrived.
  static void settle(SendState& sender, std::uint32_t sequence) {
    SenderState& state = state_of(sender);
    if (!state.lost.contains(sequence)) return;
    state.lost.erase(sequence);
    sender.resend = --state.losses > 0;
  }
  // [PERFECT-H-2] Wire data: only packets that were sent and are unacknowledged can be acknowledged.
  static void acknowledge(SendState& sender, std::uint32_t sequence) {
    if (sequence - sender.unacknowledged > sender.packets_in_flight()) return;
    for (; sender.unacknowledged != sequence; ++sender.unacknowledged) settle(sender, sender.unacknowledged);
  }

  Duration timeout_;
};

}  // namespace

const Scheme scheme = {
    .name = "perfect_retransmission",
    .summary = "a switch notifies the sender of each frame that it drops; the sender retransmits exactly this frame",
    .traits = {.protocol = kProtocol, .to_hosts = ControlSource::switches},
    .parameters =
        {
            {.name = "priority",
             .default_value = std::int64_t{7},
             .meaning = "priority of the drop notifications",
             .source = "ours: above all data",
             .minimum = 0,
             .maximum = 7,
             .roles = {Role::congestion_point}},
            {.name = "timeout",
             .default_value = 1_ms,
             .meaning = "retransmission timeout: time without progress after which all packets in flight count as "
                        "lost; 0: "
                        "no timer",
             .source = "ours: for frames that were corrupted or lost in a link failure",
             .minimum = 0,
             .maximum = 10,
             .roles = {Role::loss_recovery}},
        },
    .congestion_point = [](const Parameters& parameters) -> std::unique_ptr<CongestionPoint> {
      return std::make_unique<DropNotifier>(static_cast<Priority>(parameters.get<std::int64_t>("priority")));
    },
    .loss_recovery = [](const Parameters& parameters) -> std::unique_ptr<LossRecovery> {
      return std::make_unique<NoticedRecovery>(parameters.get<Duration>("timeout"));
    },
};

}  // namespace weir::perfect_retransmission
