// SPDX-License-Identifier: Apache-2.0
#include "schemes/dctcp/congestion_window.h"

#include <algorithm>
#include <limits>

namespace weir::dctcp {

void CongestionWindow::open(std::int64_t window, std::int64_t packet, bool slowly) {
  packet_ = static_cast<double>(packet);
  window_ = std::max(static_cast<double>(window), packet_);
  threshold_ = slowly ? std::numeric_limits<double>::max() : window_;  // [DCTCP-START-1] [DCTCP-START-2]
}

void CongestionWindow::on_ack(double g, std::int64_t newly, bool marked, std::int64_t acknowledged, std::int64_t next) {
  count(g, newly, marked, acknowledged, next);
  if (marked) {
    if (acknowledged > cut_ends_) cut(alpha_ / 2, next);  // [DCTCP-CUT-1] [DCTCP-CUT-2]
  } else {
    grow(newly, next - acknowledged + newly);
  }
}

// [DCTCP-ALPHA-1] [DCTCP-ALPHA-2]
void CongestionWindow::count(double g, std::int64_t newly, bool marked, std::int64_t acknowledged, std::int64_t next) {
  newly_in_round_ += newly;
  if (marked) marked_in_round_ += newly;
  if (acknowledged <= round_ends_) return;
  if (round_ends_ > 0) {
    const double part = static_cast<double>(marked_in_round_) / static_cast<double>(newly_in_round_);
    alpha_ = (1 - g) * alpha_ + g * part;
    newly_in_round_ = marked_in_round_ = 0;
  }
  round_ends_ = next;
}

void CongestionWindow::cut(double part, std::int64_t next) {
  constexpr double kFewestPackets = 2;  // [DCTCP-CUT-3]
  window_ = std::max(window_ * (1 - part), std::min(window_, kFewestPackets * packet_));
  threshold_ = window_;
  cut_ends_ = next;
}

// [DCTCP-GROW-1] [DCTCP-GROW-2] [DCTCP-GROW-3]
void CongestionWindow::grow(std::int64_t newly, std::int64_t in_flight) {
  if (static_cast<double>(in_flight) + packet_ <= window_) return;
  const auto bytes = static_cast<double>(newly);
  window_ += in_slow_start() ? bytes : packet_ * bytes / window_;
}

// [DCTCP-LOSS-1]
void CongestionWindow::on_loss(std::int64_t acknowledged, std::int64_t next) {
  if (acknowledged > cut_ends_) cut(0.5, next);
}

}  // namespace weir::dctcp
