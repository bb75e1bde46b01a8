// SPDX-License-Identifier: Apache-2.0
// Buffer policies that decide per frame, and several buffer policies in one switch, each for its priorities.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "switch/test_switch.h"

namespace weir::testing_switch::shape_buffer_policies_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Gives frames with a tag (those of an incast) less buffer than others.
class ByFrame final : public BufferPolicy {
 public:
  [[nodiscard]] std::int64_t xoff(const SwitchContext&, PortId, Priority) const override { return 10'000; }
  [[nodiscard]] std::int64_t xon(const SwitchContext&, PortId, Priority) const override { return 8'000; }
  [[nodiscard]] std::int64_t egress_limit(const SwitchContext&, PortId, Priority) const override { return 10'000; }
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] std::int64_t frame_limit(const SwitchContext&, const Frame& frame) const override {
    return frame.tag != 0 ? 2'000 : 10'000;
  }
  [[nodiscard]] std::int64_t frame_xoff(const SwitchContext&, const Frame& frame) const override {
    return frame.tag != 0 ? 2'000 : 10'000;
  }
};

SwitchPolicies policies_of(std::unique_ptr<BufferPolicy> buffer) {
  SwitchPolicies out;
  out.buffer = std::move(buffer);
  return out;
}

void receive(TestSwitch& at, Priority priority, std::uint16_t tag, std::uint32_t sequence) {
  const FrameId id = at.make(1, priority, 1'000, sequence);
  at.pool[id].tag = tag;
  at.receive(0, id);
}

TEST(ShapeBufferPolicies, ALimitMayDependOnTheFrame) {
  TestSwitch at(config_of(), policies_of(std::make_unique<ByFrame>()));
  for (std::uint32_t i = 0; i < 3; ++i) receive(at, kLossy, 1, i);
  receive(at, kLossy, 0, 3);
  receive(at, kLossy, 1, 4);
  EXPECT_EQ(at.node->drops(DropReason::egress_threshold), 2u);
  EXPECT_THAT(at.drain(1), ElementsAre(0, 1, 3));
}

TEST(ShapeBufferPolicies, AThresholdMayDependOnTheFrame) {
  TestSwitch at(config_of(), policies_of(std::make_unique<ByFrame>()));  // without headroom: dropped above xoff
  for (std::uint32_t i = 0; i < 3; ++i) receive(at, kLossless, 1, i);
  receive(at, kLossless, 0, 3);
  EXPECT_EQ(at.node->drops(DropReason::buffer_full), 1u);
  EXPECT_THAT(at.drain(1), ElementsAre(0, 1, 3));
}

/// A linear threshold that records its calls.
class Linear final : public BufferPolicy {
 public:
  explicit Linear(std::int64_t base) : base_(base) {}
  [[nodiscard]] Hooks hooks() const override { return {.enter = true, .depart = true}; }
  void attach(SwitchContext& context) override {
    timer = context.new_timer(*this);
    context.arm(timer, Time() + Duration::picoseconds(base_));
  }
  void on_timer(SwitchContext&, TimerId) override { ++timers; }
  void on_enter(SwitchContext&, QueueId, Frame& frame) override { entered.push_back(frame.sequence); }
  void on_depart(SwitchContext&, QueueId, Frame& frame) override { departed.push_back(frame.sequence); }
  void on_link(SwitchContext&, PortId, bool) override { ++links; }
  void on_pause(SwitchContext&, PortId, Priority priority, bool) override { pauses.push_back(priority); }
  [[nodiscard]] std::int64_t xoff(const SwitchContext&, PortId, Priority) const override { return base_; }
  [[nodiscard]] std::optional<LinearThreshold> linear_xoff(PortId, Priority) const override {
    return LinearThreshold{.base = base_, .share = 0};
  }
  [[nodiscard]] std::int64_t xon(const SwitchContext&, PortId, Priority) const override { return base_ / 2; }
  [[nodiscard]] std::int64_t egress_limit(const SwitchContext&, PortId, Priority) const override { return base_; }

  TimerId timer;
  int timers = 0;
  int links = 0;
  std::vector<std::uint32_t> entered;
  std::vector<std::uint32_t> departed;
  std::vector<Priority> pauses;

 private:
  std::int64_t base_;
};

struct TwoPolicies {
  TwoPolicies() : wide(new Linear(5'000)), narrow(new Linear(2'000)), at(config(), policies()) {}
  static SwitchConfig config() {
    SwitchConfig out = config_of();
    out.lossless[4] = true;
    return out;
  }
  SwitchPolicies policies() {
    SwitchPolicies out;
    out.buffer.reset(wide);
    out.priority_buffer.push_back({1u << 4 | 1u << 2, std::unique_ptr<BufferPolicy>(narrow)});
    return out;
  }
  Linear* wide;
  Linear* narrow;
  TestSwitch at;
};

TEST(ShapeBufferPolicies, EachPriorityHasItsOwn) {
  TwoPolicies two;
  for (std::uint32_t i = 0; i < 6; ++i) {
    receive(two.at, 3, 0, i);
    receive(two.at, 4, 0, 10 + i);
    receive(two.at, 1, 0, 20 + i);
    receive(two.at, 2, 0, 30 + i);
  }
  EXPECT_EQ(two.at.node->drops(DropReason::buffer_full), 1u + 4u);
  EXPECT_EQ(two.at.node->drops(DropReason::egress_threshold), 1u + 4u);
  EXPECT_EQ(two.at.node->xoff(PortId(0), 3), 5'000);
  EXPECT_EQ(two.at.node->xoff(PortId(0), 4), 2'000);
  EXPECT_EQ(two.at.node->xon(PortId(0), 2), 1'000);
  two.at.drain(1);
  two.at.expect_empty();
}

TEST(ShapeBufferPolicies, EachIsToldOfItsPrioritiesOnlyAndHasItsTimers) {
  TwoPolicies two;
  receive(two.at, 3, 0, 0);
  receive(two.at, 4, 0, 1);
  two.at.drain(1);
  EXPECT_THAT(two.wide->entered, ElementsAre(0));
  EXPECT_THAT(two.wide->departed, ElementsAre(0));
  EXPECT_THAT(two.narrow->entered, ElementsAre(1));
  EXPECT_THAT(two.narrow->departed, ElementsAre(1));
  two.at.node->note_pause(PortId(0), 4, true);
  EXPECT_THAT(two.wide->pauses, IsEmpty());
  EXPECT_THAT(two.narrow->pauses, ElementsAre(4));
  two.at.link(1, false);
  EXPECT_EQ(two.wide->links, 1);
  EXPECT_EQ(two.narrow->links, 1);
  two.at.run_for(Duration::picoseconds(3'000));
  EXPECT_EQ(two.wide->timers, 0);
  EXPECT_EQ(two.narrow->timers, 1);
}

}  // namespace
}  // namespace weir::testing_switch::shape_buffer_policies_test
