// SPDX-License-Identifier: Apache-2.0
// pass() combines receive() and transmit(): two switches with the same frames, each driven in one of these ways, must
// agree.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "switch/test_switch.h"

namespace weir::testing_switch::pass_test {
namespace {

using namespace literals;

/// Has a separate queue at each port for every third frame.
class Sorter final : public Classifier {
 public:
  void attach(SwitchContext& context) override {
    for (std::size_t port = 0; port < context.ports(); ++port) {
      queues_.push_back(queue_context(context).new_queue({.port = PortId(port), .priority = kLossless}));
    }
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    if (frame.priority == kLossless && frame.sequence % 3 == 0) return queues_[frame.egress.index()];
    return Classifier::classify(context, frame);
  }

 private:
  std::vector<QueueId> queues_;
};

/// Requests calls for departing frames, and pauses the neighbour by PFC's rule.
class Pauser final : public FlowControl {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    hooks.enter_if_crowded = true;
    hooks.depart_if_paused = true;
    return hooks;
  }
  void on_enter(SwitchContext& context, QueueId, Frame& frame) override {
    if (!frame.ingress.exists()) return;
    context.note_pause(frame.ingress, frame.ingress_priority, true);
    pauses.emplace_back(frame.sequence, true);
  }
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override {
    lengths.push_back(context.queue(queue).bytes);
    if (!frame.ingress.exists()) return;
    if (!context.ingress(frame.ingress, frame.ingress_priority).paused) return;
    if (context.ingress(frame.ingress, frame.ingress_priority).shared > 1066) return;
    context.note_pause(frame.ingress, frame.ingress_priority, false);
    pauses.emplace_back(frame.sequence, false);
  }
  std::vector<std::int64_t> lengths;
  std::vector<std::pair<std::uint32_t, bool>> pauses;
};

/// Reads the lengths that may be non-zero.
class LengthWatch final : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart_if_queued = true;
    return hooks;
  }
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override {
    if (const auto length = context.signalled_length(queue, frame); length > 0)
      seen.emplace_back(frame.sequence, length);
  }
  std::vector<std::pair<std::uint32_t, std::int64_t>> seen;
};

class Limits final : public BufferPolicy {
 public:
  [[nodiscard]] std::int64_t xoff(const SwitchContext&, PortId, Priority) const override { return 2 * 1066; }
  [[nodiscard]] std::int64_t xon(const SwitchContext&, PortId, Priority) const override { return 1066; }
  [[nodiscard]] std::int64_t egress_limit(const SwitchContext&, PortId, Priority) const override { return 3000; }
};

struct Sent {
  Time at;
  std::size_t port;
  std::uint32_t sequence;
  bool operator==(const Sent&) const = default;
};

/// A driver of four wires. It calls transmit() as soon as one is free, unless pass() has returned a frame immediately.
struct Driver {
  Driver(bool passes, bool classifies) : passes_(passes) {
    auto flow_control = std::make_unique<Pauser>();
    pauser = flow_control.get();
    auto congestion_point = std::make_unique<LengthWatch>();
    length_watch = congestion_point.get();
    SwitchPolicies policies;
    policies.congestion_point.push_back(std::move(congestion_point));
    policies.buffer = std::make_unique<Limits>();
    policies.flow_control.push_back(std::move(flow_control));
    if (classifies) policies.flow_control.push_back(std::make_unique<Sorter>());
    SwitchConfig config = config_of();
    config.control_reserve = 2'500;
    node = std::make_unique<Switch>(pool, config, std::move(policies));
    Routes routes(4);
    for (std::size_t host = 0; host < 4; ++host) {
      const PortId port(host);
      routes.set_group(HostId(host), routes.add_group({&port, 1}));
    }
    node->install(std::move(routes));
  }

  void receive(Time now, std::size_t from, std::size_t to, Priority priority) {
    run_until(now);
    const FrameId id = pool.allocate();
    Frame& frame = pool[id];
    frame.kind = FrameKind::data;
    frame.frame_bytes = 1066;
    frame.priority = priority;
    frame.destination = HostId(to);
    frame.sequence = next_sequence_++;
    if (frame.sequence % 4 == 3) frame.kind = FrameKind::ack;
    if (!passes_) {
      node->receive(now, PortId(from), id);
    } else if (const FrameId passed_id = node->pass(now, PortId(from), id); passed_id.exists()) {
      ++passed;
      put(now, pool[passed_id].egress.index(), passed_id);
    }
    EXPECT_EQ(node->broken_invariant(), "");
    run_until(now);
  }
  /// Transmits all frames that may be sent until `end`, each when its wire is free.
  void run_until(Time end) {
    for (std::size_t port = 0; port < 4; ++port) {
      while (free_at_[port] <= end && node->port(PortId(port)).has_ready()) {
        const Time now = std::max(free_at_[port], last_call_);
        const FrameId id = node->transmit(now, PortId(port));
        put(now, port, id);
      }
    }
    last_call_ = end;
    node->clear_ready();
  }
  void put(Time now, std::size_t port, FrameId id) {
    sent.push_back({now, port, pool[id].sequence});
    pool.release(id);
    free_at_[port] = now + 80_ns;
    node->occupy(PortId(port), free_at_[port]);
  }

