// SPDX-License-Identifier: Apache-2.0
// A switch with scripted policies, for the tests of the switch core.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "switch/switch.h"

namespace weir::testing_switch {

inline constexpr Priority kLossy = 1;
inline constexpr Priority kLossless = 3;

/// Thresholds that are set by a test.
class Thresholds final : public BufferPolicy {
 public:
  [[nodiscard]] std::int64_t xoff(const SwitchContext&, PortId, Priority) const override { return xoff_bytes; }
  [[nodiscard]] std::int64_t xon(const SwitchContext&, PortId, Priority) const override { return xon_bytes; }
  [[nodiscard]] std::int64_t egress_limit(const SwitchContext&, PortId, Priority) const override { return limit_bytes; }
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext&, const Frame& frame) const override { return !refuses(frame); }
  void on_pause(SwitchContext&, PortId ingress, Priority priority, bool paused) override {
    pauses.emplace_back(ingress, priority, paused);
  }

  std::int64_t xoff_bytes = 1'000'000;
  std::int64_t xon_bytes = 1'000'000;
  std::int64_t limit_bytes = 1'000'000;
  std::function<bool(const Frame&)> refuses = [](const Frame&) { return false; };
  std::vector<std::tuple<PortId, Priority, bool>> pauses;
};

/// A flow control that is scripted by a test and records its calls. It classifies, into the default queues unless
/// scripted otherwise.
class Script final : public Classifier {
 public:
  [[nodiscard]] Hooks hooks() const override { return {.arrival = false, .enter = true, .depart = true, .drop = true}; }
  void attach(SwitchContext& context) override {
    owner = context.new_gate_owner();
    for (TimerId& timer : timers) timer = context.new_timer(*this);
    if (on_attach) on_attach(queue_context(context));
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    return classify_to ? classify_to(frame) : Classifier::classify(context, frame);
  }
  QueueId on_leave(QueueContext& context, QueueId queue, Frame& frame) override {
    left.emplace_back(queue, frame.sequence, context.now());
    return leave_to ? leave_to(queue, frame) : Classifier::on_leave(context, queue, frame);
  }
  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override {
    entered.emplace_back(queue, frame.sequence);
    if (enter) enter(queue_context(context), queue);
  }
  void on_depart(SwitchContext&, QueueId, Frame& frame) override { departed.push_back(frame.sequence); }
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) override {
    dropped.push_back({frame.sequence, frame.charged_bytes, reason});
    if (drop) drop(context, frame);
  }
  void on_marker(QueueContext& context, QueueId queue, std::uint32_t token) override {
    markers.emplace_back(token, context.now());
    if (marker) marker(context, queue, token);
  }
  void on_timer(SwitchContext& context, TimerId timer) override {
    fired.emplace_back(timer, context.now());
    if (time) time(context, timer);
  }
  void on_more(SwitchContext& context) override {
    if (more) more(context);
  }
  bool on_control(SwitchContext&, PortId port, const Frame& frame) override {
    control.emplace_back(port, frame.protocol);
    return true;
  }
  void on_link(SwitchContext&, PortId port, bool up) override { links.emplace_back(port, up); }
  [[nodiscard]] std::uint64_t rank(const SwitchContext&, const Frame& frame) const override { return frame.tag_value; }
  [[nodiscard]] std::int64_t signalled_length(const SwitchContext& context, QueueId queue,
                                              const Frame& frame) const override {
    return signalled ? signalled(frame) : Classifier::signalled_length(context, queue, frame);
  }
  [[nodiscard]] std::int64_t carried_length(const SwitchContext& context, QueueId queue,
                                            const Frame& frame) const override {
    return carried ? carried(frame) : Classifier::carried_length(context, queue, frame);
  }

  std::function<void(QueueContext&)> on_attach;
  std::function<QueueId(const Frame&)> classify_to;
  std::function<QueueId(QueueId, const Frame&)> leave_to;
  std::function<void(QueueContext&, QueueId)> enter;
  std::function<void(SwitchContext&, const Frame&)> drop;
  std::function<void(QueueContext&, QueueId, std::uint32_t)> marker;
  std::function<void(SwitchContext&, TimerId)> time;
  std::function<void(SwitchContext&)> more;
  std::function<std::int64_t(const Frame&)> signalled;
  std::function<std::int64_t(const Frame&)> carried;

  struct Drop {
    std::uint32_t sequence;
    std::int64_t charged;
    DropReason reason;
    bool operator==(const Drop&) const = default;
  };
  GateOwner owner = 0;
  std::array<TimerId, 3> timers;
  std::vector<std::tuple<QueueId, std::uint32_t, Time>> left;
  std::vector<std::pair<QueueId, std::uint32_t>> entered;
  std::vector<std::uint32_t> departed;
  std::vector<Drop> dropped;
  std::vector<std::pair<std::uint32_t, Time>> markers;
  std::vector<std::pair<TimerId, Time>> fired;
  std::vector<std::pair<PortId, std::uint8_t>> control;
  std::vector<std::pair<PortId, bool>> links;
};

/// A second flow control, for gates and timers of another owner.
class Neighbour final : public FlowControl {
 public:
  void attach(SwitchContext& context) override { owner = context.new_gate_owner(); }
  GateOwner owner = 0;
};

