// SPDX-License-Identifier: Apache-2.0
// What holds a sender back, for measurement.
#pragma once

#include "units/time.h"

namespace weir {

/// How long a sender half had packets to send and sent none, by what held it. Each instant counts once at most. Time in
/// which it only waited for the wire, or for acknowledgements of all it had sent, counts nowhere.
struct SenderWaits {
  Duration paused;     ///< gates held it: of its priority, its queue, its destination
  Duration paced;      ///< a window was full, or the congestion control's rate, below its line rate, had it wait
  Duration timed_out;  ///< from the last progress, or packet, to the retransmission timeout that let it go on

  friend SenderWaits operator-(const SenderWaits& a, const SenderWaits& b) {
    return {a.paused - b.paused, a.paced - b.paced, a.timed_out - b.timed_out};
  }
};

}  // namespace weir
