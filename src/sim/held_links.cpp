// SPDX-License-Identifier: Apache-2.0
#include "sim/held_links.h"

namespace weir {

HeldLinks::Change HeldLinks::gate(std::size_t number, Priority priority, bool open, Time now) {
  Link& link = links_[number];
  const bool was_held = link.held();
  const unsigned bit = 1u << priority;
  link.closed = static_cast<std::uint8_t>(open ? link.closed & ~bit : link.closed | bit);
  return follow(link, was_held, now);
}

HeldLinks::Change HeldLinks::by_name(std::size_t number, bool paused, Time now) {
  Link& link = links_[number];
  const bool was_held = link.held();
  if (paused) {
    ++link.names;
  } else {
    --link.names;
  }
  return follow(link, was_held, now);
}

Duration HeldLinks::total(std::size_t number, Time now) const {
  const Link& link = links_[number];
  return link.held() ? link.total + (now - link.since) : link.total;
}

HeldLinks::Change HeldLinks::follow(Link& link, bool was_held, Time now) {
  if (link.held() == was_held) return Change::none;
  if (was_held) {
    link.total += now - link.since;
    return Change::released;
  }
  link.since = now;
  return Change::held;
}

}  // namespace weir
