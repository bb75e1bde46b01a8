// SPDX-License-Identifier: Apache-2.0
#include "analysis/bfc_model.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weir::analysis {

double bfc_idle_share(double enqueue_ratio, double threshold) {
  const double x = enqueue_ratio;
  return (x - 1) / (threshold * x + (x * x - 1));
}

double bfc_worst_enqueue_ratio(double threshold) {
  return std::sqrt(threshold) + 1;
}

double bfc_worst_idle_share(double threshold) {
  const double root = std::sqrt(threshold) + 1;
  return 1 / (root * root + 1);
}

double bfc_longest_queue(double enqueue_ratio, double threshold) {
  return threshold + (enqueue_ratio - 1);
}

BfcEntryWidths bfc_entry_widths(std::int64_t queues_of_port) {
  constexpr std::int64_t kBits = 8;
  const auto bits = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(queues_of_port - 1)));
  BfcEntryWidths widths;
  widths.queue = std::max<std::int64_t>(1, (bits + kBits - 1) / kBits);
  return widths;
}

std::int64_t bfc_flow_table_entries(std::int64_t queues, std::int64_t factor) {
  return queues * factor;
}

Bytes bfc_flow_table_bytes(std::int64_t queues, std::int64_t factor, const BfcEntryWidths& widths) {
  return Bytes(bfc_flow_table_entries(queues, factor) * (widths.queue + widths.frames + widths.time));
}

std::int64_t bfc_pause_counter_entries(std::int64_t ports, std::int64_t upstream_queues) {
  return ports * upstream_queues;
}

Bytes bfc_pause_counter_bytes(std::int64_t ports, std::int64_t upstream_queues, const BfcEntryWidths& widths) {
  return Bytes(bfc_pause_counter_entries(ports, upstream_queues) * widths.frames);
}

std::int64_t bfc_part_of_pipeline(std::int64_t what, std::int64_t pipelines) {
  return (what + pipelines - 1) / pipelines;
}

double bfc_index_collision(std::int64_t others, std::int64_t rows) {
  return -std::expm1(static_cast<double>(others) * std::log1p(-1 / static_cast<double>(rows)));
}

BfcRecirculation bfc_recirculation(std::span<const FrameShare> mix, const BfcSwitchLimits& limits, double sampling,
                                   std::int64_t wire_overhead) {
  double frames = 0;
  double wire_bytes = 0;
  for (const FrameShare& one : mix) {
    frames += one.share;
    wire_bytes += one.share * static_cast<double>(one.frame_bytes + wire_overhead);
  }
  const auto capacity = static_cast<double>(limits.capacity.bits_per_second());
  const double frames_per_second = capacity / 8 / (wire_bytes / frames);
  const double header_bits = 8 * static_cast<double>(limits.header_bytes);
  const double all_back = frames_per_second * header_bits / capacity;  // with the header of every frame
  const double recirculated = sampling * frames_per_second;
  BfcRecirculation out = {.frames_per_second = frames_per_second,
                          .recirculated_per_second = recirculated,
                          .bandwidth_share = sampling * all_back,
                          .sampling_within_bandwidth = std::min(1.0, limits.recirculation_share / all_back),
                          .header_within_bandwidth = limits.recirculation_share * capacity / 8 / recirculated,
                          .sampling_within_packets = std::nullopt};
  if (limits.packets_per_second) {
    const double spare = *limits.packets_per_second - frames_per_second;
    out.sampling_within_packets = std::clamp(spare / frames_per_second, 0.0, 1.0);
  }
  return out;
}

}  // namespace weir::analysis
