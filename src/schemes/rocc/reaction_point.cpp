// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/reaction_point.h"

#include <optional>

#include "schemes/rocc/delayed_feedback.h"
#include "schemes/rocc/rate_limiter.h"
#include "schemes/rocc/tuning.h"

namespace weir::rocc {
namespace {

constexpr std::size_t kMostDelayed = 4096;  // most CNPs in the NIC at a time

class ReactionPoint final : public CongestionControl {
 public:
  explicit ReactionPoint(const Parameters& parameters)
      : tuning_(parameters),
        reaction_delay_(parameters.get<Duration>("reaction_delay")),
        recovery_interval_(parameters.get<Duration>("recovery_interval")),
        delayed_(reaction_delay_ > Duration() ? kMostDelayed : 1) {}

  [[nodiscard]] CongestionHooks hooks() const override { return {.sent = true, .next_send = true}; }
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(RateLimiter); }

  void attach(NicContext& context) override { timer_ = context.new_timer(*this); }
  void open(NicContext&, SendState& sender) override {
    sender.congestion.emplace<RateLimiter>().open(sender.line_rate);
    publish(sender);
  }
  void on_sent(NicContext& context, SendState& sender, Frame&) override {
    auto& limiter = sender.congestion.as<RateLimiter>();
    if (!limiter.installed()) return;
    limiter.advance(recovery_interval_, context.now());
    publish(sender);
  }
  [[nodiscard]] Time next_send(const NicContext&, const SendState& sender, Time last,
                               std::int64_t wire_bytes) const override {
    return sender.congestion.as<RateLimiter>().next_send(recovery_interval_, last, Bytes(wire_bytes));
  }

  bool on_feedback(NicContext& context, const Frame& frame) override {
    if (frame.protocol != kProtocol) return false;
    const std::optional<Feedback> feedback = read(context.frames(), frame);
    if (!feedback) return true;
    const DelayedFeedback delayed = {context.now() + reaction_delay_, frame.source, frame.queue_pair, *feedback};
    if (reaction_delay_ == Duration()) {
      react(context, delayed);
      return true;
    }
    // [ROCC-RP-7]
    const bool idle = delayed_.empty();
    if (delayed_.push(delayed) && idle) context.arm(timer_, delayed.due);
    return true;
  }
  void on_timer(NicContext& context, TimerId) override {
    for (; !delayed_.empty() && delayed_.front().due <= context.now(); delayed_.pop()) {
      react(context, delayed_.front());
    }
    if (!delayed_.empty()) context.arm(timer_, delayed_.front().due);
  }

 private:
  static void publish(SendState& sender) { sender.rate = sender.congestion.as<RateLimiter>().rate(); }

  void react(NicContext& context, const DelayedFeedback& delayed) {
    SendState* sender = context.sender_to(delayed.remote, delayed.queue_pair);
    if (sender == nullptr) return;  // the flow has ended
    sender->congestion.as<RateLimiter>().on_feedback(recovery_interval_, context.now(), delayed.feedback.point,
                                                     tuning_.rate_of(fair_rate_of(delayed.feedback)));
    publish(*sender);
  }

  /// In whole steps.
  [[nodiscard]] std::int64_t fair_rate_of(const Feedback& feedback) const {
    if (feedback.form == Form::rate) return feedback.rate;
    // [ROCC-HOST-2] The registry holds the values that the host's own parameters give for a port of this rate.
    const LoopSettings settings =
        feedback.form == Form::all_values ? feedback.settings : tuning_.at(feedback.port_rate);
    return updated(settings, feedback.before, feedback.length).whole_rate();
  }

  Tuning tuning_;
  Duration reaction_delay_;
  Duration recovery_interval_;
  FeedbackDelay delayed_;
  TimerId timer_;
};

}  // namespace

std::unique_ptr<CongestionControl> make_reaction_point(const Parameters& parameters) {
  return std::make_unique<ReactionPoint>(parameters);
}

}  // namespace weir::rocc
