// SPDX-License-Identifier: Apache-2.0
#include "results/histogram.h"

#include <algorithm>
#include <utility>

#include "results/rank.h"

namespace weir {

std::int64_t Histogram::upper_bound(std::size_t bucket) {
  if (bucket < 2 * kSubBuckets) return static_cast<std::int64_t>(bucket);
  const std::size_t octave = bucket / kSubBuckets - 1;
  const std::uint64_t leading = bucket % kSubBuckets + kSubBuckets;
  return static_cast<std::int64_t>(((leading + 1) << octave) - 1);
}

Histogram Histogram::of(Parts parts) {
  Histogram histogram;
  histogram.buckets_ = std::move(parts.buckets);
  histogram.count_ = parts.count;
  histogram.sum_ = parts.sum;
  histogram.maximum_ = parts.maximum;
  return histogram;
}

void Histogram::add_beyond(std::size_t bucket, std::int64_t value, std::uint64_t count) {
  buckets_.resize(bucket + 1);
  add(value, count);
}

void Histogram::merge(const Histogram& other) {
  if (other.buckets_.size() > buckets_.size()) buckets_.resize(other.buckets_.size());
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  maximum_ = std::max(maximum_, other.maximum_);
}

std::int64_t Histogram::quantile(double p) const {
  const std::uint64_t rank = nearest_rank(p, count_);
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < buckets_.size() && rank > 0; ++i) {
    below += buckets_[i];
    if (below >= rank) return std::min(upper_bound(i), maximum_);
  }
  return maximum_;
}

}  // namespace weir
