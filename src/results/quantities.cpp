// SPDX-License-Identifier: Apache-2.0
#include "results/quantities.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "results/csv_field.h"

namespace weir {
namespace {

class SummaryRows {
 public:
  explicit SummaryRows(const std::function<void(const SummaryValue&)>& visit) : visit_(visit) {}

  /// Sets the subject of the following values.
  void about(std::string_view of, std::string_view size = "") {
    of_ = of;
    size_ = size;
  }
  template <class Value>
  void add(std::string_view quantity, std::string_view unit, const Value& value) {
    std::optional<double> number;
    if constexpr (std::is_arithmetic_v<Value>) number = static_cast<double>(value);
    give(quantity, unit, fmt::format("{}", value), number);
  }
  void add(std::string_view quantity, std::string_view unit, Duration time) {
    give(quantity, unit, csv_us(time), time.microseconds());
  }
  void add(std::string_view quantity, std::string_view unit, const Distribution& values) {
    if (values.empty()) return;
    add(fmt::format("{}.mean", quantity), unit, values.mean);
    add(fmt::format("{}.p50", quantity), unit, values.p50);
    add(fmt::format("{}.p90", quantity), unit, values.p90);
    add(fmt::format("{}.p95", quantity), unit, values.p95);
    add(fmt::format("{}.p99", quantity), unit, values.p99);
    add(fmt::format("{}.maximum", quantity), unit, values.maximum);
  }
  /// Integer values of which `scale` make one `unit`.
  void add(std::string_view quantity, std::string_view unit, const Histogram& values, double scale = 1) {
    if (values.count() == 0) return;
    add(fmt::format("{}.mean", quantity), unit, values.mean() / scale);
    for (const auto& [name, share] : {std::pair{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}}) {
      add(fmt::format("{}.{}", quantity, name), unit, static_cast<double>(values.quantile(share)) / scale);
    }
    add(fmt::format("{}.maximum", quantity), unit, static_cast<double>(values.maximum()) / scale);
  }

 private:
  void give(std::string_view quantity, std::string_view unit, const std::string& text, std::optional<double> number) {
    visit_({of_, size_, quantity, unit, text, number});
  }

