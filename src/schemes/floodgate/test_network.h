// SPDX-License-Identifier: Apache-2.0
// Switches with Floodgate and links between them, for its tests: frames move when a test says so.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/testing/fake_switch.h"
#include "schemes/floodgate/floodgate.h"
#include "schemes/floodgate/floodgate_switch.h"
#include "schemes/floodgate/message.h"

namespace weir::floodgate {

using Values = std::vector<std::pair<std::string_view, ParameterValue>>;

inline Parameters parameters_with(const Values& values) {
  Parameters parameters(scheme.parameters);
  for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
  return parameters;
}

inline Duration us(std::int64_t count) {
  return Duration::picoseconds(count * 1'000'000);
}

inline constexpr Priority kPriority = 3;
/// A full packet on the wire: 1,066 bytes and 20.
inline constexpr std::int64_t kPacket = 1086;

/// What crosses a link.
struct OnWire {
  Frame frame;
  std::vector<Credit> listed;  ///< of a list of credits
};

/// A switch. Hosts are behind its ports unless connect() says otherwise; all links have 100 Gbit/s and 1 us.
class Node {
 public:
  Node(std::size_t ports, const Values& values, std::size_t hosts = 64)
      : context(ports, 1 << 14), policy(Settings(parameters_with(values))), wires(ports) {
    context.set_hosts(hosts);
    context.set_on_release([this](QueueId queue) { move_on(queue); });
    announced_ = Settings(parameters_with(values)).announced();
    for (std::size_t port = 0; port < ports; ++port) {
      context.port_state(PortId(port)).peer.announced = {{kProtocol, announced_}};
    }
  }
  /// Port `port` leads to a switch of the same kind, one tier below or above.
  Node& faces_switch(std::size_t port, bool above = false) {
    Peer& peer = context.port_state(PortId(port)).peer;
    peer.host = HostId::none();
    peer.neighbour = SwitchId(port);
    peer.above = above;
    return *this;
  }
  /// One of the same tier.
  Node& faces_sibling(std::size_t port) {
    faces_switch(port);
    context.port_state(PortId(port)).peer.beside = true;
    return *this;
  }
  Node& attach() {
    policy.attach(context);
    return *this;
  }

  /// A packet comes in at `in` for host `to` and is routed to `out`. `field`: what its sender wrote.
  Frame& receive(std::size_t in, std::size_t out, std::size_t to, std::uint32_t field = 0,
                 std::uint16_t payload = 1000) {
    Frame& frame = make(in, out, to, field, payload);
    enter(frame);
    return frame;
  }
  void enter(Frame& frame) {
    push(policy.classify(context, frame), frame);
    settle();
  }
  Frame& make(std::size_t in, std::size_t out, std::size_t to, std::uint32_t field = 0, std::uint16_t payload = 1000) {
    Frame& frame = context.new_frame(PortId(in), PortId(out), kPriority);
    frame.source = HostId(in);
    frame.destination = HostId(to);
    frame.sequence = ++made;
    frame.tag_value = field;
    frame.payload_bytes = payload;
    frame.frame_bytes = frame.charged_bytes = context.framing().data(payload);
    return frame;
  }
  /// The next packet leaves by this port: of its FIFO, or else of a VOQ there whose gate is open, by turns. False: none
  /// can.
  bool transmit(std::size_t port) {
    const QueueId fifo = context.default_queue(PortId(port), kPriority);
    if (!context.queue(fifo).empty()) return send_from(fifo), true;
    for (std::size_t turn = 0; turn < context.queues(); ++turn) {
      const QueueId id((turn + turn_) % context.queues());
      const QueueState& queue = context.queue(id);
      if (queue.port != PortId(port) || queue.empty() || queue.closed_by != 0) continue;
      turn_ = id.index() + 1;
      return send_from(id), true;
    }
    return false;
  }
  /// Everything that may leave by the port does; gives the sequences of the packets.
  std::vector<std::uint32_t> drain(std::size_t port) {
    const std::size_t before = wires[port].size();
    while (transmit(port)) {
    }
    std::vector<std::uint32_t> out;
    for (std::size_t i = before; i < wires[port].size(); ++i) {
      if (wires[port][i].frame.kind == FrameKind::data) out.push_back(wires[port][i].frame.sequence);
    }
    return out;
  }
  /// The first packet of a queue is lost.
  void lose_first(QueueId queue) {
    Frame& frame = pop(queue);
    policy.on_drop(context, queue, frame, DropReason::link_down);
    context.frames().release(context.frames().id_of(frame));
    settle();
  }
  /// The last packet of a queue is lost.
  void lose_last(QueueId queue) {
    std::vector<Frame*> kept;
    while (context.queue(queue).frames > 1) kept.push_back(&pop(queue));
    Frame& frame = pop(queue);
    for (Frame* other : kept) push(queue, *other);
    policy.on_drop(context, queue, frame, DropReason::link_down);
    context.frames().release(context.frames().id_of(frame));
    settle();
  }
  /// A link fails, or comes back: as the switch core does it.
  void link(std::size_t port, bool up) {
    context.port_state(PortId(port)).up = up;
    for (std::size_t queue = 0; queue < context.queues(); ++queue) {
      while (context.queue(QueueId(queue)).port == PortId(port) && !context.queue(QueueId(queue)).empty()) {
        lose_first(QueueId(queue));
      }
    }
    policy.on_link(context, PortId(port), up);
    settle();
  }
  /// A control frame comes in.
  void hear(std::size_t port, Say say, const Credit& credit) {
    hear(port, make_message(context.frames(), context.framing(), say, credit));
  }
  void hear(std::size_t port, const std::vector<Credit>& credits) {
    hear(port, make_list(context.frames(), context.framing(), credits));
  }
  void hear(std::size_t port, FrameId id) {
    EXPECT_TRUE(policy.on_control(context, PortId(port), context.frames()[id]));
    context.frames().release(id);
    settle();
  }
  void wait(Duration time) {
    context.run_until(context.now() + time);
    settle();
  }

