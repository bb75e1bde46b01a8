// SPDX-License-Identifier: Apache-2.0
// The shape of a transport whose receivers grant (Homa, Montazeri et al., SIGCOMM 2018): a first round trip is sent at
// once, then what the receiver grants, to the messages that lack least; each packet has a priority of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policy/packet_bitmap.h"
#include "shape_lab.h"

namespace weir::shape {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr std::uint8_t kProtocol = 212;
constexpr std::uint32_t kBlind = 50;        // packets that are sent without a grant: a round trip and a half
constexpr std::size_t kOvercommitment = 2;  // messages that have grants at once, at a receiver
constexpr Duration kSilence = 200_us;

enum Kind : std::uint16_t { grant, resend, done };

/// How many packets the message has: its receiver ranks messages by that.
const HeaderField kMessageField = {.name = "message", .bytes = 4, .kinds = FrameKinds(FrameKind::data)};

class GrantTransport : public Transport {
 public:
  struct Sending {
    std::uint32_t granted = 0;
    std::uint32_t again = 0;  // packets [again, again_end) are to be sent again
    std::uint32_t again_end = 0;
    Priority priority = 1;  // of what is granted
  };
  struct Receiving {
    std::uint32_t packets = 0;  // zero: none has come
    std::uint32_t came = 0;
    std::uint32_t granted = 0;
    PacketBitmap here;
    [[nodiscard]] std::uint32_t lacks() const { return packets - came; }
  };

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sending); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(Receiving); }
  void attach(TransportContext& context) override { message_ = context.headers().place<std::uint32_t>(kMessageField); }
  void open(TransportContext&, SendState& sender) override { sender.congestion.emplace<Sending>().granted = kBlind; }
  void open(TransportContext&, ReceiveState& receiver) override { receiver.congestion.emplace<Receiving>(); }
  void on_close(TransportContext& context, SendState&) override { offer_next(context); }
  void on_post(TransportContext& context, SendState&, const MessageView&) override { offer_next(context); }
  void on_gates(TransportContext& context) override { offer_next(context); }

  ChosenPacket choose(TransportContext& context, Priority priority) override {
    SendState* sender = shortest(context);
    if (sender == nullptr || priority_of(*sender) != priority) return {};
    auto& state = sender->congestion.as<Sending>();
    const std::uint32_t sequence = state.again != state.again_end ? state.again++ : sender->next;
    return {sender, sequence};
  }
  void on_sent(TransportContext& context, SendState& sender, Frame& frame) override {
    message_.write(frame, sender.end);
    offer_next(context);
  }

  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    auto& state = receiver.congestion.as<Receiving>();
    if (state.packets == 0) {
      state.packets = message_.read(data);
      state.granted = std::min(kBlind, state.packets);
    }
    if (state.here.contains(data.sequence) || state.lacks() == 0) return tell(context, receiver, done, 0);
    state.here.insert(data.sequence);
    ++state.came;
    context.keep(receiver, data.payload_bytes);
    if (state.lacks() == 0) {
      context.cancel(receiver);
      context.complete_message(receiver);
      tell(context, receiver, done, 0);
    } else {
      context.arm(receiver, context.now() + kSilence);
    }
    give_grants(context);
  }
  void on_receiver_timer(TransportContext& context, ReceiveState& receiver) override {
    auto& state = receiver.congestion.as<Receiving>();
    std::uint32_t missing = 0;
    while (state.here.contains(missing)) ++missing;
    if (missing >= state.granted) return give_grants(context);  // a grant was lost, or waits for others
    std::uint32_t end = missing;
    while (end < state.granted && !state.here.contains(end)) ++end;
    tell(context, receiver, resend, missing | end << 16);
    ++resends;
    context.arm(receiver, context.now() + kSilence);
  }
  bool on_feedback(TransportContext& context, const Frame& frame) override {
    if (frame.protocol != kProtocol) return false;
    SendState* sender = context.sender(frame.queue_pair);
    if (sender == nullptr) return true;
    auto& state = sender->congestion.as<Sending>();
    switch (static_cast<Kind>(frame.tag)) {
      case grant:
        state.granted = std::max(state.granted, frame.tag_value & 0xffffff);
        state.priority = static_cast<Priority>(frame.tag_value >> 24);
        break;
      case resend:
        state.again = frame.tag_value & 0xffff;
        state.again_end = frame.tag_value >> 16;
        break;
      case done:
        context.acknowledge(*sender, sender->end);
        break;
    }
    offer_next(context);
    return true;
  }

  std::uint64_t resends = 0;
  std::size_t most_granted = 0;  ///< messages with packets granted that have not come

 private:
  static Priority priority_of(const SendState& sender) {
    const auto& state = sender.congestion.as<Sending>();
    if (sender.next < kBlind) return sender.end <= 10 ? 6 : 5;
    return state.priority;
  }
  static bool may_send(const TransportContext& context, const SendState& sender) {
    const auto& state = sender.congestion.as<Sending>();
    if (context.is_held(sender) || !context.is_open(priority_of(sender)) || sender.finished()) return false;
    return state.again != state.again_end || sender.next < std::min(state.granted, sender.end);
  }
  // Of the messages that may send, that which lacks least; of equals, that with the lower number.
  static SendState* shortest(TransportContext& context) {
    struct Best {
      TransportContext& context;
      SendState* sender;
    } best{context, nullptr};
    context.for_each_sender(
        [](void* out, SendState& sender) {
          Best& so_far = *static_cast<Best*>(out);
          if (!may_send(so_far.context, sender)) return;
          if (so_far.sender == nullptr || sender.end - sender.next < so_far.sender->end - so_far.sender->next) {
            so_far.sender = &sender;
          }
        },
        &best);
    return best.sender;
  }
  void offer_next(TransportContext& context) {
    const SendState* sender = shortest(context);
    const Priority next = sender == nullptr ? offered_ : priority_of(*sender);
    if (next != offered_) context.offer(offered_, false);
    offered_ = next;
    context.offer(offered_, sender != nullptr);
  }

  void tell(TransportContext& context, const ReceiveState& receiver, Kind kind, std::uint32_t value) {
    const FrameId id = context.new_control(receiver, kProtocol, 7);
    if (!id.exists()) return;
    context.frames()[id].tag = kind;
    context.frames()[id].tag_value = value;
    context.send_to_host(id);
  }
  // Those that lack least have a round trip's packets granted; the shortest at the highest priority of those granted.
  void give_grants(TransportContext& context) {
    std::vector<ReceiveState*> waiting;
    context.for_each_receiver(
        [](void* out, ReceiveState& receiver) {
          const auto& state = receiver.congestion.as<Receiving>();
          if (state.packets != 0 && state.lacks() != 0)
            static_cast<std::vector<ReceiveState*>*>(out)->push_back(&receiver);
        },
        &waiting);
    std::sort(waiting.begin(), waiting.end(), [](const ReceiveState* a, const ReceiveState* b) {
      const std::uint32_t left = a->congestion.as<Receiving>().lacks();
      const std::uint32_t right = b->congestion.as<Receiving>().lacks();
      return left != right ? left < right : a->number.value < b->number.value;
    });
    std::size_t open = 0;
    for (ReceiveState* receiver : waiting) {
      if (receiver->congestion.as<Receiving>().granted > receiver->congestion.as<Receiving>().came) ++open;
    }
    most_granted = std::max(most_granted, open);
    if (waiting.size() > kOvercommitment) waiting.resize(kOvercommitment);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      auto& state = waiting[i]->congestion.as<Receiving>();
      const std::uint32_t to = std::min(state.packets, state.came + kBlind);
      if (to <= state.granted) continue;
      state.granted = to;
      tell(context, *waiting[i], grant, to | static_cast<std::uint32_t>(kOvercommitment - i) << 24);
      context.arm(*waiting[i], context.now() + kSilence);
    }
  }

  InlineField<std::uint32_t> message_;
  Priority offered_ = 0;
};

