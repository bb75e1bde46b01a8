// SPDX-License-Identifier: Apache-2.0
// The shape of a transport whose receivers pull (NDP, Handley et al., SIGCOMM 2017): switches with short queues cut the
// payload off what does not fit and send headers ahead; a header that finds no room goes back to its sender; receivers
// pace pulls at the rate of their link; each packet takes a path of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "policy/packet_bitmap.h"
#include "shape_lab.h"

namespace weir::shape {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr std::uint8_t kProtocol = 213;
constexpr std::uint32_t kInitialWindow = 60;  // packets: more than a round trip of the networks here
constexpr Priority kData = 1;
constexpr Priority kHeaders = 7;
constexpr std::int64_t kPacketWire = 1'086;  // bytes on the wire with 1,000 of payload
constexpr BitRate kRate(100'000'000'000);

enum Kind : std::uint16_t { arrived, trimmed, pull };

/// A data queue of 8 frames and a header queue of `header_frames`, which is served ten times as often.
class TrimmingSwitch : public Classifier {
 public:
  explicit TrimmingSwitch(const Parameters& parameters)
      : header_frames_(static_cast<std::uint32_t>(parameters.get<std::int64_t>("headers"))) {}
  [[nodiscard]] Hooks hooks() const override { return {.drop = true, .rescue = true, .trim = true}; }
  void attach(SwitchContext& context) override {
    QueueContext& queues = queue_context(context);
    for (std::size_t port = 0; port < context.ports(); ++port) {
      headers_.push_back(
          queues.new_queue({.port = PortId(port), .priority = kHeaders, .weight = 10, .level = context.level(kData)}));
    }
    queues.set_discipline(kData, Discipline::weighted_round_robin);
  }
  [[nodiscard]] bool judges_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext& context, const Frame& frame) const override {
    if (frame.kind != FrameKind::data) return true;
    return context.queue(queue_of(context, frame)).frames < (frame.trimmed() ? header_frames_ : 8);
  }
  QueueId classify(QueueContext& context, Frame& frame) override { return queue_of(context, frame); }
  Rescue rescue(SwitchContext& context, const Frame& frame, DropReason) override {
    if (frame.trimmed()) {
      return {.kind = frame.returned() ? Rescue::Kind::none : Rescue::Kind::to_sender, .priority = kHeaders};
    }
    const bool tail = context.random().next() % 2 == 0;
    return {.kind = tail ? Rescue::Kind::trim_tail : Rescue::Kind::trim,
            .priority = kHeaders,
            .bytes = 64,
            .queue = context.default_queue(frame.egress, kData)};
  }
  void on_trim(SwitchContext&, QueueId, Frame&, std::int64_t) override { ++trims; }
  void on_drop(SwitchContext&, const Frame&, DropReason) override { ++drops; }
  std::uint64_t trims = 0;
  std::uint64_t drops = 0;

 private:
  // Control frames of the protocol share the queue of headers.
  [[nodiscard]] QueueId queue_of(const SwitchContext& context, const Frame& frame) const {
    const bool small = frame.trimmed() || frame.kind != FrameKind::data;
    return small ? headers_[frame.egress.index()] : context.default_queue(frame.egress, frame.priority);
  }
  std::uint32_t header_frames_;
  std::vector<QueueId> headers_;
};

class PullTransport : public Transport {
 public:
  struct Sending {
    std::uint32_t pulled = 0;    // the highest number of a pull
    std::uint32_t own = 0;       // packets that may go without one
    std::uint32_t released = 0;  // packets that pulls have released
    PacketBitmap arrived;
    PacketBitmap missing;  // to be sent again
    std::uint32_t lost = 0;
  };
  struct Receiving {
    PacketBitmap here;
    std::uint32_t came = 0;
    std::uint32_t packets = 0;  // zero: its last packet has not come
    std::uint32_t pulls = 0;    // sent
    std::uint32_t owed = 0;     // pulls that wait for their turn
  };

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sending); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(Receiving); }
  void attach(TransportContext& context) override { pacer_ = context.new_timer(*this); }
  void open(TransportContext&, SendState& sender) override { sender.congestion.emplace<Sending>(); }
  void open(TransportContext&, ReceiveState& receiver) override { receiver.congestion.emplace<Receiving>(); }
  void on_close(TransportContext&, ReceiveState& receiver) override { std::erase(waiting_, receiver.number); }
  void on_post(TransportContext& context, SendState&, const MessageView&) override { context.offer(kData, true); }

  ChosenPacket choose(TransportContext& context, Priority) override {
    struct Search {
      std::uint32_t after;
      SendState* next = nullptr;   // the first behind the last that sent
      SendState* first = nullptr;  // of all
    } search{last_};
    context.for_each_sender(
        [](void* out, SendState& sender) {
          Search& found = *static_cast<Search*>(out);
          if (!may_send(sender)) return;
          if (found.first == nullptr) found.first = &sender;
          if (found.next == nullptr && sender.number.value > found.after) found.next = &sender;
        },
        &search);
    SendState* sender = search.next != nullptr ? search.next : search.first;
    if (sender == nullptr) return {};
    last_ = sender->number.value;
    auto& state = sender->congestion.as<Sending>();
    // The first window is sent blindly; what lies beyond, and what is sent again, needs a pull.
    if (state.lost == 0 && sender->next < kInitialWindow) return {sender, sender->next};
    ++state.released;
    if (state.lost == 0) return {sender, sender->next};
    const std::uint32_t again = state.missing.first(sender->unacknowledged, sender->next);
    state.missing.erase(again);
    --state.lost;
    return {sender, again};
  }
  void on_sent(TransportContext& context, SendState& sender, Frame& frame) override {
    frame.entropy = static_cast<std::uint16_t>(context.random().next());
    context.arm(sender, context.now() + 1_ms);
  }

  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    auto& state = receiver.congestion.as<Receiving>();
    tell(context, receiver, data.trimmed() ? trimmed : arrived, data.sequence);
    if (data.ends_message()) state.packets = data.sequence + 1;
    if (!data.trimmed() && !state.here.contains(data.sequence)) {
      state.here.insert(data.sequence);
      context.keep(receiver, data.payload_bytes);
      if (++state.came == state.packets) context.complete_message(receiver);
    }
    if (state.packets != 0 && state.came == state.packets) {
      state.owed = 0;
      return;
    }
    if (state.owed++ == 0) waiting_.push_back(receiver.number);
    if (!pacing_) {
      next_pull_ = std::max(next_pull_, context.now());
      send_pulls(context);
    }
  }
  void on_timer(TransportContext& context, TimerId) override { send_pulls(context); }

  void on_returned(TransportContext& context, SendState& sender, const Frame& data) override {
    ++returned;
    lose(sender, data.sequence);
    // Nobody may be left to pull it.
    ++sender.congestion.as<Sending>().own;
    context.offer(kData, true);
  }
  bool on_feedback(TransportContext& context, const Frame& frame) override {
    if (frame.protocol != kProtocol) return false;
    SendState* sender = context.sender(frame.queue_pair);
    if (sender == nullptr) return true;
    auto& state = sender->congestion.as<Sending>();
    switch (static_cast<Kind>(frame.tag)) {
      case arrived:
        if (sequence_before(frame.tag_value, sender->unacknowledged)) break;
        state.arrived.insert(frame.tag_value);
        if (state.missing.contains(frame.tag_value)) {
          state.missing.erase(frame.tag_value);
          --state.lost;
        }
        while (state.arrived.contains(sender->unacknowledged)) {
          state.arrived.erase(sender->unacknowledged);
          context.acknowledge(*sender, sender->unacknowledged + 1);
        }
        if (sender->finished()) context.cancel(*sender);
        break;
      case trimmed:
        ++trims_heard;
        lose(*sender, frame.tag_value);
        break;
      case pull:
        state.pulled = std::max(state.pulled, frame.tag_value);
        break;
    }
    context.offer(kData, true);
    return true;
  }
  // The last resort.
  void on_sender_timer(TransportContext& context, SendState& sender) override {
    if (sender.finished()) return;
    ++timeouts;
    lose(sender, sender.unacknowledged);
    ++sender.congestion.as<Sending>().own;
    context.arm(sender, context.now() + 1_ms);
    context.offer(kData, true);
  }

  std::uint64_t trims_heard = 0;
  std::uint64_t returned = 0;
  std::uint64_t timeouts = 0;

 private:
  static bool may_send(const SendState& sender) {
    const auto& state = sender.congestion.as<Sending>();
    const bool pulled = state.pulled + state.own > state.released;
    if (state.lost > 0) return pulled;
    return sender.next != sender.end && (sender.next < kInitialWindow || pulled);
  }
  static void lose(SendState& sender, std::uint32_t sequence) {
    auto& state = sender.congestion.as<Sending>();
    if (sequence_before(sequence, sender.unacknowledged) || !sequence_before(sequence, sender.next)) return;
    if (state.arrived.contains(sequence) || state.missing.contains(sequence)) return;
    state.missing.insert(sequence);
    ++state.lost;
  }
  void tell(TransportContext& context, const ReceiveState& receiver, Kind kind, std::uint32_t value) {
    const FrameId id = context.new_control(receiver, kProtocol, kHeaders);
    if (!id.exists()) return;
    context.frames()[id].tag = kind;
    context.frames()[id].tag_value = value;
    context.frames()[id].entropy = static_cast<std::uint16_t>(context.random().next());
    context.send_to_host(id);
  }
  // One for the flow whose turn it is, and one more for each packet time that has passed since a timer was due.
  void send_pulls(TransportContext& context) {
    while (next_pull_ <= context.now() && !waiting_.empty()) {
      ReceiveState* receiver = context.receiver(waiting_.front());
      waiting_.pop_front();
      if (receiver == nullptr) continue;
      auto& state = receiver->congestion.as<Receiving>();
      if (state.owed == 0) continue;
      --state.owed;
      tell(context, *receiver, pull, ++state.pulls);
      if (state.owed > 0) waiting_.push_back(receiver->number);
      next_pull_ += time_to_send(Bytes(kPacketWire), context.rate());
    }
    pacing_ = next_pull_ > context.now();
    if (pacing_) context.arm(pacer_, next_pull_);
  }

  TimerId pacer_;
  Time next_pull_;
  bool pacing_ = false;  // the timer is armed
  std::deque<QueuePairId> waiting_;
  std::uint32_t last_ = 0;
};

