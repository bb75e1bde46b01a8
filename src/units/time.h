// SPDX-License-Identifier: Apache-2.0
// Times and durations in integer picoseconds.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace weir {

/// A duration in picoseconds. At 400 Gbit/s a byte lasts 20 ps, so nothing on a wire needs rounding. Range +-106 days.
/// Arithmetic does not check for overflow.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration picoseconds(std::int64_t count) { return Duration(count); }

  [[nodiscard]] constexpr std::int64_t picoseconds() const { return count_; }
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(count_) * 1e-12; }
  [[nodiscard]] constexpr double microseconds() const { return static_cast<double>(count_) * 1e-6; }
  [[nodiscard]] constexpr double nanoseconds() const { return static_cast<double>(count_) * 1e-3; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration& operator+=(Duration other) { return count_ += other.count_, *this; }
  constexpr Duration& operator-=(Duration other) { return count_ -= other.count_, *this; }
  constexpr Duration operator-() const { return Duration(-count_); }
  friend constexpr Duration operator+(Duration a, Duration b) { return a += b; }
  friend constexpr Duration operator-(Duration a, Duration b) { return a -= b; }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return Duration(a.count_ * n); }
  friend constexpr Duration operator*(std::int64_t n, Duration a) { return a * n; }
  /// Rounds towards zero.
  friend constexpr Duration operator/(Duration a, std::int64_t n) { return Duration(a.count_ / n); }
  friend constexpr std::int64_t operator/(Duration a, Duration b) { return a.count_ / b.count_; }
  friend constexpr Duration operator%(Duration a, Duration b) { return Duration(a.count_ % b.count_); }

  static constexpr Duration max() { return Duration(std::numeric_limits<std::int64_t>::max()); }

 private:
  explicit constexpr Duration(std::int64_t count) : count_(count) {}
  std::int64_t count_ = 0;
};

/// A point in time: picoseconds since the start of the run.
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time picoseconds(std::int64_t count) { return Time(count); }
  /// A time that is never reached: "no deadline".
  static constexpr Time never() { return Time(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t picoseconds() const { return count_; }
  [[nodiscard]] constexpr Duration since_start() const { return Duration::picoseconds(count_); }
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(count_) * 1e-12; }
  [[nodiscard]] constexpr double microseconds() const { return static_cast<double>(count_) * 1e-6; }

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time& operator+=(Duration d) { return count_ += d.picoseconds(), *this; }
  constexpr Time& operator-=(Duration d) { return count_ -= d.picoseconds(), *this; }
  friend constexpr Time operator+(Time t, Duration d) { return t += d; }
  friend constexpr Time operator-(Time t, Duration d) { return t -= d; }
  friend constexpr Duration operator-(Time a, Time b) { return Duration::picoseconds(a.count_ - b.count_); }

 private:
  explicit constexpr Time(std::int64_t count) : count_(count) {}
  std::int64_t count_ = 0;
};

namespace literals {
constexpr Duration operator""_ps(unsigned long long n) {
  return Duration::picoseconds(static_cast<std::int64_t>(n));
}
constexpr Duration operator""_ns(unsigned long long n) {
  return Duration::picoseconds(static_cast<std::int64_t>(n) * 1'000);
}
constexpr Duration operator""_us(unsigned long long n) {
  return Duration::picoseconds(static_cast<std::int64_t>(n) * 1'000'000);
}
constexpr Duration operator""_ms(unsigned long long n) {
  return Duration::picoseconds(static_cast<std::int64_t>(n) * 1'000'000'000);
}
constexpr Duration operator""_s(unsigned long long n) {
  return Duration::picoseconds(static_cast<std::int64_t>(n) * 1'000'000'000'000);
}
}  // namespace literals

}  // namespace weir
