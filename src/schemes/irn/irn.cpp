// SPDX-License-Identifier: Apache-2.0
#include "schemes/irn/irn.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "policy/packet_bitmap.h"
#include "policy/reorder_window.h"

namespace weir::irn {

using namespace literals;

namespace {

/// [IRN-R-2] The distance of the packet that a NACK answers from the expected one.
constexpr HeaderField kAhead{"packets_ahead", 4, FrameKinds(FrameKind::nack), HeaderField::Reach::end_to_end};

struct SenderState {
  PacketBitmap selective;           // acknowledged although an earlier packet is not
  std::uint32_t selective_end = 0;  // after the last of these
  std::uint32_t timed_out_end = 0;  // packets before it were in flight at the last timeout
  std::uint32_t scan = 0;           // lost packets before it have been retransmitted in this recovery
  std::uint32_t recovery_end = 0;   // after the recovery sequence
  std::uint32_t nacks = 0;          // since the last cumulative progress
  bool recovering = false;
};

struct Settings {
  Bytes bdp_cap;  // zero: that of the path
  Duration low_timeout;
  Duration high_timeout;  // zero: no timer
  std::uint32_t low_timeout_packets;
  std::uint32_t nack_threshold;
};

/// In the order of the cases in statistic().
constexpr auto kStatistics = std::to_array<StatisticSpec>({
    {.name = "irn.recoveries", .unit = ""},
    {.name = "irn.timeouts", .unit = ""},
});

class Irn final : public LossRecovery {
 public:
  explicit Irn(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(SenderState); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(ReorderWindow); }
  void attach(NicContext& context) override { ahead_ = context.headers().place<std::uint32_t>(kAhead); }
  void open(NicContext& context, SendState& sender) override {
    auto& state = sender.recovery.emplace<SenderState>();
    state.selective_end = state.timed_out_end = state.scan = sender.unacknowledged;
    sender.packet_limit = packet_limit(context, sender);
  }
  void open(NicContext&, ReceiveState& receiver) override { receiver.recovery.emplace<ReorderWindow>(); }

  // [IRN-S-3] Each lost packet once, in order; new packets wait (the NIC requests no others while there is one).
  Pick pick(NicContext&, SendState& sender) override {
    SenderState& state = state_of(sender);
    const std::uint32_t lost = state.scan++;
    state.recovery_end = sender.next;  // [IRN-S-4]
    look_for_lost(sender);
    return {lost, false};
  }

  void on_ack(NicContext&, SendState& sender, const Frame& ack) override {
    acknowledge(sender, ack.sequence);
    look_for_lost(sender);
  }

  void on_nack(NicContext&, SendState& sender, const Frame& nack) override {
    acknowledge(sender, nack.sequence);
    acknowledge_selectively(sender, nack.sequence + ahead_.read(nack));
    SenderState& state = state_of(sender);
    // [IRN-S-2] Unless all packets that it reports have arrived meanwhile.
    const bool tells_of_a_loss = sequence_before(sender.unacknowledged, state.selective_end);
    if (!state.recovering && tells_of_a_loss && ++state.nacks >= settings_.nack_threshold) {
      ++recoveries_;
      recover(sender);
    }
    look_for_lost(sender);
  }

  [[nodiscard]] bool nack_is_progress() const override { return true; }  // [IRN-T-2]

  // [IRN-T-1] The NIC counts from the last progress, and asks again at expiry.
  [[nodiscard]] Duration timeout(const NicContext&, const SendState& sender) const override {
    if (settings_.high_timeout == Duration()) return Duration::max();
    const bool few = sender.packets_in_flight() <= settings_.low_timeout_packets;
    return few ? settings_.low_timeout : settings_.high_timeout;
  }

  // [IRN-T-3] The expected packet has not arrived, whatever a damaged NACK may have reported.
  void on_timeout(NicContext&, SendState& sender) override {
    SenderState& state = state_of(sender);
    state.selective.erase(sender.unacknowledged);
    state.timed_out_end = sender.next;
    ++timeouts_;
    recover(sender);
    look_for_lost(sender);
  }

  Reception on_data(NicContext&, ReceiveState& receiver, const Frame& data) override {
    const auto [arrival, completed] = receiver.recovery.as<ReorderWindow>().arrive(receiver, data);
    switch (arrival) {
      case ReorderWindow::Arrival::in_order:
        return {Reply::ack, true, completed};  // [IRN-R-1] [IRN-R-4]
      case ReorderWindow::Arrival::beyond:
        return {};  // [IRN-R-5]
      case ReorderWindow::Arrival::early:
      case ReorderWindow::Arrival::duplicate:
        break;
    }
    if (sequence_before(data.sequence, receiver.expected)) return {Reply::ack, false, 0};  // [IRN-R-3]
    const bool is_new = arrival == ReorderWindow::Arrival::early;
    return {Reply::nack, is_new, 0};
  }
  void on_nack_made(NicContext&, const ReceiveState& receiver, const Frame& data, Frame& nack) override {
    ahead_.write(nack, data.sequence - receiver.expected);  // [IRN-R-2]
  }

  [[nodiscard]] std::span<const StatisticSpec> statistics() const override { return kStatistics; }
  [[nodiscard]] Statistic statistic(std::size_t which, std::size_t) const override {
    return Statistic::of_counter(which == 0 ? recoveries_ : timeouts_);
  }

 private:
  static SenderState& state_of(const SendState& sender) { return sender.recovery.as<SenderState>(); }

