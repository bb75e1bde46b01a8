// SPDX-License-Identifier: Apache-2.0
#include "schemes/line_rate/line_rate.h"

#include <gtest/gtest.h>

#include "policy/testing/fake_nic.h"

namespace weir::line_rate::line_rate_test {
namespace {

using namespace literals;

std::unique_ptr<CongestionControl> make() {
  return scheme.congestion_control(Parameters(scheme.parameters));
}

TEST(LineRate, StartsAtLineRateWithoutAWindow) {
  FakeNic nic;
  SendState& sender = nic.open_sender();
  sender.line_rate = 25_Gbps;
  sender.rate = 1_Gbps;
  sender.window = 1;
  make()->open(nic, sender);
  EXPECT_EQ(sender.rate, 25_Gbps);  // [LINE-RATE-1]
  EXPECT_EQ(sender.window, kUnlimited);
}

TEST(LineRate, ReactsToNothing) {
  const auto policy = make();
  const CongestionHooks hooks = policy->hooks();
  EXPECT_FALSE(hooks.sent || hooks.ack || hooks.data || hooks.next_send);  // [LINE-RATE-1]
  FakeNic nic;
  SendState& sender = nic.open_sender();
  policy->open(nic, sender);
  policy->on_cnp(nic, sender, Frame{});
  policy->on_loss(nic, sender);
  EXPECT_FALSE(policy->on_feedback(nic, Frame{}));
  EXPECT_EQ(sender.rate, sender.line_rate);
  EXPECT_EQ(sender.window, kUnlimited);
}

}  // namespace
}  // namespace weir::line_rate::line_rate_test
