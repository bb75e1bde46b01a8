// SPDX-License-Identifier: Apache-2.0
#include "traffic/size_table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <memory>

#include "traffic/flow_size.h"

namespace weir::size_table_test {
namespace {

const std::vector<SizePoint> kPoints{{0, 0}, {100, 0.5}, {300, 0.75}, {1100, 1}};

TEST(SizeTable, LinearByHand) {
  const SizeTable table("t", kPoints, SizeTable::Form::linear);
  EXPECT_DOUBLE_EQ(table.mean(), 0.5 * 50 + 0.25 * 200 + 0.25 * 700);
  EXPECT_DOUBLE_EQ(table.quantile(0.0), 0.0);
  EXPECT_DOUBLE_EQ(table.quantile(0.25), 50.0);
  EXPECT_DOUBLE_EQ(table.quantile(0.5), 100.0);
  EXPECT_DOUBLE_EQ(table.quantile(0.875), 700.0);
  EXPECT_DOUBLE_EQ(table.quantile(1.0), 1100.0);
  EXPECT_DOUBLE_EQ(table.share_of_flows(200), 0.625);
  EXPECT_DOUBLE_EQ(table.share_of_flows(2000), 1.0);
  EXPECT_DOUBLE_EQ(table.share_of_bytes(0), 0.0);
  EXPECT_DOUBLE_EQ(table.share_of_bytes(100), 25.0 / 250.0);
  EXPECT_DOUBLE_EQ(table.share_of_bytes(200), (25.0 + 0.125 * 150) / 250.0);
  EXPECT_DOUBLE_EQ(table.share_of_bytes(1100), 1.0);
}

TEST(SizeTable, StepsByHand) {
  const SizeTable table("t", kPoints, SizeTable::Form::steps);
  EXPECT_DOUBLE_EQ(table.mean(), 0.5 * 100 + 0.25 * 300 + 0.25 * 1100);
  EXPECT_DOUBLE_EQ(table.quantile(0.25), 100.0);
  EXPECT_DOUBLE_EQ(table.quantile(0.5), 100.0);
  EXPECT_DOUBLE_EQ(table.quantile(0.51), 300.0);
  EXPECT_DOUBLE_EQ(table.share_of_flows(299), 0.5);
  EXPECT_DOUBLE_EQ(table.share_of_flows(300), 0.75);
  EXPECT_DOUBLE_EQ(table.share_of_bytes(300), 125.0 / 400.0);
}

TEST(SizeTable, AFirstPointWithProbabilityIsAnAtom) {
  const SizeTable table("t", {{10, 0.5}, {20, 1}}, SizeTable::Form::linear);
  EXPECT_DOUBLE_EQ(table.quantile(0.3), 10.0);
  EXPECT_DOUBLE_EQ(table.mean(), 0.5 * 10 + 0.5 * 15);
  EXPECT_DOUBLE_EQ(table.share_of_flows(9), 0.0);
  EXPECT_DOUBLE_EQ(table.share_of_flows(10), 0.5);
}

TEST(SizeTable, AtomsAndGapsBetweenPoints) {
  // The load-balancing simulators repeat a size (an atom) or a probability (a gap).
  const SizeTable table("t", {{100, 0}, {100, 0.2}, {200, 0.2}, {300, 1}}, SizeTable::Form::linear);
  EXPECT_TRUE(SizeTable::problems(table.points()).empty());
  EXPECT_DOUBLE_EQ(table.quantile(0.1), 100.0);
  EXPECT_DOUBLE_EQ(table.quantile(0.2), 100.0);
  EXPECT_NEAR(table.quantile(0.2 + 1e-9), 200.0, 1e-6);
  EXPECT_DOUBLE_EQ(table.share_of_flows(100), 0.2);
  EXPECT_DOUBLE_EQ(table.share_of_flows(150), 0.2);
  EXPECT_DOUBLE_EQ(table.mean(), 0.2 * 100 + 0.8 * 250);
}

TEST(SizeTable, DrawsAreAtLeastOneByteAndReachTheEnds) {
  const SizeTable table("t", {{0, 0}, {2, 1}}, SizeTable::Form::linear);
  RandomStream random(1, 1, 1);
  int ones = 0;
  int twos = 0;
  for (int i = 0; i < 40'000; ++i) {
    const std::int64_t size = table.draw(random).count();
    ASSERT_TRUE(size == 1 || size == 2) << size;
    (size == 1 ? ones : twos) += 1;
  }
  EXPECT_NEAR(ones, 30'000, 500);  // of 0..2, all but 1.5..2 are rounded to 1, including those raised from 0
  EXPECT_NEAR(twos, 10'000, 500);
}

TEST(SizeTable, StepsDrawOnlyPoints) {
  const SizeTable table("t", {{7, 0}, {8, 0.5}, {9, 1}}, SizeTable::Form::steps);
  RandomStream random(2, 1, 1);
  int eights = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t size = table.draw(random).count();
    ASSERT_TRUE(size == 8 || size == 9) << size;  // 7 has probability zero
    eights += size == 8 ? 1 : 0;
  }
  EXPECT_NEAR(eights, 5000, 250);
}

TEST(SizeTable, ProblemsAreFound) {
  const auto what = [](std::vector<SizePoint> points) {
    const auto problems = SizeTable::problems(points);
    return problems.empty() ? std::string("none") : problems.front().what;
  };
  EXPECT_EQ(what(kPoints), "none");
  EXPECT_EQ(what({}), "no points, expected at least one");
  EXPECT_EQ(what({{5, 0}, {4, 1}}), "size 4 is below that of the previous point, 5, expected sizes in ascending order");
  EXPECT_EQ(what({{1, 0.5}, {4, 0.4}, {5, 1}}),
            "probability 0.4 is below that of the previous point, 0.5, expected cumulative probabilities");
  EXPECT_EQ(what({{1, 0}, {4, 0.9}}), "the last probability is 0.9, expected 1");
  EXPECT_EQ(what({{-1, 0}, {4, 1}}), "size -1 is out of range, expected 0 to 2^53 bytes");
  EXPECT_EQ(what({{1, 0}, {4, 1.1}}), "probability 1.1 is out of range, expected 0 to 1");
  EXPECT_EQ(what({{0, 0}, {0, 1}}), "the largest size is below 1 byte, expected at least 1");
}

/// Any distribution: sorted sizes, and sorted probabilities that end at 1.
SizeTable arbitrary_table(SizeTable::Form form) {
  auto sizes = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(1u, 4'000'000'000u)));
  std::sort(sizes.begin(), sizes.end());
  auto shares = *rc::gen::container<std::vector<int>>(sizes.size(), rc::gen::inRange(0, 10'000));
  std::sort(shares.begin(), shares.end());
  std::vector<SizePoint> points;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    points.push_back({static_cast<double>(sizes[i]), shares[i] / 10'000.0});
  points.back().probability = 1.0;
  return SizeTable("any", points, form);
}

TEST(SizeTable, QuantileAndShareAreInverse) {
  EXPECT_TRUE(rc::check("share_of_flows(quantile(p)) >= p, and the quantile does not decrease", [] {
    const SizeTable table = arbitrary_table(*rc::gen::element(SizeTable::Form::linear, SizeTable::Form::steps));
    RC_ASSERT(SizeTable::problems(table.points()).empty());
    double last = 0.0;
    for (int i = 1; i <= 100; ++i) {
      const double p = i / 100.0;
      const double q = table.quantile(p);
      RC_ASSERT(q >= last);
      RC_ASSERT(table.share_of_flows(q) >= p - 1e-9);
      last = q;
    }
  }));
}

TEST(SizeTable, BytesAndMeanAgree) {
  EXPECT_TRUE(rc::check("share_of_bytes rises to 1 and stays below share_of_flows", [] {
    const SizeTable table = arbitrary_table(*rc::gen::element(SizeTable::Form::linear, SizeTable::Form::steps));
    const double largest = table.points().back().bytes;
    double last = 0.0;
    for (int i = 0; i <= 50; ++i) {
      const double bytes = largest * i / 50.0;
      const double share = table.share_of_bytes(bytes);
      RC_ASSERT(share >= last - 1e-12);
      RC_ASSERT(share <= table.share_of_flows(bytes) + 1e-9);
      last = share;
    }
    RC_ASSERT(last > 1.0 - 1e-9 && last < 1.0 + 1e-9);
    // The mean is the integral of the quantile function.
    double integral = 0.0;
    constexpr int kSlices = 20'000;
    for (int i = 0; i < kSlices; ++i) integral += table.quantile((i + 0.5) / kSlices) / kSlices;
    RC_ASSERT(integral > table.mean() * 0.999 - 1.0 && integral < table.mean() * 1.001 + largest * 1e-4 + 1.0);
  }));
}

TEST(FlowSize, FixedAndMultiples) {
  RandomStream random(1, 2, 3);
  EXPECT_EQ(FlowSize::fixed(Bytes(65'536)).draw(random), Bytes(65'536));
  EXPECT_DOUBLE_EQ(FlowSize::fixed(Bytes(65'536)).mean(), 65'536.0);
  const FlowSize packets = FlowSize::multiples(30, 40, Bytes(1460));
  EXPECT_DOUBLE_EQ(packets.mean(), 35 * 1460.0);
  std::array<int, 41> count{};
  for (int i = 0; i < 110'000; ++i) {
    const Bytes size = packets.draw(random);
    ASSERT_EQ(size.count() % 1460, 0);
    ASSERT_TRUE(size >= Bytes(30 * 1460) && size <= Bytes(40 * 1460));
    ++count[static_cast<std::size_t>(size / Bytes(1460))];
  }
  for (std::size_t n = 30; n <= 40; ++n) EXPECT_NEAR(count[n], 10'000, 500) << n;
}

TEST(FlowSize, Validity) {
  EXPECT_TRUE(FlowSize().valid());
  EXPECT_FALSE(FlowSize::fixed(Bytes(0)).valid());
  EXPECT_FALSE(FlowSize::multiples(3, 2, Bytes(1)).valid());
  EXPECT_FALSE(FlowSize::multiples(0, 2, Bytes(1)).valid());
  EXPECT_FALSE(FlowSize::of(nullptr).valid());
  EXPECT_TRUE(FlowSize::of(std::make_shared<const SizeTable>("t", kPoints, SizeTable::Form::linear)).valid());
}

TEST(FlowSize, CountsPiecesByHand) {
  EXPECT_DOUBLE_EQ(FlowSize::fixed(Bytes(1000)).mean_pieces(Bytes(1000)), 1);
  EXPECT_DOUBLE_EQ(FlowSize::fixed(Bytes(1001)).mean_pieces(Bytes(1000)), 2);
  // 3..6 packets, one acknowledgement per four: 1, 1, 2, 2.
  EXPECT_DOUBLE_EQ(FlowSize::multiples(3, 6, Bytes(1000)).mean_pieces(Bytes(1000)), 4.5);
  EXPECT_DOUBLE_EQ(FlowSize::multiples(3, 6, Bytes(1000)).mean_pieces(Bytes(4000)), 1.5);
  // 8..12 bytes in pieces of ten: 1, 1, 1, 2, 2.
  EXPECT_DOUBLE_EQ(FlowSize::multiples(8, 12, Bytes(1)).mean_pieces(Bytes(10)), 1.4);
}

TEST(FlowSize, CountsThePiecesThatDrawsHave) {
  const auto steps = std::make_shared<const SizeTable>("t", kPoints, SizeTable::Form::steps);
  // 0.5 of 100 B, 0.25 of 300 B, 0.25 of 1100 B.
  EXPECT_DOUBLE_EQ(FlowSize::of(steps).mean_pieces(Bytes(250)), 0.5 * 1 + 0.25 * 2 + 0.25 * 5);
  const std::vector<SizePoint> narrow{{0, 0.1}, {4, 0.5}, {4, 0.6}, {9.6, 1}};
  for (const auto& points : {kPoints, narrow}) {
    const FlowSize linear = FlowSize::of(std::make_shared<const SizeTable>("t", points, SizeTable::Form::linear));
    for (const std::int64_t piece : {1, 3, 7, 250, 5000}) {
      constexpr int kDraws = 200'000;
      RandomStream random(1, 2, 3);
      double sum = 0;
      for (int i = 0; i < kDraws; ++i) {
        sum += static_cast<double>((linear.draw(random).count() + piece - 1) / piece);
      }
      EXPECT_NEAR(linear.mean_pieces(Bytes(piece)), sum / kDraws, 0.01 * sum / kDraws) << piece;
    }
  }
}

TEST(SizeTable, AMeanIsNeverAboveTheLargestSize) {
  const SizeTable table("s", {{3, 0.0055}, {3, 1}}, SizeTable::Form::linear);  // 3 x 0.0055 + 3 x 0.9945 is rounded up
  EXPECT_EQ(table.mean(), 3);
}

}  // namespace
}  // namespace weir::size_table_test
