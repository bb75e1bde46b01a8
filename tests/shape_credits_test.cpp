// SPDX-License-Identifier: Apache-2.0
// The shape of a transport whose receivers send credits (ExpressPass, Cho et al., SIGCOMM 2017): one packet for each
// credit. Every port lets credits pass at the rate at which their data fit on its link, and drops those beyond a short
// queue, so the data never wait; the receiver learns from the gaps at what rate to send credits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "shape_lab.h"

namespace weir::shape {
namespace {

using namespace literals;
using testing::IsEmpty;

constexpr std::uint8_t kProtocol = 214;
constexpr Priority kData = 1;
constexpr Priority kControl = 6;
constexpr std::uint32_t kCreditQueue = 8;    // frames
constexpr std::int64_t kCreditWire = 84;     // bytes on the wire
constexpr std::int64_t kPacketWire = 1'086;  // of a packet of 1,000
constexpr Duration kRoundTrip = 3_us;        // of the networks here, about

enum Kind : std::uint16_t { request, credit, stop };

/// What credits may take of a link so that their data fit into the rest.
BitRate credit_rate(BitRate link) {
  return link * kCreditWire / (kCreditWire + kPacketWire);
}

const HeaderField kEcho = {.name = "echo", .bytes = 4, .kinds = FrameKinds(FrameKind::data)};

class CreditSwitch : public Classifier {
 public:
  [[nodiscard]] Hooks hooks() const override { return {.drop = true}; }
  void attach(SwitchContext& context) override {
    for (std::size_t port = 0; port < context.ports(); ++port) {
      credits_.push_back(queue_context(context).new_queue({.port = PortId(port),
                                                           .priority = kControl,
                                                           .level = 0,
                                                           .rate = credit_rate(context.port(PortId(port)).rate),
                                                           .burst = 2 * kCreditWire,
                                                           .starts_full = false}));
    }
  }
  [[nodiscard]] bool judges_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext& context, const Frame& frame) const override {
    return !is_credit(frame) || context.queue(credits_[frame.egress.index()]).frames < kCreditQueue;
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    return is_credit(frame) ? credits_[frame.egress.index()] : Classifier::classify(context, frame);
  }
  void on_drop(SwitchContext&, const Frame& frame, DropReason) override { ++(is_credit(frame) ? credits : data); }
  std::uint64_t credits = 0;  ///< dropped
  std::uint64_t data = 0;     ///< dropped

