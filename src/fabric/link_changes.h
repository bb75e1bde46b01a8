// SPDX-License-Identifier: Apache-2.0
// Failures and restorations of links, and when routing learns of them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fabric/settings.h"

namespace weir {

/// The effects of failures on links and routes over time. A link is down while at least one of its failures lasts; the
/// controller learns of each change one detection time later. A link that is down from the start never existed for the
/// controller.
class LinkChanges {
 public:
  explicit LinkChanges(const NetworkSettings& network);

  /// Time of the next change, or Time::never().
  [[nodiscard]] Time next() const { return next_ < changes_.size() ? changes_[next_].at : Time::never(); }

  /// Processes all changes until `now` and calls `set_link(LinkId, bool up)` for each link that fails or is restored.
  /// If the controller learned of a change: returns the links that routes avoid from now on, ascending.
  template <class SetLink>
  std::optional<std::vector<LinkId>> advance(Time now, SetLink&& set_link) {
    bool reroute = false;
    for (; next_ < changes_.size() && changes_[next_].at <= now; ++next_) {
      const Change& change = changes_[next_];
      int& failures = (change.detected ? known_ : under_way_)[change.link.index()];
      failures += change.up ? -1 : 1;
      if (failures != (change.up ? 0 : 1)) continue;  // another failure of this link lasts
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
    bool detected = false;  // the controller learns of it
  };

  [[nodiscard]] std::vector<LinkId> known_down() const;

  std::vector<Change> changes_;  // in time order
  std::size_t next_ = 0;
  std::vector<int> under_way_;  // current failures, by link
  std::vector<int> known_;      // failures known to the controller
};

}  // namespace weir
