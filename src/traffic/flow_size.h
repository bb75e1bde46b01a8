// SPDX-License-Identifier: Apache-2.0
// Sizes of flows.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "traffic/pieces.h"
#include "traffic/size_table.h"
#include "units/bytes.h"
#include "units/random.h"
#include "units/size_segment.h"

namespace weir {

/// A fixed size, an integer number of units drawn uniformly (packets, for incasts), or a distribution.
class FlowSize {
 public:
  /// Flows of one byte by default.
  FlowSize() : FlowSize(Multiples{Bytes(1), 1, 1}) {}
  static FlowSize fixed(Bytes size) { return FlowSize(Multiples{size, 1, 1}); }
  /// `low`..`high` units with equal probability; 30..40 MTU in floodgate 6 and pyrrha 6.1.
  static FlowSize multiples(std::int64_t low, std::int64_t high, Bytes unit) {
    return FlowSize(Multiples{unit, low, high});
  }
  static FlowSize of(std::shared_ptr<const SizeTable> table) { return FlowSize(std::move(table)); }

  [[nodiscard]] Bytes draw(RandomStream& random) const {
    if (const auto* table = std::get_if<Table>(&size_)) return (*table)->draw(random);
    const auto& multiples = std::get<Multiples>(size_);
    if (multiples.low == multiples.high) return multiples.unit * multiples.low;
    const auto choices = static_cast<std::uint64_t>(multiples.high - multiples.low + 1);
    return multiples.unit * (multiples.low + static_cast<std::int64_t>(random.below(choices)));
  }
  /// In bytes.
  [[nodiscard]] double mean() const {
    if (const auto* table = std::get_if<Table>(&size_)) return (*table)->mean();
    const auto& multiples = std::get<Multiples>(size_);
    return 0.5 * static_cast<double>(multiples.low + multiples.high) * static_cast<double>(multiples.unit.count());
  }
  /// The mean number of pieces of at most `piece` bytes into which a flow is divided. `piece` is above zero and, if
  /// sizes are drawn from multiples of a unit, a multiple of the unit: packets of sizes in bytes or in packets.
  [[nodiscard]] double mean_pieces(Bytes piece) const {
    if (const auto* table = std::get_if<Table>(&size_)) return (*table)->mean_pieces(piece);
    const auto& multiples = std::get<Multiples>(size_);
    if (multiples.low == multiples.high) {
      return pieces_of(static_cast<double>((multiples.unit * multiples.low).count()), piece);
    }
    const Bytes units_a_piece(piece.count() / multiples.unit.count());
    return (integral_of_pieces(static_cast<double>(multiples.high), units_a_piece) -
            integral_of_pieces(static_cast<double>(multiples.low - 1), units_a_piece)) /
           static_cast<double>(multiples.high - multiples.low + 1);
  }
  /// The distribution. Of multiples of a unit, each is a segment if there are at most kMostSingle of them; else one
  /// segment is uniform between the extremes.
  [[nodiscard]] std::vector<SizeSegment> segments() const {
    if (const auto* table = std::get_if<Table>(&size_)) return (*table)->segments();
    const auto& multiples = std::get<Multiples>(size_);
    const auto bytes = [&](std::int64_t units) { return static_cast<double>((multiples.unit * units).count()); };
    const std::int64_t count = multiples.high - multiples.low + 1;
    if (count > kMostSingle) return {{bytes(multiples.low), bytes(multiples.high), 1}};
    std::vector<SizeSegment> out;
    for (std::int64_t units = multiples.low; units <= multiples.high; ++units) {
      out.push_back({bytes(units), bytes(units), 1 / static_cast<double>(count)});
    }
    return out;
  }
  /// The largest size that can be drawn.
  [[nodiscard]] Bytes largest() const {
    if (const auto* table = std::get_if<Table>(&size_)) {
      return Bytes(static_cast<std::int64_t>((*table)->points().back().bytes + 0.5));
    }
    const auto& multiples = std::get<Multiples>(size_);
    return multiples.unit * multiples.high;
  }
  /// Whether all drawn sizes are above zero.
  [[nodiscard]] bool valid() const {
    if (const auto* table = std::get_if<Table>(&size_)) return *table != nullptr && (*table)->mean() > 0.0;
    const auto& multiples = std::get<Multiples>(size_);
    return multiples.unit > Bytes(0) && multiples.low > 0 && multiples.high >= multiples.low;
  }

 private:
  static constexpr std::int64_t kMostSingle = 64;
  using Table = std::shared_ptr<const SizeTable>;
  struct Multiples {
    Bytes unit;
    std::int64_t low;
    std::int64_t high;
  };
  template <class Size>
  explicit FlowSize(Size size) : size_(std::move(size)) {}

  std::variant<Multiples, Table> size_;
};

}  // namespace weir
