// SPDX-License-Identifier: Apache-2.0
#include "schemes/qcn/qcn.h"

#include <memory>

#include "schemes/qcn/congestion_point.h"
#include "schemes/qcn/reaction_point.h"

namespace weir::qcn {

using namespace literals;

namespace {

class Qcn final : public CongestionControl {
 public:
  explicit Qcn(const ReactionPointSettings& settings) : settings_(settings) {}

  [[nodiscard]] CongestionHooks hooks() const override {
    CongestionHooks hooks;
    hooks.sent = true;
    return hooks;
  }
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(ReactionPoint); }

  void open(NicContext&, SendState& sender) override {
    sender.congestion.emplace<ReactionPoint>().open(sender.line_rate);
    sender.rate = sender.line_rate;
  }

  void on_sent(NicContext& context, SendState& sender, Frame& frame) override {
    auto& limiter = sender.congestion.as<ReactionPoint>();
    if (limiter.on_sent(settings_, Bytes(frame.frame_bytes), context.random())) publish(context, sender);
  }

  // [QCN-RP-9] A feedback value that no congestion point can send is ignored.
  bool on_feedback(NicContext& context, const Frame& frame) override {
    if (frame.protocol != kProtocol) return false;
    SendState* sender = context.sender_to(frame.source, frame.queue_pair);
    if (sender == nullptr || frame.tag == 0 || frame.tag > kMaximumFeedback) return true;
    sender->congestion.as<ReactionPoint>().on_notification(settings_, frame.tag, context.random());
    start_timer(context, *sender);
    publish(context, *sender);
    return true;
  }

  void on_sender_timer(NicContext& context, SendState& sender) override {
    sender.congestion.as<ReactionPoint>().on_timer(settings_);
    start_timer(context, sender);
    publish(context, sender);
  }

 private:
  void start_timer(NicContext& context, SendState& sender) const {
    context.arm(sender, context.now() + sender.congestion.as<ReactionPoint>().timer_period(settings_));
  }
  static void publish(NicContext& context, SendState& sender) {
    const auto& limiter = sender.congestion.as<ReactionPoint>();
    sender.rate = limiter.current();
    if (!limiter.active()) context.cancel(sender);
  }

  ReactionPointSettings settings_;
};

CongestionPointSettings congestion_point_of(const Parameters& parameters) {
  return {.set_point = parameters.get<Bytes>("set_point").count(),
          .weight = parameters.get<double>("weight"),
          .sample_base = parameters.get<Bytes>("sample_base").count(),
          .jitter = parameters.get<double>("jitter"),
          .priority = static_cast<Priority>(parameters.get<std::int64_t>("priority"))};
}

ReactionPointSettings reaction_point_of(const Parameters& parameters) {
  return {.decrease_gain = parameters.get<double>("decrease_gain"),
          .least_factor = parameters.get<double>("least_factor"),
          .recovery_cycles = static_cast<std::uint32_t>(parameters.get<std::int64_t>("recovery_cycles")),
          .byte_counter = parameters.get<Bytes>("byte_counter"),
          .timer = parameters.get<Duration>("timer"),
          .jitter = parameters.get<double>("jitter"),
          .active_increase = parameters.get<BitRate>("active_increase"),
          .hyper_increase = parameters.get<BitRate>("hyper_increase"),
          .minimum_rate = parameters.get<BitRate>("minimum_rate")};
}

}  // namespace

const Scheme scheme = {
    .name = "qcn",
    .summary = "QCN (IEEE 802.1Qau): switches sample frames and send quantised feedback to their sources",
    .traits = {.protocol = kProtocol, .to_hosts = ControlSource::switches},
    .parameters =
        {
            {"set_point", Bytes(26'000), "switch: reference queue length", "802.1Qau, cpQSP", 1, 1e12},
            {"weight", 2.0, "switch: weight of the change of the queue length since the last sample", "802.1Qau, cpW",
             0, 1024},
            {"sample_base", Bytes(150'000), "switch: bytes between samples without congestion",
             "802.1Qau, cpSampleBase", 64, 1e12},
            {"jitter", 0.15, "switch and NIC: random variation of sampling distances and byte counters, as a fraction",
             "802.1Qau", 0, 0.99},
            {"priority", std::int64_t{7}, "switch: priority of the notifications", "ours: above all data", 0, 7},
            {"decrease_gain", 1.0 / 128, "NIC: fraction by which the rate decreases per unit of feedback",
             "802.1Qau, rpgGd", 0, 1},
            {"least_factor", 0.5, "NIC: a decrease leaves at least this fraction of the rate", "802.1Qau, rpgMinDecFac",
             0, 1},
            {"recovery_cycles", std::int64_t{5}, "NIC: number of cycles of fast recovery", "802.1Qau, rpgThreshold", 0,
             1000},
            {"byte_counter", Bytes(150'000), "NIC: bytes sent per cycle; half of this after fast recovery",
             "802.1Qau, rpgByteReset", 1, 1e12},
            {"timer", 15_ms, "NIC: duration of a cycle; half of this after fast recovery", "802.1Qau, rpgTimeReset",
             1e-7, 100},
            {"active_increase", 5_Mbps, "NIC: increment of the target rate in active increase", "802.1Qau, rpgAiRate",
             0, 1e12},
            {"hyper_increase", 50_Mbps, "NIC: additional increment per cycle of hyper-active increase",
             "802.1Qau, rpgHaiRate", 0, 1e12},
            {"minimum_rate", 10_Mbps, "NIC: minimum rate after a decrease", "802.1Qau, rpgMinRate", 1e6, 1e12},
        },
    .congestion_point = [](const Parameters& parameters) -> std::unique_ptr<CongestionPoint> {
      return std::make_unique<SamplingPoint>(congestion_point_of(parameters));
    },
    .congestion_control = [](const Parameters& parameters) -> std::unique_ptr<CongestionControl> {
      return std::make_unique<Qcn>(reaction_point_of(parameters));
    },
};

}  // namespace weir::qcn
