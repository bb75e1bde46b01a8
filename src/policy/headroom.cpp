// SPDX-License-Identifier: Apache-2.0
#include "policy/headroom.h"

#include <cstdint>

#include "units/int128.h"

namespace weir {
namespace {

/// The bytes whose last bit can arrive during `interval`, rounded up.
Bytes bytes_during(Duration interval, BitRate rate) {
  constexpr std::int64_t kBitPicoseconds = 8'000'000'000'000;
  const auto product = static_cast<Int128>(interval.picoseconds()) * rate.bits_per_second();
  return Bytes(static_cast<std::int64_t>((product + kBitPicoseconds - 1) / kBitPicoseconds));
}

}  // namespace

Bytes Headroom::total() const {
  return crossing_frame + own_frame + pause_frame + in_flight + response + neighbour_frame;
}

Headroom headroom_of(const HeadroomLink& link, const Framing& framing) {
  const Bytes overhead(framing.wire_overhead);
  return {.crossing_frame = link.maximum_frame,
          .own_frame = link.maximum_frame + overhead,
          .pause_frame = Bytes(framing.pfc) + overhead,
          .in_flight = bytes_during(2 * link.delay, link.rate),
          .response = bytes_during(link.pause_response, link.rate),
          .neighbour_frame = link.maximum_frame};
}

Bytes rate_delay_headroom(BitRate rate, Duration delay, double factor) {
  constexpr double kBeyond = 0x1p63;
  const double product = static_cast<double>(bytes_in(delay, rate).count()) * factor;
  return product < kBeyond ? Bytes(static_cast<std::int64_t>(product)) : Bytes::max();
}

}  // namespace weir
