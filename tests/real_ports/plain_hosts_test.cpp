// SPDX-License-Identifier: Apache-2.0
// Hosts that do not speak the schemes of their switches: frames that reach them are those that their peer sent, and
// nothing of a scheme passes in either direction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/pcapng_writer.h"
#include "capture/test_tshark.h"
#include "fabric/hop_protocols.h"
#include "net/builders.h"
#include "ports/packet_switch.h"
#include "ports/testing/memory_ports.h"
#include "ports/testing/packets.h"
#include "whole_network.h"
#include "wire/crc32.h"
#include "wire/emit.h"
#include "wire/parse.h"
#include "wire/rocev2.h"

namespace weir::whole::plain_hosts_test {
namespace {

using ::testing::IsEmpty;
using ByteString = std::vector<std::byte>;

constexpr LinkSpec kLink{BitRate(10'000'000'000), Duration::picoseconds(1'000'000)};

/// A frame between the two hosts that a NIC without Weir might send.
struct FromNic {
  FrameKind kind = FrameKind::data;
  std::uint16_t payload = 1'000;
  bool tagged = true;
  bool udp_checksum = false;
  bool from_second = false;  ///< by host 1, to host 0
};

ByteString bytes_of(const FromNic& from) {
  FramePool frames(1);
  const FrameId id = frames.allocate();
  Frame& frame = frames[id];
  frame.kind = from.kind;
  frame.source = HostId(from.from_second ? 1 : 0);
  frame.destination = HostId(from.from_second ? 0 : 1);
  frame.priority = 3;
  frame.queue_pair = QueuePairId(17);
  frame.sequence = 4'711;
  frame.entropy = 0xc123;
  frame.set_ecn(from.kind == FrameKind::data ? Ecn::capable : Ecn::not_capable);
  if (from.kind == FrameKind::data) frame.payload_bytes = from.payload;
  Envelope envelope = default_envelope(frame);
  envelope.tagged = from.tagged;
  envelope.udp_checksum = from.udp_checksum;
  ByteString bytes(weir::testing::MemoryPool::kCapacity);
  ByteString payload(frame.payload_bytes);
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::byte>(i * 7);
  const auto length = emit(frames, frame, envelope, payload, Fcs::absent, bytes);
  EXPECT_TRUE(length.ok());
  bytes.resize(length ? *length : 0);
  if (from.udp_checksum || bytes.empty()) return bytes;
  // Bits that a receiver ignores: reserved ones of the BTH, and bytes of padding after the payload.
  const std::size_t ip = from.tagged ? 18 : 14;
  const std::size_t bth = ip + 20 + 8;
  bytes[bth + 8] |= std::byte{0x2a};
  const std::size_t end = ip + (std::to_integer<std::size_t>(bytes[ip + 2]) << 8) +
                          std::to_integer<std::size_t>(bytes[ip + 3]) - kIcrcBytes;
  if (from.kind == FrameKind::data) {
    for (std::size_t at = bth + kBthBytes + frame.payload_bytes; at < end; ++at) bytes[at] = std::byte{0xee};
  }
  const std::span<const std::byte> packet = std::span<const std::byte>(bytes).subspan(ip, end - ip);
  store_crc(std::span(bytes).subspan(end).first<kIcrcBytes>(), invariant_crc(packet, 0));
  return bytes;
}

/// Of every kind and of several lengths, in both directions.
std::vector<ByteString> frames_of_nics() {
  std::vector<ByteString> out;
  for (const bool from_second : {false, true}) {
    for (const bool tagged : {false, true}) {
      for (const bool udp_checksum : {false, true}) {
        for (const int payload : {0, 1, 2, 3, 4, 63, 1'000, 1'400}) {
          out.push_back(
              bytes_of({FrameKind::data, static_cast<std::uint16_t>(payload), tagged, udp_checksum, from_second}));
        }
        for (const FrameKind kind : {FrameKind::ack, FrameKind::nack, FrameKind::cnp}) {
          out.push_back(bytes_of({kind, 0, tagged, udp_checksum, from_second}));
        }
      }
    }
  }
  return out;
}

/// What arrives after two switches: the time to live is two lower, and the header checksum is right.
ByteString routed_twice(ByteString bytes) {
  const bool tagged = bytes[12] == std::byte{0x81};
  const std::size_t ip = tagged ? 18 : 14;
  bytes[ip + 8] = static_cast<std::byte>(std::to_integer<unsigned>(bytes[ip + 8]) - 2);
  weir::testing::put16(bytes, ip + 10, 0);
  InternetChecksum sum;
  sum.update(std::span<const std::byte>(bytes).subspan(ip, 20));
  weir::testing::put16(bytes, ip + 10, sum.value());
  return bytes;
}

/// Two hosts with a switch each.
class PlainHosts : public ::testing::Test {
 protected:
  void build(std::vector<PolicyChoice> flow_control, std::vector<PolicyChoice> congestion_point = {},
             bool speak_schemes = false) {
    nodes = {};
    Settings settings = lossless_network(chain({kLink, kLink, kLink}), 1_ms);
    settings.switches.flow_control = std::move(flow_control);
    settings.switches.congestion_point = std::move(congestion_point);
    settings.run.frame_capacity = 4'096;
    if (!speak_schemes) settings.network.plain_hosts = {HostId(0), HostId(1)};
    const Topology& topology = settings.network.topology;
    std::vector<std::uint32_t> partitions(topology.nodes().size(), 0);
    partitions[topology.node_of(SwitchId(1)).index()] = 1;
    fabric = std::make_unique<Fabric>(settings, partitions);
    const HostControlProtocols to_hosts = host_control_of(settings);
    for (std::size_t i = 0; i < 2; ++i) {
      Switch& core = fabric->switch_by(SwitchId(i));
      FramePool& frames = fabric->frames_of_partition(static_cast<std::uint32_t>(i));
      nodes[i] =
          std::make_unique<PacketSwitch>(core, frames, packets, neighbours, std::vector<PortAddresses>(core.ports()));
      for (std::size_t port = 0; port < core.ports(); ++port) {
        PortRules rules;
        const bool is_host = core.port(PortId(port)).peer.is_host();
        rules.to_hosts = is_host ? to_hosts.from_hosts : to_hosts.all;
        rules.speaks_schemes = !is_host || speak_schemes;
        nodes[i]->set_rules(PortId(port), rules);
      }
    }
  }
  [[nodiscard]] PortId port_to_host(std::size_t node) const {
    return nodes[node]->node().port(PortId(0)).peer.is_host() ? PortId(0) : PortId(1);
  }
  [[nodiscard]] PortId port_to_switch(std::size_t node) const { return PortId(1 - port_to_host(node).index()); }

  void receive(std::size_t node, PortId port, const ByteString& bytes) {
    const Packet packet = packets.make(bytes);
    nodes[node]->receive(now, port, std::span(&packet, 1));
  }
  std::vector<ByteString> sent_by(std::size_t node, PortId port) {
    std::vector<ByteString> out;
    while (const auto sent = nodes[node]->transmit(now, port)) {
      out.emplace_back(sent->packet.bytes, sent->packet.bytes + sent->packet.length);
      packets.release(sent->packet);
    }
    return out;
  }
  /// Passes what the switches have for each other and their hosts, until they have had nothing for a while; counts data
  /// with a scheme's header.
  void exchange() {
    constexpr int kIdle = 100;  // rounds of 10 us; longer than the timers of schemes
    FramePool scratch(2);
    for (int idle = 0; idle < kIdle; ++idle, now += 10_us) {
      for (std::size_t node = 0; node < 2; ++node) {
        nodes[node]->node().advance(now);
        for (const ByteString& bytes : sent_by(node, port_to_switch(node))) {
          idle = 0;
          const auto parsed = parse(scratch, bytes, Fcs::absent, IcrcCheck::verify);
          ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
          if (parsed->envelope.has_shim) ++with_header;
          scratch.release(parsed->id);
          receive(1 - node, port_to_switch(1 - node), bytes);
        }
        for (ByteString& bytes : sent_by(node, port_to_host(node))) {
          idle = 0;
          arrived[node].push_back(std::move(bytes));
        }
      }
    }
  }
  template <class Fill>
  static ByteString made(FrameKind kind, Fill fill) {
    FramePool frames(1);
    const FrameId id = frames.allocate();
    Frame& frame = frames[id];
    frame.kind = kind;
    frame.queue_pair = QueuePairId(3);
    fill(frame);
    ByteString bytes(2'000);
    const auto length = emit(frames, frame, default_envelope(frame), {}, Fcs::absent, bytes);
    EXPECT_TRUE(length.ok());
    bytes.resize(length ? *length : 0);
    return bytes;
  }

  Time now;
  weir::testing::MemoryPool packets{4'096};
  Neighbours neighbours{2};
  std::unique_ptr<Fabric> fabric;
  std::array<std::unique_ptr<PacketSwitch>, 2> nodes;
  std::array<std::vector<ByteString>, 2> arrived;  ///< at each host, by exchange()
  std::size_t with_header = 0;
};

// For every scheme of switches: the hosts get what their peer sent, although the switches add headers in between.
TEST_F(PlainHosts, GetWhatTheirPeerSent) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("weir_plain_hosts_" + std::to_string(::getpid()) + ".pcapng");
  PcapngWriter capture(file, "Weir");
  static_cast<void>(capture.add_interface("hosts", kLink.rate, 0));
  std::size_t in_file = 0;
  std::vector<std::string> adding;
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->traits.ideal || (scheme->flow_control == nullptr && scheme->congestion_point == nullptr)) continue;
    SCOPED_TRACE(scheme->name);
    std::vector<PolicyChoice> choice = {{scheme, Parameters(scheme->parameters)}};
    const bool point = scheme->flow_control == nullptr;
    build(point ? std::vector<PolicyChoice>{} : choice, point ? choice : std::vector<PolicyChoice>{});
    with_header = 0;
    arrived = {};
    std::array<std::vector<ByteString>, 2> expected;
    for (const ByteString& bytes : frames_of_nics()) {
      const std::size_t ip = bytes[12] == std::byte{0x81} ? 18 : 14;
      const auto source = std::to_integer<std::size_t>(bytes[ip + 15]);
      receive(source, port_to_host(source), bytes);
      expected[1 - source].push_back(routed_twice(bytes));
    }
    exchange();
    for (std::size_t host = 0; host < 2; ++host) {
      for (ByteString bytes : arrived[host]) {
        const std::uint32_t fcs = frame_check_sequence(bytes);
        bytes.resize(bytes.size() + kFcsBytes);
        store_crc(std::span(bytes).last<kFcsBytes>(), fcs);
        capture.add_frame(0, now, bytes, bytes.size());
        ++in_file;
      }
      EXPECT_EQ(arrived[host].size(), expected[host].size());
      // Acknowledgements may overtake data.
      std::sort(arrived[host].begin(), arrived[host].end());
      std::sort(expected[host].begin(), expected[host].end());
      EXPECT_TRUE(arrived[host] == expected[host]);
      EXPECT_EQ(nodes[host]->counters(port_to_host(host)).refused_frames(), 0u);
      EXPECT_EQ(nodes[host]->counters(port_to_switch(host)).refused_frames(), 0u);
    }
    if (with_header > 0) adding.emplace_back(scheme->name);
    EXPECT_EQ(packets.in_use(), 0u);
  }
  EXPECT_THAT(adding, ::testing::IsSupersetOf({"bfc", "floodgate"}));
  ASSERT_EQ(capture.commit(), std::nullopt);
  if (captured::has_tshark()) {
    EXPECT_THAT(captured::tshark(file, captured::kMalformed), IsEmpty());
    EXPECT_EQ(captured::tshark(file, "-Y infiniband").size(), in_file);
    EXPECT_EQ(captured::tshark(file, "-o ip.check_checksum:TRUE -Y 'ip.checksum.status == 1'").size(), in_file);
    EXPECT_THAT(captured::tshark(file, "-o udp.check_checksum:TRUE -Y 'udp.checksum.status == 0'"), IsEmpty());
  }
  std::filesystem::remove(file);
  if (!captured::has_tshark()) GTEST_SKIP() << "tshark is not installed: frames were compared, not dissected";
}

TEST_F(PlainHosts, HostsThatSpeakGetTheHeader) {
  build({choose("bfc")}, {}, true);
  receive(0, port_to_host(0), bytes_of({}));
  exchange();
  ASSERT_EQ(arrived[1].size(), 1u);
  FramePool scratch(1);
  const auto parsed = parse(scratch, arrived[1][0], Fcs::absent);
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed->envelope.has_shim);
  EXPECT_NE(scratch[parsed->id].tag, 0u);
}

TEST_F(PlainHosts, AHeaderNeedsRoomInThePacket) {
  constexpr std::uint32_t kHeader = 12;
  for (const std::uint32_t room : {kHeader - 1, kHeader}) {
    build({choose("bfc")}, {}, true);
    const bool fits = room == kHeader;
    Packet packet = packets.make(bytes_of({.payload = 100}));
    packet.capacity = packet.length + room;
    nodes[0]->receive(now, port_to_host(0), std::span(&packet, 1));
    EXPECT_EQ(sent_by(0, port_to_switch(0)).size(), fits ? 1u : 0u);
    const PortCounters& counters = nodes[0]->counters(port_to_switch(0));
    EXPECT_EQ(counters.not_sent[static_cast<std::size_t>(WireError::buffer_too_small)], fits ? 0u : 1u);
    EXPECT_EQ(counters.sent_frames, fits ? 1u : 0u);
    EXPECT_EQ(counters.sent_rebuilt, fits ? 1u : 0u);
    EXPECT_EQ(packets.in_use(), 0u);
    EXPECT_EQ(fabric->frames_of_partition(0).in_use(), 0u);
  }
}

// Packets that a port received together are taken like single ones, also more than the switch takes at once, and with
// others between them that are no plain RoCEv2 packets or are refused.
TEST_F(PlainHosts, SendBurstsLikeSinglePackets) {
  std::vector<ByteString> burst;
  for (std::uint16_t i = 0; i < 90; ++i) {
    const FrameKind kind = i % 7 == 3 ? FrameKind::cnp : FrameKind::data;
    burst.push_back(bytes_of({.kind = kind, .payload = static_cast<std::uint16_t>(kind == FrameKind::cnp ? 0 : i)}));
    if (i % 11 == 5) burst.back()[24] ^= std::byte{1};  // the header checksum
  }
  std::array<std::vector<ByteString>, 2> sent;
  std::array<PortCounters, 2> counters;
  for (const bool together : {false, true}) {
    build({choose("bfc")}, {}, true);
    std::vector<Packet> made;
    for (const ByteString& bytes : burst) made.push_back(packets.make(bytes));
    if (together) {
      nodes[0]->receive(now, port_to_host(0), made);
    } else {
      for (const Packet& packet : made) nodes[0]->receive(now, port_to_host(0), std::span(&packet, 1));
    }
    counters[together ? 1 : 0] = nodes[0]->counters(port_to_host(0));
    sent[together ? 1 : 0] = sent_by(0, port_to_switch(0));
    EXPECT_EQ(packets.in_use(), 0u);
  }
  EXPECT_EQ(sent[0].size(), 82u);
  EXPECT_EQ(sent[1], sent[0]);
  EXPECT_EQ(counters[1].received_frames, burst.size());
  EXPECT_EQ(counters[1].received_bytes, counters[0].received_bytes);
  EXPECT_EQ(counters[1].refused, counters[0].refused);
  EXPECT_EQ(counters[1].refused_frames(), 8u);
}

// An empty header, too, has no place there.
TEST_F(PlainHosts, GetNoHeaderOfAnotherSwitch) {
  build({choose("pfc")});
  for (const unsigned tag : {0u, 9u}) {
    FramePool frames(1);
    Frame& frame = frames[frames.allocate()];
    frame.kind = FrameKind::data;
    frame.source = HostId(1);
    frame.destination = HostId(0);
    frame.queue_pair = QueuePairId(3);
    frame.tag = static_cast<std::uint16_t>(tag);
    Envelope envelope = default_envelope(frame);
    envelope.has_shim = true;
    ByteString bytes(200);
    bytes.resize(*emit(frames, frame, envelope, {}, Fcs::absent, bytes));
    receive(0, port_to_switch(0), bytes);
    const std::vector<ByteString> sent = sent_by(0, port_to_host(0));
    ASSERT_EQ(sent.size(), 1u);
    FramePool scratch(1);
    const auto parsed = parse(scratch, sent[0], Fcs::absent);
    ASSERT_TRUE(parsed.ok());
    EXPECT_FALSE(parsed->envelope.has_shim);
  }
}

TEST_F(PlainHosts, SendNoHeaders) {
  build({choose("bfc")});
  receive(0, port_to_host(0), made(FrameKind::data, [](Frame& frame) {
            frame.source = HostId(0);
            frame.destination = HostId(1);
            frame.tag = 3;
          }));
  EXPECT_EQ(nodes[0]->counters(port_to_host(0)).refused[static_cast<std::size_t>(WireError::unknown_opcode)], 1u);
  EXPECT_THAT(sent_by(0, port_to_switch(0)), IsEmpty());
  EXPECT_EQ(packets.in_use(), 0u);
}

// A trimmed frame without its header would look like a complete one.
TEST_F(PlainHosts, GetNoTrimmedFramesAndNoControlFrames) {
  build({choose("pfc")}, {choose("rocc")});
  const auto fill = [](Frame& frame) {
    frame.source = HostId(1);
    frame.destination = HostId(0);
  };
  receive(0, port_to_switch(0), made(FrameKind::data, [&](Frame& frame) {
            fill(frame);
            frame.set_trimmed(true);
          }));
  receive(0, port_to_switch(0), made(FrameKind::host_control, [&](Frame& frame) {
            fill(frame);
            frame.protocol = find_scheme("rocc")->traits.protocol;
          }));
  EXPECT_EQ(nodes[0]->counters(port_to_switch(0)).refused_frames(), 0u);
  EXPECT_THAT(sent_by(0, port_to_host(0)), IsEmpty());
  EXPECT_EQ(nodes[0]->counters(port_to_host(0)).withheld, 2u);
  EXPECT_EQ(nodes[0]->counters(port_to_host(0)).sent_frames, 0u);
  EXPECT_EQ(packets.in_use(), 0u);
}

TEST_F(PlainHosts, SendNoControlFramesOfSchemes) {
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->traits.ideal || scheme->flow_control == nullptr || scheme->traits.protocol == 0) continue;
    SCOPED_TRACE(scheme->name);
    build({{scheme, Parameters(scheme->parameters)}});
    for (const FrameKind kind : {FrameKind::hop_control, FrameKind::host_control}) {
      receive(0, port_to_host(0), made(kind, [&](Frame& frame) {
                frame.protocol = scheme->traits.protocol;
                frame.source = HostId(0);
                frame.destination = HostId(1);
              }));
    }
    EXPECT_EQ(nodes[0]->counters(port_to_host(0)).disobeyed[static_cast<std::size_t>(ControlVerdict::not_spoken)], 2u);
    EXPECT_EQ(packets.in_use(), 0u);
  }
}

// With `pause = "flow"` the switch would pause its host whatever the frames of this host say.
TEST_F(PlainHosts, AreNotPausedByBfc) {
  PolicyChoice bfc = choose("bfc");
  ASSERT_TRUE(bfc.parameters.set("pause", std::string("flow")));
  for (const bool speaks : {true, false}) {
    build({bfc}, {}, speaks);
    for (int i = 0; i < 400; ++i) receive(0, port_to_host(0), bytes_of({}));
    now += 1_ms;
    nodes[0]->node().advance(now);
    const std::vector<ByteString> to_host = sent_by(0, port_to_host(0));
    EXPECT_EQ(to_host.empty(), !speaks);
    EXPECT_EQ(nodes[0]->counters(port_to_host(0)).withheld, 0u) << "it made none";
    EXPECT_EQ(sent_by(0, port_to_switch(0)).size(), 400u);
  }
}

}  // namespace
}  // namespace weir::whole::plain_hosts_test
