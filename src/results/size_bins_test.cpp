// SPDX-License-Identifier: Apache-2.0
#include "results/size_bins.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace weir::size_bins_test {
namespace {

std::string label_of(Bytes size, const std::vector<SizeBin>& bins) {
  std::string label;
  for (const SizeBin& bin : bins) {
    if (bin.contains(size)) label += bin.label + ";";
  }
  return label;
}

TEST(FieldSizeBins, EachSizeIsInOne) {
  const std::vector<SizeBin> bins = field_size_bins();
  EXPECT_EQ(label_of(Bytes(1), bins), "< 3 KB;");
  EXPECT_EQ(label_of(Bytes(2'999), bins), "< 3 KB;");
  EXPECT_EQ(label_of(Bytes(3'000), bins), "3-10 KB;");
  EXPECT_EQ(label_of(Bytes(99'999), bins), "10-100 KB;");
  EXPECT_EQ(label_of(Bytes(100'000), bins), "100 KB-1 MB;");
  EXPECT_EQ(label_of(Bytes(3'000'000), bins), "1-3 MB;");
  EXPECT_EQ(label_of(Bytes(3'000'001), bins), "> 3 MB;");
  EXPECT_EQ(label_of(Bytes(1'000'000'000'000), bins), "> 3 MB;");
}

TEST(DecileSizeBins, OfTwentySizes) {
  std::vector<Bytes> sizes;
  for (int i = 20; i >= 1; --i) sizes.emplace_back(i * 500);
  const std::vector<SizeBin> bins = decile_size_bins(sizes);
  ASSERT_EQ(bins.size(), 10U);
  EXPECT_EQ(bins[0].label, "<= 1 KB");
  EXPECT_EQ(bins[0].from, Bytes(0));
  EXPECT_EQ(bins[1].from, Bytes(1'001));
  EXPECT_EQ(bins[1].to, Bytes(2'001));
  EXPECT_EQ(bins[9].label, "<= 10 KB");
}

TEST(DecileSizeBins, EqualSizesShareABin) {
  const std::vector<SizeBin> bins = decile_size_bins({Bytes(1'460), Bytes(1'460), Bytes(1'460), Bytes(2'000'000)});
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].label, "<= 1460 B");
  EXPECT_EQ(bins[1].label, "<= 2 MB");
  EXPECT_TRUE(decile_size_bins({}).empty());
}

RC_GTEST_PROP(DecileSizeBins, HoldEverySizeOnce, ()) {
  const auto numbers = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 50));
  std::vector<Bytes> sizes;
  for (const int number : numbers) sizes.emplace_back(number);
  const std::vector<SizeBin> bins = decile_size_bins(sizes);
  RC_ASSERT(bins.size() <= 10U);
  for (const Bytes size : sizes) {
    RC_ASSERT(std::count_if(bins.begin(), bins.end(), [size](const SizeBin& bin) { return bin.contains(size); }) == 1);
  }
}

}  // namespace
}  // namespace weir::size_bins_test
