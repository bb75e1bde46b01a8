// SPDX-License-Identifier: Apache-2.0
// Every stay of a frame in a queue ends with exactly one call that names the queue, however the frame leaves it: a
// policy that counts stays by these calls alone counts the frames of every queue, and their bytes by egress.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "switch/test_switch.h"
#include "units/random.h"

namespace weir::testing_switch::stays_test {
namespace {

using namespace literals;

constexpr std::size_t kPorts = 4;
constexpr Priority kHeaders = 2;

/// Frames of tag 1 wait in a stage of their port, those of tag 2 in one queue of the whole switch.
class Counting final : public Classifier {
 public:
  [[nodiscard]] Hooks hooks() const override { return {.enter = true, .depart = true, .drop = true, .withdraw = true}; }
  void attach(SwitchContext& context) override {
    owner = context.new_gate_owner();
    QueueContext& queues = queue_context(context);
    for (std::size_t port = 0; port < context.ports(); ++port) {
      stages.push_back(
          queues.new_queue({.port = PortId(port), .priority = kLossless, .stage = 1, .service = Service::at_rate}));
    }
    wide = queues.new_queue({.priority = kLossless, .service = Service::released});
    frames.resize(context.queues());
    bytes.resize(context.ports());
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    if (frame.trimmed() || frame.tag == 0) return Classifier::classify(context, frame);
    return frame.tag == 1 ? stages[frame.egress.index()] : wide;
  }
  QueueId on_leave(QueueContext& context, QueueId queue, Frame& frame) override {
    count(queue, frame, -1);
    return context.default_queue(frame.egress, frame.priority);
  }
  void on_enter(SwitchContext&, QueueId queue, Frame& frame) override { count(queue, frame, 1); }
  void on_depart(SwitchContext&, QueueId queue, Frame& frame) override { count(queue, frame, -1); }
  void on_withdraw(SwitchContext&, QueueId queue, Frame& frame) override { count(queue, frame, -1); }
  void on_drop(SwitchContext&, QueueId queue, const Frame& frame, DropReason reason) override {
    ++drops[queue.exists()][static_cast<std::size_t>(reason)];
    if (queue.exists()) count(queue, frame, -1);
  }

  GateOwner owner = 0;
  std::vector<QueueId> stages;  // by port
  QueueId wide;
  std::vector<std::int64_t> frames;                                // by queue
  std::vector<std::int64_t> bytes;                                 // by egress
  std::array<std::array<std::uint64_t, kDropReasons>, 2> drops{};  // [from a queue], by reason

 private:
  void count(QueueId queue, const Frame& frame, int change) {
    frames[queue.index()] += change;
    bytes[frame.egress.index()] += change * std::int64_t{frame.charged_bytes};
  }
};

/// Room for some frames per egress. A frame that finds none is dropped, or the last one of a queue is trimmed; if it
/// was in a stage, it then finds no other place.
class Short final : public BufferPolicy {
 public:
  explicit Short(const Counting& queues) : queues_(queues) {}
  [[nodiscard]] Hooks hooks() const override { return {.rescue = true}; }
  [[nodiscard]] std::int64_t xoff(const SwitchContext&, PortId, Priority) const override { return 1 << 30; }
  [[nodiscard]] std::int64_t xon(const SwitchContext&, PortId, Priority) const override { return 1 << 30; }
  [[nodiscard]] std::int64_t egress_limit(const SwitchContext&, PortId, Priority) const override { return 1 << 30; }
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext&, const Frame& frame) const override {
    if (frame.trimmed()) return frame.tag != 1;
    return queues_.bytes[frame.egress.index()] + frame.frame_bytes <= 20'000;
  }
  Rescue rescue(SwitchContext& context, const Frame& frame, DropReason) override {
    if (frame.trimmed() || context.random().below(3) == 0) return {};
    const std::size_t port = frame.egress.index();
    const QueueId of[] = {context.default_queue(frame.egress, kLossless), queues_.stages[port], queues_.wide};
    return {.kind = Rescue::Kind::trim_tail, .priority = kHeaders, .bytes = 64, .queue = of[context.random().below(3)]};
  }

