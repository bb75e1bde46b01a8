// SPDX-License-Identifier: Apache-2.0
// A queue pair with a loss recovery, for the tests of loss recoveries.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "policy/testing/fake_nic.h"

namespace weir::testing_scheme {

/// Both halves of a queue pair, and the frames that reach them.
class LossRecoveryTest : public testing::Test {
 protected:
  explicit LossRecoveryTest(std::unique_ptr<LossRecovery> of) { use(std::move(of)); }

  void use(std::unique_ptr<LossRecovery> of) {
    policy = std::move(of);
    policy->open(nic, sender);
    policy->open(nic, receiver);
  }
  /// Packets first..next are in flight, none was sent twice; `waiting` more have not been sent.
  void in_flight(std::uint32_t first, std::uint32_t next, std::uint32_t waiting = 100) {
    sender.unacknowledged = first;
    sender.next = sender.highest_sent = next;
    sender.end = next + waiting;
  }
  void ack(std::uint32_t sequence) { policy->on_ack(nic, sender, frame_of(FrameKind::ack, sequence)); }
  Reception data(std::uint32_t sequence, bool last = false) {
    Frame frame = frame_of(FrameKind::data, sequence);
    frame.set_ends_message(last);
    return policy->on_data(nic, receiver, frame);
  }
  /// The packets retransmitted until the policy has no more.
  std::vector<std::uint32_t> resent() {
    std::vector<std::uint32_t> all;
    while (sender.resend) {
      const LossRecovery::Pick pick = policy->pick(nic, sender);
      EXPECT_FALSE(pick.is_next);
      all.push_back(pick.sequence);
    }
    return all;
  }
  static Frame frame_of(FrameKind kind, std::uint32_t sequence) {
    Frame frame{};
    frame.kind = kind;
    frame.sequence = sequence;
    return frame;
  }

  FakeNic nic;
  SendState& sender = nic.open_sender();
  ReceiveState& receiver = nic.open_receiver();
  std::unique_ptr<LossRecovery> policy;
};

}  // namespace weir::testing_scheme
