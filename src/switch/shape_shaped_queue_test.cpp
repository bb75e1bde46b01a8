// SPDX-License-Identifier: Apache-2.0
// A short queue with its own rate: credits that are sent ahead of data, at 84/1,622 of the link rate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch/test_switch.h"
#include "switch/token_bucket.h"

namespace weir::testing_switch::shape_shaped_queue_test {
namespace {

using testing::ElementsAre;
using namespace weir::literals;

constexpr Priority kCredits = 7;
constexpr std::int64_t kCreditFrame = 64;                           // plus 20 on the wire
const BitRate kCreditRate = 100_Gbps * 84 / 1'622;                  // 5,178,791,615 bit/s
const Duration kCreditTime = time_to_send(Bytes(84), kCreditRate);  // rounded up

/// Puts control frames for hosts into a separate queue with a limited number of frames and a given rate.
class Credits final : public Classifier {
 public:
  explicit Credits(QueueSpec spec, std::uint32_t frames) : spec_(spec), frames_(frames) {}
  [[nodiscard]] Hooks hooks() const override { return {.drop = true}; }
  void attach(SwitchContext& context) override {
    for (std::size_t port = 0; port < context.ports(); ++port) {
      spec_.port = PortId(port);
      queues.push_back(queue_context(context).new_queue(spec_));
    }
  }
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext& context, const Frame& frame) const override {
    return !frame.is_control() || context.queue(queues[frame.egress.index()]).frames < frames_;
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    return frame.is_control() ? queues[frame.egress.index()] : Classifier::classify(context, frame);
  }
  void on_drop(SwitchContext&, QueueId, const Frame& frame, DropReason) override { dropped.push_back(frame.sequence); }

  std::vector<QueueId> queues;
  std::vector<std::uint32_t> dropped;

