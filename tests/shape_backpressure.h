// SPDX-License-Identifier: Apache-2.0
// The shape of BFC: flows get queues of their own while there are any, and a queue that is too long pauses the upstream
// queue from which its frames come (bfc 3.3).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "shape_lab.h"

namespace weir::shape {

inline constexpr std::uint8_t kBackpressureProtocol = 203;
inline constexpr std::size_t kBackpressureQueues = 4;  ///< of a port

class BackpressureSwitch : public Classifier {
 public:
  explicit BackpressureSwitch(Discipline discipline = Discipline::deficit_round_robin) : discipline_(discipline) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.enter = true;
    hooks.depart = true;
    hooks.drop = true;
    return hooks;
  }
  void attach(SwitchContext& context) override {
    owner_ = context.new_gate_owner();
    refresh_ = context.new_timer(*this);
    queue_context(context).set_discipline(3, discipline_);
    first_queue_ = context.queues();
    for (std::size_t port = 0; port < context.ports(); ++port) {
      for (std::size_t i = 0; i < kBackpressureQueues; ++i)
        queue_context(context).new_queue({.port = PortId(port), .priority = 3});
      round_trip_ = std::max(round_trip_, context.hop_round_trip(PortId(port)));
    }
    ports_.resize(context.ports());
    flows_.resize(context.ports() * kFlows);
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    if (frame.kind != FrameKind::data || frame.priority != 3)
      return context.default_queue(frame.egress, frame.priority);
    const std::size_t row = flow_hash(HashKind::mix, 1, FlowKey::of(frame)) % kFlows;
    Flow& flow = flows_[frame.egress.index() * kFlows + row];
    if (!has_queue(context, flow)) flow.queue = choose_queue(context, frame);
    ++flow.frames;
    flow.touched = context.now();
    Meta meta;
    meta.row = static_cast<std::uint16_t>(row);
    meta.upstream = frame.tag;
    meta.epoch = ports_[frame.ingress.index()].epoch;
    frame.own = meta.packed();
    return queue(frame.egress, flow.queue);
  }
  void on_enter(SwitchContext& context, QueueId id, Frame& frame) override {
    if (id.index() < first_queue_) return;
    const std::int64_t threshold = threshold_at(context, frame.egress);
    least_threshold = std::min(least_threshold, threshold);
    most_threshold = std::max(most_threshold, threshold);
    Meta meta = Meta::of(frame);
    if (context.queue(id).bytes <= threshold || meta.upstream == 0) return;
    meta.counted = 1;
    frame.own = meta.packed();
    if (ports_[frame.ingress.index()].counts[meta.upstream - 1u]++ == 0) tell(context, frame.ingress);
  }
  void on_depart(SwitchContext& context, QueueId id, Frame& frame) override {
    if (id.index() < first_queue_) return;
    forget(context, frame);
    frame.tag = static_cast<std::uint16_t>((id.index() - first_queue_) % kBackpressureQueues + 1);
  }
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason) override {
    if (frame.charged_bytes > 0 && frame.kind == FrameKind::data && frame.priority == 3) forget(context, frame);
  }
  [[nodiscard]] std::uint64_t rank(const SwitchContext&, const Frame& frame) const override { return frame.tag_value; }
  void on_timer(SwitchContext& context, TimerId) override {
    bool any = false;
    for (std::size_t port = 0; port < ports_.size(); ++port) {
      if (bitmap(ports_[port]) == 0) continue;
      any = true;
      send_bitmap(context, PortId(port));
    }
    refreshing_ = any;
    if (any) context.arm(refresh_, context.now() + kRefresh);
  }
  bool on_control(SwitchContext& context, PortId port, const Frame& frame) override {
    if (frame.protocol != kBackpressureProtocol) return false;
    for (std::size_t i = 0; i < kBackpressureQueues; ++i) {
      context.set_gate(queue(port, i), owner_, (frame.tag_value >> i & 1) == 0);
    }
    return true;
  }
  void on_link(SwitchContext&, PortId port, bool) override {
    Port& state = ports_[port.index()];
    ++state.epoch;  // earlier frames are no longer counted
    state.counts.fill(0);
  }

  /// Upstream queues that are paused, and the frames counted for flows.
  [[nodiscard]] std::uint64_t left_over() const {
    std::uint64_t left = 0;
    for (const Port& port : ports_) left += bitmap(port);
    for (const Flow& flow : flows_) left += flow.frames;
    return left;
  }

  std::uint64_t pauses = 0;
  std::uint64_t shared = 0;  ///< flows that found no free queue
  std::int64_t least_threshold = INT64_MAX;
  std::int64_t most_threshold = 0;

 private:
  static constexpr std::size_t kFlows = 400;  // rows of the flow table per port
  static constexpr Duration kRefresh = Duration::picoseconds(50'000'000);

  struct Flow {
    std::uint32_t frames = 0;
    std::size_t queue = 0;
    Time touched = Time::picoseconds(-1'000'000'000'000);
  };
  struct Port {
    std::array<std::uint32_t, kBackpressureQueues> counts{};  // frames over the threshold, by upstream queue
    std::uint8_t epoch = 0;
  };
  /// State of a frame in this switch, in Frame::own.
  struct Meta {
    std::uint16_t row = 0;
    std::uint16_t upstream = 0;  // number of its queue plus one; zero for none
    std::uint8_t epoch = 0;
    std::uint8_t counted = 0;
    [[nodiscard]] std::uint64_t packed() const {
      return row | std::uint64_t{upstream} << 16 | std::uint64_t{epoch} << 32 | std::uint64_t{counted} << 40;
    }
    static Meta of(const Frame& frame) {
      Meta meta;
      meta.row = static_cast<std::uint16_t>(frame.own);
      meta.upstream = static_cast<std::uint16_t>(frame.own >> 16);
      meta.epoch = static_cast<std::uint8_t>(frame.own >> 32);
      meta.counted = static_cast<std::uint8_t>(frame.own >> 40);
      return meta;
    }
  };

  [[nodiscard]] QueueId queue(PortId port, std::size_t number) const {
    return QueueId(first_queue_ + port.index() * kBackpressureQueues + number);
  }
  /// A flow keeps its queue for a while after its last frame.
  [[nodiscard]] bool has_queue(const SwitchContext& context, const Flow& flow) const {
    return flow.frames > 0 || context.now() - flow.touched <= 2 * round_trip_;
  }
  std::size_t choose_queue(SwitchContext& context, const Frame& frame) {
    std::array<bool, kBackpressureQueues> taken{};
    for (std::size_t row = 0; row < kFlows; ++row) {
      const Flow& flow = flows_[frame.egress.index() * kFlows + row];
      if (has_queue(context, flow)) taken[flow.queue] = true;
    }
    const auto free = std::find(taken.begin(), taken.end(), false);
    if (free != taken.end()) return static_cast<std::size_t>(free - taken.begin());
    ++shared;
    return context.random().below(kBackpressureQueues);
  }
  /// A hop's bandwidth-delay product at a queue's fair share of the port.
  [[nodiscard]] std::int64_t threshold_at(const SwitchContext& context, PortId port) const {
    const PortState& state = context.port(port);
    return bytes_in(round_trip_, state.rate).count() / std::max<std::int64_t>(1, state.active_queues);
  }
  void forget(SwitchContext& context, const Frame& frame) {
    const Meta meta = Meta::of(frame);
    Flow& flow = flows_[frame.egress.index() * kFlows + meta.row];
    --flow.frames;
    flow.touched = context.now();
    Port& port = ports_[frame.ingress.index()];
    if (meta.counted == 0 || meta.epoch != port.epoch) return;
    if (--port.counts[meta.upstream - 1u] == 0) tell(context, frame.ingress);
  }
  static std::uint32_t bitmap(const Port& port) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kBackpressureQueues; ++i) bits |= (port.counts[i] > 0 ? 1u : 0u) << i;
    return bits;
  }
  void tell(SwitchContext& context, PortId ingress) {
    ++pauses;
    send_bitmap(context, ingress);
    if (refreshing_) return;
    refreshing_ = true;
    context.arm(refresh_, context.now() + kRefresh);
  }
  void send_bitmap(SwitchContext& context, PortId ingress) {
    const FrameId id = context.frames().allocate();
    if (!id.exists()) return;  // the next refresh carries it
    Frame& frame = context.frames()[id];
    frame.kind = FrameKind::hop_control;
    frame.protocol = kBackpressureProtocol;
    frame.frame_bytes = context.framing().minimum_frame;
    frame.tag_value = bitmap(ports_[ingress.index()]);
    context.send(ingress, id);
  }

  Discipline discipline_;
  GateOwner owner_ = 0;
  TimerId refresh_;
  bool refreshing_ = false;
  std::size_t first_queue_ = 0;
  Duration round_trip_;  // of the longest hop
  std::vector<Port> ports_;
  std::vector<Flow> flows_;  // by egress port
};