  FramePool pool{1024};
  std::unique_ptr<Switch> node;
  Pauser* pauser;
  LengthWatch* length_watch;
  std::vector<Sent> sent;
  int passed = 0;

 private:
  bool passes_;
  std::vector<Time> free_at_ = std::vector<Time>(4);
  Time last_call_;
  std::uint32_t next_sequence_ = 0;
};

RC_GTEST_PROP(SwitchPass, IsReceiveAndTransmitInOne, ()) {
  const bool classifies = *rc::gen::arbitrary<bool>();
  Driver plain(false, classifies);
  Driver passing(true, classifies);
  Time now;
  for (int i = 0; i < 200; ++i) {
    now = now + Duration::picoseconds(1000 * *rc::gen::inRange<std::int64_t>(1, 60));
    const auto from = *rc::gen::inRange<std::size_t>(0, 4);
    const auto to = *rc::gen::inRange<std::size_t>(0, 4);
    const Priority priority = *rc::gen::arbitrary<bool>() ? kLossless : kLossy;
    plain.receive(now, from, to, priority);
    passing.receive(now, from, to, priority);
  }
  for (std::size_t to = 0; to < 4; ++to) {  // twice, with all wires known and free
    for (int i = 0; i < 2; ++i) {
      now = now + 1_ms;
      plain.receive(now, 0, to, kLossless);
      passing.receive(now, 0, to, kLossless);
    }
  }
  RC_ASSERT(passing.passed >= 4);
  RC_ASSERT(plain.sent == passing.sent);
  RC_ASSERT(plain.pauser->lengths == passing.pauser->lengths);
  RC_ASSERT(plain.pauser->pauses == passing.pauser->pauses);
  RC_ASSERT(plain.length_watch->seen == passing.length_watch->seen);
  RC_ASSERT(plain.node->buffer().maximum == passing.node->buffer().maximum);
  RC_ASSERT(plain.node->frames_held() == 0u);
  RC_ASSERT(passing.node->frames_held() == 0u);
  for (std::size_t port = 0; port < 4; ++port) {
    RC_ASSERT(plain.node->port(PortId(port)).frames_sent == passing.node->port(PortId(port)).frames_sent);
    RC_ASSERT(plain.node->port(PortId(port)).bytes_sent == passing.node->port(PortId(port)).bytes_sent);
  }
}

TEST(SwitchPass, GivesNothingUntilTheDriverSaysThatAWireIsFree) {
  TestSwitch at;
  const FrameId id = at.make(1, kLossless);
  EXPECT_FALSE(at.node->pass(at.now, PortId(0), id).exists());
  EXPECT_EQ(at.next(1), 0);
}

/// Sends a control frame at port 1 when its timer expires.
class Clock final : public FlowControl {
 public:
  void attach(SwitchContext& context) override { context.arm(context.new_timer(*this), Time() + 1_us); }
  void on_timer(SwitchContext& context, TimerId) override {
    const FrameId id = context.frames().allocate();
    context.frames()[id].kind = FrameKind::pfc;
    context.send(PortId(1), id);
  }
};

// Like receive(), it runs expired timers before it determines what may be sent.
TEST(SwitchPass, LetsATimerThatIsDueGoFirst) {
  FramePool pool(16);
  SwitchPolicies policies;
  policies.buffer = std::make_unique<Limits>();
  policies.flow_control.push_back(std::make_unique<Clock>());
  Switch node(pool, config_of(), std::move(policies));
  Routes routes(4);
  const PortId out(1);
  routes.set_group(HostId(1), routes.add_group({&out, 1}));
  node.install(std::move(routes));
  node.occupy(out, Time());

  const Time now = Time() + 1_us;
  const FrameId data = pool.allocate();
  pool[data].frame_bytes = 1066;
  pool[data].priority = kLossless;
  pool[data].destination = HostId(1);
  EXPECT_FALSE(node.pass(now, PortId(0), data).exists());
  const FrameId first = node.transmit(now, out);
  EXPECT_EQ(pool[first].kind, FrameKind::pfc);
  EXPECT_EQ(node.transmit(now, out), data);
}

}  // namespace
}  // namespace weir::testing_switch::pass_test
