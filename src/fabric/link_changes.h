// SPDX-License-Identifier: Apache-2.0
// Links that fail and come back, and when routing learns of it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fabric/settings.h"

namespace weir {

/// What failures do to links and to routes as time goes on. A link is down while at least one failure of it is under
/// way; the controller learns of each change a detection time later. A link that is down from the start was never there
/// for it.
class LinkChanges {
 public:
  explicit LinkChanges(const NetworkSettings& network);

  /// When something changes next, or Time::never().
  [[nodiscard]] Time next() const { return next_ < changes_.size() ? changes_[next_].at : Time::never(); }

  /// Goes through all changes until `now` and calls `set_link(LinkId, bool up)` for each link that goes down or comes
  /// up. Where the controller learned of a change: the links that routes leave out from now on, ascending.
  template <class SetLink>
  std::optional<std::vector<LinkId>> advance(Time now, SetLink&& set_link) {
    bool reroute = false;
    for (; next_ < changes_.size() && changes_[next_].at <= now; ++next_) {
      const Change& change = changes_[next_];
      int& failures = (change.detected ? known_ : under_way_)[change.link.index()];
      failures += change.up ? -1 : 1;
      if (failures != (change.up ? 0 : 1)) continue;  // another failure of this link goes on
      if (change.detected) {
        reroute = true;
      } else {
        set_link(change.link, change.up);
      }
    }
    if (!reroute) return std::nullopt;
    return known_down();
  }

 private:
  struct Change {
    Time at;
    LinkId link;
    bool up = false;
    bool detected = false;  // when the controller learns of it
  };

  [[nodiscard]] std::vector<LinkId> known_down() const;

  std::vector<Change> changes_;  // in order of time
  std::size_t next_ = 0;
  std::vector<int> under_way_;  // failures by link
  std::vector<int> known_;      // to the controller
};

}  // namespace weir