class RankedBackpressureSwitch : public BackpressureSwitch {
 public:
  RankedBackpressureSwitch() : BackpressureSwitch(Discipline::rank) {}
};

/// Assigns a queue pair to the NIC queue with the fewest users, and blocks it there.
class QueueNic : public NicFlowControl {
 public:
  void attach(NicContext& context) override {
    for (Queue& queue : queues_) queue.gate = context.new_gate();
  }
  [[nodiscard]] bool marks_sent() const override { return true; }
  GateId gate_of(NicContext&, SendState&) override {
    Queue& least = *std::min_element(queues_.begin(), queues_.end(),
                                     [](const Queue& a, const Queue& b) { return a.users < b.users; });
    ++least.users;
    return least.gate;
  }
  void on_close(NicContext&, const SendState&, GateId gate) override { --queues_[number_of(gate)].users; }
  void on_sent(NicContext&, SendState& sender, GateId gate, Frame& frame) override {
    frame.tag = static_cast<std::uint16_t>(number_of(gate) + 1);
    frame.tag_value = static_cast<std::uint32_t>(std::min<std::int64_t>(sender.remaining(), UINT32_MAX));
  }
  bool on_control(NicContext& context, const Frame& frame) override {
    if (frame.protocol != kBackpressureProtocol) return false;
    ++heard;
    for (std::size_t i = 0; i < kBackpressureQueues; ++i) {
      context.set_gate(queues_[i].gate, (frame.tag_value >> i & 1) == 0);
    }
    return true;
  }

