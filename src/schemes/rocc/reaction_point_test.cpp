// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/reaction_point.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "policy/testing/fake_nic.h"
#include "schemes/rocc/feedback.h"
#include "schemes/rocc/rocc.h"
#include "schemes/rocc/tuning.h"

namespace weir::rocc::reaction_point_test {
namespace {

using namespace literals;

Time at(Duration after) {
  return Time() + after;
}

class RoccReactionPoint : public testing::Test {
 protected:
  void start(Duration reaction_delay) { start(reaction_delay, Parameters(scheme.parameters)); }
  void start(Duration reaction_delay, Parameters parameters) {
    parameters.set("reaction_delay", reaction_delay);
    control = scheme.congestion_control(parameters);
    control->attach(context);
    control->open(context, sender);
  }
  /// A CNP for the flow arrives.
  bool hear(const Feedback& feedback) {
    Frame& frame = context.frames()[context.frames().allocate()];
    EXPECT_TRUE(write(feedback, context.frames(), frame));
    frame.source = sender.remote;
    frame.queue_pair = sender.remote_number;
    return control->on_feedback(context, frame);
  }
  static Feedback rate(std::int64_t steps) {
    Feedback feedback;
    feedback.point = 1;
    feedback.rate = steps;
    return feedback;
  }

  FakeNic context;
  SendState& sender = context.open_sender(HostId(5), 3);
  std::unique_ptr<CongestionControl> control;
};

TEST_F(RoccReactionPoint, SetsTheRateOfTheFlowNamed) {  // [ROCC-RP-3]
  start(0_us);
  SendState& other = context.open_sender(HostId(5), 3);
  control->open(context, other);
  EXPECT_TRUE(hear(rate(400)));
  EXPECT_EQ(sender.rate, 4_Gbps);
  EXPECT_EQ(other.rate, 100_Gbps);
}

TEST_F(RoccReactionPoint, ReactsAfterItsDelay) {  // [ROCC-RP-7]
  start(15_us);
  context.set_now(at(100_us));
  hear(rate(400));
  context.set_now(at(105_us));
  hear(rate(300));
  context.run_until(at(115_us) - 1_ps);
  EXPECT_EQ(sender.rate, 100_Gbps);
  context.run_until(at(115_us));
  EXPECT_EQ(sender.rate, 4_Gbps);
  context.run_until(at(120_us));
  EXPECT_EQ(sender.rate, 3_Gbps);
}

TEST_F(RoccReactionPoint, MoreCnpsThanTheNicHoldsAreLost) {  // [ROCC-RP-7]
  FakeNic large(8192);
  SendState& flow = large.open_sender(HostId(5), 3);
  control = scheme.congestion_control(Parameters(scheme.parameters));
  control->attach(large);
  control->open(large, flow);
  for (std::int64_t i = 0; i < 5'000; ++i) {
    Frame& frame = large.frames()[large.frames().allocate()];
    ASSERT_TRUE(write(rate(6'000 - i), large.frames(), frame));
    frame.source = flow.remote;
    frame.queue_pair = flow.remote_number;
    control->on_feedback(large, frame);
  }
  large.run_until(at(15_us));
  EXPECT_EQ(flow.rate, 10_Mbps * (6'000 - 4'095));
}

TEST_F(RoccReactionPoint, TheFlowMayHaveEnded) {  // [ROCC-RP-7]
  start(15_us);
  hear(rate(400));
  context.close_sender(sender);
  context.run_until(at(15_us));
  EXPECT_EQ(sender.rate, 100_Gbps);
}

TEST_F(RoccReactionPoint, PassesOverFramesOfOthers) {  // [ROCC-RP-7]
  start(0_us);
  Frame& frame = context.frames()[context.frames().allocate()];
  frame.protocol = 77;
  EXPECT_FALSE(control->on_feedback(context, frame));
  frame.protocol = kProtocol;  // of RoCC, but invalid
  EXPECT_TRUE(control->on_feedback(context, frame));
  EXPECT_EQ(sender.rate, 100_Gbps);
}

TEST_F(RoccReactionPoint, RecoversWhileItSends) {  // [ROCC-RP-4] [ROCC-RP-6]
  start(0_us);
  hear(rate(400));
  context.set_now(at(200_us));
  Frame data = {};
  control->on_sent(context, sender, data);
  EXPECT_EQ(sender.rate, 8_Gbps);
  EXPECT_EQ(control->next_send(context, sender, at(200_us), 1'000), at(201_us));
}

// The host computes what the switch would have sent, step by step, with both forms.
TEST_F(RoccReactionPoint, ComputesWhatTheSwitchWouldHave) {  // [ROCC-HOST-2]
  Parameters limited(scheme.parameters);
  limited.set("maximum_rate", std::int64_t{2'000});  // the thresholds remain those of the port's rate
  for (const Parameters& parameters : {Parameters(scheme.parameters), limited})
    for (const Form form : {Form::all_values, Form::registry}) {
      start(0_us, parameters);
      const LoopSettings settings = Tuning(parameters).at(40_Gbps);
      LoopState state = initial_state(settings);
      for (const std::int64_t length : {100, 400, 350, 700, 690, 100, 20, 0, 90, 250}) {
        Feedback feedback;
        feedback.form = form;
        feedback.point = 1;
        feedback.before = state;
        feedback.length = length;
        feedback.settings = settings;
        feedback.port_rate = 40_Gbps;
        state = updated(settings, state, length);
        hear(feedback);
        EXPECT_EQ(sender.rate, 10_Mbps * state.whole_rate()) << length;
      }
    }
}

}  // namespace
}  // namespace weir::rocc::reaction_point_test