 private:
  QueueSpec spec_;
  std::uint32_t frames_;
};

struct Lab {
  explicit Lab(QueueSpec spec = {.priority = kCredits, .rate = kCreditRate, .burst = 2 * 84}, std::uint32_t frames = 8)
      : policy(new Credits(spec, frames)), at(config(), policies()) {}
  static SwitchConfig config() {
    SwitchConfig out = config_of();
    out.control_reserve = 10'000;
    return out;
  }
  SwitchPolicies policies() {
    SwitchPolicies out;
    out.buffer = std::make_unique<Thresholds>();
    out.flow_control.emplace_back(policy);
    return out;
  }
  void credit(std::uint32_t sequence, std::size_t to = 1) {
    at.receive(0, at.make_control(FrameKind::host_control, to, kCredits, kCreditFrame, sequence));
  }
  void data(std::uint32_t sequence) { at.receive(2, at.make(1, kLossy, 1'000, sequence)); }
  Credits* policy;
  TestSwitch at;
};

TEST(ShapeShapedQueue, CreditsGoBeforeDataWhileTheyHaveTokens) {
  Lab lab;
  for (std::uint32_t i = 0; i < 4; ++i) lab.data(100 + i);
  for (std::uint32_t i = 0; i < 4; ++i) lab.credit(i);
  EXPECT_THAT((std::vector{lab.at.next(1), lab.at.next(1), lab.at.next(1)}), ElementsAre(0, 1, 100));
  lab.at.run_for(kCreditTime - Duration::picoseconds(1));
  EXPECT_EQ(lab.at.next(1), 101);
  lab.at.run_for(Duration::picoseconds(1));
  EXPECT_TRUE(lab.at.became_ready(1));
  EXPECT_EQ(lab.at.next(1), 2);
  EXPECT_EQ(lab.at.next(1), 102);
  lab.at.run_for(kCreditTime);
  EXPECT_EQ(lab.at.next(1), 3);
  EXPECT_THAT(lab.at.drain(1), ElementsAre(103));
  lab.at.expect_empty();
}

TEST(ShapeShapedQueue, ThoseBeyondTheLimitAreDroppedThoughTheReserveHasRoom) {
  Lab lab;
  for (std::uint32_t i = 0; i < 10; ++i) lab.credit(i);
  EXPECT_THAT(lab.policy->dropped, ElementsAre(8, 9));
  EXPECT_EQ(lab.at.node->drops(DropReason::policy), 2u);
  lab.credit(20, 3);  // of another port
  EXPECT_EQ(lab.policy->dropped.size(), 2u);
}

TEST(ShapeShapedQueue, ItWantsToBeCalledOnlyWhenItHasWhatItLacks) {
  Lab lab;
  EXPECT_EQ(lab.at.node->next_deadline(), Time::never());
  lab.credit(0);
  lab.credit(1);
  EXPECT_EQ(lab.at.node->next_deadline(), Time::never()) << "there are tokens for the first";
  lab.at.next(1);
  EXPECT_EQ(lab.at.node->next_deadline(), Time::never());
  lab.at.next(1);
  EXPECT_EQ(lab.at.node->next_deadline(), Time::never()) << "nothing waits";
  lab.credit(2);
  EXPECT_EQ(lab.at.node->next_deadline(), Time() + kCreditTime);
  EXPECT_EQ(lab.at.next(1), -1);
  lab.at.run_for(kCreditTime);
  EXPECT_EQ(lab.at.next(1), 2);
}

TEST(ShapeShapedQueue, AnEmptyBucketFillsFirst) {
  Lab lab({.priority = kCredits, .rate = kCreditRate, .burst = 84, .starts_full = false});
  lab.credit(0);
  EXPECT_EQ(lab.at.next(1), -1);
  lab.at.run_for(kCreditTime);
  EXPECT_EQ(lab.at.next(1), 0);
}

TEST(ShapeShapedQueue, AGateHoldsItWhateverItsTokens) {
  Lab lab({.priority = kCredits, .rate = kCreditRate, .burst = 84});
  lab.at.node->set_gate(lab.policy->queues[1], 0, false);
  lab.credit(0);
  lab.at.run_for(kCreditTime);
  EXPECT_EQ(lab.at.next(1), -1);
  lab.at.node->set_gate(lab.policy->queues[1], 0, true);
  EXPECT_EQ(lab.at.next(1), 0);
  lab.credit(1);
  lab.at.node->set_gate(lab.policy->queues[1], 0, false);
  lab.at.node->set_gate(lab.policy->queues[1], 0, true);
  EXPECT_EQ(lab.at.next(1), -1) << "the gate is open, the bucket empty";
}

TEST(ShapeShapedQueue, AFrameThatPassesAnIdlePortTakesItsTokens) {
  Lab lab({.priority = kCredits, .rate = kCreditRate, .burst = 84});
  lab.at.node->occupy(PortId(1), lab.at.now);
  const auto pass = [&](std::uint32_t sequence) {
    return lab.at.node->pass(lab.at.now, PortId(0),
                             lab.at.make_control(FrameKind::host_control, 1, kCredits, kCreditFrame, sequence));
  };
  const FrameId first = pass(0);
  EXPECT_TRUE(first.exists());
  lab.at.pool.release(first);
  EXPECT_FALSE(pass(1).exists());
  lab.at.run_for(kCreditTime);
  EXPECT_EQ(lab.at.next(1), 1);
}

TEST(ShapeShapedQueue, AFailedLinkLosesWhatWaitsAndTheBucketGoesOn) {
  Lab lab({.priority = kCredits, .rate = kCreditRate, .burst = 84});
  lab.credit(0);
  lab.credit(1);
  EXPECT_EQ(lab.at.next(1), 0);
  lab.at.link(1, false);
  lab.at.run_for(kCreditTime);
  lab.at.link(1, true);
  lab.credit(2);
  EXPECT_EQ(lab.at.next(1), 2);
  EXPECT_THAT(lab.policy->dropped, ElementsAre(1));
}

TEST(ShapeShapedQueue, KeepsToItsRateExactlyOverASecond) {
  TokenBucket bucket(kCreditRate, 168, true);
  Time now;
  std::int64_t taken = 0;
  while (now < Time() + Duration::picoseconds(100'000'000'000)) {
    now = bucket.ready_at(now, 84);
    bucket.take(now, 84);
    taken += 84;
  }
  // The initial content of the bucket, plus the tokens generated since; nothing is lost by rounding.
  const std::int64_t brought = bytes_in(now - Time(), kCreditRate).count();
  EXPECT_LE(taken, 168 + brought);
  EXPECT_GT(taken, 168 + brought - 84);
}

TEST(TokenBucket, LetsAFrameThatIsLargerThanItselfGoWhenItIsFull) {
  TokenBucket bucket(BitRate(8'000'000'000), 100, true);  // one byte per nanosecond
  const Time start;
  EXPECT_EQ(bucket.ready_at(start, 250), start);
  bucket.take(start, 250);
  EXPECT_EQ(bucket.ready_at(start, 84), start + Duration::picoseconds(234'000));
}

}  // namespace
}  // namespace weir::testing_switch::shape_shaped_queue_test
