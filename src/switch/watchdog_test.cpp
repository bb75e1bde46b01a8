// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "switch/test_switch.h"

namespace weir::testing_switch::watchdog_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Duration kDetection = Duration::picoseconds(10'000'000);
constexpr Duration kRestoration = Duration::picoseconds(25'000'000);
constexpr Duration kMoment = Duration::picoseconds(1'000);

SwitchConfig config_with(WatchdogAction action) {
  SwitchConfig config = config_of();
  config.watchdog = PauseWatchdogConfig{.detection = kDetection, .restoration = kRestoration, .action = action};
  return config;
}

class Observer final : public SwitchObserver {
 public:
  void on_storm(const SwitchContext& context, PortId port, Priority priority, QueueId queue, bool begins) override {
    storms.emplace_back(port.value, priority, queue, begins);
    at.push_back(context.now());
  }
  void on_priority_gate(const SwitchContext&, PortId, Priority, bool open) override { gates.push_back(open); }
  std::vector<std::tuple<std::uint32_t, Priority, QueueId, bool>> storms;
  std::vector<Time> at;
  std::vector<bool> gates;
};

struct Lab {
  explicit Lab(WatchdogAction action) : Lab(config_with(action)) {}
  explicit Lab(const SwitchConfig& config, std::function<void(QueueContext&)> on_attach = {})
      : at(config, std::move(on_attach)) {
    at.node->observe(&observer);
  }
  void close(std::size_t port = 1) { set(port, false); }
  void open(std::size_t port = 1) { set(port, true); }
  void set(std::size_t port, bool is_open) {
    at.node->advance(at.now);  // policies act within a call, which tells the time
    at.node->set_priority_gate(PortId(port), kLossless, at.script->owner, is_open);
  }

  Observer observer;
  TestSwitch at;
};

TEST(PauseWatchdog, FindsAStormAfterTheDetectionTimeAndNotBefore) {
  Lab lab(WatchdogAction::alert);
  lab.close();
  lab.at.receive(1, kLossless);
  lab.at.run_for(kDetection - kMoment);
  EXPECT_THAT(lab.observer.storms, IsEmpty());
  lab.at.run_for(kMoment);
  EXPECT_THAT(lab.observer.storms, ElementsAre(std::tuple(1u, kLossless, QueueId::none(), true)));
  EXPECT_EQ(lab.observer.at.front(), Time() + kDetection);
}

TEST(PauseWatchdog, ABriefOpeningStartsTheTimeAnew) {
  Lab lab(WatchdogAction::alert);
  lab.close();
  lab.at.receive(1, kLossless);
  lab.at.run_for(kDetection - kMoment);
  lab.open();
  lab.close();
  lab.at.run_for(kDetection - kMoment);
  EXPECT_THAT(lab.observer.storms, IsEmpty());
  lab.at.run_for(kMoment);
  EXPECT_EQ(lab.observer.storms.size(), 1u);
}

TEST(PauseWatchdog, APauseThatHoldsNoFrameIsNoStorm) {
  Lab lab(WatchdogAction::drop);
  lab.close();
  lab.at.receive(1, kLossy);  // not held
  lab.at.run_for(3 * kDetection + kDetection / 2);
  EXPECT_THAT(lab.observer.storms, IsEmpty());
  lab.at.receive(1, kLossless);
  lab.at.run_for(kDetection - kMoment);
  EXPECT_THAT(lab.observer.storms, IsEmpty());
  lab.at.run_for(kMoment);
  EXPECT_EQ(lab.observer.storms.size(), 1u);
}

TEST(PauseWatchdog, DropsWhatWaitsAndWhatComesUntilPausesHaveEnded) {
  Lab lab(WatchdogAction::drop);
  lab.close();
  lab.at.receive(1, kLossless);
  lab.at.receive(1, kLossless);
  const std::uint32_t other = lab.at.receive(2, kLossless);
  lab.at.run_for(kDetection);
  EXPECT_EQ(lab.at.node->drops(DropReason::watchdog), 2u);
  lab.at.receive(1, kLossless);
  EXPECT_EQ(lab.at.node->drops(DropReason::watchdog), 3u);
  const std::uint32_t lossy = lab.at.receive(1, kLossy);
  EXPECT_EQ(lab.at.next(1), lossy);
  EXPECT_EQ(lab.at.next(2), other);
  // The gate opens: the storm lasts until no pause has come for the restoration time.
  lab.at.run_for(2 * kRestoration);
  lab.open();
  lab.at.run_for(kRestoration - kMoment);
  lab.at.receive(1, kLossless);
  EXPECT_EQ(lab.at.node->drops(DropReason::watchdog), 4u);
  lab.at.run_for(kMoment);
  const std::uint32_t kept = lab.at.receive(1, kLossless);
  EXPECT_EQ(lab.at.next(1), kept);
  EXPECT_EQ(lab.at.node->drops(DropReason::watchdog), 4u);
  EXPECT_EQ(lab.observer.storms.size(), 2u);
  EXPECT_EQ(lab.observer.at.back() - lab.observer.at.front(), 2 * kRestoration + kRestoration);
  lab.at.expect_empty();
}

TEST(PauseWatchdog, APauseWithinTheRestorationTimeProlongsTheStorm) {
  Lab lab(WatchdogAction::drop);
  lab.close();
  lab.at.receive(1, kLossless);
  lab.at.run_for(kDetection);
  lab.open();
  lab.at.run_for(kRestoration - kMoment);
  lab.close();
  lab.at.run_for(kMoment);
  lab.open();
  lab.at.run_for(kRestoration - kMoment);
  EXPECT_EQ(lab.observer.storms.size(), 1u);
  lab.at.run_for(kMoment);
  EXPECT_EQ(lab.observer.storms.size(), 2u);
}

TEST(PauseWatchdog, ForwardsInSpiteOfPausesUntilTheyHaveEnded) {
  Lab lab(WatchdogAction::forward);
  lab.close();
  const std::uint32_t first = lab.at.receive(1, kLossless);
  lab.at.run_for(kDetection - kMoment);
  EXPECT_EQ(lab.at.next(1), -1);
  lab.at.node->clear_ready();
  lab.at.run_for(kMoment);
  EXPECT_TRUE(lab.at.became_ready(1));
  EXPECT_EQ(lab.at.next(1), first);
  lab.at.node->advance(lab.at.now);
  // A further PAUSE, also one for a time, changes nothing, and nobody is told of it.
  lab.at.node->close_priority_gate_until(PortId(1), kLossless, lab.at.script->owner, lab.at.now + kRestoration);
  const std::uint32_t second = lab.at.receive(1, kLossless);
  EXPECT_EQ(lab.at.next(1), second);
  EXPECT_THAT(lab.observer.gates, ElementsAre(false, true));
  // That pause ends by itself, and the storm one restoration time later.
  lab.at.run_for(2 * kRestoration);
  EXPECT_EQ(lab.observer.storms.size(), 2u);
  lab.close();
  lab.at.receive(1, kLossless);
  EXPECT_EQ(lab.at.next(1), -1);
  EXPECT_THAT(lab.observer.gates, ElementsAre(false, true, false));
  EXPECT_EQ(lab.at.node->drops(DropReason::watchdog), 0u);
}

TEST(PauseWatchdog, WatchesTheGatesOfQueues) {
  QueueId queue;
  Lab lab(config_with(WatchdogAction::drop),
          [&queue](QueueContext& context) { queue = context.new_queue({.port = PortId(1), .priority = kLossless}); });
  lab.at.script->classify_to = [&](const Frame& frame) {
    return frame.tag_value == 7 ? queue : lab.at.queue(frame.egress.value, frame.priority);
  };
  lab.at.node->set_gate(queue, lab.at.script->owner, false);
  lab.at.receive(1, kLossless, 1066, 7);
  const std::uint32_t other = lab.at.receive(1, kLossless);
  lab.at.run_for(kDetection);
  EXPECT_THAT(lab.observer.storms, ElementsAre(std::tuple(1u, kLossless, queue, true)));
  lab.at.receive(1, kLossless, 1066, 7);
  EXPECT_EQ(lab.at.node->drops(DropReason::watchdog), 2u);
  EXPECT_EQ(lab.at.next(1), other);
}

TEST(PauseWatchdog, AnArrivalAtAnIdlePortIsDroppedInAStorm) {
  Lab lab(WatchdogAction::drop);
  lab.close();
  lab.at.receive(1, kLossless);
  lab.at.run_for(kDetection);
  lab.open();
  lab.at.node->occupy(PortId(1), lab.at.now);
  const FrameId passed = lab.at.node->pass(lab.at.now, PortId(0), lab.at.make(1, kLossless));
  EXPECT_FALSE(passed.exists());
  EXPECT_EQ(lab.at.node->drops(DropReason::watchdog), 2u);
  lab.at.expect_empty();
}

TEST(PauseWatchdog, ALinkThatFailsEndsItsStorms) {
  for (const WatchdogAction action : {WatchdogAction::drop, WatchdogAction::forward}) {
    Lab lab(action);
    lab.close();
    lab.at.receive(1, kLossless);
    lab.at.run_for(kDetection);
    lab.at.link(1, false);
    EXPECT_EQ(lab.observer.storms.size(), 2u);
    lab.at.link(1, true);
    const std::uint32_t kept = lab.at.receive(1, kLossless);
    EXPECT_EQ(lab.at.next(1), kept);
    lab.close();
    lab.at.receive(1, kLossless);
    lab.at.run_for(kDetection - kMoment);
    EXPECT_EQ(lab.observer.storms.size(), 2u);
    EXPECT_EQ(lab.at.next(1), -1);
  }
}

TEST(PauseWatchdog, WithoutOneAPauseLastsAsLongAsItLasts) {
  Lab lab(config_of());
  lab.close();
  lab.at.receive(1, kLossless);
  lab.at.run_for(100 * kDetection);
  EXPECT_EQ(lab.at.next(1), -1);
  EXPECT_THAT(lab.observer.storms, IsEmpty());
}

}  // namespace
}  // namespace weir::testing_switch::watchdog_test