/// Host n is behind port n.
inline SwitchConfig config_of(std::size_t ports = 4) {
  SwitchConfig config;
  config.id = SwitchId(0);
  config.maximum_frame = 1066;
  config.buffer = 1'000'000;
  config.pools[0] = 900'000;
  config.lossless[kLossless] = true;
  for (std::size_t port = 0; port < ports; ++port) {
    PortConfig settings;
    settings.rate = BitRate(100'000'000'000);
    settings.delay = Duration::picoseconds(1'000'000);
    settings.peer.host = HostId(port);
    config.ports.push_back(settings);
  }
  return config;
}

/// Calls a switch as a driver does, and checks all its accounts after each call.
class TestSwitch {
 public:
  explicit TestSwitch(const SwitchConfig& config = config_of(), std::function<void(QueueContext&)> on_attach = {},
                      std::size_t frames = 4096)
      : pool(frames) {
    auto buffer = std::make_unique<Thresholds>();
    auto flow_control = std::make_unique<Script>();
    auto other = std::make_unique<Neighbour>();
    thresholds = buffer.get();
    script = flow_control.get();
    neighbour = other.get();
    script->on_attach = std::move(on_attach);
    SwitchPolicies policies;
    policies.buffer = std::move(buffer);
    policies.flow_control.push_back(std::move(flow_control));
    policies.flow_control.push_back(std::move(other));
    build(config, std::move(policies));
  }
  /// With the test's own policies in place of the scripted ones.
  TestSwitch(const SwitchConfig& config, SwitchPolicies policies, std::size_t frames = 4096) : pool(frames) {
    build(config, std::move(policies));
  }

  /// A data frame in the pool.
  FrameId make(std::size_t to, Priority priority, std::int64_t bytes = 1066, std::uint32_t sequence = 0) {
    const FrameId id = pool.allocate();
    Frame& frame = pool[id];
    frame.kind = FrameKind::data;
    frame.frame_bytes = static_cast<std::uint16_t>(bytes);
    frame.priority = priority;
    frame.source = HostId(0);
    frame.destination = HostId(to);
    frame.sequence = sequence;
    return id;
  }
  /// A control frame in the pool.
  FrameId make_control(FrameKind kind, std::size_t to, Priority priority, std::int64_t bytes = 82,
                       std::uint32_t sequence = 0) {
    const FrameId id = make(to, priority, bytes, sequence);
    pool[id].kind = kind;
    return id;
  }
  void receive(std::size_t port, FrameId id) {
    node->receive(now, PortId(port), id);
    check();
  }
  /// A data frame that arrives at port 0; returns its number, counted from 0.
  std::uint32_t receive(std::size_t to, Priority priority, std::int64_t bytes = 1066, std::uint32_t rank = 0) {
    const FrameId id = make(to, priority, bytes, next_sequence_);
    pool[id].tag_value = rank;
    receive(0, id);
    return next_sequence_++;
  }
  /// The frame that a port sends now.
  std::optional<Frame> transmit(std::size_t port) {
    const FrameId id = node->transmit(now, PortId(port));
    check();
    if (!id.exists()) return std::nullopt;
    const Frame frame = pool[id];
    pool.release(id);
    return frame;
  }
  /// The number of the frame that a port sends now; -1 for none.
  std::int64_t next(std::size_t port) {
    const std::optional<Frame> frame = transmit(port);
    return frame ? std::int64_t{frame->sequence} : -1;
  }
  /// The numbers of all frames that a port sends now, as if its wire were infinitely fast.
  std::vector<std::uint32_t> drain(std::size_t port) {
    std::vector<std::uint32_t> sequences;
    for (std::optional<Frame> frame = transmit(port); frame; frame = transmit(port)) {
      sequences.push_back(frame->sequence);
    }
    return sequences;
  }
  /// Advances to `until`, and performs all due actions of the switch at their times.
  void run_until(Time until) {
    while (node->next_deadline() <= until) {
      now = std::max(now, node->next_deadline());
      node->advance(now);
      check();
    }
    now = until;
  }
  void run_for(Duration duration) { run_until(now + duration); }
  void link(std::size_t port, bool up) {
    node->link(now, PortId(port), up);
    check();
  }
  [[nodiscard]] bool became_ready(std::size_t port) const {
    const auto ports = node->ready_ports();
    return std::find(ports.begin(), ports.end(), PortId(port)) != ports.end();
  }
  [[nodiscard]] QueueId queue(std::size_t port, Priority priority) const {
    return node->default_queue(PortId(port), priority);
  }
  [[nodiscard]] const IngressState& ingress(std::size_t port, Priority priority) const {
    return node->ingress(PortId(port), priority);
  }
  /// A switch without frames uses no frame of the pool and no byte of the buffer.
  void expect_empty() const {
    EXPECT_EQ(node->frames_held(), 0u);
    EXPECT_EQ(pool.in_use(), 0u);
    EXPECT_EQ(node->buffer().used, 0);
    EXPECT_EQ(node->buffer().pools[0].used, 0);
    EXPECT_EQ(node->buffer().pools[0].made, 0);
    for (std::size_t i = 0; i < node->ports(); ++i) EXPECT_EQ(node->port(PortId(i)).uncharged_bytes, 0);
  }

  FramePool pool;
  Time now;
  Thresholds* thresholds = nullptr;
  Script* script = nullptr;
  Neighbour* neighbour = nullptr;
  std::unique_ptr<Switch> node;

 private:
  void build(const SwitchConfig& config, SwitchPolicies policies) {
    node = std::make_unique<Switch>(pool, config, std::move(policies));
    Routes routes(config.ports.size());
    for (std::size_t host = 0; host < config.ports.size(); ++host) {
      const PortId port(host);
      routes.set_group(HostId(host), routes.add_group({&port, 1}));
    }
    node->install(std::move(routes));
  }
  void check() const { EXPECT_EQ(node->broken_invariant(), ""); }
  std::uint32_t next_sequence_ = 0;
};

}  // namespace weir::testing_switch
