// SPDX-License-Identifier: Apache-2.0
// Gates of a NIC that other flow controls than PFC close, and gates of a NIC whose transport chooses packets: they
// count as pauses, block links and block packets innocently in the same way as PFC.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "whole_network.h"

namespace weir::whole::nic_gates_test {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
constexpr Priority kData = 3;
constexpr Duration kPacket = 87_ns;  // on the wire

/// Blocks everything that a host with a flow sends from 10 us to 30 us, without a frame: by the gate of the priority,
/// by a common gate of all queue pairs, or by each queue pair individually.
enum class By { priority, gate, queue_pair };

template <By by>
class Timed final : public NicFlowControl {
 public:
  void attach(NicContext& context) override {
    owner_ = context.new_gate_owner();
    if (by == By::gate) gate_ = context.new_gate();
    timer_ = context.new_timer(*this);
  }
  GateId gate_of(NicContext& context, SendState&) override {
    if (context.now() == Time()) context.arm(timer_, at(10_us));
    return by == By::gate ? gate_ : GateId::none();
  }
  void on_timer(NicContext& context, TimerId) override {
    const bool open = context.now() == at(30_us);
    if (by == By::priority) context.set_priority_gate(kData, owner_, open);
    if (by == By::gate) context.set_gate(gate_, open);
    if (by == By::queue_pair) {
      struct Hold {
        NicContext& context;
        GateOwner owner;
        bool open;
      } hold{context, owner_, open};
      context.for_each_sender(
          [](void* with, SendState& sender) {
            Hold& wanted = *static_cast<Hold*>(with);
            wanted.context.set_gate(sender, wanted.owner, wanted.open);
          },
          &hold);
    }
    if (!open) context.arm(timer_, at(30_us));
  }

 private:
  GateOwner owner_ = 0;
  GateId gate_;
  TimerId timer_;
};

template <By by>
const Scheme kTimed = {
    .name = "timed",
    .summary = "holds hosts for 20 us",
    .traits = {},
    .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<FlowControl>(); },
    .nic_flow_control = [](const Parameters&) -> std::unique_ptr<NicFlowControl> {
      return std::make_unique<Timed<by>>();
    },
};

/// Sends each packet once, and offers the packets that may be sent, or all.
template <bool offers_held>
class Blind final : public Transport {
 public:
  void on_post(TransportContext& context, SendState&, const MessageView&) override { offer(context); }
  void on_gates(TransportContext& context) override { offer(context); }
  ChosenPacket choose(TransportContext& context, Priority) override {
    SendState* sender = next(context, false);
    return {sender, sender != nullptr ? sender->next : 0};
  }
  void on_sent(TransportContext& context, SendState&, Frame&) override { offer(context); }
  void on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) override {
    context.keep(receiver, data.payload_bytes);
  }

 private:
  static SendState* next(TransportContext& context, bool held_too) {
    struct Search {
      TransportContext& context;
      bool held_too;
      SendState* found;
    } search{context, held_too, nullptr};
    context.for_each_sender(
        [](void* with, SendState& sender) {
          Search& wanted = *static_cast<Search*>(with);
          const bool open = wanted.context.is_open(kData) && !wanted.context.is_held(sender);
          if (sender.next != sender.end && (open || wanted.held_too)) wanted.found = &sender;
        },
        &search);
    return search.found;
  }
  static void offer(TransportContext& context) { context.offer(kData, next(context, offers_held) != nullptr); }
};

template <bool offers_held>
const Scheme kBlind = {
    .name = "blind",
    .summary = "sends each packet once",
    .traits = {},
    .transport = [](const Parameters&) -> std::unique_ptr<Transport> { return std::make_unique<Blind<offers_held>>(); },
};

PolicyChoice choose(const Scheme& scheme) {
  return {&scheme, Parameters(scheme.parameters)};
}

/// Host 0 sends to host 1 without end from 0 on, and to host 2 from 20 us on.
RunRecord run(const Scheme& gates, const Scheme* transport = nullptr) {
  Settings settings = lossless_network(star(3, kLink), 50_us);
  settings.switches.flow_control = {choose(gates)};
  if (transport != nullptr) settings.hosts.transport = choose(*transport);
  settings.measurement.held_links = true;
  settings.measurement.innocent_pause = true;
  settings.measurement.timeline = true;
  settings.measurement.sample_interval = 5_us;
  offer(settings, {flow(0, 1, kLongRunning), flow(0, 2, kLongRunning, at(20_us))});
  RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.failure, "");
  return record;
}

const LinkRecord& from_host(const RunRecord& record) {
  return *std::find_if(record.links.begin(), record.links.end(),
                       [](const LinkRecord& link) { return link.from == "h0"; });
}

void expect_held(const RunRecord& record) {
  EXPECT_LE(from_host(record).held, 20_us);
  EXPECT_GE(from_host(record).held, 20_us - kPacket);
  for (const LinkRecord& link : record.links) {
    if (link.from == "h0") continue;
    EXPECT_EQ(link.held, Duration()) << link.from << " " << link.to;
  }
}

TEST(NicGates, OfAPriorityCountWhoeverClosesThem) {
  const RunRecord record = run(kTimed<By::priority>);
  EXPECT_EQ(from_host(record).paused, 20_us);
  expect_held(record);
  // The second flow starts while the gate is closed.
  const PauseHold& hold = record.pause_hold[static_cast<std::size_t>(FlowClass::background)];
  EXPECT_EQ(hold.packets, 2u);
  EXPECT_LE(hold.held, 30_us);
  EXPECT_GE(hold.held, 30_us - 2 * kPacket);
  EXPECT_EQ(hold.innocent, Duration()) << "a pause without a root";
}

TEST(NicGates, HoldATransportAsTheyHoldReliableConnections) {
  for (const Scheme* transport : {&kBlind<false>, &kBlind<true>}) {
    const RunRecord record = run(kTimed<By::priority>, transport);
    EXPECT_EQ(from_host(record).paused, 20_us);
    expect_held(record);
    const PauseHold& hold = record.pause_hold[static_cast<std::size_t>(FlowClass::background)];
    EXPECT_EQ(hold.packets, 2u);
  }
}

TEST(NicGates, OfQueuePairsHoldTheLinkOfATransport) {
  for (const Scheme* transport : {&kBlind<false>, &kBlind<true>}) {
    expect_held(run(kTimed<By::gate>, transport));
  }
}

/// The second queue pair opens while the first is blocked individually, and sends.
TEST(NicGates, OfOneQueuePairHoldTheLinkUntilAnotherSends) {
  const Duration until_then = 10_us;
  for (const Scheme* transport : {&kBlind<false>, &kBlind<true>}) {
    const RunRecord record = run(kTimed<By::queue_pair>, transport);
    EXPECT_LE(from_host(record).held, until_then);
    EXPECT_GE(from_host(record).held, until_then - kPacket);
  }
}

/// What arrives behind a closed gate is blocked from then on.
TEST(NicGates, HoldWhatComesLater) {
  Settings settings = lossless_network(star(2, kLink), 50_us);
  settings.switches.flow_control = {choose(kTimed<By::priority>)};
  settings.measurement.held_links = true;
  offer(settings, {flow(0, 1, 1_KB), flow(0, 1, kLongRunning, at(15_us))});
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(from_host(record).held, 15_us);
}

}  // namespace
}  // namespace weir::whole::nic_gates_test
