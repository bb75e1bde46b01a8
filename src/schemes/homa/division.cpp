// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/division.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace weir::homa {
namespace {

/// The integral of min(size, `most`) over the flows of a segment with at most `up_to` bytes.
double bytes_of(const SizeSegment& segment, double most, double up_to) {
  if (segment.low > up_to) return 0;
  if (segment.low == segment.high) return segment.share * std::min(segment.low, most);
  const double high = std::min(segment.high, up_to);
  const double below = std::clamp(most, segment.low, high);  // sizes up to here count whole
  const double area = 0.5 * (below + segment.low) * (below - segment.low) + most * (high - below);
  return segment.share * area / (segment.high - segment.low);
}

double bytes_of(std::span<const SizeSegment> sizes, double most, double up_to) {
  double sum = 0;
  for (const SizeSegment& segment : sizes) sum += bytes_of(segment, most, up_to);
  return sum;
}

double largest_of(std::span<const SizeSegment> sizes) {
  double largest = 0;
  for (const SizeSegment& segment : sizes) largest = std::max(largest, segment.high);
  return largest;
}

}  // namespace

double unscheduled_share(std::span<const SizeSegment> sizes, Bytes round_trip) {
  const double largest = largest_of(sizes);
  return bytes_of(sizes, static_cast<double>(round_trip.count()), largest) / bytes_of(sizes, largest, largest);
}

std::size_t unscheduled_levels(std::span<const SizeSegment> sizes, Bytes round_trip, std::size_t levels) {
  const double share = unscheduled_share(sizes, round_trip) * static_cast<double>(levels);
  return std::clamp<std::size_t>(static_cast<std::size_t>(share + 0.5), 1, std::max<std::size_t>(levels, 2) - 1);
}

std::vector<Bytes> cutoffs_for(std::span<const SizeSegment> sizes, Bytes round_trip, std::size_t levels) {
  constexpr double kRounding = 1e-9;  // of sums of shares
  const auto most = static_cast<double>(round_trip.count());
  const double largest = largest_of(sizes);
  const double total = bytes_of(sizes, most, largest);
  const auto end = static_cast<std::int64_t>(std::ceil(largest));
  std::vector<Bytes> out;
  for (std::size_t i = 1; i < levels; ++i) {
    const double wanted = total * static_cast<double>(i) / static_cast<double>(levels) * (1 - kRounding);
    std::int64_t low = 1;  // the smallest size up to which messages have that many bytes
    for (std::int64_t high = end; low < high;) {
      const std::int64_t middle = low + (high - low) / 2;
      if (bytes_of(sizes, most, static_cast<double>(middle)) >= wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    if (low < end && (out.empty() || out.back() < Bytes(low))) out.emplace_back(low);
  }
  return out;
}

}  // namespace weir::homa
