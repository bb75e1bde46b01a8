// SPDX-License-Identifier: Apache-2.0
// A NIC between a host and a fabric in memory, with a virtual clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ports/datagram_flow.h"
#include "ports/nic_loop.h"
#include "ports/testing/memory_ports.h"
#include "ports/testing/packets.h"
#include "units/random.h"
#include "whole_network.h"
#include "wire/emit.h"
#include "wire/parse.h"
#include "wire/pfc.h"
#include "wire/testing/arbitrary_frame.h"
#include "wire/testing/byte_source.h"

namespace weir::whole::nic_loop_test {
namespace {

using ::testing::UnorderedElementsAre;
using weir::testing::arp_request;
using weir::testing::ipv4_packet;
using weir::testing::Ipv4Fields;
using weir::testing::MemoryPool;
using weir::testing::MemoryPort;
using ByteString = std::vector<std::byte>;

constexpr BitRate kRate(1'000'000'000);
constexpr Duration kDelay = Duration::picoseconds(5'000'000);
constexpr Duration kPeriod = Duration::picoseconds(1'000'000);

/// The NIC of host 1 of three, with a link of 1 Gbit/s and 5 us.
class NicLoopOf : public ::testing::Test {
 protected:
  NicLoopOf() { build({.has_host = true}); }

  void build(const ForeignTraffic& foreign) {
    loop.reset();
    nic.reset();
    Settings settings = lossless_network(star(3, {kRate, kDelay}), 1_ms);
    settings.run.frame_capacity = std::size_t{1} << 12;
    if (!congestion_control.empty()) settings.hosts.congestion_control = choose(congestion_control);
    fabric = std::make_unique<Fabric>(settings);
    nic = std::make_unique<PacketNic>(fabric->nic(HostId(1)), fabric->frames(), packets, neighbours, kOwn, foreign);
    loop = std::make_unique<NicLoop>(*nic, packets,
                                     NicPorts{&to_fabric, foreign.has_host ? &to_host : nullptr, kRate, kDelay}, 20);
  }
  void run(Duration length) {
    for (const Time end = now + length; now < end; now += kPeriod) loop->poll(now);
  }
  /// An opaque packet of host 1 to `to`.
  static ByteString packet(std::size_t to, std::uint16_t port, std::uint8_t type_of_service = 0x60,
                           std::size_t payload = 1'000) {
    return ipv4_packet({.protocol = 17,
                        .type_of_service = type_of_service,
                        .destination = 0x0a000000 + static_cast<std::uint32_t>(to),
                        .ports = {port, 80},
                        .payload = payload});
  }
  /// One that arrives from `from`.
  static ByteString arriving(std::size_t from, std::uint16_t port, std::uint8_t time_to_live = 64) {
    return ipv4_packet({.protocol = 17,
                        .time_to_live = time_to_live,
                        .source = 0x0a000000 + static_cast<std::uint32_t>(from),
                        .destination = 0x0a000001,
                        .ports = {port, 80},
                        .payload = 500});
  }
  /// The bytes of a frame that a test has filled.
  template <class Fill>
  static ByteString bytes_of(Fill fill) {
    FramePool frames(1);
    const FrameId id = frames.allocate();
    Frame& frame = frames[id];
    fill(frame);
    ByteString bytes(2'000);
    const auto length =
        emit(frames, frame, default_envelope(frame), ByteString(frame.payload_bytes), Fcs::absent, bytes);
    EXPECT_TRUE(length.ok());
    bytes.resize(length ? *length : 0);
    return bytes;
  }
  static ByteString pause(Priority priority, std::uint16_t quanta) {
    PfcQuanta pfc;
    pfc.set(priority, quanta);
    FramePool frames(1);
    const FrameId id = make_pfc(frames, pfc, Framing::rocev2());
    ByteString bytes(64);
    const auto length = emit(frames, frames[id], default_envelope(frames[id]), {}, Fcs::absent, bytes);
    EXPECT_TRUE(length.ok());
    bytes.resize(*length);
    return bytes;
  }

  static constexpr MacAddress kOwn{{2, 0, 0, 0, 9, 9}};
  Time now;
  std::string congestion_control;
  MemoryPool packets{20'000};
  MemoryPort to_fabric{packets};
  MemoryPort to_host{packets};
  Neighbours neighbours{3};
  std::unique_ptr<Fabric> fabric;
  std::unique_ptr<PacketNic> nic;
  std::unique_ptr<NicLoop> loop;
};

TEST_F(NicLoopOf, APacketOfTheHostLeavesAsItCame) {
  to_host.deliver(packet(2, 7));
  // 1034 bytes, 4 of FCS and 20 of gap last 8.464 us at 1 Gbit/s.
  run(13_us);
  EXPECT_TRUE(to_fabric.sent.empty());
  EXPECT_EQ(loop->in_flight(), 1u);
  run(2_us);
  ASSERT_EQ(to_fabric.sent.size(), 1u);
  EXPECT_EQ(to_fabric.sent[0], packet(2, 7));
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(NicLoopOf, APacketForTheHostIsDeliveredAsItCame) {
  to_fabric.deliver(arriving(2, 7));
  to_fabric.deliver(arriving(2, 7, 1));
  to_fabric.deliver(arp_request(HostId(0), HostId(1)));
  run(2_us);
  ASSERT_EQ(to_host.sent.size(), 3u);
  EXPECT_EQ(to_host.sent[0], arriving(2, 7));
  EXPECT_EQ(to_host.sent[1], arriving(2, 7, 1)) << "a time to live ends at a switch, not at a host";
  EXPECT_EQ(to_host.sent[2], arp_request(HostId(0), HostId(1)));
  EXPECT_EQ(nic->host_counters().delivered_frames, 3u);
  EXPECT_EQ(nic->flows_in(), 2u);
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(NicLoopOf, WhatIsNotForItsHostIsRefused) {
  const auto between = [](std::uint32_t source, std::uint32_t destination) {
    return ipv4_packet({.protocol = 17, .source = source, .destination = destination, .ports = {7, 80}, .payload = 99});
  };
  to_fabric.deliver(between(0x0a000000, 0x0a000002));
  to_fabric.deliver(between(0xc0a80001, 0x0a000001));
  run(2_us);
  EXPECT_TRUE(to_host.sent.empty());
  EXPECT_EQ(nic->fabric_counters().refused[static_cast<std::size_t>(WireError::foreign_host)], 2u);
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(NicLoopOf, ThePacketsOfAHostLeaveAtTheRateOfTheLink) {
  for (std::uint16_t i = 0; i < 90; ++i) to_host.deliver(packet(2, 7));
  run(500_us);
  // 500 us less the delay and the last frame, at 8.464 us each.
  EXPECT_GE(to_fabric.sent.size(), 57u);
  EXPECT_LE(to_fabric.sent.size(), 59u);
}

TEST_F(NicLoopOf, TheQueueOfAFlowIsBounded) {
  build({.has_host = true, .queue_bytes = 10'500});
  to_fabric.deliver(pause(3, 0xffff));
  run(2_us);
  for (std::uint16_t i = 0; i < 25; ++i) to_host.deliver(packet(2, 7));
  for (std::uint16_t i = 0; i < 5; ++i) to_host.deliver(packet(2, 8));
  run(20_us);
  // 10 frames of 1038 bytes.
  EXPECT_EQ(nic->host_counters().queue_full, 15u);
  EXPECT_EQ(nic->nic().datagrams_dropped(), 15u);
  EXPECT_EQ(packets.in_use(), 15u);
  EXPECT_TRUE(to_fabric.sent.empty());
}

TEST_F(NicLoopOf, APauseStopsItsPriorityOnly) {
  to_fabric.deliver(pause(3, 200));  // 200 x 512 bits: 102.4 us
  run(2_us);
  to_host.deliver(packet(2, 7));
  to_host.deliver(packet(2, 8, 0x20));
  run(80_us);
  ASSERT_EQ(to_fabric.sent.size(), 1u);
  EXPECT_EQ(to_fabric.sent[0], packet(2, 8, 0x20));
  run(50_us);
  EXPECT_EQ(to_fabric.sent.size(), 2u);
  EXPECT_EQ(nic->fabric_counters().received_pauses, 1u);
}

TEST_F(NicLoopOf, ANotificationSlowsItsFlowOnly) {
  congestion_control = "dcqcn";
  build({.has_host = true});
  to_host.deliver(packet(2, 7));
  to_host.deliver(packet(0, 9));
  run(50_us);
  to_fabric.sent.clear();
  const auto flow_of = [](std::uint16_t port) {
    FramePool frames(1);
    const auto decoded = decode(frames, packet(2, port), Neighbours(3));
    return frames[decoded->id].queue_pair;
  };
  const auto notify = [&](std::size_t from, QueuePairId flow) {
    to_fabric.deliver(bytes_of([&](Frame& frame) {
      frame.kind = FrameKind::cnp;
      frame.frame_bytes = 82;
      frame.source = HostId(from);
      frame.destination = HostId(1);
      frame.queue_pair = flow;
      frame.priority = 6;
    }));
  };
  EXPECT_NE(flow_of(7), flow_of(8));
  notify(0, flow_of(7));  // of this number, but to another host
  notify(2, flow_of(7));
  run(2_us);
  EXPECT_EQ(nic->nic().strays(), 1u);
  for (std::uint16_t i = 0; i < 50; ++i) {
    to_host.deliver(packet(2, 7));
    to_host.deliver(packet(0, 9));
  }
  run(400_us);
  // The first notification halves the rate, so the flow sends every third frame at most: the second is not due yet when
  // the wire becomes free. Both flows would send equally often without it.
  std::size_t slowed = 0;
  for (std::size_t i = 0; i < 30; ++i) slowed += to_fabric.sent[i] == packet(2, 7) ? 1 : 0;
  EXPECT_GE(slowed, 8u);
  EXPECT_LE(slowed, 11u);
  const SendState* sender = nic->nic().peek_sender_to(HostId(2), flow_of(7));
  ASSERT_NE(sender, nullptr);
  EXPECT_LT(sender->rate, kRate);
}

TEST_F(NicLoopOf, AMarkedPacketIsAnsweredByANotificationOfItsFlow) {
  congestion_control = "dcqcn";
  build({.has_host = true});
  const ByteString marked = ipv4_packet({.protocol = 17,
                                         .type_of_service = 0x63,
                                         .source = 0x0a000002,
                                         .destination = 0x0a000001,
                                         .ports = {7, 80},
                                         .payload = 500});
  to_fabric.deliver(marked);
  run(20_us);
  ASSERT_EQ(to_host.sent.size(), 1u);
  EXPECT_EQ(to_host.sent[0], marked);
  ASSERT_EQ(to_fabric.sent.size(), 1u);
  FramePool frames(2);
  const auto cnp = parse(frames, to_fabric.sent[0], Fcs::absent);
  ASSERT_TRUE(cnp.ok());
  EXPECT_EQ(frames[cnp->id].kind, FrameKind::cnp);
  EXPECT_EQ(frames[cnp->id].destination, HostId(2));
  const auto data = decode(frames, marked, neighbours);
  EXPECT_EQ(frames[cnp->id].queue_pair, frames[data->id].queue_pair);
  EXPECT_EQ(cnp->envelope.source_mac, kOwn);
}

TEST_F(NicLoopOf, AHostMayNotSpeakTheProtocolsOfTheFabric) {
  to_host.deliver(pause(3, 0xffff));
  to_host.deliver(bytes_of([](Frame& frame) {
    frame.kind = FrameKind::data;
    frame.frame_bytes = 166;
    frame.payload_bytes = 100;
    frame.source = HostId(1);
    frame.destination = HostId(2);
    frame.queue_pair = QueuePairId(2);
  }));
  to_host.deliver(bytes_of([](Frame& frame) {
    frame.kind = FrameKind::host_control;
    frame.protocol = 130;
    frame.source = HostId(1);
    frame.destination = HostId(2);
  }));
  to_host.deliver(ipv4_packet({.protocol = 17, .source = 0x0a000000, .ports = {7, 80}, .payload = 99}));  // another's
  to_host.deliver(packet(1, 7));                                                                          // its own
  to_host.deliver(packet(77, 7));
  to_host.deliver(ByteString(9));
  to_host.deliver(packet(2, 7));
  run(50_us);
  EXPECT_EQ(nic->host_counters().refused_modelled, 3u);
  EXPECT_EQ(nic->host_counters().refused_frames(), 7u);
  EXPECT_EQ(to_fabric.sent.size(), 1u);
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(NicLoopOf, ANicWithoutAHostRefusesItsPackets) {
  build({.has_host = false});
  to_fabric.deliver(arriving(2, 7));
  run(2_us);
  EXPECT_EQ(nic->fabric_counters().refused_frames(), 1u);
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(NicLoopOf, TheLeastRecentFlowIsClosedForAnother) {
  build({.has_host = true, .flows = 2});
  to_fabric.deliver(pause(3, 0xffff));
  run(2_us);
  to_host.deliver(packet(2, 1));
  to_host.deliver(packet(2, 2));
  to_host.deliver(packet(2, 1));
  to_host.deliver(packet(2, 3));  // closes flow 2, with its packet
  run(2_us);
  EXPECT_EQ(nic->flows_out(), 2u);
  EXPECT_EQ(nic->host_counters().flows_closed, 1u);
  EXPECT_EQ(nic->nic().datagrams_dropped(), 1u);
  to_fabric.deliver(pause(3, 0));
  run(100_us);
  ASSERT_EQ(to_fabric.sent.size(), 3u);
  for (const ByteString& sent : to_fabric.sent) EXPECT_NE(sent, packet(2, 2));
  for (std::uint16_t port = 0; port < 300; ++port) to_fabric.deliver(arriving(2, port));
  run(100_us);
  EXPECT_EQ(to_host.sent.size(), 300u);
  EXPECT_EQ(nic->flows_in(), 2u);
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(NicLoopOf, AHostThatTakesNothingLosesPacketsWhichAreCounted) {
  to_host.takes = 0;
  for (std::uint16_t i = 0; i < 1'500; ++i) to_fabric.deliver(arriving(2, 7));
  run(100_us);
  EXPECT_EQ(nic->host_counters().not_delivered, 1'500u - NicLoop::kHostQueue);
  EXPECT_EQ(nic->host_counters().delivered_frames, NicLoop::kHostQueue);
  to_host.takes = 5;
  run(500_us);
  EXPECT_EQ(to_host.sent.size(), NicLoop::kHostQueue);
  EXPECT_EQ(packets.in_use(), 0u);
}

// The queue for the host is a ring in effect: what was taken makes room for what comes.
TEST_F(NicLoopOf, ASlowHostGetsEverythingInOrder) {
  constexpr std::uint16_t kPackets = 6'000;
  to_host.takes = 7;
  std::uint16_t arrived = 0;
  // The device takes seven per poll, and at most 900 packets are under way.
  for (std::size_t most = 0; arrived < kPackets; most = to_host.sent.size()) {
    while (arrived < kPackets && arrived - most < 900) to_fabric.deliver(arriving(2, arrived++));
    run(4_us);
    EXPECT_LE(loop->in_flight(), NicLoop::kHostQueue);
  }
  EXPECT_GT(loop->in_flight(), 500u);
  EXPECT_GT(loop->counters().device_full, 0u);
  to_host.takes = 32;
  run(1_ms);
  ASSERT_EQ(to_host.sent.size(), kPackets);
  for (std::uint16_t i = 0; i < kPackets; ++i) ASSERT_EQ(to_host.sent[i], arriving(2, i)) << i;
  EXPECT_EQ(nic->host_counters().not_delivered, 0u);
  EXPECT_EQ(nic->host_counters().delivered_bytes, kPackets * arriving(2, 0).size());
  EXPECT_EQ(loop->in_flight(), 0u);
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(NicLoopOf, GivesBackWhatWaitsForASlowHost) {
  to_host.takes = 7;
  for (std::uint16_t i = 0; i < 32; ++i) to_fabric.deliver(arriving(2, i));
  run(2_us);
  EXPECT_EQ(to_host.sent.size(), 14u);
  EXPECT_EQ(loop->in_flight(), 18u);
  loop.reset();
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(NicLoopOf, BytesOfLostPacketsAreNotDelivered) {
  to_host.takes = 0;
  for (std::uint16_t i = 0; i < 1'500; ++i) to_fabric.deliver(arriving(2, 7));
  run(100_us);
  EXPECT_EQ(nic->host_counters().delivered_bytes, NicLoop::kHostQueue * arriving(2, 7).size());
  EXPECT_GT(loop->counters().device_full, 0u);
}

TEST_F(NicLoopOf, AFullFabricDeviceIsAskedAgain) {
  to_fabric.takes = 0;
  to_host.deliver(packet(2, 7));
  run(100_us);
  EXPECT_GT(loop->counters().device_full, 0u);
  EXPECT_EQ(loop->in_flight(), 1u);
  to_fabric.takes = 1;
  run(2_us);
  EXPECT_EQ(to_fabric.sent.size(), 1u);
}

TEST_F(NicLoopOf, ATimerRunsInThePollThatReachesIt) {
  to_fabric.deliver(pause(3, 200));  // 200 x 512 bits: 102.4 us
  loop->poll(now);
  const Time end = nic->nic().next_deadline();
  ASSERT_EQ(end, now + Duration::picoseconds(102'400'000));
  to_host.deliver(packet(2, 7));
  loop->poll(end + -Duration::picoseconds(1));
  EXPECT_EQ(loop->in_flight(), 0u);
  loop->poll(end);
  EXPECT_EQ(loop->in_flight(), 1u);
}

TEST_F(NicLoopOf, FlowsToTheHostAreClosedForOthers) {
  build({.has_host = true, .flows = 2});
  for (std::uint16_t port = 0; port < 5; ++port) to_fabric.deliver(arriving(2, port));
  run(10_us);
  EXPECT_EQ(nic->host_counters().flows_closed, 3u);
  EXPECT_EQ(nic->flows_in(), 2u);
  // The two reserved ones, and one per open flow. A number has the entry of its queue pair, and above it how often that
  // entry was used before.
  std::size_t open = 0;
  for (std::uint32_t uses = 0; uses < 8; ++uses) {
    for (std::uint32_t entry = 0; entry < 8; ++entry) {
      if (nic->nic().peek_receiver(QueuePairId(uses << 17 | entry)) != nullptr) ++open;
    }
  }
  EXPECT_EQ(open, 4u);
}

TEST_F(NicLoopOf, APacketFromItselfIsRefused) {
  to_fabric.deliver(arriving(1, 7));
  run(2_us);
  EXPECT_EQ(nic->fabric_counters().refused[static_cast<std::size_t>(WireError::foreign_host)], 1u);
  EXPECT_TRUE(to_host.sent.empty());
  EXPECT_EQ(nic->flows_in(), 0u);
}

/// A message from host 1 to host 2 of the network, of this NIC only: nobody answers.
class NicMessage : public NicLoopOf {
 protected:
  static constexpr QueuePairId kRemoteNumber{0x4321};

  void post(Bytes size) {
    OpenSender half;
    half.remote = HostId(2);
    half.priority = 3;
    number = nic->nic().open_sender(now, half);
    nic->nic().connect_sender(number, kRemoteNumber);
    nic->nic().post(now, number, FlowId(0), size);
  }
  /// An acknowledgement of `sequence` packets from a host.
  void acknowledge(std::size_t from, std::uint32_t sequence) {
    to_fabric.deliver(bytes_of([&](Frame& frame) {
      frame.kind = FrameKind::ack;
      frame.source = HostId(from);
      frame.destination = HostId(1);
      frame.queue_pair = number;
      frame.sequence = sequence;
    }));
  }
  QueuePairId number;
};

TEST_F(NicMessage, StartsAtItsFirstPacketAndEndsAtItsLast) {
  neighbours.set_mac(HostId(2), MacAddress{{2, 0, 0, 0, 7, 7}});
  post(3_KB);
  run(100_us);
  ASSERT_EQ(to_fabric.sent.size(), 3u);
  FramePool frames(1);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto parsed = parse(frames, to_fabric.sent[i], Fcs::absent, IcrcCheck::verify);
    ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
    EXPECT_EQ(parsed->envelope.starts_message, i == 0) << i;
    EXPECT_EQ(frames[parsed->id].ends_message(), i == 2) << i;
    EXPECT_EQ(frames[parsed->id].queue_pair, kRemoteNumber);
    EXPECT_EQ(parsed->envelope.source_mac, kOwn);
    EXPECT_EQ(parsed->envelope.destination_mac, (MacAddress{{2, 0, 0, 0, 7, 7}}));
    frames.release(parsed->id);
  }
}

TEST_F(NicMessage, HasANumberThatInfiniBandLeavesFree) {
  post(1_KB);
  EXPECT_EQ(number, QueuePairId(2)) << "0 and 1 are for management";
}

TEST_F(NicMessage, IsAcknowledgedByItsDestinationOnly) {
  post(1_KB);
  run(30_us);
  acknowledge(0, 1);
  run(2_us);
  EXPECT_EQ(nic->fabric_counters().refused[static_cast<std::size_t>(WireError::unknown_opcode)], 1u);
  EXPECT_EQ(nic->nic().peek_sender(number)->unacknowledged, 0u);
  acknowledge(2, 1);
  run(2_us);
  EXPECT_EQ(nic->nic().peek_sender(number)->unacknowledged, 1u);
  EXPECT_TRUE(nic->nic().completions().empty()) << "nobody settles them, so the loop clears them";
}

TEST_F(NicMessage, IsNotSentWithoutABuffer) {
  packets.set_limit(0);
  post(1_KB);
  run(30_us);
  EXPECT_EQ(nic->fabric_counters().not_sent[static_cast<std::size_t>(WireError::pool_empty)], 1u);
  EXPECT_EQ(nic->fabric_counters().sent_frames, 0u);
}

TEST_F(NicLoopOf, ForgedFramesForQueuePairsOfDatagramsAreRefused) {
  to_fabric.deliver(arriving(2, 7));
  to_host.deliver(packet(2, 7));
  run(50_us);
  const std::uint64_t strays = nic->nic().strays();
  const auto forge = [&](FrameKind kind, std::uint32_t number) {
    to_fabric.deliver(bytes_of([&](Frame& frame) {
      frame.kind = kind;
      frame.frame_bytes = kind == FrameKind::data ? 166 : 70;
      frame.payload_bytes = kind == FrameKind::data ? 100 : 0;
      frame.source = HostId(2);
      frame.destination = HostId(1);
      frame.queue_pair = QueuePairId(number);
      frame.set_ends_message(kind == FrameKind::data);
    }));
  };
  for (std::uint32_t number = 0; number < 3; ++number) forge(FrameKind::data, number);
  for (std::uint32_t number = 2; number < 3; ++number) forge(FrameKind::ack, number);
  run(20_us);
  EXPECT_EQ(nic->fabric_counters().refused[static_cast<std::size_t>(WireError::unknown_opcode)], 4u);
  EXPECT_TRUE(nic->nic().completions().empty());
  EXPECT_EQ(nic->nic().strays(), strays);
}

// Arbitrary and damaged frames from both sides, with every kind of frame among them: all are taken, none is fatal.
TEST_F(NicLoopOf, HostileFramesFromBothSidesAreSurvived) {
  for (const char* scheme : {"line_rate", "dcqcn", "rocc", "qcn"}) {
    congestion_control = scheme;
    build({.has_host = true, .queue_bytes = 20'000, .flows = 16});
    RandomStream random(7, 7, 7);
    FramePool frames(64);
    constexpr int kRounds = 4'000;
    for (int i = 0; i < kRounds; ++i) {
      std::vector<std::uint8_t> noise(512);
      for (std::uint8_t& octet : noise) octet = static_cast<std::uint8_t>(random.next());
      weir::testing::ByteSource source(noise);
      weir::testing::ArbitraryFrames arbitrary(frames, source);
      const weir::testing::FrameToSend made = arbitrary.make();
      Frame& frame = frames[made.id];
      if (random.below(2) == 0) frame.source = HostId(random.below(4));
      if (random.below(4) != 0) frame.destination = HostId(1);
      if (random.below(2) == 0) frame.queue_pair = QueuePairId(random.below(24));
      ByteString bytes(MemoryPool::kCapacity);
      const auto length = emit(frames, frame, made.envelope, made.payload, Fcs::absent, bytes);
      frames.release(made.id);
      if (!length) continue;
      bytes.resize(*length);
      if (random.below(4) == 0) bytes[random.below(bytes.size())] ^= static_cast<std::byte>(1 + random.below(255));
      if (random.below(16) == 0) bytes.resize(random.below(bytes.size()));
      MemoryPort& side = random.below(2) == 0 ? to_fabric : to_host;
      side.deliver(bytes);
      to_fabric.deliver(pause(0, 0));  // a switch may pause its NIC
      to_fabric.deliver(arriving(random.below(3), static_cast<std::uint16_t>(random.below(40))));
      to_host.deliver(packet(random.below(4), static_cast<std::uint16_t>(random.below(40)), 0));
      if (i % 8 == 7) run(8_us);
    }
    EXPECT_GT(nic->host_counters().delivered_frames, 2'500u);
    // The link is busy for all of the 4 ms: 8.464 us per packet of the host.
    EXPECT_GT(nic->fabric_counters().sent_frames, 440u);
    EXPECT_GT(nic->fabric_counters().refused_frames(), 200u);
    EXPECT_TRUE(nic->nic().completions().empty());
    run(1_ms);
    loop.reset();
    nic.reset();
    while (!to_fabric.arriving.empty()) {
      packets.release(to_fabric.arriving.front());
      to_fabric.arriving.pop_front();
    }
    EXPECT_EQ(packets.in_use(), 0u);
  }
}

TEST_F(NicLoopOf, AFailedLinkEndsPausesAndLosesWhatIsOnIt) {
  to_host.deliver(packet(2, 7));
  to_host.deliver(packet(2, 8));
  to_fabric.deliver(pause(3, 0xffff));
  run(2_us);
  to_fabric.up = false;
  run(LinkClock::kInterval);
  EXPECT_FALSE(loop->link().up);
  EXPECT_EQ(loop->link().failures, 1u);
  to_fabric.sent.clear();
  to_fabric.deliver(arriving(2, 7));
  to_host.deliver(packet(2, 9));
  run(100_us);
  EXPECT_EQ(loop->link().lost_received, 1u);
  EXPECT_TRUE(to_host.sent.empty());
  EXPECT_TRUE(to_fabric.sent.empty());
  to_fabric.up = true;
  run(LinkClock::kInterval);
  run(100_us);
  // The 33.6 ms of the pause have not passed.
  EXPECT_THAT(to_fabric.sent, UnorderedElementsAre(packet(2, 7), packet(2, 8), packet(2, 9)));
  EXPECT_TRUE(loop->link().up);
  EXPECT_EQ(loop->link().failures, 1u);
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(NicLoopOf, GivesBackEverythingWhenItEnds) {
  to_host.takes = 0;
  for (std::uint16_t i = 0; i < 30; ++i) {
    to_host.deliver(packet(2, i));
    to_fabric.deliver(arriving(2, i));
  }
  run(20_us);
  EXPECT_GT(packets.in_use(), 0u);
  loop.reset();
  nic.reset();
  EXPECT_EQ(packets.in_use(), 0u);
}

}  // namespace
}  // namespace weir::whole::nic_loop_test
