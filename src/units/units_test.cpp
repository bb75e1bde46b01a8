// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "units/bit_rate.h"
#include "units/ids.h"
#include "units/random.h"
#include "units/words.h"

namespace weir::units_test {
namespace {

using namespace literals;

TEST(TimeToSend, IsExactOnTheRatesOfTheField) {
  EXPECT_EQ(time_to_send(1_B, 400_Gbps), 20_ps);
  EXPECT_EQ(time_to_send(1_B, 100_Gbps), 80_ps);
  EXPECT_EQ(time_to_send(1538_B, 25_Gbps), 1538 * 320_ps);
  EXPECT_EQ(time_to_send(10_MB, 100_Gbps), 800_us);
}

TEST(TimeToSend, RoundsUp) {
  EXPECT_EQ(time_to_send(1_B, 3_Gbps), 2667_ps);
}

TEST(TimeToSend, TakesFiveGigabytesAndSlowLinks) {
  EXPECT_EQ(time_to_send(Bytes(5'000'000'000), 1_Gbps), 40_s);
  EXPECT_EQ(time_to_send(1_B, 1_bps), 8_s);
}

TEST(SerialisationTime, EqualsTheDivisionWhereAByteIsWholePicoseconds) {
  for (const BitRate rate : {10_Gbps, 25_Gbps, 40_Gbps, 100_Gbps, 200_Gbps, 400_Gbps, 800_Gbps}) {
    const SerialisationTime serialisation(rate);
    for (int bytes : {1, 64, 84, 1048, 1538, 9018, 65535}) {
      EXPECT_EQ(serialisation(bytes), time_to_send(Bytes(bytes), rate));
    }
  }
}

TEST(SerialisationTime, IsWithinAPicosecondAboveElsewhere) {
  for (const std::int64_t rate : {1'000'000LL, 3'000'000'000LL, 33'333'333'333LL, 56'000'000'000LL}) {
    const SerialisationTime serialisation{BitRate(rate)};
    for (int bytes = 1; bytes < 65536; bytes += 97) {
      const Duration exact = time_to_send(Bytes(bytes), BitRate(rate));
      EXPECT_GE(serialisation(bytes), exact);
      EXPECT_LE(serialisation(bytes), exact + 1_ps);
    }
  }
}

TEST(BytesIn, IsTheInverseOfTimeToSend) {
  EXPECT_EQ(bytes_in(2_us, 100_Gbps), 25'000_B);
  EXPECT_EQ(rate_of(25'000_B, 2_us), 100_Gbps);
}

TEST(Id, NoneIsNothing) {
  EXPECT_FALSE(PortId().exists());
  EXPECT_TRUE(PortId(3).exists());
  EXPECT_EQ(PortId(3).index(), 3u);
}

TEST(RandomStream, GivesTheSameNumbersForTheSameKeyAndOthersForAnother) {
  RandomStream a(1, 2, 3), b(1, 2, 3), c(1, 2, 4);
  const auto first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(a.next(), first);
}

TEST(RandomStream, IsUniform) {
  RandomStream stream(7, 0, 0);
  int histogram[10] = {};
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    ++histogram[stream.below(10)];
    sum += stream.uniform();
  }
  for (int count : histogram) EXPECT_NEAR(count, 10'000, 500);
  EXPECT_NEAR(sum / 100'000, 0.5, 0.01);
}

TEST(Words, AreJoinedAsInASentence) {
  EXPECT_EQ(join_words({}), "");
  EXPECT_EQ(join_words({"a"}), "a");
  EXPECT_EQ(join_words({"a", "b"}), "a and b");
  EXPECT_EQ(join_words({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace weir::units_test