  std::uint64_t heard = 0;
  std::uint64_t moved = 0;  ///< queue pairs that had nothing to send
  /// Queue pairs that have a queue.
  [[nodiscard]] std::uint64_t users() const {
    std::uint64_t users = 0;
    for (const Queue& queue : queues_) users += queue.users;
    return users;
  }

 protected:
  struct Queue {
    GateId gate;
    std::uint64_t users = 0;
  };
  /// Moves a queue pair to the next queue, and returns that.
  GateId move_on(NicContext& context, SendState& sender, GateId from) {
    const std::size_t number = number_of(from);
    Queue& next = queues_[(number + 1) % kBackpressureQueues];
    --queues_[number].users;
    ++next.users;
    ++moved;
    context.move_to_gate(sender, *this, next.gate);
    return next.gate;
  }

 private:
  [[nodiscard]] std::size_t number_of(GateId gate) const { return gate.index() - queues_[0].gate.index(); }
  std::array<Queue, kBackpressureQueues> queues_;
};

/// The same; additionally, a queue pair that has had nothing to send for a while is moved to another queue, as BFC
/// assigns a new queue to a flow that was idle (bfc 3.3).
class MovingQueueNic : public QueueNic {
 public:
  void attach(NicContext& context) override {
    QueueNic::attach(context);
    look_ = context.new_timer(*this);
  }
  GateId gate_of(NicContext& context, SendState& sender) override {
    context.arm(look_, context.now() + kLook);
    const GateId gate = QueueNic::gate_of(context, sender);
    at_.push_back({sender.number, gate});
    return gate;
  }
  void on_close(NicContext& context, const SendState& sender, GateId gate) override {
    const auto place = find(sender);
    wrong += place->gate == gate ? 0 : 1;
    at_.erase(place);
    QueueNic::on_close(context, sender, gate);
  }
  void on_sent(NicContext& context, SendState& sender, GateId gate, Frame& frame) override {
    wrong += find(sender)->gate == gate ? 0 : 1;
    QueueNic::on_sent(context, sender, gate, frame);
  }
  void on_timer(NicContext& context, TimerId) override {
    for (Place& place : at_) {
      SendState* sender = context.sender(place.sender);
      if (sender->finished()) place.gate = move_on(context, *sender, place.gate);
    }
    if (!at_.empty()) context.arm(look_, context.now() + kLook);
  }

  std::uint64_t wrong = 0;  ///< times that the core named another gate than that of the queue pair

 private:
  static constexpr Duration kLook = Duration::picoseconds(7'000'000);
  struct Place {
    QueuePairId sender;
    GateId gate;
  };
  std::vector<Place>::iterator find(const SendState& sender) {
    return std::find_if(at_.begin(), at_.end(), [&](const Place& place) { return place.sender == sender.number; });
  }
  TimerId look_;
  std::vector<Place> at_;
};

/// They have their usual positions: Frame::tag and Frame::tag_value.
inline constexpr HeaderField kUpstreamQueue{"upstream queue", 2, FrameKinds(FrameKind::data), HeaderField::Reach::hop};
inline constexpr HeaderField kRemaining{"remaining", 4, FrameKinds(FrameKind::data), HeaderField::Reach::end_to_end};

/// `Fake` is BackpressureSwitch or derived from it, `Mirror` QueueNic or derived from it.
template <class Fake, class Mirror = QueueNic>
const Scheme& backpressure() {
  static const Scheme scheme = {.name = "backpressure",
                                .summary = "pauses of upstream queues",
                                .traits = {.claims_own = true, .protocol = kBackpressureProtocol},
                                .fields = {&kUpstreamQueue, &kRemaining},
                                .parameters = {},
                                .flow_control = make<FlowControl, Fake>,
                                .nic_flow_control = make<NicFlowControl, Mirror>};
  return scheme;
}

/// Racks of four below two spines.
inline Topology backpressure_network() {
  using namespace literals;
  LeafSpineSettings network;
  network.tors = 3;
  network.hosts_per_tor = 4;
  network.spines = 2;
  network.host_link = {100_Gbps, 1_us, 0};
  network.fabric_link = {200_Gbps, 1_us, 0};
  return built(build_leaf_spine(network));
}

}  // namespace weir::shape