const Scheme grants = {
    .name = "grants",
    .summary = "",
    .traits = {.protocol = kProtocol},
    .fields = {&kMessageField},
    .transport = make<Transport, GrantTransport>,
};

constexpr Duration kBaseTime = 5_us;  // above a round trip of an empty network

/// A switch with `hosts` hosts of 100 Gbit/s. All priorities are lossy; `egress_limit` bytes each.
Settings star(std::size_t hosts, Bytes egress_limit = 10_MB) {
  Settings settings = bare(built(build_single_switch({{{static_cast<int>(hosts), {100_Gbps, 500_ns}}}})));
  settings.switches.lossless = {};
  settings.switches.buffer_policy = choose("static_threshold");
  settings.switches.buffer_policy.parameters.set("egress_limit", egress_limit);
  settings.hosts.transport = choose(grants);
  return settings;
}

/// How long packets of this many bytes last at 100 Gbit/s, with 86 bytes beside each 1,000.
Duration wire_time(std::int64_t bytes) {
  return time_to_send(Bytes(bytes / 1'000 * 1'086), BitRate(100'000'000'000));
}

/// As expect_clean(), but for the order: packets of one message have several priorities.
void expect_whole(const Outcome& outcome, std::size_t flows) {
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), flows);
  EXPECT_EQ(outcome.drops, 0u);
  EXPECT_EQ(outcome.retransmitted, 0u);
}

