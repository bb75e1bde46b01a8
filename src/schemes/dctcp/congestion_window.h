// SPDX-License-Identifier: Apache-2.0
// The sender of DCTCP: the window of TCP, cut in proportion to the bytes that were marked.
#pragma once

#include <cstdint>

namespace weir::dctcp {

/// The window of one queue pair in payload bytes. Offsets count payload bytes, too.
class CongestionWindow {
 public:
  /// `packet`: bytes of a full packet. With `slowly` (slow start) the window doubles each round trip until the first
  /// cut.
  void open(std::int64_t window, std::int64_t packet, bool slowly);

  /// An acknowledgement of `newly` bytes has arrived: all bytes before `acknowledged` were received, and the next
  /// packet begins at `next`. `marked`: it echoes a mark. `g`: the weight of the newest round in alpha.
  void on_ack(double g, std::int64_t newly, bool marked, std::int64_t acknowledged, std::int64_t next);
  /// A packet was lost.
  void on_loss(std::int64_t acknowledged, std::int64_t next);

  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(window_); }
  [[nodiscard]] double alpha() const { return alpha_; }
  [[nodiscard]] bool in_slow_start() const { return window_ < threshold_; }

 private:
  void count(double g, std::int64_t newly, bool marked, std::int64_t acknowledged, std::int64_t next);
  void cut(double part, std::int64_t next);
  void grow(std::int64_t newly, std::int64_t in_flight);

  double window_ = 0;
  double threshold_ = 0;  // ssthresh
  double packet_ = 0;
  double alpha_ = 1;
  std::int64_t newly_in_round_ = 0;
  std::int64_t marked_in_round_ = 0;
  std::int64_t round_ends_ = 0;  // when more than this is acknowledged; zero: none has begun
  std::int64_t cut_ends_ = -1;   // no further cut until more than this is acknowledged
};

}  // namespace weir::dctcp