 private:
  static bool is_credit(const Frame& frame) {
    return frame.kind == FrameKind::host_control && frame.protocol == kProtocol && frame.tag == credit;
  }
  std::vector<QueueId> credits_;
};

class CreditTransport : public Transport {
 public:
  struct Sending {
    std::uint32_t credits = 0;  // that came and are not used
    std::uint32_t newest = 0;   // the number of the last of them
  };
  struct Receiving {
    double rate = 0;  // of credits, as a share of the most
    double weight = 1.0 / 16;
    std::uint32_t sent = 0;
    std::uint32_t came = 0;     // the credit after the last that data echoed
    std::uint32_t used = 0;     // echoed, since the last look
    std::uint32_t missing = 0;  // numbers that were skipped, since the last look
    Time looked;
    Time next;  // credit
    bool rose = false;
    bool on = false;
  };

  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sending); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(Receiving); }
  void attach(TransportContext& context) override {
    echo_ = context.headers().place<std::uint32_t>(kEcho);
    shaper_ = context.new_timer(*this);
    gap_ = time_to_send(Bytes(kCreditWire), credit_rate(context.rate()));
  }
  void open(TransportContext&, SendState& sender) override { sender.congestion.emplace<Sending>(); }
  void open(TransportContext&, ReceiveState& receiver) override { receiver.congestion.emplace<Receiving>(); }
  void on_post(TransportContext& context, SendState& sender, const MessageView&) override {
    say(context, sender, request, 0);
  }

  ChosenPacket choose(TransportContext& context, Priority) override {
    while (!ready_.empty()) {
      SendState* sender = context.sender(ready_.front());
      ready_.pop_front();
      if (sender == nullptr) continue;
      auto& state = sender->congestion.as<Sending>();
      if (state.credits == 0) continue;
      --state.credits;
      if (sender->next == sender->end) {
        ++wasted;
        continue;
      }
      return {sender, sender->next};
    }
    return {};
  }
  void on_sent(TransportContext& context, SendState& sender, Frame& frame) override {
    echo_.write(frame, sender.congestion.as<Sending>().newest);
    if (sender.next == sender.end) say(context, sender, stop, 0);
  }

  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    auto& state = receiver.congestion.as<Receiving>();
    const std::uint32_t echoed = echo_.read(data);
    state.missing += echoed - state.came;
    state.came = echoed + 1;
    ++state.used;
    context.keep(receiver, data.payload_bytes);
    if (!data.ends_message()) return;
    context.complete_message(receiver);
    const FrameId id = context.new_acknowledgement(receiver, data.sequence + 1);
    if (id.exists()) context.send_to_host(id);
  }
  void on_acknowledgement(TransportContext& context, SendState& sender, const Frame& frame) override {
    context.acknowledge(sender, frame.sequence);
  }
  bool on_feedback(TransportContext& context, const Frame& frame) override {
    if (frame.protocol != kProtocol) return false;
    if (static_cast<Kind>(frame.tag) == credit) {
      if (SendState* sender = context.sender(frame.queue_pair); sender != nullptr) {
        auto& state = sender->congestion.as<Sending>();
        ++state.credits;
        state.newest = frame.tag_value;
        ready_.push_back(sender->number);
        context.offer(kData, true);
      }
      return true;
    }
    ReceiveState* receiver = context.receiver(frame.queue_pair);
    if (receiver == nullptr) return true;
    auto& state = receiver->congestion.as<Receiving>();
    state.on = static_cast<Kind>(frame.tag) == request;
    if (!state.on) {
      context.cancel(*receiver);
    } else {
      state.rate = 0.5;
      state.looked = state.next = context.now();
      on_receiver_timer(context, *receiver);
    }
    return true;
  }
  void on_receiver_timer(TransportContext& context, ReceiveState& receiver) override {
    auto& state = receiver.congestion.as<Receiving>();
    if (context.now() - state.looked >= kRoundTrip) look(context, state);
    for (; state.next <= context.now(); state.next += gap_of(context, state)) {
      if (shaped_.size() < kCreditQueue) {
        shaped_.push_back({receiver.number, state.sent});
      } else {
        ++dropped_here;
      }
      ++state.sent;
    }
    context.arm(receiver, state.next);
    shape(context);
  }
  void on_timer(TransportContext& context, TimerId) override { shape(context); }

  std::uint64_t wasted = 0;        ///< credits that came after the last packet
  std::uint64_t dropped_here = 0;  ///< credits at this host's own queue

 private:
  struct Shaped {
    QueuePairId receiver;
    std::uint32_t number;
  };
  Duration gap_of(TransportContext& context, const Receiving& state) const {
    const double jitter = 0.9 + 0.2 * context.random().uniform();
    return Duration::picoseconds(
        static_cast<std::int64_t>(static_cast<double>(gap_.picoseconds()) / state.rate * jitter));
  }
  // The NIC's own port lets credits pass at the same rate as those of switches, with two in its bucket.
  void shape(TransportContext& context) {
    next_ = std::max(next_, context.now() - 2 * gap_);
    for (; !shaped_.empty() && next_ <= context.now(); next_ += gap_) {
      const Shaped next = shaped_.front();
      shaped_.pop_front();
      const ReceiveState* receiver = context.receiver(next.receiver);
      if (receiver == nullptr) continue;
      const FrameId id = context.new_control(*receiver, kProtocol, kControl);
      if (!id.exists()) continue;
      Frame& frame = context.frames()[id];
      frame.frame_bytes = 64;
      frame.tag = credit;
      frame.tag_value = next.number;
      context.send_to_host(id);
    }
    if (!shaped_.empty()) context.arm(shaper_, next_);
  }
  static void look(const TransportContext& context, Receiving& state) {
    const double all = state.used + state.missing;
    if (all > 0) {
      const double loss = state.missing / all;
      const double target = 0.125 * (1 - state.rate);
      if (loss > target) {
        state.rate *= (1 - loss) * (1 + target);
        state.weight = std::max(state.weight / 2, 0.01);
        state.rose = false;
      } else {
        if (state.rose) state.weight = std::min(state.weight + 0.05, 0.5);
        state.rate += state.weight * (1 - state.rate);
        state.rose = true;
      }
      state.rate = std::clamp(state.rate, 0.01, 1.0);
    }
    state.used = state.missing = 0;
    state.looked = context.now();
  }
  static void say(TransportContext& context, const SendState& sender, Kind kind, std::uint32_t value) {
    const FrameId id = context.new_control(sender, kProtocol, kControl);
    if (!id.exists()) return;
    context.frames()[id].tag = kind;
    context.frames()[id].tag_value = value;
    context.send_to_host(id);
  }

  InlineField<std::uint32_t> echo_;
  TimerId shaper_;
  Duration gap_;
  Time next_;
  std::deque<QueuePairId> ready_;
  std::deque<Shaped> shaped_;
};

