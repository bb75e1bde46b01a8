// SPDX-License-Identifier: Apache-2.0
// What a switch notes on a packet that it holds (Frame::own).
#pragma once

#include <cstdint>

#include "wire/frame.h"

namespace weir::floodgate {

/// The numbers of the records that the packet is counted in, its weight, and how far it has come.
class Note {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Note() = default;
  explicit Note(const Frame& frame) : bits_(frame.own) {}
  void write(Frame& frame) const { frame.own = bits_; }

  [[nodiscard]] bool empty() const { return bits_ == 0; }
  /// Of the account of its ingress and destination; kNone: nobody is owed a credit for it.
  [[nodiscard]] std::uint32_t account() const { return number(0); }
  void set_account(std::uint32_t number) { set_number(0, number); }
  /// Of the way to its destination by its egress; kNone: no window holds it.
  [[nodiscard]] std::uint32_t way() const { return number(kNumberBits); }
  void set_way(std::uint32_t number) { set_number(kNumberBits, number); }
  /// Units of windows.
  [[nodiscard]] std::uint32_t weight() const { return static_cast<std::uint32_t>(bits_ >> kWeightAt) & 0xffffu; }
  void set_weight(std::uint32_t weight) { bits_ |= std::uint64_t{weight} << kWeightAt; }
  /// Its window has been charged: it does not wait in a VOQ, or not any more.
  [[nodiscard]] bool charged() const { return (bits_ & kCharged) != 0; }
  void set_charged() { bits_ |= kCharged; }
  /// It waits in a VOQ, or has done so.
  [[nodiscard]] bool of_incast() const { return (bits_ & kIncast) != 0; }
  void set_of_incast() { bits_ |= kIncast; }

 private:
  // Numbers are stored plus one: zero is none.
  static constexpr unsigned kNumberBits = 23;
  static constexpr unsigned kWeightAt = 2 * kNumberBits;
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kNumberBits) - 1;
  static constexpr std::uint64_t kCharged = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kIncast = std::uint64_t{1} << 63;

  [[nodiscard]] std::uint32_t number(unsigned at) const {
    return static_cast<std::uint32_t>(bits_ >> at & kNumberMask) - 1;
  }
  void set_number(unsigned at, std::uint32_t number) {
    bits_ = (bits_ & ~(kNumberMask << at)) | ((std::uint64_t{number} + 1) & kNumberMask) << at;
  }

  std::uint64_t bits_ = 0;
};

}  // namespace weir::floodgate