  /// What was said by this port since the last call and is still on its wire.
  std::vector<Credit> credits(std::size_t port) {
    std::vector<Credit> out;
    for (const OnWire& on : wires[port]) {
      if (on.frame.kind != FrameKind::hop_control) continue;
      if (on.frame.tag == static_cast<std::uint16_t>(Say::credits)) {
        out.insert(out.end(), on.listed.begin(), on.listed.end());
      } else if (on.frame.tag == static_cast<std::uint16_t>(Say::credit)) {
        out.push_back({on.frame.queue_pair.value, on.frame.tag_value, on.frame.sequence});
      }
    }
    std::erase_if(wires[port], [](const OnWire& on) { return on.frame.kind == FrameKind::hop_control; });
    return out;
  }
  /// The same of other messages: what and of which destination.
  std::vector<std::pair<Say, std::uint32_t>> said(std::size_t port) {
    std::vector<std::pair<Say, std::uint32_t>> out;
    for (const OnWire& on : wires[port]) {
      if (on.frame.kind == FrameKind::hop_control) {
        out.emplace_back(static_cast<Say>(on.frame.tag), on.frame.queue_pair.value);
      }
    }
    std::erase_if(wires[port], [](const OnWire& on) { return on.frame.kind == FrameKind::hop_control; });
    return out;
  }
  [[nodiscard]] QueueId fifo(std::size_t port) const { return context.default_queue(PortId(port), kPriority); }
  /// A VOQ with packets; there must be one.
  [[nodiscard]] QueueId voq_in_use() const {
    std::uint16_t number = 0;
    while (context.queue(policy.windows().voqs()[number].queue).empty()) ++number;
    return policy.windows().voqs()[number].queue;
  }
  /// Packets in VOQs.
  [[nodiscard]] std::size_t waiting() const {
    std::size_t packets = 0;
    for (std::size_t number = 0; number < policy.windows().voqs().size(); ++number) {
      packets += context.queue(policy.windows().voqs()[static_cast<std::uint16_t>(number)].queue).frames;
    }
    return packets;
  }
  [[nodiscard]] double statistic(std::string_view name) const {
    const auto all = policy.statistics();
    for (std::size_t which = 0; which < all.size(); ++which) {
      if (all[which].name == name) return policy.statistic(which, PortId::none(), 0).value;
    }
    ADD_FAILURE() << name;
    return 0;
  }

  /// Does what the hooks have asked for, moves what was sent to the wires, and looks whether all is right.
  void settle() {
    context.run_more();
    for (const FakeSwitch::Sent& sent : context.sent()) {
      OnWire on{sent.frame, {}};
      if (const auto message = read_message(context.frames(), context.frames()[sent.id])) {
        for (std::size_t i = 0; i < message->listed; ++i) on.listed.push_back(message->at(i));
      }
      wires[sent.port.index()].push_back(on);
    }
    context.release_sent();
    EXPECT_EQ(policy.audit(), "");
  }

  FakeSwitch context;
  FloodgateSwitch policy;
  std::vector<std::deque<OnWire>> wires;  ///< what has been sent by each port
  std::uint32_t made = 0;                 ///< packets

 private:
  void push(QueueId id, Frame& frame) {
    const FrameId number = context.frames().id_of(frame);
    QueueState& queue = context.queue_state(id);
    frame.next = FrameId::none();
    if (queue.empty()) {
      queue.head = number;
    } else {
      context.frames()[queue.tail].next = number;
    }
    queue.tail = number;
    ++queue.frames;
    queue.bytes += frame.charged_bytes;
  }
  Frame& pop(QueueId id) {
    QueueState& queue = context.queue_state(id);
    Frame& frame = context.frames()[queue.head];
    queue.head = frame.next;
    --queue.frames;
    queue.bytes -= frame.charged_bytes;
    return frame;
  }
  void move_on(QueueId id) {
    Frame& frame = pop(id);
    const QueueId next = policy.on_leave(context, id, frame);
    if (context.port(frame.egress).up) return push(next, frame);
    policy.on_drop(context, QueueId::none(), frame, DropReason::link_down);
    context.frames().release(context.frames().id_of(frame));
  }
  void send_from(QueueId id) {
    Frame& frame = pop(id);
    policy.on_depart(context, id, frame);
    wires[frame.egress.index()].push_back({frame, {}});
    context.frames().release(context.frames().id_of(frame));
    settle();
  }

  std::uint32_t announced_ = 0;
  std::size_t turn_ = 0;
};

/// A ToR with hosts behind ports 0 and 1, whose switches upwards are behind ports 2 and 3; a window of `window`
/// packets.
inline std::unique_ptr<Node> tor(std::int64_t window, Values values = {}) {
  values.emplace_back("window", Bytes(window * kPacket));
  auto node = std::make_unique<Node>(4, values);
  node->faces_switch(2, true).faces_switch(3, true).attach();
  return node;
}

/// A switch among switches: ports 0 and 1 lead down, 2 and 3 up.
inline std::unique_ptr<Node> middle(std::int64_t window, Values values = {}) {
  values.emplace_back("window", Bytes(window * kPacket));
  auto node = std::make_unique<Node>(4, values);
  node->faces_switch(0).faces_switch(1).faces_switch(2, true).faces_switch(3, true).attach();
  return node;
}

}  // namespace weir::floodgate
