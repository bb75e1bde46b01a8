// SPDX-License-Identifier: Apache-2.0
// A switch with Pyrrha for its tests: frames move when a test says so, and paths are what a test says.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/testing/fake_switch.h"
#include "schemes/pyrrha/message.h"
#include "schemes/pyrrha/pyrrha.h"
#include "schemes/pyrrha/pyrrha_switch.h"

namespace weir::pyrrha {

using Values = std::vector<std::pair<std::string_view, ParameterValue>>;
using State = PyrrhaSwitch::State;

inline constexpr int kFull = 47;  ///< packets of a Node above K_pause: 50,102 of 50,000 bytes
inline constexpr int kHalf = 23;  ///< packets of a Node below K_resume: 24,518 of 25,000 bytes

inline Parameters parameters_with(const Values& values) {
  Parameters parameters(scheme.parameters);
  for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
  return parameters;
}

/// Paths by destination, whatever the source and the egress.
class FakePaths final : public PathView {
 public:
  /// Of a network of 64 switches with 64 ports.
  [[nodiscard]] bool exists(Hop hop) const override { return hop.node.value < 64 && hop.port.value < 64; }
  std::size_t beyond(SwitchId node, PortId egress, const FlowKey& key, std::span<Hop> out) const override {
    return copy(key, after({node, egress}, key), predictable, out);
  }
  /// From the destination itself: the last hop; from any other host: all of them.
  std::size_t from_host(HostId source, const FlowKey& key, std::span<Hop> out) const override {
    const auto found = hops.find(key.destination.value);
    const bool last = found != hops.end() && source == key.destination;
    return copy(key, last ? found->second.size() - 1 : 0, last ? kMaximumHops : predictable, out);
  }
  [[nodiscard]] std::uint64_t version() const override { return changes; }
  [[nodiscard]] bool drains_slowly(HostId host) const override { return slow.contains(host.value); }
  [[nodiscard]] bool any_drains_slowly() const override { return !slow.empty(); }
  std::map<std::uint32_t, std::vector<Hop>> hops;
  std::set<std::uint32_t> slow;            ///< hosts
  std::uint64_t changes = 0;               ///< of routes
  std::size_t predictable = kMaximumHops;  ///< further hops beyond a port do not follow from configuration

 private:
  /// The number of hops up to this one; zero: it is not on the path.
  [[nodiscard]] std::size_t after(Hop hop, const FlowKey& key) const {
    const auto found = hops.find(key.destination.value);
    if (found == hops.end()) return 0;
    const auto at = std::find(found->second.begin(), found->second.end(), hop);
    return at == found->second.end() ? 0 : static_cast<std::size_t>(at - found->second.begin()) + 1;
  }
  std::size_t copy(const FlowKey& key, std::size_t skip, std::size_t most, std::span<Hop> out) const {
    const auto found = hops.find(key.destination.value);
    if (found == hops.end()) return 0;
    const std::size_t count = std::min({out.size(), found->second.size() - skip, most});
    std::copy_n(found->second.begin() + static_cast<std::ptrdiff_t>(skip), count, out.begin());
    return count;
  }
};

inline constexpr Priority kPriority = 3;
inline constexpr std::int64_t kPacket = 1066;
inline constexpr std::int64_t kProduct = 25'000;  ///< one-hop BDP of 100 Gbit/s and 1 us
/// Roots downstream of port 2: of the next switch, of the one after it, of the one after that.
inline constexpr Hop kNear{SwitchId(20), PortId(1)};
inline constexpr Hop kFar{SwitchId(30), PortId(2)};
inline constexpr Hop kFarthest{SwitchId(40), PortId(3)};
// Destinations: their paths beyond port 2.
inline constexpr std::size_t kToNear = 1;       ///< meets kNear only
inline constexpr std::size_t kToFar = 2;        ///< meets kFar only
inline constexpr std::size_t kToBoth = 3;       ///< meets kNear, kFar and kFarthest
inline constexpr std::size_t kToElsewhere = 4;  ///< meets none of them
inline constexpr std::size_t kBeside = 5;       ///< a host of the switch behind port 3

/// Switch 7. Ports 0 and 1 lead to switches upstream, 2 and 3 to switches downstream, 4 to a host; 100 Gbit/s, 1 us.
class Node {
 public:
  /// `slow`: hosts that drain slowly. `prepare` changes the switch before the policy sees it.
  explicit Node(const Values& values = {}, const std::set<std::uint32_t>& slow = {},
                const std::function<void(FakeSwitch&)>& prepare = {})
      : context(5, 1 << 12), made_(PyrrhaSwitch::make(Settings(parameters_with(values)))), policy(*made_) {
    context.set_id(kId);
    context.set_hosts(8);
    context.set_paths(&paths);
    paths.slow = slow;
    for (std::size_t port = 0; port < 4; ++port) {
      context.port_state(PortId(port)).peer.host = HostId::none();
      context.port_state(PortId(port)).peer.neighbour = SwitchId(port + 10);
    }
    const Hop elsewhere{SwitchId(20), PortId(9)};
    paths.hops[kToNear] = {kNear, {SwitchId(31), PortId(0)}};
    paths.hops[kToFar] = {elsewhere, kFar};
    paths.hops[kToBoth] = {kNear, kFar, kFarthest};
    paths.hops[kToElsewhere] = {elsewhere, {SwitchId(30), PortId(9)}};
    paths.hops[kBeside] = {{SwitchId(13), PortId(0)}};
    if (prepare) prepare(context);
    policy.attach(context);
  }

