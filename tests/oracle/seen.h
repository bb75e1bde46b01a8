// SPDX-License-Identifier: Apache-2.0
// What somebody who listens to a wire notes of a frame.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <ostream>

#include "wire/frame.h"

namespace weir::oracle {

using Picoseconds = std::int64_t;
inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

struct Seen {
  Picoseconds first_bit = 0;  ///< when it leaves the sender
  FrameKind kind = FrameKind::data;
  HostId source{};
  HostId destination{};
  std::uint32_t sequence = 0;
  int bytes = 0;
  int priority = 0;
  Ecn ecn = Ecn::not_capable;
  bool damaged = false;
  std::map<int, int> quanta{};  ///< PFC: of the priorities that it names

  bool operator==(const Seen&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Seen& s) {
    constexpr std::array<const char*, 8> kKinds{"data", "ack", "nack", "cnp", "pfc", "hop", "host", "mark"};
    out << s.first_bit << " ps: " << kKinds[static_cast<std::size_t>(s.kind)];
    for (const auto& [named, asked] : s.quanta) out << " priority " << named << ": " << asked << " quanta,";
    if (s.kind != FrameKind::pfc) {
      out << " h" << s.source.value << " to h" << s.destination.value << " sequence " << s.sequence << " priority "
          << s.priority << " ecn " << static_cast<int>(s.ecn);
    }
    return out << " bytes " << s.bytes << (s.damaged ? " damaged" : "");
  }
};

}  // namespace weir::oracle
