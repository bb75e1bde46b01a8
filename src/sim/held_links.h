// SPDX-License-Identifier: Apache-2.0
// Time for which pauses block the senders of links.
#pragma once

#include <cstdint>
#include <vector>

#include "units/ids.h"
#include "units/time.h"
#include "wire/frame.h"

namespace weir {

/// For each direction of a link, since when and for how long its sender has been blocked: while any priority's gate
/// there is closed, or any pause by a scheme's own ID (a queue, a destination, a root) is in force. Gates are observed
/// where they close, so late or lost RESUMEs are taken into account; pauses by ID last from decision to decision.
class HeldLinks {
 public:
  explicit HeldLinks(std::size_t links) : links_(links) {}

  enum class Change : std::uint8_t { none, held, released };

  /// The gate of a priority at the link's sender is now open or closed, possibly unchanged.
  Change gate(std::size_t link, Priority priority, bool open, Time now);
  /// A pause by ID begins or ends; an end follows a begin.
  Change by_name(std::size_t link, bool paused, Time now);

  /// Whether this priority's gate is closed according to the last call of gate().
  [[nodiscard]] bool closed(std::size_t link, Priority priority) const {
    return (links_[link].closed >> priority & 1u) != 0;
  }
  /// Total time until `now`.
  [[nodiscard]] Duration total(std::size_t link, Time now) const;

 private:
  struct Link {
    std::uint32_t names = 0;  // pauses in force
    std::uint8_t closed = 0;  // one bit per priority
    Time since;               // while blocked
    Duration total;           // of completed pauses
    [[nodiscard]] bool held() const { return closed != 0 || names > 0; }
  };
  Change follow(Link& link, bool was_held, Time now);

  std::vector<Link> links_;
};

}  // namespace weir
