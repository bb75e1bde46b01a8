// SPDX-License-Identifier: Apache-2.0
// Rates in bits per second, and the times and amounts that follow from them.
#pragma once

#include <compare>
#include <cstdint>

#include "units/bytes.h"
#include "units/int128.h"
#include "units/time.h"

namespace weir {

/// A rate in whole bits per second. Zero means "nothing is sent".
class BitRate {
 public:
  constexpr BitRate() = default;
  explicit constexpr BitRate(std::int64_t bits_per_second) : bits_per_second_(bits_per_second) {}

  [[nodiscard]] constexpr std::int64_t bits_per_second() const { return bits_per_second_; }
  [[nodiscard]] constexpr double gigabits_per_second() const { return static_cast<double>(bits_per_second_) * 1e-9; }

  constexpr auto operator<=>(const BitRate&) const = default;
  friend constexpr BitRate operator+(BitRate a, BitRate b) { return BitRate(a.bits_per_second_ + b.bits_per_second_); }
  friend constexpr BitRate operator-(BitRate a, BitRate b) { return BitRate(a.bits_per_second_ - b.bits_per_second_); }
  friend constexpr BitRate operator*(BitRate a, std::int64_t n) { return BitRate(a.bits_per_second_ * n); }
  friend constexpr BitRate operator*(std::int64_t n, BitRate a) { return a * n; }
  /// Rounds towards zero.
  friend constexpr BitRate operator/(BitRate a, std::int64_t n) { return BitRate(a.bits_per_second_ / n); }

 private:
  std::int64_t bits_per_second_ = 0;
};

/// Transmission time of `amount` at `rate`, rounded up to a picosecond. `rate` must be above zero.
constexpr Duration time_to_send(Bytes amount, BitRate rate) {
  constexpr std::int64_t kBitPicoseconds = 8'000'000'000'000;
  if (amount.count() <= 1'000'000) {  // the product fits in 63 bits
    const std::int64_t product = amount.count() * kBitPicoseconds;
    return Duration::picoseconds((product + rate.bits_per_second() - 1) / rate.bits_per_second());
  }
  const auto product = static_cast<Int128>(amount.count()) * kBitPicoseconds;
  return Duration::picoseconds(
      static_cast<std::int64_t>((product + rate.bits_per_second() - 1) / rate.bits_per_second()));
}

/// The number of whole bytes that `rate` carries in `interval`, rounded down.
constexpr Bytes bytes_in(Duration interval, BitRate rate) {
  const auto product = static_cast<Int128>(interval.picoseconds()) * rate.bits_per_second();
  return Bytes(static_cast<std::int64_t>(product / 8'000'000'000'000));
}

/// The rate that carries `amount` in `interval`, rounded down. `interval` must be above zero.
constexpr BitRate rate_of(Bytes amount, Duration interval) {
  const auto product = static_cast<Int128>(amount.count()) * 8'000'000'000'000;
  return BitRate(static_cast<std::int64_t>(product / interval.picoseconds()));
}

/// The transmission time at one fixed rate without a division per frame; equal to time_to_send for frames up to 64 KiB
/// at rates for which a byte takes a whole number of picoseconds (10, 25, 40, 100, 200, 400, 800 Gbit/s), and otherwise
/// at most one picosecond above it.
class SerialisationTime {
 public:
  constexpr SerialisationTime() = default;
  explicit constexpr SerialisationTime(BitRate rate) {
    const auto numerator = static_cast<Int128>(8'000'000'000'000) << kFraction;
    scaled_byte_ = static_cast<std::int64_t>((numerator + rate.bits_per_second() - 1) / rate.bits_per_second());
  }
  [[nodiscard]] constexpr Duration operator()(std::int64_t bytes) const {
    return Duration::picoseconds((bytes * scaled_byte_ + kRoundUp) >> kFraction);
  }

 private:
  static constexpr int kFraction = 16;
  static constexpr std::int64_t kRoundUp = (std::int64_t{1} << kFraction) - 1;
  std::int64_t scaled_byte_ = 0;  // picoseconds per byte, times 2^16; a byte at 1 Mbit/s is 2^39
};

namespace literals {
constexpr BitRate operator""_bps(unsigned long long n) {
  return BitRate(static_cast<std::int64_t>(n));
}
constexpr BitRate operator""_Kbps(unsigned long long n) {
  return BitRate(static_cast<std::int64_t>(n) * 1'000);
}
constexpr BitRate operator""_Mbps(unsigned long long n) {
  return BitRate(static_cast<std::int64_t>(n) * 1'000'000);
}
constexpr BitRate operator""_Gbps(unsigned long long n) {
  return BitRate(static_cast<std::int64_t>(n) * 1'000'000'000);
}
}  // namespace literals

}  // namespace weir