  /// So many packets arrive. Returns the queue that the last one enters.
  QueueId receive(std::size_t in, std::size_t out, std::size_t to, int count = 1) {
    QueueId queue;
    for (int i = 0; i < count; ++i) {
      Frame& frame = context.new_frame(PortId(in), PortId(out), kPriority);
      frame.destination = HostId(to);
      frame.sequence = ++made;
      queue = policy.classify(context, frame);
      note_markers();
      push(queue, frame);
    }
    return queue;
  }
  /// The head of an isolation queue moves on. Returns the queue that it enters.
  QueueId serve(QueueId queue) {
    EXPECT_TRUE(context.gate_open(queue));
    Frame& frame = pop(queue);
    const QueueId next = policy.on_leave(context, queue, frame);
    push(next, frame);
    return next;
  }
  /// So many packets leave by the output queue of a port. Returns the sequence of the last one.
  std::uint32_t transmit(std::size_t port, int count = 1) {
    std::uint32_t last = 0;
    for (int i = 0; i < count; ++i) {
      Frame& frame = pop(output(port));
      last = frame.sequence;
      policy.on_depart(context, output(port), frame);
      context.frames().release(context.frames().id_of(frame));
    }
    return last;
  }
  /// The same from an isolation queue with one tier. It must be open.
  std::uint32_t transmit(QueueId queue, int count = 1) {
    std::uint32_t last = 0;
    for (int i = 0; i < count; ++i) {
      EXPECT_TRUE(context.gate_open(queue));
      Frame& frame = pop(queue);
      last = frame.sequence;
      policy.on_depart(context, queue, frame);
      context.frames().release(context.frames().id_of(frame));
    }
    EXPECT_EQ(policy.audit(context), "");
    return last;
  }
  /// The head of a queue is trimmed: it is withdrawn, and enters a queue again. Returns that queue.
  QueueId trim(QueueId queue) {
    Frame& frame = pop(queue);
    policy.on_withdraw(context, queue, frame);
    const QueueId next = policy.classify(context, frame);
    push(next, frame);
    EXPECT_EQ(policy.audit(context), "");
    return next;
  }
  /// Everything in an isolation queue moves on and leaves by the port.
  void drain(QueueId queue, std::size_t port) {
    while (!context.queue(queue).empty()) {
      EXPECT_EQ(serve(queue), output(port));
      transmit(port);
    }
  }
  /// All packets of a queue are lost.
  void lose(QueueId queue, DropReason reason) {
    while (!context.queue(queue).empty()) {
      Frame& frame = pop(queue);
      policy.on_drop(context, queue, frame, reason);
      context.frames().release(context.frames().id_of(frame));
    }
  }
  /// A link fails or recovers, as the switch core does it.
  void link(std::size_t port, bool up) {
    context.port_state(PortId(port)).up = up;
    for (std::size_t queue = 0; queue < context.queues(); ++queue) {
      if (context.queue(QueueId(queue)).port == PortId(port)) {
        lose(QueueId(queue), DropReason::link_down);
        context.set_gate(QueueId(queue), 0, true);
      }
    }
    policy.on_link(context, PortId(port), up);
  }
  void hear(std::size_t port, Kind kind, Hop root, Hop successor = {SwitchId(99), PortId(9)}) {
    const FrameId id = make_message(context.frames(), context.framing(), {kind, root_of(root), root_of(successor)});
    EXPECT_TRUE(policy.on_control(context, PortId(port), context.frames()[id]));
    note_markers();
    context.frames().release(id);
    EXPECT_EQ(policy.audit(context), "");
  }
  /// What was sent by this port since the last call.
  std::vector<Message> said(std::size_t port) {
    for (const FakeSwitch::Sent& sent : context.sent())
      messages_[sent.port.index()].push_back(*read_message(sent.frame));
    context.release_sent();
    EXPECT_EQ(policy.audit(context), "");
    return std::exchange(messages_[port], {});
  }