 private:
  const Counting& queues_;
};

class Stays : public testing::Test {
 protected:
  Stays() : policy(new Counting), at(config(), policies()) {}
  static SwitchConfig config() {
    SwitchConfig config = config_of(kPorts);
    config.watchdog = PauseWatchdogConfig{.detection = 10_us, .restoration = 20_us, .action = WatchdogAction::drop};
    return config;
  }
  SwitchPolicies policies() {
    SwitchPolicies out;
    out.buffer = std::make_unique<Short>(*policy);
    out.flow_control.emplace_back(policy);
    return out;
  }
  void step() {
    const PortId port(random.below(kPorts));
    const std::uint64_t what = random.below(100);
    if (what < 50) {
      const FrameId id = at.make(random.below(kPorts), random.below(8) == 0 ? kLossy : kLossless);
      at.pool[id].payload_bytes = 1'000;
      at.pool[id].tag = at.pool[id].priority == kLossy ? 0 : static_cast<std::uint16_t>(random.below(3));
      at.receive(port.index(), id);
    } else if (what < 75) {
      at.transmit(port.index());
    } else if (what < 85) {
      at.node->release(policy->wide);
    } else if (what < 97) {
      at.run_for(Duration::picoseconds(static_cast<std::int64_t>(random.below(2'000'000))));
    } else if (what < 98) {
      at.link(port.index(), !at.node->port(port).up);
    } else if (what < 99) {
      at.node->set_priority_gate(port, kLossless, policy->owner, random.below(2) == 0);
    } else {
      at.node->set_gate(policy->stages[port.index()], policy->owner, random.below(2) == 0);
    }
  }
  /// As many frames of each queue, and bytes for each egress, as there are.
  void check() {
    for (std::size_t i = 0; i < at.node->queues(); ++i) {
      ASSERT_EQ(policy->frames[i], at.node->queue(QueueId(i)).frames) << "queue " << i;
    }
    for (std::size_t port = 0; port < kPorts; ++port) {
      ASSERT_EQ(policy->bytes[port], at.node->bytes_for(PortId(port))) << "port " << port;
    }
  }
  /// Whether something was dropped for this reason, from a queue or not.
  [[nodiscard]] bool was_dropped(bool from_queue, DropReason reason) const {
    return policy->drops[from_queue][static_cast<std::size_t>(reason)] > 0;
  }

  RandomStream random{1, 2, 3};
  Counting* policy;
  TestSwitch at;
};

TEST_F(Stays, EndOnceWithTheirQueue) {
  for (int i = 0; i < 20'000; ++i) {
    step();
    check();
    if (HasFatalFailure()) FAIL() << "after step " << i;
  }
  EXPECT_GT(at.node->frames_trimmed(), 100U);
  EXPECT_TRUE(was_dropped(true, DropReason::watchdog));
  EXPECT_FALSE(was_dropped(false, DropReason::watchdog));
  EXPECT_TRUE(was_dropped(true, DropReason::link_down));
  EXPECT_TRUE(was_dropped(false, DropReason::link_down)) << "refused, or on its way between two queues";
  EXPECT_TRUE(was_dropped(false, DropReason::policy));
  EXPECT_FALSE(was_dropped(true, DropReason::policy));
}

/// A frame that a release moves to a port whose link is down has left its queue before it is lost.
TEST_F(Stays, EndBeforeALossBetweenTwoQueues) {
  const FrameId id = at.make(1, kLossless);
  at.pool[id].tag = 2;
  at.receive(0, id);
  EXPECT_EQ(at.node->port(PortId(1)).queued_bytes, 0);
  EXPECT_EQ(at.node->bytes_for(PortId(1)), 1'066);
  EXPECT_EQ(at.node->bytes_for(PortId(2)), 0);
  at.link(1, false);
  check();
  at.node->release(policy->wide);
  EXPECT_TRUE(was_dropped(false, DropReason::link_down));
  EXPECT_FALSE(was_dropped(true, DropReason::link_down));
  check();
  at.expect_empty();
}

}  // namespace
}  // namespace weir::testing_switch::stays_test