const Scheme pulls = {
    .name = "pulls",
    .summary = "",
    .traits = {.protocol = kProtocol},
    .parameters = {{"headers", std::int64_t{1'000}, "", "", 1, 10'000}},
    .flow_control = make<FlowControl, TrimmingSwitch>,
    .transport = make<Transport, PullTransport>,
};

Settings with_pulls(Topology topology, std::int64_t headers = 1'000) {
  Settings settings = bare(std::move(topology));
  settings.switches.lossless = {};
  settings.switches.flow_control = {choose(pulls)};
  settings.switches.flow_control.front().parameters.set("headers", headers);
  settings.hosts.transport = choose(pulls);
  return settings;
}

std::vector<FlowSpec> incast(std::size_t senders, Bytes size) {
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) {
    flows.push_back(flow(host, senders, size));
    flows.back().priority = kData;
  }
  return flows;
}

Topology star(std::size_t hosts) {
  return built(build_single_switch({{{static_cast<int>(hosts), {100_Gbps, 500_ns}}}}));
}

void expect_whole(const Outcome& outcome, std::size_t flows) {
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), flows);
}

class PullShape : public BothDrivers {};

TEST_P(PullShape, LosesNothingInAnIncast) {
  constexpr std::size_t kSenders = 32;
  constexpr std::int64_t kPackets = 100;
  Settings settings = with_pulls(star(kSenders + 1));
  offer(settings, incast(kSenders, Bytes(kPackets * 1'000)));
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  lab.record(SwitchId(0));
  const Outcome outcome = lab.run();
  expect_whole(outcome, kSenders);
  EXPECT_EQ(outcome.drops, 0u);
  const TrimmingSwitch& node = Made<TrimmingSwitch>::at(0);
  EXPECT_GE(node.trims, (kSenders - 1) * kInitialWindow - 50) << "the first windows of all but one";
  EXPECT_LE(node.trims, 2 * (kSenders - 1) * kInitialWindow);
  std::uint64_t heard = 0;
  Duration last;
  for (std::size_t host = 0; host < kSenders; ++host) heard += Made<PullTransport>::at(host).trims_heard;
  for (const FlowRecord& record : outcome.flows) last = std::max(last, record.sender_completion);
  EXPECT_EQ(heard, node.trims) << "each is told of";
  EXPECT_EQ(outcome.retransmitted, node.trims);
  const Duration bound = time_to_send(Bytes(kSenders * kPackets * kPacketWire), kRate);
  EXPECT_GT(last, bound);
  EXPECT_LT(last, bound + bound / 10) << "the link is never idle";
  EXPECT_LT(lab.fabric().switch_by(SwitchId(0)).buffer().maximum, 100'000) << "8 packets and headers";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(PullShape, SendsHeadersBackThatFindNoRoom) {
  constexpr std::size_t kSenders = 32;
  Settings settings = with_pulls(star(kSenders + 1), 30);
  offer(settings, incast(kSenders, 60_KB));
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  lab.record(SwitchId(0));
  const Outcome outcome = lab.run();
  expect_whole(outcome, kSenders);
  EXPECT_EQ(outcome.drops, 0u);
  std::uint64_t returned = 0;
  std::uint64_t timeouts = 0;
  for (std::size_t host = 0; host < kSenders; ++host) {
    returned += Made<PullTransport>::at(host).returned;
    timeouts += Made<PullTransport>::at(host).timeouts;
  }
  EXPECT_GT(returned, 20u);
  EXPECT_EQ(timeouts, 0u) << "they are heard of at once";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(PullShape, AFlowAloneHasTheWholeLink) {
  Settings settings = with_pulls(star(2));
  offer(settings, incast(1, 1_MB));
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_whole(outcome, 1);
  EXPECT_EQ(Made<TrimmingSwitch>::at(0).trims, 0u);
  EXPECT_LT(outcome.completion(0), time_to_send(Bytes(1'000 * kPacketWire), kRate) + 8_us);
}

TEST_P(PullShape, PacketsTakeAllPaths) {
  // Two leaves with two hosts each and two spines: by paths of flows, two flows would share one link in half of all
  // runs; by paths of packets they never do for long.
  Settings settings = with_pulls(built(build_leaf_spine({.tors = 2,
                                                         .hosts_per_tor = 2,
                                                         .spines = 2,
                                                         .host_link = {100_Gbps, 500_ns},
                                                         .fabric_link = {100_Gbps, 500_ns},
                                                         .tor_oversubscription = {}})));
  std::vector<FlowSpec> flows = {flow(0, 2, 1_MB), flow(1, 3, 1_MB)};
  for (FlowSpec& spec : flows) spec.priority = kData;
  offer(settings, flows);
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_whole(outcome, 2);
  EXPECT_EQ(outcome.drops, 0u);
  const Duration alone = time_to_send(Bytes(1'000 * kPacketWire), kRate);
  EXPECT_LT(outcome.completion(0), alone + alone / 4);
  EXPECT_LT(outcome.completion(1), alone + alone / 4);
  const Switch& leaf = lab.fabric().switch_by(SwitchId(0));
  for (std::size_t port = 0; port < leaf.ports(); ++port) {
    if (leaf.port(PortId(port)).peer.is_host()) continue;
    EXPECT_GT(leaf.port(PortId(port)).frames_sent, 600u);
  }
}

TEST_P(PullShape, LossesOnLinksAreHealedByTheLastResort) {
  Topology topology = star(5);
  Settings settings = with_pulls(std::move(topology));
  offer(settings, incast(4, 300_KB));
  const Topology& built_topology = settings.network.topology;
  const LinkId link =
      built_topology.links_between(built_topology.node_of(HostId(1)), built_topology.node_of(SwitchId(0))).front();
  settings.network.failures = {{link, at(20_us), at(60_us)}};
  settings.network.failure_detection = 10_us;
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_whole(outcome, 4);
  EXPECT_GT(Made<PullTransport>::at(1).timeouts, 0u);
}

WEIR_BOTH_DRIVERS(PullShape);

}  // namespace
}  // namespace weir::shape
