// SPDX-License-Identifier: Apache-2.0
// What can still arrive after a switch decides to pause a neighbour.
#pragma once

#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"
#include "wire/framing.h"

namespace weir {

/// The worst case of one link and lossless priority, term by term, in the manner of IEEE 802.1Qbb, annex O. Times on
/// the wire are counted at a byte a byte time, so preambles and gaps count as if they were data: the sum is an upper
/// bound in frame bytes.
struct Headroom {
  /// The frame that crosses the threshold: the shared-buffer accounts charge it to headroom whole.
  Bytes crossing_frame;
  /// A frame of another priority that this port had begun to send holds the PFC frame back.
  Bytes own_frame;
  /// The PFC frame is sent.
  Bytes pause_frame;
  /// What flies towards us while the PFC frame flies to the neighbour, and what flew when it arrived: 2 x delay x rate.
  Bytes in_flight;
  /// The neighbour takes this long from the arrival of a PAUSE to its effect.
  Bytes response;
  /// The neighbour finishes the frame it has begun. Its gap comes too late to matter.
  Bytes neighbour_frame;

  [[nodiscard]] Bytes total() const;
};

/// What `headroom_of` works from.
struct HeadroomLink {
  BitRate rate;             ///< above zero
  Duration delay;           ///< of propagation, one way
  Bytes maximum_frame;      ///< frame bytes
  Duration pause_response;  ///< from the arrival of a PAUSE to its effect, at most
};

Headroom headroom_of(const HeadroomLink& link, const Framing& framing);

/// `factor` x rate x one-way delay, rounded down, or Bytes::max() where that is more: the rule of the public simulators
/// (HPCC: 3, Floodgate: 8).
Bytes rate_delay_headroom(BitRate rate, Duration delay, double factor);

}  // namespace weir
