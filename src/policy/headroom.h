// SPDX-License-Identifier: Apache-2.0
// The bytes that can still arrive after a switch decides to pause a neighbour.
#pragma once

#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"
#include "wire/framing.h"

namespace weir {

/// The worst case for one link and one lossless priority, term by term, following IEEE 802.1Qbb, annex O. Each byte
/// time on the wire counts as one byte, so preambles and gaps count as data: the sum is an upper bound in frame bytes.
struct Headroom {
  /// The frame that crosses the threshold: it is charged to headroom completely.
  Bytes crossing_frame;
  /// A frame of another priority, whose transmission by this port has begun, delays the PFC frame.
  Bytes own_frame;
  /// The transmission of the PFC frame.
  Bytes pause_frame;
  /// Bytes in flight towards this switch while the PFC frame travels, and those in flight when it arrives: 2 x delay x
  /// rate.
  Bytes in_flight;
  /// The neighbour's time from the arrival of a PAUSE to its effect.
  Bytes response;
  /// The neighbour completes the frame it has begun. The gap after it is irrelevant.
  Bytes neighbour_frame;

  [[nodiscard]] Bytes total() const;
};

/// The inputs of `headroom_of`.
struct HeadroomLink {
  BitRate rate;             ///< above zero
  Duration delay;           ///< propagation delay, one way
  Bytes maximum_frame;      ///< frame bytes
  Duration pause_response;  ///< maximum time from the arrival of a PAUSE to its effect
};

Headroom headroom_of(const HeadroomLink& link, const Framing& framing);

/// `factor` x rate x one-way delay, rounded down, at most Bytes::max(): the rule of the public simulators (HPCC: 3,
/// Floodgate: 8).
Bytes rate_delay_headroom(BitRate rate, Duration delay, double factor);

}  // namespace weir
