// SPDX-License-Identifier: Apache-2.0
#include "results/size_bins.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/rank.h"

namespace weir {
namespace {

constexpr std::int64_t kKilobyte = 1'000;
constexpr std::int64_t kMegabyte = 1'000'000;

/// Exact: in the largest unit that divides it.
std::string exact_size(Bytes size) {
  const std::int64_t count = size.count();
  if (count > 0 && count % kMegabyte == 0) return fmt::format("{} MB", count / kMegabyte);
  if (count > 0 && count % kKilobyte == 0) return fmt::format("{} KB", count / kKilobyte);
  return fmt::format("{} B", count);
}

}  // namespace

std::vector<SizeBin> field_size_bins() {
  // 3 MB itself is not above 3 MB.
  constexpr std::int64_t kLong = 3 * kMegabyte + 1;
  return {
      {Bytes(0), Bytes(3 * kKilobyte), "< 3 KB"},
      {Bytes(3 * kKilobyte), Bytes(10 * kKilobyte), "3-10 KB"},
      {Bytes(10 * kKilobyte), Bytes(100 * kKilobyte), "10-100 KB"},
      {Bytes(100 * kKilobyte), Bytes(kMegabyte), "100 KB-1 MB"},
      {Bytes(kMegabyte), Bytes(kLong), "1-3 MB"},
      {Bytes(kLong), Bytes::max(), "> 3 MB"},
  };
}

std::vector<SizeBin> decile_size_bins(std::vector<Bytes> sizes) {
  std::vector<SizeBin> bins;
  std::sort(sizes.begin(), sizes.end());
  Bytes from;
  for (int decile = 1; decile <= 10 && !sizes.empty(); ++decile) {
    const Bytes last = sizes[nearest_rank(decile / 10.0, sizes.size()) - 1];
    if (last < from) continue;  // the previous bin contains all of this size
    bins.push_back({from, last + Bytes(1), "<= " + exact_size(last)});
    from = last + Bytes(1);
  }
  return bins;
}

}  // namespace weir
