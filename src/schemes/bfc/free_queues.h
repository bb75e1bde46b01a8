// SPDX-License-Identifier: Apache-2.0
// Which queues hold no frames: the bitmap in which BFC searches for an empty queue.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/hot_path.h"

namespace weir::bfc {

/// Groups of up to 4,096 queues each. One bit per queue and, above 64 queues, one bit per word, so that every operation
/// takes the same small number of steps. All queues are free at first.
class FreeQueues {
 public:
  static constexpr std::size_t kMostQueues = 64 * 64;
  /// No queue. Not an empty std::optional, which GCC 12 writes to memory in parts and reads as a whole: the processor
  /// waits for that on the path of every frame.
  static constexpr std::size_t kNone = ~std::size_t{0};

  FreeQueues() = default;
  FreeQueues(std::size_t groups, std::size_t queues)
      : queues_(queues), words_of_group_((queues + 63) / 64), words_(groups * words_of_group_), with_free_(groups) {
    for (std::size_t group = 0; group < groups; ++group) set_all(group);
  }

  void set(std::size_t group, std::size_t queue) {
    words_[at(group, queue)] |= bit(queue);
    with_free_[group] |= bit(queue / 64);
  }
  void clear(std::size_t group, std::size_t queue) {
    std::uint64_t& word = words_[at(group, queue)];
    word &= ~bit(queue);
    if (word == 0) with_free_[group] &= ~bit(queue / 64);
  }
  void set_all(std::size_t group) {
    for (std::size_t queue = 0; queue < queues_; ++queue) set(group, queue);
  }
  [[nodiscard]] bool is_free(std::size_t group, std::size_t queue) const {
    return (words_[at(group, queue)] & bit(queue)) != 0;
  }
  [[nodiscard]] bool all_free() const {
    for (std::size_t group = 0; group < with_free_.size(); ++group) {
      for (std::size_t first = 0; first < queues_; first += 64) {
        const std::size_t left = queues_ - first;
        if (words_[at(group, first)] != (left < 64 ? bit(left) - 1 : ~std::uint64_t{0})) return false;
      }
    }
    return true;
  }
  /// The first free queue of the group from `from` upwards, then from 0; kNone if none is free.
  [[nodiscard]] WEIR_HOT_INLINE std::size_t next(std::size_t group, std::size_t from) const {
    const std::size_t word = from / 64;
    const std::uint64_t here = words_[at(group, from)] & (~std::uint64_t{0} << (from % 64));
    if (here != 0) return first_of(word, here);
    const std::uint64_t with_free = with_free_[group];
    if (with_free == 0) return kNone;
    const std::uint64_t behind = word + 1 < 64 ? with_free & (~std::uint64_t{0} << (word + 1)) : 0;
    const auto found = static_cast<std::size_t>(std::countr_zero(behind != 0 ? behind : with_free));
    return first_of(found, words_[group * words_of_group_ + found]);
  }

  /// The number of free queues of the group.
  [[nodiscard]] std::size_t count(std::size_t group) const {
    std::size_t count = 0;
    for (std::uint64_t left = with_free_[group]; left != 0; left &= left - 1) {
      count += static_cast<std::size_t>(std::popcount(words_[first_word(group) + countr(left)]));
    }
    return count;
  }
  /// The free queue of the group with `rank` free queues before it; `rank` must be below count().
  [[nodiscard]] std::size_t nth(std::size_t group, std::size_t rank) const {
    std::uint64_t left = with_free_[group];
    for (;; left &= left - 1) {
      const auto here = static_cast<std::size_t>(std::popcount(words_[first_word(group) + countr(left)]));
      if (rank < here) break;
      rank -= here;
    }
    std::uint64_t bits = words_[first_word(group) + countr(left)];
    for (; rank > 0; --rank) bits &= bits - 1;
    return first_of(countr(left), bits);
  }

 private:
  static std::size_t countr(std::uint64_t bits) { return static_cast<std::size_t>(std::countr_zero(bits)); }
  [[nodiscard]] std::size_t first_word(std::size_t group) const { return group * words_of_group_; }
  static std::uint64_t bit(std::size_t queue) { return std::uint64_t{1} << (queue % 64); }
  static std::size_t first_of(std::size_t word, std::uint64_t bits) {
    return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
  }
  [[nodiscard]] std::size_t at(std::size_t group, std::size_t queue) const {
    return group * words_of_group_ + queue / 64;
  }

  std::size_t queues_ = 0;
  std::size_t words_of_group_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> with_free_;  // by group: one bit per non-zero word
};

}  // namespace weir::bfc
