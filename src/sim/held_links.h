// SPDX-License-Identifier: Apache-2.0
// How long pauses hold the senders of links.
#pragma once

#include <cstdint>
#include <vector>

#include "units/ids.h"
#include "units/time.h"
#include "wire/frame.h"

namespace weir {

/// For each direction of a link, since when and how long its sender has been held: while any priority's gate there is
/// closed, or any pause by a scheme's own name (a queue, a destination, a root) is in force. Gates are seen where they
/// close, so a RESUME that is late or lost counts as what it is; pauses by name from decision to decision.
class HeldLinks {
 public:
  explicit HeldLinks(std::size_t links) : links_(links) {}

  enum class Change : std::uint8_t { none, held, released };

  /// The gate of a priority at the link's sender is open or closed now. It may have been before.
  Change gate(std::size_t link, Priority priority, bool open, Time now);
  /// A pause by name begins or ends; each that ends has begun.
  Change by_name(std::size_t link, bool paused, Time now);

  /// Whether this priority's gate is closed, as gate() was last told.
  [[nodiscard]] bool closed(std::size_t link, Priority priority) const {
    return (links_[link].closed >> priority & 1u) != 0;
  }
  /// How long in all until `now`.
  [[nodiscard]] Duration total(std::size_t link, Time now) const;

 private:
  struct Link {
    std::uint32_t names = 0;  // pauses in force
    std::uint8_t closed = 0;  // a bit a priority
    Time since;               // while held
    Duration total;           // of those that are over
    [[nodiscard]] bool held() const { return closed != 0 || names > 0; }
  };
  Change follow(Link& link, bool was_held, Time now);

  std::vector<Link> links_;
};

}  // namespace weir
