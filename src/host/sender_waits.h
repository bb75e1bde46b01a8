// SPDX-License-Identifier: Apache-2.0
// Waiting times of a sender by cause, for measurement.
#pragma once

#include "units/time.h"

namespace weir {

/// Time for which a sender half had packets to send and sent none, by cause. Each instant counts at most once. Time in
/// which it only waited for the wire, or for acknowledgements of everything it had sent, is not counted.
struct SenderWaits {
  Duration paused;     ///< blocked by gates: of its priority, its queue, its destination
  Duration paced;      ///< waiting because a window was full, or for the congestion control's rate, below its line rate
  Duration timed_out;  ///< from the last progress, or packet, to the retransmission timeout that let it continue

  friend SenderWaits operator-(const SenderWaits& a, const SenderWaits& b) {
    return {a.paused - b.paused, a.paced - b.paced, a.timed_out - b.timed_out};
  }
};

}  // namespace weir