const Scheme credits = {
    .name = "credits",
    .summary = "",
    .traits = {.protocol = kProtocol},
    .fields = {&kEcho},
    .parameters = {},
    .flow_control = make<FlowControl, CreditSwitch>,
    .transport = make<Transport, CreditTransport>,
};

Settings with_credits(Topology topology) {
  Settings settings = bare(std::move(topology));
  settings.switches.lossless = {};
  settings.switches.flow_control = {choose(credits)};
  settings.hosts.transport = choose(credits);
  return settings;
}

Topology star(std::size_t hosts) {
  return built(build_single_switch({{{static_cast<int>(hosts), {100_Gbps, 500_ns}}}}));
}

std::vector<FlowSpec> incast(std::size_t senders, Bytes size) {
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) {
    flows.push_back(flow(host, senders, size));
    flows.back().priority = kData;
  }
  return flows;
}

/// What a link carries of data beside its credits: 1,000 of 1,170 bytes.
Duration time_at_full_rate(std::int64_t payload) {
  return time_to_send(Bytes(payload / 1'000 * (kPacketWire + kCreditWire)), BitRate(100'000'000'000));
}

class CreditShape : public BothDrivers {};

TEST_P(CreditShape, APacketAloneTakesThreeOneWayTrips) {
  Settings settings = with_credits(star(2));
  offer(settings, incast(1, 1_KB));
  const Outcome outcome = Lab(settings, GetParam()).run();
  expect_clean(outcome, 1);
  const Duration received = outcome.flows.front().receiver_completion;
  EXPECT_GT(received, 3_us);
  EXPECT_LT(received, 3_us + 700_ns) << "and serialisation, and two credits' time until the bucket has one";
}

TEST_P(CreditShape, AFlowAloneHasAllThatCreditsLeave) {
  constexpr std::int64_t kSize = 4'000'000;
  Settings settings = with_credits(star(2));
  offer(settings, incast(1, Bytes(kSize)));
  const Outcome outcome = Lab(settings, GetParam()).run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.retransmitted, 0u);
  EXPECT_GT(outcome.completion(0), time_at_full_rate(kSize));
  // Under the poll loop credits leave in bunches, of which a switch drops some.
  const int part = GetParam() == Driver::event_loop ? 10 : 2;
  EXPECT_LT(outcome.completion(0), time_at_full_rate(kSize) + time_at_full_rate(kSize) / part);
}

