// SPDX-License-Identifier: Apache-2.0
// The number of bytes that the schemes of a network add to frames along their path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/settings.h"

namespace weir {

/// The bytes that one scheme adds to frames if a host runs it: at_switch is zero.
[[nodiscard]] HeaderBytes added_by_host(const PolicyChoice& choice);

/// The headers of all chosen schemes together. A scheme with parts in several roles adds its header once, and that of
/// the host's part if it has one. What hosts add counts if hosts run the scheme, what switches add if switches do. A
/// scheme that only some switches, or the hosts of some, run counts as if all did: an upper bound.
class AddedHeaders {
 public:
  /// No headers.
  AddedHeaders() = default;
  explicit AddedHeaders(const Settings& settings);

  /// Bytes of added headers in a data frame that has passed this number of switches.
  [[nodiscard]] std::uint32_t data(std::size_t switches) const;
  /// The maximum for a data frame.
  [[nodiscard]] std::uint32_t most() const;
  /// Bytes added to the acknowledgement of a data frame that has passed this number of switches.
  [[nodiscard]] std::uint32_t acknowledgement(std::size_t switches) const;
  [[nodiscard]] std::uint32_t longest_acknowledgement() const;

 private:
  std::vector<HeaderBytes> headers_;
};

}  // namespace weir
