// SPDX-License-Identifier: Apache-2.0
// A NIC with the transport, for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "schemes/expresspass/expresspass.h"
#include "schemes/expresspass/message.h"
#include "schemes/test_parameters.h"
#include "schemes/test_transport.h"

namespace weir::expresspass {

/// A NIC with ExpressPass.
struct TestNic : testing_scheme::TransportNic {
  explicit TestNic(const testing_scheme::Values& values = {})
      : TransportNic(scheme.transport(testing_scheme::with(scheme, values))) {}

  /// A control frame arrives for this half.
  void get(QueuePairId half, Kind kind, std::uint32_t sequence, std::uint32_t value = 0) {
    get_control(half, [&](Frame& frame) {
      frame.protocol = kProtocol;
      write_control(frame, nic.framing(), kind, sequence, value);
    });
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
    get_packet(receiver, sequence, last, trimmed, [&](Frame& frame) {
      InlineField<std::uint16_t>().write(frame, static_cast<std::uint16_t>(number));
      InlineField<std::uint32_t>().write(frame, stamp_of(nic.now() - age));
    });
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
};

}  // namespace weir::expresspass
