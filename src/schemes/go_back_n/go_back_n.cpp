// SPDX-License-Identifier: Apache-2.0
#include "schemes/go_back_n/go_back_n.h"

#include <algorithm>
#include <array>
#include <memory>

namespace weir::go_back_n {

namespace {

struct SenderState {
  std::uint8_t timeouts = 0;  // since the last progress, at most Settings::doublings
};

struct ReceiverState {
  std::uint32_t reported_gap = 0;  // the missing packet of the last NACK
  bool has_reported = false;
  Time report_again;  // for the same gap
};

struct Settings {
  Duration nack_interval;
  Duration timeout;  // zero: no timer
  std::uint8_t doublings;
};

/// In the order of the cases in statistic().
constexpr auto kStatistics = std::to_array<StatisticSpec>({
    {.name = "go_back_n.rewinds", .unit = ""},
    {.name = "go_back_n.timeouts", .unit = ""},
});

class GoBackN final : public LossRecovery {
 public:
  explicit GoBackN(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(SenderState); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(ReceiverState); }
  void open(NicContext&, SendState& sender) override { sender.recovery.emplace<SenderState>(); }
  void open(NicContext&, ReceiveState& receiver) override { receiver.recovery.emplace<ReceiverState>(); }

  void on_ack(NicContext&, SendState& sender, const Frame& ack) override { acknowledge(sender, ack.sequence); }

  // [GBN-S-3] The receiver discards the packets after the gap: all of them are sent again.
  void on_nack(NicContext&, SendState& sender, const Frame& nack) override {
    if (!acknowledge(sender, nack.sequence)) return;
    sender.next = sender.unacknowledged;
    ++rewinds_;
  }

  // [GBN-S-4] Zero is the public simulators' sender: a lost last packet is never retransmitted.
  [[nodiscard]] Duration timeout(const NicContext&, const SendState& sender) const override {
    if (settings_.timeout == Duration()) return Duration::max();
    return settings_.timeout * (std::int64_t{1} << sender.recovery.as<SenderState>().timeouts);
  }
  void on_timeout(NicContext&, SendState& sender) override {
    sender.next = sender.unacknowledged;  // [GBN-S-4]
    ++timeouts_;
    auto& state = sender.recovery.as<SenderState>();
    if (state.timeouts < settings_.doublings) ++state.timeouts;  // [GBN-S-5]
  }

  Reception on_data(NicContext& context, ReceiveState& receiver, const Frame& data) override {
    if (data.sequence == receiver.expected) {  // [GBN-R-1]
      ++receiver.expected;
      return {Reply::ack, true, data.ends_message() ? 1u : 0u};
    }
    if (sequence_before(data.sequence, receiver.expected)) {  // [GBN-R-3] the acknowledgement may have been lost
      ++receiver.duplicates;
      return {Reply::ack, false, 0};
    }
    auto& state = receiver.recovery.as<ReceiverState>();
    const bool reported = state.has_reported && state.reported_gap == receiver.expected;
    if (reported && context.now() < state.report_again) return {};  // [GBN-R-2]
    state = {receiver.expected, true, context.now() + settings_.nack_interval};
    return {Reply::nack, false, 0};
  }

  [[nodiscard]] std::span<const StatisticSpec> statistics() const override { return kStatistics; }
  [[nodiscard]] Statistic statistic(std::size_t which, std::size_t) const override {
    return Statistic::of_counter(which == 0 ? rewinds_ : timeouts_);
  }

 private:
  // [GBN-S-1] `sequence` is the next packet that the receiver expects. False if it acknowledges nothing new or is
  // invalid.
  static bool acknowledge(SendState& sender, std::uint32_t sequence) {
    // [GBN-S-2] Wire data: only packets that were sent and are unacknowledged can be acknowledged. Unsigned differences
    // are correct across the wrap.
    const std::uint32_t advance = sequence - sender.unacknowledged;
    if (advance > sender.highest_sent - sender.unacknowledged) return false;
    if (advance == 0) return true;
    sender.unacknowledged = sequence;
    if (sequence_before(sender.next, sequence)) sender.next = sequence;
    sender.recovery.as<SenderState>().timeouts = 0;  // [GBN-S-5]
    return true;
  }

  Settings settings_;
  std::uint64_t rewinds_ = 0;  // by NACKs
  std::uint64_t timeouts_ = 0;
};

Settings settings_of(const Parameters& parameters) {
  return {.nack_interval = parameters.get<Duration>("nack_interval"),
          .timeout = parameters.get<Duration>("timeout"),
          .doublings = static_cast<std::uint8_t>(parameters.get<std::int64_t>("timeout_doublings"))};
}

}  // namespace

const Scheme scheme = {
    .name = "go_back_n",
    .summary = "go-back-N of RoCEv2: one NACK per gap; everything after the gap is retransmitted",
    .traits = {},
    .parameters =
        {
            {"nack_interval", Duration::picoseconds(500'000'000),
             "time after which a NACK for the same gap is repeated", "public HPCC simulator", 0, 1},
            {"timeout", Duration::picoseconds(67'108'864'000),
             "retransmission timeout: time without progress after which all packets in flight count as lost; 0: no "
             "timer, as in the public simulators",
             "InfiniBand local ACK timeout 4.096 us x 2^14, the usual setting of RoCE tools", 0, 10},
            {"timeout_doublings", std::int64_t{3},
             "number of consecutive timeouts for which the timeout doubles; 0: it is constant, as in InfiniBand",
             "ours: a long pause must not cause a storm of retransmissions", 0, 10},
        },
    .loss_recovery = [](const Parameters& parameters) -> std::unique_ptr<LossRecovery> {
      return std::make_unique<GoBackN>(settings_of(parameters));
    },
};

}  // namespace weir::go_back_n
