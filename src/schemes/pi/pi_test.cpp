// SPDX-License-Identifier: Apache-2.0
#include "schemes/pi/pi.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "policy/testing/fake_switch.h"

namespace weir::pi::pi_test {
namespace {

using namespace literals;

constexpr PortId kPort(0);
constexpr Priority kPriority = 3;

/// Reference 100 KB, an update every 10 us; 0.001 per KB of change, and 0.0001 per KB above the reference and update.
struct Setting {
  Setting() {
    Parameters parameters(scheme.parameters);
    parameters.set("reference", Bytes(100'000));
    parameters.set("interval", 10_us);
    parameters.set("proportional", 1e-3);
    parameters.set("integral", 10.0);
    policy = scheme.congestion_point(parameters);
    policy->attach(context);
  }
  void length(std::int64_t bytes) { context.egress_state(kPort, kPriority).bytes = bytes; }
  /// How many of `frames` that leave are marked.
  int marked(int frames, FrameKind kind = FrameKind::data, Ecn ecn = Ecn::capable) {
    Frame& frame = context.new_frame(PortId(1), kPort, kPriority);
    frame.kind = kind;
    int count = 0;
    for (int i = 0; i < frames; ++i) {
      frame.set_ecn(ecn);
      policy->on_depart(context, context.default_queue(kPort, kPriority), frame);
      count += frame.ecn() == Ecn::congestion_experienced ? 1 : 0;
    }
    context.frames().release(context.frames().id_of(frame));
    return count;
  }
  void run_for(Duration duration) { context.run_until(context.now() + duration); }
  [[nodiscard]] Time deadline() const { return context.deadline(TimerId(0)); }

  FakeSwitch context{2};
  std::unique_ptr<CongestionPoint> policy;
};

TEST(Pi, FollowsTheChangeAndTheDistanceFromTheReference) {
  Setting setting;
  setting.length(300'000);
  EXPECT_EQ(setting.marked(1'000), 0);  // not yet updated
  setting.run_for(10_us);
  // [PI-1] 300 KB more than before: 0.3; 200 KB above the reference: 0.02.
  EXPECT_NEAR(setting.marked(40'000), 0.32 * 40'000, 500);
  setting.run_for(40_us);  // four more updates: 0.02 each, and no change of length
  EXPECT_NEAR(setting.marked(40'000), 0.40 * 40'000, 500);
  setting.length(100'000);
  setting.run_for(10_us);  // back at the reference: 200 KB less
  EXPECT_NEAR(setting.marked(40'000), 0.20 * 40'000, 500);
  setting.run_for(10_ms);  // and the length stays there, as does the probability
  EXPECT_NEAR(setting.marked(40'000), 0.20 * 40'000, 500);
}

TEST(Pi, KeepsTheProbabilityWithinItsBounds) {
  Setting setting;
  setting.marked(1);
  setting.length(10'000'000);
  setting.run_for(100_us);
  EXPECT_EQ(setting.marked(1'000), 1'000);  // [PI-2]
  setting.length(9'900'000);
  setting.run_for(10_us);
  EXPECT_EQ(setting.marked(1'000), 1'000);  // plus 0.98 for the distance, minus 0.1 for the change
  setting.length(0);
  setting.run_for(10_us);
  EXPECT_EQ(setting.marked(1'000), 0);  // [PI-2] the excess over one was not stored
}

TEST(Pi, ControlsEachEgressAndPriorityApart) {
  Setting setting;
  setting.marked(1);
  setting.context.egress_state(PortId(1), kPriority).bytes = 10'000'000;
  setting.context.egress_state(kPort, 4).bytes = 10'000'000;
  setting.run_for(10_us);
  EXPECT_EQ(setting.marked(1'000), 0);  // [PI-1]
}

TEST(Pi, MarksDataThatCanBeMarked) {
  Setting setting;
  setting.marked(1);
  setting.length(10'000'000);
  setting.run_for(10_us);
  EXPECT_EQ(setting.marked(10), 10);
  EXPECT_EQ(setting.marked(10, FrameKind::data, Ecn::not_capable), 0);  // [PI-3]
  EXPECT_EQ(setting.marked(10, FrameKind::ack), 0);
  EXPECT_EQ(setting.marked(10, FrameKind::datagram), 10);
}

TEST(Pi, RestsWhenThereIsNothingToControl) {
  Setting setting;
  EXPECT_EQ(setting.deadline(), Time::never());
  setting.run_for(1_ms);
  setting.length(100'000);
  setting.marked(1);
  EXPECT_EQ(setting.deadline(), Time() + 1'010_us);  // [PI-4]
  setting.run_for(10_us);
  setting.length(0);
  setting.run_for(10_us);
  EXPECT_EQ(setting.deadline(), Time::never());  // [PI-4]
  EXPECT_EQ(setting.marked(100), 0);
  EXPECT_EQ(setting.deadline(), Time() + 1'030_us);
}

}  // namespace
}  // namespace weir::pi::pi_test
