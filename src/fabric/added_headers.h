// SPDX-License-Identifier: Apache-2.0
// How many bytes the schemes of a network add to frames on their way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/settings.h"

namespace weir {

/// What one scheme adds to frames where a host runs it: at_switch is zero.
[[nodiscard]] HeaderBytes added_by_host(const PolicyChoice& choice);

/// The headers of all chosen schemes together. A scheme with parts in several slots adds its header once, and that of
/// the host's part if it has one. What hosts add counts where the hosts run the scheme, what switches add where
/// switches do. A scheme that only some switches, or the hosts of some, run counts as if all did: an upper bound.
class AddedHeaders {
 public:
  /// None.
  AddedHeaders() = default;
  explicit AddedHeaders(const Settings& settings);

  /// Bytes that a data frame has of them once it has passed so many switches.
  [[nodiscard]] std::uint32_t data(std::size_t switches) const;
  /// The most that a data frame can have.
  [[nodiscard]] std::uint32_t most() const;
  /// Bytes of the acknowledgement of a data frame that has passed so many switches.
  [[nodiscard]] std::uint32_t acknowledgement(std::size_t switches) const;
  [[nodiscard]] std::uint32_t longest_acknowledgement() const;

 private:
  std::vector<HeaderBytes> headers_;
};

}  // namespace weir
