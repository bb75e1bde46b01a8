// SPDX-License-Identifier: Apache-2.0
// A set whose members are taken in the order of rank, at a cost almost independent of their number.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace weir {

/// A set of the numbers 0..n-1, taken in the order of ranks that are fixed at construction (of equal ranks the lower
/// number first). A bit map in the order of ranks, with a summary of one bit per 64-bit word: both calls cost a few
/// instructions for up to some ten thousand numbers, and allocate nothing.
class RankedSet {
 public:
  /// The empty set; `ranks` has one rank per number.
  explicit RankedSet(std::span<const std::uint64_t> ranks)
      : number_at_(ranks.size()),
        place_of_(ranks.size()),
        words_(ranks.size() / kBits + 1),
        summary_(words_.size() / kBits + 1) {
    std::iota(number_at_.begin(), number_at_.end(), std::uint32_t{0});
    std::sort(number_at_.begin(), number_at_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : a < b; });
    for (std::uint32_t place = 0; place < number_at_.size(); ++place) place_of_[number_at_[place]] = place;
  }

  [[nodiscard]] bool empty() const { return size_ == Size::none; }

  /// Has no effect if the number is in the set.
  void insert(std::uint32_t number) {
    if (size_ == Size::none) [[likely]] {
      only_ = number;
      size_ = Size::one;
    } else {
      insert_into_map(number);
    }
  }

  /// Removes and returns the number of the lowest rank; the set must not be empty.
  std::uint32_t take_first() {
    if (size_ == Size::more) [[unlikely]]
      return take_from_map();
    size_ = Size::none;
    return only_;
  }

 private:
  // A set of one, which is the usual case, is not stored in the map.
  enum class Size : std::uint8_t { none, one, more };

  void insert_into_map(std::uint32_t number) {
    if (size_ == Size::one) {
      size_ = Size::more;
      mark(only_);
    }
    mark(number);
  }

  void mark(std::uint32_t number) {
    const std::uint32_t place = place_of_[number];
    std::uint64_t& word = words_[place / kBits];
    if (word == 0) {
      ++used_words_;
      summary_[place / (kBits * kBits)] |= bit(place / kBits);
    }
    word |= bit(place);
  }

  std::uint32_t take_from_map() {
    std::size_t at = 0;
    while (summary_[at] == 0) ++at;
    const std::size_t in_words = at * kBits + first(summary_[at]);
    std::uint64_t& word = words_[in_words];
    const std::size_t place = in_words * kBits + first(word);
    word &= word - 1;
    if (word == 0) {
      summary_[at] &= summary_[at] - 1;
      if (--used_words_ == 0) size_ = Size::none;
    }
    return number_at_[place];
  }

  static constexpr std::uint32_t kBits = 64;
  static std::uint64_t bit(std::uint32_t place) { return std::uint64_t{1} << (place % kBits); }
  static std::size_t first(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }

  std::vector<std::uint32_t> number_at_;  // by place in the order of ranks
  std::vector<std::uint32_t> place_of_;
  std::vector<std::uint64_t> words_;    // by place
  std::vector<std::uint64_t> summary_;  // bit n: word n is not zero
  std::uint32_t used_words_ = 0;        // words that are not zero
  std::uint32_t only_ = 0;              // the member of a set of one
  Size size_ = Size::none;
};

}  // namespace weir
