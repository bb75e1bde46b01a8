// SPDX-License-Identifier: Apache-2.0
// Distributions of many values in little memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/int128.h"

namespace weir {

/// A histogram of non-negative values with 64 sub-buckets per octave: quantiles are accurate to 1.6 % for any number of
/// values. Values below 128 have buckets of their own. Memory is bounded: at most 3712 buckets, as many as the largest
/// value requires.
class Histogram {
 public:
  /// `value` must not be negative.
  void add(std::int64_t value, std::uint64_t count = 1) {
    assert(value >= 0);
    value = std::max<std::int64_t>(value, 0);
    if (count == 0) return;
    const std::size_t bucket = bucket_of(value);
    if (bucket >= buckets_.size()) [[unlikely]]
      return add_beyond(bucket, value, count);
    buckets_[bucket] += count;
    count_ += count;
    sum_ += UnsignedInt128{static_cast<std::uint64_t>(value)} * count;
    maximum_ = std::max(maximum_, value);
  }
  /// As if every value of `other` had been added here.
  void merge(const Histogram& other);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Exact except for the last rounding; zero if empty.
  [[nodiscard]] double mean() const {
    return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }
  /// Exact; zero if empty.
  [[nodiscard]] std::int64_t maximum() const { return maximum_; }
  /// The smallest value v such that a share `p` of all values is at most v, rounded up to the bucket's upper bound but
  /// never above the maximum; zero if empty. `p` in 0..1.
  [[nodiscard]] std::int64_t quantile(double p) const;

  /// The complete contents of a histogram, for storing and restoring it.
  struct Parts {
    std::vector<std::uint64_t> buckets;  ///< number of values in each, up to that of the largest value
    std::uint64_t count = 0;
    UnsignedInt128 sum = 0;
    std::int64_t maximum = 0;
  };
  [[nodiscard]] Parts parts() const { return {buckets_, count_, sum_, maximum_}; }
  static Histogram of(Parts parts);
  /// The largest value that is counted in a bucket.
  static std::int64_t upper_bound(std::size_t bucket);

  bool operator==(const Histogram&) const = default;

 private:
  static constexpr int kSubBucketBits = 6;
  static constexpr std::size_t kSubBuckets = std::size_t{1} << kSubBucketBits;
  /// The same for a value beyond the present buckets. Called last, so that add() saves no registers.
  void add_beyond(std::size_t bucket, std::int64_t value, std::uint64_t count);
  static std::size_t bucket_of(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (bits < 2 * kSubBuckets) return static_cast<std::size_t>(bits);
    const int octave = static_cast<int>(std::bit_width(bits)) - kSubBucketBits - 1;
    // The leading bits of the value, 64..127 in every octave but the first, number the buckets contiguously.
    return static_cast<std::size_t>(octave) * kSubBuckets + static_cast<std::size_t>(bits >> octave);
  }

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  UnsignedInt128 sum_ = 0;  // a sum of picoseconds over a long run exceeds 64 bits
  std::int64_t maximum_ = 0;
};

}  // namespace weir
