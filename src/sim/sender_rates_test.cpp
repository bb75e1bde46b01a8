// SPDX-License-Identifier: Apache-2.0
#include "sim/sender_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::sender_rates_test {
namespace {

using namespace literals;
using testing::ElementsAre;

/// A queue pair with `lacks` packets unsent or unacknowledged.
SendState sender_of(BitRate rate, std::uint32_t lacks) {
  SendState sender;
  sender.rate = rate;
  sender.end = lacks;
  return sender;
}

TEST(SenderRates, SumsOverTheQueuePairsThatSend) {
  SenderRates rates(10_us);
  rates.add(sender_of(2_Gbps, 1));
  rates.add(sender_of(4_Gbps, 7));
  rates.add(sender_of(100_Gbps, 0));  // all is acknowledged
  rates.end_sample();
  rates.end_sample();  // no queue pair sends
  rates.add(sender_of(3_Gbps, 1));
  rates.end_sample();
  const std::vector<Series> series = rates.series();
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].name, "senders.number queue_pairs");
  EXPECT_EQ(series[1].name, "senders.rate bit/s");
  EXPECT_EQ(series[2].name, "senders.rate_squared bit2/s2");
  EXPECT_EQ(series[0].interval, 10_us);
  EXPECT_THAT(series[0].values, ElementsAre(2, 0, 1));
  EXPECT_THAT(series[1].values, ElementsAre(6e9, 0, 3e9));
  EXPECT_THAT(series[2].values, ElementsAre(20e18, 0, 9e18));
}

}  // namespace
}  // namespace weir::sender_rates_test
