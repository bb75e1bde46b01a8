// SPDX-License-Identifier: Apache-2.0
// A NIC with a transport, for the tests of transports.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "policy/testing/fake_nic.h"

namespace weir::testing_scheme {

/// A NIC at 100 Gbit/s with packets of 1,000 bytes, 1 us after its start.
struct TransportNic {
  static constexpr Priority kPriority = 3;
  static constexpr std::uint16_t kPacket = 1'000;

  explicit TransportNic(std::unique_ptr<Transport> of) : transport(std::move(of)) {
    static_cast<NicPolicy&>(*transport).attach(nic);
    nic.set_transport(*transport);
    pass(Duration::picoseconds(1'000'000));
  }

  SendState& open_sender(HostId remote = HostId(1), Priority priority = kPriority) {
    SendState& sender = nic.open_sender(remote, priority);
    transport->open(nic, sender);
    return sender;
  }
  ReceiveState& open_receiver(HostId remote = HostId(1)) {
    ReceiveState& receiver = nic.open_receiver(remote, kPriority);
    transport->open(nic, receiver);
    return receiver;
  }
  /// Posts a message of this many full packets.
  void post(SendState& sender, std::uint32_t packets) {
    const MessageView message = nic.post(sender, std::int64_t{packets} * kPacket);
    transport->on_post(nic, sender, message);
  }
  void pass(Duration time) { nic.run_until(nic.now() + time); }

  /// A control frame arrives for this half; `fill` writes it. The transport must recognise it.
  template <class Fill>
  void get_control(QueuePairId half, Fill fill) {
    const FrameId id = nic.frames().allocate();
    Frame& frame = nic.frames()[id];
    frame.kind = FrameKind::host_control;
    frame.queue_pair = half;
    fill(frame);
    EXPECT_TRUE(transport->on_feedback(nic, frame));
    nic.frames().release(id);
  }
  /// Packet `sequence` arrives; `fill` writes the header of the scheme.
  template <class Fill>
  void get_packet(ReceiveState& receiver, std::uint32_t sequence, bool last, bool trimmed, Fill fill) {
    const FrameId id = nic.frames().allocate();
    Frame& frame = nic.frames()[id];
    frame.kind = FrameKind::data;
    frame.source = receiver.remote;
    frame.sequence = sequence;
    frame.payload_bytes = trimmed ? std::uint16_t{0} : kPacket;
    frame.set_ends_message(last);
    frame.set_trimmed(trimmed);
    fill(frame);
    transport->on_data(nic, receiver, frame);
    nic.frames().release(id);
  }

  /// The value of a statistic of the transport.
  [[nodiscard]] double count(std::string_view name) const {
    const auto specs = transport->statistics();
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (specs[i].name == name) return transport->statistic(i, 0).value;
    }
    ADD_FAILURE() << name;
    return -1;
  }

  FakeNic nic{1 << 14};
  std::unique_ptr<Transport> transport;
};

}  // namespace weir::testing_scheme
