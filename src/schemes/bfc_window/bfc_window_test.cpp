// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc_window/bfc_window.h"

#include <gtest/gtest.h>

#include <memory>

#include "policy/testing/fake_nic.h"
#include "wire/byte_order.h"

namespace weir::bfc_window::bfc_window_test {
namespace {

using namespace literals;

/// A sender at 100 Gbit/s with a round trip of 8 us, and the receiving half.
struct Lab {
  Lab() {
    sender.base_round_trip = 8_us;
    policy->attach(nic);
    policy->open(nic, sender);
  }
  /// Sends a packet now; returns its acknowledgement.
  Frame& send() {
    Frame& data = nic.frames()[nic.frames().allocate()];
    data.kind = FrameKind::data;
    policy->on_sent(nic, sender, data);
    Frame& ack = nic.frames()[nic.frames().allocate()];
    ack.kind = FrameKind::ack;
    policy->on_data(nic, receiver, data, &ack);
    nic.frames().release(nic.frames().id_of(data));
    return ack;
  }
  void acknowledge(const Frame& ack, std::int64_t bytes) { policy->on_ack(nic, sender, {ack, bytes}); }
  /// A packet of 1,000 bytes is acknowledged after `round_trip`.
  void bounce(Duration round_trip, std::int64_t bytes = 1'000) {
    Frame& ack = send();
    nic.set_now(nic.now() + round_trip);
    acknowledge(ack, bytes);
    nic.frames().release(nic.frames().id_of(ack));
  }

  FakeNic nic;
  SendState& sender = nic.open_sender();
  ReceiveState& receiver = nic.open_receiver();
  std::unique_ptr<CongestionControl> policy = scheme.congestion_control(Parameters(scheme.parameters));
};

TEST(BfcWindow, StartsAtOneProduct) {
  EXPECT_EQ(Lab().sender.window, 100'000) << "[BFCW-1]";
}

TEST(BfcWindow, ShrinksByWhatTheRoundTripIsTooLong) {
  Lab lab;
  lab.bounce(40_us);  // twice the target
  EXPECT_EQ(lab.sender.window, 100'000 - 500) << "[BFCW-2]";
}

TEST(BfcWindow, GrowsByWhatTheRoundTripIsTooShort) {
  Lab lab;
  lab.bounce(10_us);  // half the target
  EXPECT_EQ(lab.sender.window, 100'000 + 1'000) << "[BFCW-2]";
  lab.bounce(20_us);
  EXPECT_EQ(lab.sender.window, 101'000);
}

TEST(BfcWindow, MovesByWhatIsAcknowledged) {
  Lab lab;
  lab.bounce(40_us, 8'000);
  EXPECT_EQ(lab.sender.window, 100'000 - 4'000) << "[BFCW-2]";
  lab.bounce(40_us, 0);
  EXPECT_EQ(lab.sender.window, 96'000) << "the same again acknowledges nothing";
}

/// One window of acknowledgements at round trip R changes the window by a factor of about target / R.
TEST(BfcWindow, ComesNearTheTargetWithinARoundTrip) {
  Lab lab;
  for (int packet = 0; packet < 100; ++packet) lab.bounce(25_us);
  EXPECT_EQ(lab.sender.window, 80'000);
}

TEST(BfcWindow, StaysBetweenAPacketAndTheTargetsProduct) {
  Lab lab;
  for (int packet = 0; packet < 2'000; ++packet) lab.bounce(8_us);
  EXPECT_EQ(lab.sender.window, 250'000) << "[BFCW-3]";
  for (int packet = 0; packet < 2'000; ++packet) lab.bounce(1_ms);
  EXPECT_EQ(lab.sender.window, 1'000);
}

TEST(BfcWindow, PassesOverAnAcknowledgementWithoutAStampOfThePast) {
  Lab lab;
  Frame& none = lab.nic.frames()[lab.nic.frames().allocate()];
  lab.acknowledge(none, 1'000);
  EXPECT_EQ(lab.sender.window, 100'000);
  for (const std::int64_t sent : {std::int64_t{-5}, std::int64_t{1} << 62}) {
    Frame& wrong = lab.send();
    const auto block = lab.nic.frames().extension(wrong);
    store_be32<0>(block.first<8>(), static_cast<std::uint32_t>(static_cast<std::uint64_t>(sent) >> 32));
    store_be32<4>(block.first<8>(), static_cast<std::uint32_t>(sent));
    lab.nic.set_now(lab.nic.now() + 1_us);
    lab.acknowledge(wrong, 1'000);
    EXPECT_EQ(lab.sender.window, 100'000) << sent;
  }
}

}  // namespace
}  // namespace weir::bfc_window::bfc_window_test
