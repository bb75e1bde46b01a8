// SPDX-License-Identifier: Apache-2.0
// PFC frames that have been received at one port and have not yet taken effect.
#pragma once

#include <cstddef>
#include <vector>

#include "units/bit_rate.h"
#include "units/time.h"
#include "wire/framing.h"
#include "wire/pfc.h"

namespace weir::pfc {

/// A delay line of fixed memory. All frames wait equally long, so the oldest is due first.
class PendingPauses {
 public:
  PendingPauses() = default;
  /// Has room for all PFC frames that a link of `rate` delivers in `response`, and for a burst to which a poll loop
  /// gives the same time. Has no room if `response` is zero.
  PendingPauses(Duration response, BitRate rate, const Framing& framing) {
    if (response == Duration()) return;
    const Duration frame = time_to_send(Bytes(framing.pfc + framing.wire_overhead), rate);
    entries_.resize(static_cast<std::size_t>(response / frame) + kBurst);
  }

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == entries_.size(); }
  /// When the oldest takes effect; must not be empty.
  [[nodiscard]] Time due() const { return entries_[first_].due; }

  /// Must not be full; `due` must not be before that of an earlier frame.
  void push(Time due, const PfcQuanta& said) {
    entries_[(first_ + count_) % entries_.size()] = {due, said};
    ++count_;
  }
  /// Removes the oldest; must not be empty.
  PfcQuanta pop() {
    const PfcQuanta said = entries_[first_].said;
    first_ = (first_ + 1) % entries_.size();
    --count_;
    return said;
  }
  void clear() { count_ = 0; }

 private:
  struct Entry {
    Time due;
    PfcQuanta said;
  };
  static constexpr std::size_t kBurst = 64;

  std::vector<Entry> entries_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace weir::pfc
