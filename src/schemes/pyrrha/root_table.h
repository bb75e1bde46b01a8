// SPDX-License-Identifier: Apache-2.0
// The downstream roots that a switch knows, by port: its snapshot of the congestion beyond each port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schemes/pyrrha/root.h"
#include "units/random.h"

namespace weir::pyrrha {

/// [PYRRHA-TABLE-1] The congestion-root table: an open-addressing table of records, of which only those in use take
/// part in a look-up. Sized at construction.
template <class Record>
class RootTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  RootTable() = default;
  explicit RootTable(std::size_t records) : records_(records) {
    std::size_t slots = 4;
    while (slots < 2 * records) slots *= 2;
    slots_.assign(slots, kNone);
    for (std::size_t i = records; i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
  }

  Record& operator[](std::uint32_t number) { return records_[number]; }
  const Record& operator[](std::uint32_t number) const { return records_[number]; }
  [[nodiscard]] std::size_t size() const { return records_.size(); }
  [[nodiscard]] std::size_t in_use() const { return records_.size() - free_.size(); }

  /// The number of the record of a root at a port, or kNone.
  [[nodiscard]] std::uint32_t find(PortId port, Root root) const {
    if (slots_.empty()) return kNone;
    for (std::size_t at = home(port, root);; at = next(at)) {
      const std::uint32_t number = slots_[at];
      if (number == kNone || is(number, port, root)) return number;
    }
  }
  /// A new record for a root that has none at this port; kNone: the table is full. Its port and root are set,
  /// everything else is as the last user left it.
  std::uint32_t insert(PortId port, Root root) {
    if (free_.empty()) return kNone;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    records_[number].port = port;
    records_[number].root = root;
    std::size_t at = home(port, root);
    while (slots_[at] != kNone) at = next(at);
    slots_[at] = number;
    return number;
  }
  void erase(std::uint32_t number) {
    std::size_t hole = home(records_[number].port, records_[number].root);
    while (slots_[hole] != number) hole = next(hole);
    // Moves back what a look-up would no longer find behind the hole.
    for (std::size_t at = next(hole); slots_[at] != kNone; at = next(at)) {
      const std::size_t wanted = home(records_[slots_[at]].port, records_[slots_[at]].root);
      const std::size_t mask = slots_.size() - 1;
      if (((at - wanted) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = kNone;
    free_.push_back(number);
  }

 private:
  [[nodiscard]] bool is(std::uint32_t number, PortId port, Root root) const {
    return records_[number].root == root && records_[number].port == port;
  }
  [[nodiscard]] std::size_t home(PortId port, Root root) const { return mix(root, port.value) & (slots_.size() - 1); }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  std::vector<Record> records_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weir::pyrrha
