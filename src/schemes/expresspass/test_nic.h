// SPDX-License-Identifier: Apache-2.0
// A NIC with the transport, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "policy/testing/fake_nic.h"
#include "schemes/expresspass/expresspass.h"
#include "schemes/expresspass/message.h"
#include "schemes/test_parameters.h"

namespace weir::expresspass {

/// A NIC at 100 Gbit/s with packets of 1,000 bytes.
struct TestNic {
  static constexpr Priority kPriority = 3;

  explicit TestNic(const testing_scheme::Values& values = {})
      : transport(scheme.transport(testing_scheme::with(scheme, values))) {
    static_cast<NicPolicy&>(*transport).attach(nic);
    nic.set_transport(*transport);
    nic.run_until(Time() + Duration::picoseconds(1'000'000));
  }

  SendState& open_sender(Priority priority = kPriority) {
    SendState& sender = nic.open_sender(HostId(1), priority);
    transport->open(nic, sender);
    return sender;
  }
  ReceiveState& open_receiver(Priority priority = kPriority) {
    ReceiveState& receiver = nic.open_receiver(HostId(1), priority);
    transport->open(nic, receiver);
    return receiver;
  }
  /// Posts a message of this many full packets.
  void post(SendState& sender, std::uint32_t packets) {
    const MessageView message = nic.post(sender, std::int64_t{packets} * 1'000);
    transport->on_post(nic, sender, message);
  }
  void pass(Duration time) { nic.run_until(nic.now() + time); }

  /// A control frame arrives for this half.
  void get(QueuePairId half, Kind kind, std::uint32_t sequence, std::uint32_t value = 0) {
    const FrameId id = nic.frames().allocate();
    Frame& frame = nic.frames()[id];
    frame.kind = FrameKind::host_control;
    frame.protocol = kProtocol;
    frame.queue_pair = half;
    write_control(frame, nic.framing(), kind, sequence, value);
    EXPECT_TRUE(transport->on_feedback(nic, frame));
    nic.frames().release(id);
  }
  void get_credit(const SendState& sender, std::uint32_t number) {
    get(sender.number, Kind::credit, number, stamp_of(nic.now()));
  }
  void get_request(const ReceiveState& receiver, std::uint32_t first, std::uint32_t packets) {
    get(receiver.number, Kind::request, first, packets);
  }
  /// Packet `sequence` arrives, with credit `number`, made `age` ago.
  void get_data(ReceiveState& receiver, std::uint32_t sequence, std::uint32_t number, bool last = false,
                Duration age = Duration::picoseconds(8'000'000), bool trimmed = false) {
    const FrameId id = nic.frames().allocate();
    Frame& frame = nic.frames()[id];
    frame.kind = FrameKind::data;
    frame.sequence = sequence;
    frame.payload_bytes = trimmed ? 0 : 1'000;
    frame.set_ends_message(last);
    frame.set_trimmed(trimmed);
    InlineField<std::uint16_t>().write(frame, static_cast<std::uint16_t>(number));
    InlineField<std::uint32_t>().write(frame, stamp_of(nic.now() - age));
    transport->on_data(nic, receiver, frame);
    nic.frames().release(id);
  }

  /// The control frames sent of this kind.
  [[nodiscard]] std::vector<FakeNic::Sent> sent(Kind kind) const {
    std::vector<FakeNic::Sent> out;
    for (const FakeNic::Sent& one : nic.sent()) {
      if (is_mine(one.frame) && one.frame.tag == static_cast<std::uint16_t>(kind)) out.push_back(one);
    }
    return out;
  }
  /// The frames sent of this kind.
  [[nodiscard]] std::vector<FakeNic::Sent> sent(FrameKind kind) const {
    std::vector<FakeNic::Sent> out;
    for (const FakeNic::Sent& one : nic.sent()) {
      if (one.frame.kind == kind) out.push_back(one);
    }
    return out;
  }
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

}  // namespace weir::expresspass
