// SPDX-License-Identifier: Apache-2.0
// A NIC with the transport, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "schemes/homa/homa.h"
#include "schemes/homa/message.h"
#include "schemes/test_parameters.h"
#include "schemes/test_transport.h"

namespace weir::homa {

/// A NIC with Homa, of which a message sends ten packets without grants.
struct TestNic : testing_scheme::TransportNic {
  explicit TestNic(const testing_scheme::Values& values = {}) : TransportNic(scheme.transport(completed(values))) {}

  /// A queue pair with a message.
  SendState& sending(std::uint32_t packets, HostId remote = HostId(1)) {
    SendState& sender = open_sender(remote);
    post(sender, packets);
    return sender;
  }

  struct Packet {
    std::uint32_t sender;
    std::uint32_t sequence;
    int priority;
    bool operator==(const Packet&) const = default;
  };
  /// The packet that the NIC sends when its wire is free; nothing if none is offered.
  std::optional<Packet> send() {
    for (int priority = kPriorities - 1; priority >= 0; --priority) {
      if (!nic.offered(static_cast<Priority>(priority))) continue;
      if (!nic.is_open(static_cast<Priority>(priority))) continue;
      const auto chosen = nic.send_chosen(static_cast<Priority>(priority));
      if (!chosen) continue;
      EXPECT_EQ(nic.sent().back().frame.sequence, chosen->sequence);
      return Packet{chosen->sender->number.value, chosen->sequence, priority};
    }
    return std::nullopt;
  }
  /// The sequences of all packets that can be sent.
  std::vector<std::uint32_t> send_all() {
    std::vector<std::uint32_t> out;
    while (const auto packet = send()) out.push_back(packet->sequence);
    return out;
  }

  /// A control frame from `remote` arrives for this half.
  void get(QueuePairId half, Kind kind, std::uint32_t from, std::uint32_t to, Priority priority = 0,
           HostId remote = HostId(1)) {
    get_control(half, [&](Frame& frame) {
      frame.protocol = kProtocol;
      frame.source = remote;
      frame.tag = static_cast<std::uint16_t>(static_cast<unsigned>(kind) | static_cast<unsigned>(priority) << 8);
      frame.sequence = from;
      frame.tag_value = to;
    });
  }
  void get_grant(const SendState& sender, std::uint32_t to, Priority priority = 0) {
    get(sender.number, Kind::grant, 0, to, priority);
  }
  void get_done(const SendState& sender, std::uint32_t end) { get(sender.number, Kind::done, 0, end); }

  /// Packet `sequence` of the message before `end` arrives.
  void get_data(ReceiveState& receiver, std::uint32_t sequence, std::uint32_t end, bool trimmed = false) {
    get_packet(receiver, sequence, sequence + 1 == end, trimmed,
               [&](Frame& frame) { InlineField<std::uint32_t>().write(frame, end); });
  }
  /// A queue pair with a message of this many packets, of which the first has arrived.
  ReceiveState& receiving(std::uint32_t packets, HostId remote = HostId(1)) {
    ReceiveState& receiver = open_receiver(remote);
    get_data(receiver, 0, packets);
    return receiver;
  }

  struct Said {
    std::uint32_t half;  ///< the number of this NIC's half
    std::uint32_t from;
    std::uint32_t to;
    int priority;
    bool operator==(const Said&) const = default;
  };
  /// The control frames of this kind that were sent since the last call for it or for another kind.
  std::vector<Said> said(Kind kind) {
    std::vector<Said> out;
    for (const FakeNic::Sent& one : nic.sent()) {
      if (one.frame.kind != FrameKind::host_control || kind_of(one.frame) != kind) continue;
      EXPECT_EQ(one.frame.protocol, kProtocol);
      EXPECT_EQ(one.frame.priority, kPriorities - 1);
      out.push_back(
          {one.frame.queue_pair.value - 1'000, one.frame.sequence, one.frame.tag_value, priority_in(one.frame)});
    }
    nic.release_sent();
    return out;
  }

 private:
  static Parameters completed(const testing_scheme::Values& values) {
    Parameters parameters = testing_scheme::with(scheme, values);
    if (values.empty() || values.front().first != "round_trip_bytes") {
      EXPECT_TRUE(parameters.set("round_trip_bytes", Bytes(9'500)));
    }
    return parameters;
  }
};

inline void PrintTo(const TestNic::Packet& packet, std::ostream* out) {
  *out << packet.sender << ": " << packet.sequence << " at " << packet.priority;
}
inline void PrintTo(const TestNic::Said& said, std::ostream* out) {
  *out << said.half << ": " << said.from << " to " << said.to << " at " << said.priority;
}

}  // namespace weir::homa