class GrantShape : public BothDrivers {};

TEST_P(GrantShape, FinishesEqualMessagesOneByOne) {
  constexpr std::size_t kSenders = 8;
  constexpr std::int64_t kSize = 1'000'000;
  Settings settings = star(kSenders + 1);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kSenders; ++host) flows.push_back(flow(host, kSenders, Bytes(kSize)));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  const Outcome outcome = lab.run();
  expect_whole(outcome, kSenders);
  std::vector<Duration> times;
  for (const FlowRecord& record : outcome.flows) times.push_back(record.sender_completion);
  std::sort(times.begin(), times.end());
  // What all of them sent at once comes first. From then on the link is the shortest message's: the first is done when
  // that and the rest of it have come, the last when all has.
  const Duration rest = wire_time(kSize) - wire_time(kBlind * 1'000);
  for (std::size_t i = 0; i < kSenders; ++i) {
    const Duration expected = kSenders * wire_time(kBlind * 1'000) + (i + 1) * rest;
    EXPECT_GT(times[i], expected - 40_us) << "message " << i;
    EXPECT_LT(times[i], expected + 40_us) << "message " << i;
  }
  EXPECT_LT(times.back(), kSenders * wire_time(kSize) + kBaseTime + 5_us) << "the link is never idle";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(GrantShape, BoundsTheQueueByWhatIsGranted) {
  constexpr std::size_t kSenders = 8;
  Settings settings = star(kSenders + 1);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kSenders; ++host) flows.push_back(flow(host, kSenders, 1_MB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  expect_whole(lab.run(), kSenders);
  const std::int64_t most = lab.fabric().switch_by(SwitchId(0)).buffer().maximum;
  EXPECT_LE(most, static_cast<std::int64_t>(kSenders) * (kBlind + 1) * 1'066);
  EXPECT_GT(most, static_cast<std::int64_t>(kSenders - 1) * (kBlind - 10) * 1'066) << "the first round trip of each";
}

TEST_P(GrantShape, LetsShortMessagesPass) {
  Settings settings = star(5);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < 3; ++host) flows.push_back(flow(host, 4, 2_MB));
  flows.push_back(flow(3, 4, 5_KB, at(100_us)));  // while a queue waits
  offer(settings, flows);
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_whole(outcome, flows.size());
  EXPECT_LT(outcome.completion(3), kBaseTime) << "the highest priority of data";
}

TEST_P(GrantShape, SendsTheShortestMessageOfAHostFirst) {
  Settings settings = star(4);
  offer(settings, {flow(0, 1, 45_KB), flow(0, 2, 30_KB), flow(0, 3, 12_KB)});
  Lab lab(settings, GetParam());
  const Outcome outcome = lab.run();
  expect_whole(outcome, 3);
  EXPECT_LT(outcome.completion(2), wire_time(13'000) + kBaseTime);
  EXPECT_LT(outcome.completion(1), wire_time(43'000) + kBaseTime);
  EXPECT_GT(outcome.completion(0), wire_time(87'000));
}

TEST_P(GrantShape, AsksAgainForWhatIsLost) {
  constexpr std::size_t kSenders = 12;
  Settings settings = star(kSenders + 1, 100_KB);
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < kSenders; ++host) flows.push_back(flow(host, kSenders, 200_KB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_GT(outcome.drops, 100u) << "or nothing was lost";
  EXPECT_EQ(outcome.flows.size(), kSenders);
  EXPECT_GT(Made<GrantTransport>::at(kSenders).resends, 0u);
  EXPECT_GE(outcome.retransmitted, outcome.drops);
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(GrantShape, RunsOverPriorityFlowControl) {
  Settings settings = star(9);
  settings.switches.lossless.fill(true);
  settings.switches.lossless[7] = false;
  settings.switches.buffer = Bytes(2'000'000);
  settings.switches.buffer_policy = choose("dynamic_threshold");
  settings.switches.buffer_policy.parameters.set("alpha", 1.0 / 16);
  settings.switches.flow_control = {choose("pfc")};
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < 8; ++host) flows.push_back(flow(host, 8, 300_KB));
  offer(settings, flows);
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= 8; ++host) lab.record(HostId(host));
  expect_whole(lab.run(), flows.size());
  EXPECT_GT(lab.fabric().switch_by(SwitchId(0)).pauses_sent(), 0u) << "or it was never paused";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

WEIR_BOTH_DRIVERS(GrantShape);

}  // namespace
}  // namespace weir::shape