  // [IRN-F-1] The bandwidth-delay product in packets, limited by the size of the bitmaps.
  [[nodiscard]] std::uint32_t packet_limit(const NicContext& context, const SendState& sender) const {
    const std::int64_t whole = settings_.bdp_cap > Bytes(0) ? settings_.bdp_cap.count()
                                                            : bytes_in(sender.base_round_trip, context.rate()).count();
    const std::int64_t payload = context.maximum_payload();
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>((whole + payload - 1) / payload, 1, PacketBitmap::kSpan));
  }

  // [IRN-S-1] `sequence` is the next packet that the receiver expects. Wire data: only packets that were sent and are
  // unacknowledged can be acknowledged. Unsigned differences are correct across the wrap.
  static void acknowledge(SendState& sender, std::uint32_t sequence) {
    const std::uint32_t advance = sequence - sender.unacknowledged;
    if (advance == 0 || advance > sender.packets_in_flight()) return;
    SenderState& state = state_of(sender);
    for (; sender.unacknowledged != sequence; ++sender.unacknowledged) state.selective.erase(sender.unacknowledged);
    state.nacks = 0;
    for (std::uint32_t* behind : {&state.scan, &state.selective_end, &state.timed_out_end}) {
      if (sequence_before(*behind, sequence)) *behind = sequence;
    }
    if (!sequence_before(sequence, state.recovery_end)) state.recovering = false;  // [IRN-S-4]
  }

  // [IRN-S-1] `sequence` is the packet that triggered a NACK.
  static void acknowledge_selectively(SendState& sender, std::uint32_t sequence) {
    const std::uint32_t ahead = sequence - sender.unacknowledged;
    if (ahead == 0 || ahead >= sender.packets_in_flight()) return;
    SenderState& state = state_of(sender);
    state.selective.insert(sequence);
    if (sequence_before(state.selective_end, sequence + 1)) state.selective_end = sequence + 1;
  }

  // [IRN-S-2]
  static void recover(SendState& sender) {
    SenderState& state = state_of(sender);
    state.recovering = true;
    state.recovery_end = sender.next;
    state.scan = sender.unacknowledged;
  }

  // [IRN-S-3] Finds the next packet to retransmit. A packet is lost if it is not acknowledged and was in flight at a
  // timeout or precedes a selectively acknowledged packet.
  static void look_for_lost(SendState& sender) {
    SenderState& state = state_of(sender);
    sender.resend = false;
    if (!state.recovering) return;
    const std::uint32_t end =
        sequence_before(state.selective_end, state.timed_out_end) ? state.timed_out_end : state.selective_end;
    while (sequence_before(state.scan, end) && state.selective.contains(state.scan)) ++state.scan;
    sender.resend = sequence_before(state.scan, end);
  }

  Settings settings_;
  InlineField<std::uint32_t> ahead_;
  std::uint64_t recoveries_ = 0;  // started by NACKs
  std::uint64_t timeouts_ = 0;
};

Settings settings_of(const Parameters& parameters) {
  return {.bdp_cap = parameters.get<Bytes>("bdp_cap"),
          .low_timeout = parameters.get<Duration>("low_timeout"),
          .high_timeout = parameters.get<Duration>("high_timeout"),
          .low_timeout_packets = static_cast<std::uint32_t>(parameters.get<std::int64_t>("low_timeout_packets")),
          .nack_threshold = static_cast<std::uint32_t>(parameters.get<std::int64_t>("nack_threshold"))};
}

std::vector<std::string> errors(const Parameters& parameters) {
  const Settings settings = settings_of(parameters);
  std::vector<std::string> out;
  if (settings.high_timeout == Duration() && settings.low_timeout != Duration()) {
    out.emplace_back("high_timeout is 0, which disables the timer, but low_timeout is not");
  } else if (settings.low_timeout > settings.high_timeout) {
    out.emplace_back("low_timeout is above high_timeout");
  } else if (settings.low_timeout == Duration() && settings.high_timeout != Duration()) {
    out.emplace_back("low_timeout is 0, so each packet would count as lost immediately");
  }
  return out;
}

}  // namespace

const Scheme scheme = {
    .name = "irn",
    .summary = "IRN: selective retransmission, and at most one bandwidth-delay product in flight",
    .traits = {},
    .fields = {&kAhead},
    .parameters =
        {
            {"bdp_cap", Bytes(0),
             "maximum amount in flight, counted in full packets; 0: NIC rate times base round-trip time of the path",
             "IRN section 3.2", 0, 1e12},
            {"low_timeout", 100_us, "retransmission timeout with few packets in flight", "IRN section 4.1", 0, 10},
            {"high_timeout", 320_us, "retransmission timeout otherwise; 0 (low_timeout must then be 0 too): no timer",
             "IRN section 4.1", 0, 10},
            {"low_timeout_packets", std::int64_t{3},
             "maximum number of packets in flight for which low_timeout applies", "IRN section 4.1: N = 3", 0, 2048},
            {"nack_threshold", std::int64_t{1}, "number of NACKs without progress that start a recovery",
             "IRN section 3.1: the first NACK; section 7 suggests more if paths reorder", 1, 2048},
        },
    .loss_recovery = [](const Parameters& parameters) -> std::unique_ptr<LossRecovery> {
      return std::make_unique<Irn>(settings_of(parameters));
    },
    .errors = errors,
};

}  // namespace weir::irn
