// SPDX-License-Identifier: Apache-2.0
#include "schemes/dctcp/dctcp.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "schemes/dctcp/congestion_window.h"

namespace weir::dctcp {

using namespace literals;

namespace {

/// A receiver's state for exact echoes although not every packet is acknowledged (figure 10 of the paper).
struct EchoState {
  bool marked = false;      // the last packet was marked
  bool unanswered = false;  // packets of that kind have arrived since the last acknowledgement
};

class Dctcp final : public CongestionControl {
 public:
  Dctcp(double g, bool starts_slowly, std::int64_t initial_window, bool paced)
      : g_(g), starts_slowly_(starts_slowly), initial_window_(initial_window), paced_(paced) {}

  [[nodiscard]] CongestionHooks hooks() const override {
    return {.sent = false, .ack = true, .data = true, .next_send = false};
  }
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(CongestionWindow); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(EchoState); }

  void open(NicContext& context, SendState& sender) override {
    const std::int64_t product = bytes_in(sender.base_round_trip, sender.line_rate).count();
    sender.congestion.emplace<CongestionWindow>().open(starts_slowly_ ? initial_window_ : product,
                                                       context.maximum_payload(), starts_slowly_);
    publish(sender);
  }
  void open(NicContext&, ReceiveState& receiver) override { receiver.congestion.emplace<EchoState>(); }

  void on_ack(NicContext&, SendState& sender, const Acknowledgement& acknowledgement) override {
    sender.congestion.as<CongestionWindow>().on_ack(g_, acknowledgement.newly_acknowledged,
                                                    acknowledgement.frame.echoes_congestion(),
                                                    sender.acknowledged_bytes, sender.next_bytes);
    publish(sender);
  }
  void on_loss(NicContext&, SendState& sender) override {
    sender.congestion.as<CongestionWindow>().on_loss(sender.acknowledged_bytes, sender.next_bytes);
    publish(sender);
  }

  // [DCTCP-ECHO-1] [DCTCP-ECHO-2]
  void on_data(NicContext& context, ReceiveState& receiver, Frame& data, Frame* reply) override {
    auto& state = receiver.congestion.as<EchoState>();
    const bool marked = data.ecn() == Ecn::congestion_experienced;
    if (marked != state.marked && state.unanswered) answer_before(context, receiver, data, state.marked);
    state.marked = marked;
    state.unanswered = reply == nullptr;
    if (reply != nullptr) reply->set_echoes_congestion(marked);
  }

 private:
  /// Acknowledges the packets before `data`. If no frame is left, those packets count like `data`.
  static void answer_before(NicContext& context, const ReceiveState& receiver, const Frame& data, bool echo) {
    const bool in_order = data.sequence + 1 == receiver.expected;
    const FrameId id = context.new_acknowledgement(receiver, in_order ? data.sequence : receiver.expected);
    if (!id.exists()) return;
    context.frames()[id].set_echoes_congestion(echo);
    context.send_to_host(id);
  }

  void publish(SendState& sender) const {
    sender.window = sender.congestion.as<CongestionWindow>().bytes();
    if (paced_) sender.rate = rate_of(sender.window, sender);
  }

  // [DCTCP-PACE-1]
  static BitRate rate_of(std::int64_t window, const SendState& sender) {
    const std::int64_t product = bytes_in(sender.base_round_trip, sender.line_rate).count();
    if (window >= product) return sender.line_rate;
    const double part = static_cast<double>(window) / static_cast<double>(product);
    const auto rate = static_cast<std::int64_t>(part * static_cast<double>(sender.line_rate.bits_per_second()));
    return std::max(BitRate(rate), BitRate(1));
  }

  double g_;
  bool starts_slowly_;
  std::int64_t initial_window_;
  bool paced_;
};

}  // namespace

const Scheme scheme = {
    .name = "dctcp",
    .summary = "DCTCP: marks are echoed individually, and windows decrease with the fraction of marked bytes",
    .traits = {.sets_window = true, .answers_marks = true},
    .parameters =
        {
            {"g", 1.0 / 16, "weight of the latest round-trip time in alpha", "DCTCP section 4.1", 1.0 / 65536, 1},
            {"start",
             std::string("line_rate"),
             "start of a flow. line_rate: with a window of one bandwidth-delay product; slow_start: with "
             "initial_window, which doubles every round-trip time until the first mark",
             "BFC section 6.1",
             0,
             0,
             {"line_rate", "slow_start"}},
            {"initial_window", 10_KB, "slow_start: initial window", "BFC appendix A.6: 10 packets", 1, 1e12},
            {"paced", false,
             "packets are paced at the window divided by the base round-trip time; false: they are sent at line rate",
             "DCTCP: TCP's window"},
        },
    .congestion_control = [](const Parameters& parameters) -> std::unique_ptr<CongestionControl> {
      return std::make_unique<Dctcp>(parameters.get<double>("g"), parameters.get<std::string>("start") == "slow_start",
                                     parameters.get<Bytes>("initial_window").count(), parameters.get<bool>("paced"));
    },
    .idle = [](const Parameters& parameters) -> std::vector<IdleParameter> {
      if (parameters.get<std::string>("start") == "slow_start") return {};
      return {{"initial_window", "start = \"line_rate\""}};
    },
};

}  // namespace weir::dctcp