TEST_P(CreditShape, DropsCreditsAndNeverData) {
  constexpr std::size_t kSenders = 16;
  constexpr std::int64_t kSize = 1'000'000;
  Settings settings = with_credits(star(kSenders + 1));
  offer(settings, incast(kSenders, Bytes(kSize)));
  Lab lab(settings, GetParam());
  for (std::size_t host = 0; host <= kSenders; ++host) lab.record(HostId(host));
  lab.record(SwitchId(0));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), kSenders);
  EXPECT_EQ(outcome.retransmitted, 0u);
  EXPECT_EQ(Made<CreditSwitch>::at(0).data, 0u);
  EXPECT_GT(Made<CreditTransport>::at(kSenders).dropped_here, 100u) << "they all leave by one NIC";
  Duration last;
  for (const FlowRecord& record : outcome.flows) last = std::max(last, record.sender_completion);
  const Duration bound = time_at_full_rate(kSenders * kSize);
  EXPECT_GT(last, bound);
  EXPECT_LT(last, bound + bound / 4);
  EXPECT_LT(lab.fabric().switch_by(SwitchId(0)).buffer().maximum, 12'000) << "the data never wait for long";
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

TEST_P(CreditShape, SwitchesDropWhatReceiversCannotKnow) {
  // Four receivers of one sender: the credits of all of them meet at its switch's port.
  Settings settings = with_credits(star(5));
  std::vector<FlowSpec> flows;
  for (std::size_t host = 1; host < 5; ++host) {
    flows.push_back(flow(0, host, 1_MB));
    flows.back().priority = kData;
  }
  offer(settings, flows);
  Lab lab(settings, GetParam());
  lab.record(SwitchId(0));
  const Outcome outcome = lab.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.flows.size(), 4u);
  EXPECT_EQ(outcome.retransmitted, 0u);
  EXPECT_GT(Made<CreditSwitch>::at(0).credits, 50u);
  EXPECT_EQ(Made<CreditSwitch>::at(0).data, 0u);
  const Duration bound = time_at_full_rate(4'000'000);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(outcome.completion(i), bound + bound / (GetParam() == Driver::event_loop ? 4 : 2));
    EXPECT_GT(outcome.completion(i), bound / 2) << "none has much more than its share";
  }
  EXPECT_THAT(lab.replay_differences(), IsEmpty());
}

/// The uplinks of the first leaf by which more than a few frames went both ways, and those by which they went one way
/// only, for a flow between leaves.
std::pair<int, int> uplinks(std::size_t source, std::size_t destination, const std::string& hash, Driver driver) {
  Settings settings = with_credits(built(build_leaf_spine({.tors = 2,
                                                           .hosts_per_tor = 4,
                                                           .spines = 4,
                                                           .host_link = {100_Gbps, 500_ns},
                                                           .fabric_link = {100_Gbps, 500_ns},
                                                           .tor_oversubscription = {}})));
  settings.switches.forwarding.parameters.set("hash", hash);
  offer(settings, {flow(source, destination, 100_KB)});
  Lab lab(settings, driver);
  EXPECT_EQ(lab.run().flows.size(), 1u);
  const Switch& leaf = lab.fabric().switch_by(SwitchId(0));
  int both = 0;
  int one = 0;
  for (std::size_t port = 0; port < leaf.ports(); ++port) {
    if (leaf.port(PortId(port)).peer.is_host()) continue;
    const bool data = leaf.port(PortId(port)).frames_sent > 20;
    const bool credit = leaf.port(PortId(port)).frames_received > 20;
    both += data && credit ? 1 : 0;
    one += data != credit ? 1 : 0;
  }
  return {both, one};
}

TEST_P(CreditShape, DataTakeTheWayOfTheirCreditsBack) {
  int apart = 0;
  for (std::size_t source = 0; source < 4; ++source) {
    for (std::size_t destination = 4; destination < 8; ++destination) {
      EXPECT_EQ(uplinks(source, destination, "symmetric", GetParam()), std::pair(1, 0));
      apart += uplinks(source, destination, "mix", GetParam()).second > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(apart, 4) << "another hash takes the two ways apart";
}

WEIR_BOTH_DRIVERS(CreditShape);

}  // namespace
}  // namespace weir::shape