  const std::function<void(const SummaryValue&)>& visit_;
  std::string of_;
  std::string size_;
};

void add_drops(const std::array<std::uint64_t, kDropKinds>& drops, SummaryRows& rows) {
  for (std::size_t reason = 0; reason < drops.size(); ++reason) {
    rows.add(fmt::format("dropped.{}", csv_name(kDropReasonNames[reason])), "frames", drops[reason]);
  }
}

void add_run(const RunSummary& summary, SummaryRows& rows) {
  rows.about("run");
  rows.add("version", "", summary.version);
  rows.add("digest", "", summary.digest);
  rows.add("interrupted", "", int{summary.interrupted});
  rows.add("failure", "", summary.failure);
  rows.add("simulated", "us", summary.simulated.since_start());
  rows.add("data", "frames", summary.data_frames);
  rows.add("retransmitted", "frames", summary.retransmitted_frames);
  rows.add("out_of_order", "frames", summary.out_of_order_frames);
  for (const auto& [name, value] : summary.counters) rows.add(name, "frames", value);
  rows.add("lost_on_links", "frames", summary.lost);
  rows.add("packet_hops", "frames", summary.packet_hops);
  for (std::size_t kind = 0; kind < summary.bytes_by_kind.size(); ++kind) {
    rows.add(fmt::format("sent.{}", csv_name(kFrameKindNames[kind])), "bytes", summary.bytes_by_kind[kind]);
  }
  rows.add("pauses", "pauses", summary.pauses);
  rows.add("paused_share", "", summary.paused_share);
  add_drops(summary.drops, rows);
  for (const SeriesSummary& series : summary.series) {
    if (series.samples == 0) continue;
    rows.add(fmt::format("{}.mean", series.name), series.unit, series.mean);
    rows.add(fmt::format("{}.maximum", series.name), series.unit, series.maximum);
  }
  rows.about("port");
  rows.add("active_flows", "flows", summary.active_flows);
  rows.add("active_queues", "queues", summary.active_queues);
}

void add_tier(const TierSummary& tier, SummaryRows& rows) {
  rows.about(tier.name);
  rows.add("switches", "switches", tier.switches);
  rows.add("buffer_maximum", "bytes", tier.buffer_maximum);
  if (tier.occupancy.count() > 0) {
    rows.add("occupancy.mean", "bytes", tier.occupancy.mean());
    rows.add("occupancy.p99", "bytes", tier.occupancy.quantile(0.99));
  }
  if (tier.occupancy_at_pause.count() > 0) {
    rows.add("occupancy_at_pause.mean", "bytes", tier.occupancy_at_pause.mean());
  }
  constexpr double kMicrosecond = 1e6;  // picoseconds
  rows.add("queueing", "us", tier.queueing, kMicrosecond);
  rows.add("pauses", "pauses", tier.pauses_sent);
  add_drops(tier.drops, rows);
}

void add_tier_pair(const TierPairSummary& pair, SummaryRows& rows) {
  rows.about(fmt::format("{} paused by {}", pair.paused, pair.pausing));
  rows.add("links", "links", pair.links);
  rows.add("links_paused", "links", pair.links_paused);
  rows.add("pauses", "pauses", pair.pauses);
  rows.add("paused_share", "", pair.paused_share);
  rows.add("paused_share.maximum", "", pair.largest_paused_share);
}

void add_hold(FlowGroup group, const PauseHoldSummary& hold, SummaryRows& rows) {
  if (hold.packets == 0) return;
  rows.about(kFlowGroupNames[static_cast<std::size_t>(group)]);
  rows.add("held", "packets", hold.packets);
  rows.add("held.mean", "us", hold.mean_held_us);
  rows.add("innocent_pause.mean", "us", hold.mean_innocent_us);
  rows.add("innocent_pause.share_of_held", "", hold.innocent_share);
}

void add_flows(std::string_view of, std::string_view size, const FctSummary& flows, SummaryRows& rows) {
  if (flows.flows == 0) return;
  rows.about(of, size);
  rows.add("started", "flows", flows.flows);
  rows.add("stopped", "flows", flows.stopped);
  rows.add("completed", "flows", flows.completed);
  rows.add("fct", "us", flows.fct_us);
  rows.add("receiver_fct", "us", flows.receiver_fct_us);
  rows.add("slowdown", "", flows.slowdown);
  rows.add("slowdown.clipped", "flows", flows.clipped);
  rows.add("retransmitted", "packets", flows.retransmitted_packets);
  rows.add("out_of_order", "packets", flows.out_of_order_packets);
}

void add_groups(std::string_view size, const std::array<FctSummary, kFlowGroups>& groups, SummaryRows& rows) {
  for (std::size_t i = 0; i < groups.size(); ++i) add_flows(kFlowGroupNames[i], size, groups[i], rows);
}

}  // namespace

void for_each_value(const RunSummary& summary, const std::function<void(const SummaryValue&)>& visit) {
  SummaryRows rows(visit);
  add_run(summary, rows);
  for (const TierSummary& tier : summary.tiers) add_tier(tier, rows);
  for (const TierPairSummary& pair : summary.tier_pairs) add_tier_pair(pair, rows);
  for (std::size_t i = 0; i < summary.pause_hold.size(); ++i) {
    add_hold(static_cast<FlowGroup>(i), summary.pause_hold[i], rows);
  }
  add_groups("", summary.groups, rows);
  for (const LabelSummary& label : summary.labels)
    add_flows(fmt::format("label {}", label.name), "", label.flows, rows);
  for (const SizeBinSummary& size : summary.sizes) add_groups(size.bin.label, size.groups, rows);
}

}  // namespace weir