  [[nodiscard]] QueueId output(std::size_t port) const { return context.default_queue(PortId(port), kPriority); }
  [[nodiscard]] QueueId isolation(Hop root, std::size_t port = 2) const {
    return policy.queue_of(PortId(port), root_of(root));
  }
  [[nodiscard]] std::optional<State> state(Hop root, std::size_t port = 2) const {
    return policy.state_of(PortId(port), root_of(root));
  }
  [[nodiscard]] std::size_t in_use(std::size_t port = 2) const { return policy.queues().in_use(PortId(port)); }
  [[nodiscard]] double statistic(std::string_view name) const {
    const auto all = policy.statistics();
    for (std::size_t which = 0; which < all.size(); ++which) {
      if (all[which].name == name) return policy.statistic(which, PortId(2), 0).value;
    }
    ADD_FAILURE() << name;
    return 0;
  }

  static constexpr SwitchId kId{7};
  FakePaths paths;
  FakeSwitch context;

 private:
  std::unique_ptr<PyrrhaSwitch> made_;

 public:
  PyrrhaSwitch& policy;
  std::uint32_t made = 0;

 private:
  /// An order marker in a queue, and the packets that stand before it.
  struct Marker {
    QueueId queue;
    std::uint32_t token;
    std::uint32_t before;
  };
  void note_markers() {
    for (; markers_seen_ < context.markers().size(); ++markers_seen_) {
      const FakeSwitch::Marker& marker = context.markers()[markers_seen_];
      EXPECT_FALSE(context.queue(marker.queue).empty());
      markers_.push_back({marker.queue, marker.token, context.queue(marker.queue).frames});
    }
  }
  void push(QueueId id, Frame& frame) {
    const FrameId number = context.frames().id_of(frame);
    QueueState& queue = context.queue_state(id);
    frame.next = FrameId::none();
    (queue.empty() ? queue.head : context.frames()[queue.tail].next) = number;
    queue.tail = number;
    ++queue.frames;
    queue.bytes += frame.charged_bytes;
    policy.on_enter(context, id, frame);
  }
  Frame& pop(QueueId id) {
    QueueState& queue = context.queue_state(id);
    Frame& frame = context.frames()[queue.head];
    queue.head = frame.next;
    --queue.frames;
    queue.bytes -= frame.charged_bytes;
    for (std::size_t i = 0; i < markers_.size(); ++i) {
      if (markers_[i].queue != id || --markers_[i].before > 0) continue;
      const Marker marker = markers_[i];
      markers_.erase(markers_.begin() + static_cast<std::ptrdiff_t>(i--));
      policy.on_marker(context, marker.queue, marker.token);
    }
    return frame;
  }
  std::vector<Marker> markers_;
  std::size_t markers_seen_ = 0;
  std::map<std::size_t, std::vector<Message>> messages_;
};

/// The root of a host, as messages name it.
inline Hop host_root(std::uint32_t host) {
  return {SwitchId(kHostRoot | host), PortId(0)};
}
/// An own root of the switch, and the messages that name it.
inline Hop own(std::size_t port) {
  return {Node::kId, PortId(port)};
}
inline std::vector<Message> only(Kind kind, Hop root) {
  return {{kind, root_of(root), 0}};
}
inline std::vector<Message> merged(Hop root, Hop successor) {
  return {{Kind::merge, root_of(root), root_of(successor)}};
}
inline const std::vector<Message> kNothing;

}  // namespace weir::pyrrha
