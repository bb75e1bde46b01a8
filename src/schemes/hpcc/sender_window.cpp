// SPDX-License-Identifier: Apache-2.0
#include "schemes/hpcc/sender_window.h"

#include <algorithm>

namespace weir::hpcc {
namespace {

constexpr double kBitsPerBytePicosecond = 8e12;  // one byte per picosecond, in bit/s
constexpr double kBitsPerMegabit = 1e6;

double bytes_in(double picoseconds, BitRate rate) {
  return picoseconds * static_cast<double>(rate.bits_per_second()) / kBitsPerBytePicosecond;
}

}  // namespace

void SenderWindow::open(const Settings& settings, BitRate line_rate, Duration round_trip) {
  round_trip_ = static_cast<double>(round_trip.picoseconds());
  per_round_trip_ = 1 / round_trip_;
  start_ = bytes_in(round_trip_, line_rate);  // [HPCC-W-1]
  minimum_ = std::min(start_, bytes_in(round_trip_, settings.minimum_rate));
  // [HPCC-W-6] N flows of the same line rate add no more than the headroom left by eta.
  const std::uint32_t flows = settings.concurrent_flows;
  increase_ = flows != 0 ? start_ * (1 - settings.eta) / flows : bytes_in(round_trip_, settings.additive_increase);
  window_ = reference_ = start_;
}

BitRate SenderWindow::rate() const {
  return BitRate(static_cast<std::int64_t>(window_ / round_trip_ * kBitsPerBytePicosecond + 0.5));
}

bool SenderWindow::on_ack(const Settings& settings, const Telemetry& telemetry, std::int64_t acknowledged,
                          std::int64_t next) {
  const bool ends_round = acknowledged > update_behind_;  // [HPCC-W-4]
  if (!ends_round && !settings.per_ack) return false;
  if (ends_round) update_behind_ = next;
  if (!knows(telemetry)) {
    remember(telemetry);
    return false;
  }
  const std::optional<Measured> measured = measure(telemetry);
  if (!measured) {
    // The first acknowledgement of a round is for a packet sent after all packets of the previous round returned, so
    // its records are no older than the stored ones. They appear older only after a pause of half the counter's range.
    if (ends_round) remember(telemetry);
    return false;
  }
  remember(telemetry);
  const double weight = std::min(measured->interval, round_trip_) * per_round_trip_;
  utilisation_ = (1 - weight) * utilisation_ + weight * measured->load;  // [HPCC-U-3]
  compute(settings, ends_round);
  return true;
}

// [HPCC-INT-3]
bool SenderWindow::knows(const Telemetry& telemetry) const {
  return links_ != 0 && telemetry.links() == links_ && telemetry.path() == path_;
}

void SenderWindow::remember(const Telemetry& telemetry) {
  links_ = static_cast<std::uint8_t>(telemetry.links());
  path_ = telemetry.path();
  for (std::size_t i = 0; i < links_; ++i) known_[i] = telemetry.link(i);
}

// [HPCC-INT-4] Records that are no later than the previous ones, or of a link without a rate, give no measurement.
std::optional<SenderWindow::Measured> SenderWindow::measure(const Telemetry& telemetry) const {
  constexpr std::uint64_t kLongest = LinkRecord::mask(LinkRecord::kTimeBits - 1);
  Measured busiest{-1, 0};
  for (std::size_t i = 0; i < links_; ++i) {
    const LinkRecord now = telemetry.link(i);
    const LinkRecord& before = known_[i];
    const std::uint64_t elapsed = now.time_since(before);
    if (elapsed == 0 || elapsed > kLongest || now.rate == 0) return std::nullopt;
    const auto interval = static_cast<double>(elapsed);
    const auto queue = static_cast<double>(std::min(now.queue, before.queue));  // [HPCC-U-2]
    const double sent = static_cast<double>(now.sent_since(before)) / interval;
    const double rate = static_cast<double>(now.rate) * (kBitsPerMegabit / kBitsPerBytePicosecond);
    const double load = (queue * per_round_trip_ + sent) / rate;  // [HPCC-U-1]
    if (load > busiest.load) busiest = {load, interval};
  }
  return busiest;
}

void SenderWindow::compute(const Settings& settings, bool updates_reference) {
  const bool multiplies = utilisation_ >= settings.eta || stage_ >= settings.max_stage;
  // [HPCC-W-2] [HPCC-W-3] An almost idle path allows any window.
  constexpr double kLeast = 1e-9;
  const double base = multiplies ? reference_ * settings.eta / std::max(utilisation_, kLeast) : reference_;
  window_ = std::clamp(base + increase_, minimum_, start_);  // [HPCC-W-5]
  if (!updates_reference) return;
  reference_ = window_;
  stage_ = multiplies ? 0 : stage_ + 1;
}

}  // namespace weir::hpcc
