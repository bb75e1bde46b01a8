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
            {.name = "set_point",
             .default_value = Bytes(26'000),
             .meaning = "reference queue length",
             .source = "802.1Qau, cpQSP",
             .minimum = 1,
             .maximum = 1e12,
             .roles = {Role::congestion_point}},
            {.name = "weight",
             .default_value = 2.0,
             .meaning = "weight of the change of the queue length since the last sample",
             .source = "802.1Qau, cpW",
             .minimum = 0,
             .maximum = 1024,
             .roles = {Role::congestion_point}},
            {.name = "sample_base",
             .default_value = Bytes(150'000),
             .meaning = "bytes between samples without congestion",
             .source = "802.1Qau, cpSampleBase",
             .minimum = 64,
             .maximum = 1e12,
             .roles = {Role::congestion_point}},
            {.name = "jitter",
             .default_value = 0.15,
             .meaning = "random variation of sampling distances and byte counters, as a fraction",
             .source = "802.1Qau",
             .minimum = 0,
             .maximum = 0.99},
            {.name = "priority",
             .default_value = std::int64_t{7},
             .meaning = "priority of the notifications",
             .source = "ours: above all data",
             .minimum = 0,
             .maximum = 7,
             .roles = {Role::congestion_point}},
            {.name = "decrease_gain",
             .default_value = 1.0 / 128,
             .meaning = "fraction by which the rate decreases per unit of feedback",
             .source = "802.1Qau, rpgGd",
             .minimum = 0,
             .maximum = 1,
             .roles = {Role::congestion_control}},
            {.name = "least_factor",
             .default_value = 0.5,
             .meaning = "a decrease leaves at least this fraction of the rate",
             .source = "802.1Qau, rpgMinDecFac",
             .minimum = 0,
             .maximum = 1,
             .roles = {Role::congestion_control}},
            {.name = "recovery_cycles",
             .default_value = std::int64_t{5},
             .meaning = "number of cycles of fast recovery",
             .source = "802.1Qau, rpgThreshold",
             .minimum = 0,
             .maximum = 1000,
             .roles = {Role::congestion_control}},
            {.name = "byte_counter",
             .default_value = Bytes(150'000),
             .meaning = "bytes sent per cycle; half of this after fast recovery",
             .source = "802.1Qau, rpgByteReset",
             .minimum = 1,
             .maximum = 1e12,
             .roles = {Role::congestion_control}},
            {.name = "timer",
             .default_value = 15_ms,
             .meaning = "duration of a cycle; half of this after fast recovery",
             .source = "802.1Qau, rpgTimeReset",
             .minimum = 1e-7,
             .maximum = 100,
             .roles = {Role::congestion_control}},
            {.name = "active_increase",
             .default_value = 5_Mbps,
             .meaning = "increment of the target rate in active increase",
             .source = "802.1Qau, rpgAiRate",
             .minimum = 0,
             .maximum = 1e12,
             .roles = {Role::congestion_control}},
            {.name = "hyper_increase",
             .default_value = 50_Mbps,
             .meaning = "additional increment per cycle of hyper-active increase",
             .source = "802.1Qau, rpgHaiRate",
             .minimum = 0,
             .maximum = 1e12,
             .roles = {Role::congestion_control}},
            {.name = "minimum_rate",
             .default_value = 10_Mbps,
             .meaning = "minimum rate after a decrease",
             .source = "802.1Qau, rpgMinRate",
             .minimum = 1e6,
             .maximum = 1e12,
             .roles = {Role::congestion_control}},
        },
    .congestion_point = [](const Parameters& parameters) -> std::unique_ptr<CongestionPoint> {
      return std::make_unique<SamplingPoint>(congestion_point_of(parameters));
    },
    .congestion_control = [](const Parameters& parameters) -> std::unique_ptr<CongestionControl> {
      return std::make_unique<Qcn>(reaction_point_of(parameters));
    },
};

}  // namespace weir::qcn
