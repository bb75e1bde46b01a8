// SPDX-License-Identifier: Apache-2.0
// Sets of ports of a switch.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/ids.h"

namespace weir::pyrrha {

/// So many sets of ports, one bit each.
class PortSets {
 public:
  PortSets() = default;
  PortSets(std::size_t sets, std::size_t ports) : words_((ports + 63) / 64), bits_(sets * words_) {}

  [[nodiscard]] bool has(std::size_t set, PortId port) const { return (word(set, port) >> (port.value & 63) & 1) != 0; }
  void add(std::size_t set, PortId port) { bits_[at(set, port)] |= std::uint64_t{1} << (port.value & 63); }
  void remove(std::size_t set, PortId port) { bits_[at(set, port)] &= ~(std::uint64_t{1} << (port.value & 63)); }
  void clear(std::size_t set) {
    for (std::size_t i = 0; i < words_; ++i) bits_[set * words_ + i] = 0;
  }
  [[nodiscard]] bool empty(std::size_t set) const {
    for (std::size_t i = 0; i < words_; ++i) {
      if (bits_[set * words_ + i] != 0) return false;
    }
    return true;
  }
  /// Calls visit(port) for each port of the set in ascending order; visit may remove that port.
  template <class Visit>
  void for_each(std::size_t set, Visit visit) const {
    for (std::size_t i = 0; i < words_; ++i) {
      for (std::uint64_t left = bits_[set * words_ + i]; left != 0; left &= left - 1) {
        visit(PortId(i * 64 + static_cast<std::size_t>(std::countr_zero(left))));
      }
    }
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t set, PortId port) const { return set * words_ + port.index() / 64; }
  [[nodiscard]] std::uint64_t word(std::size_t set, PortId port) const { return bits_[at(set, port)]; }

  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace weir::pyrrha
