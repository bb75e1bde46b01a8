#include "results/csv.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <system_error>
#include <utility>

#include "results/output_file.h"
#include "results/summary.h"

namespace weir {
namespace {

constexpr std::array<double, 3> kQuantiles{0.5, 0.95, 0.99};

/// Microseconds to the picosecond.
std::string us(Duration time) {
  return fmt::format("{}.{:06}", time.picoseconds() / 1'000'000, time.picoseconds() % 1'000'000);
}

std::string us_if(bool known, Duration time) {
  return known ? us(time) : std::string();
}

/// A name as part of a column's: "buffer full" is "buffer_full".
std::string column_name(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c == ' ') c = '_';
  }
  return text;
}

// ---- files ----

void write_flows(const RunRecord& record, OutputFile& file) {
  file.write(
      "flow,class,label,source,destination,size_bytes,start_us,stopped,completed,fct_us,receiver_fct_us,alone_us,"
      "slowdown,retransmitted_packets,out_of_order_packets\n");
  for (const FlowRecord& flow : record.flows) {
    const bool known = flow.completed() && flow.alone > Duration();
    file.write(fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", flow.id.value,
                           kFlowGroupNames[static_cast<std::size_t>(flow.flow_class)], flow.label, flow.source.value,
                           flow.destination.value, flow.size.count(), us(flow.start.since_start()), int{flow.stopped},
                           int{flow.completed()}, us_if(flow.completed(), flow.sender_completion),
                           us_if(flow.receiver_completion > Duration(), flow.receiver_completion),
                           us_if(flow.alone > Duration(), flow.alone),
                           known ? fmt::format("{}", slowdown_of(flow)) : std::string(), flow.retransmitted,
                           flow.out_of_order));
  }
}

/// Mean, quantiles and maximum; fields without a value when there is none.
std::string histogram_fields(const Histogram& values) {
  if (values.count() == 0) return "0,,,,,";
  std::string text = fmt::format("{},{}", values.count(), values.mean());
  for (const double p : kQuantiles) text += fmt::format(",{}", values.quantile(p));
  return text + fmt::format(",{}", values.maximum());
}

void write_switches(const RunRecord& record, OutputFile& file) {
  file.write("switch,name,tier,buffer_maximum_bytes");
  for (const char* what : {"occupancy", "occupancy_at_pause"}) {
    file.write(
        fmt::format(",{0}_samples,{0}_mean_bytes,{0}_p50_bytes,{0}_p95_bytes,{0}_p99_bytes,{0}_maximum_bytes", what));
  }
  file.write(",pauses_sent");
  for (const std::string_view reason : kDropReasonNames) {
    file.write(fmt::format(",dropped_{}_frames", column_name(reason)));
  }
  file.write("\n");
  for (const SwitchRecord& at : record.switches) {
    file.write(fmt::format("{},{},{},{},{},{},{}", at.id.value, csv_field(at.name), at.tier, at.buffer_maximum,
                           histogram_fields(at.occupancy), histogram_fields(at.occupancy_at_pause), at.pauses_sent));
    for (const std::uint64_t dropped : at.drops) file.write(fmt::format(",{}", dropped));
    file.write("\n");
  }
}

void write_links(const RunRecord& record, OutputFile& file) {
  file.write("from,to,from_tier,to_tier,rate_bits_per_second,frames,bytes,pauses,paused_us,paused_share\n");
  const double whole = record.simulated.since_start().seconds();
  for (const LinkRecord& link : record.links) {
    file.write(fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(link.from), csv_field(link.to), link.from_tier,
                           link.to_tier, link.rate.bits_per_second(), link.frames, link.bytes, link.pauses,
                           us(link.paused), whole > 0 ? link.paused.seconds() / whole : 0.0));
  }
}

void write_series(const RunRecord& record, OutputFile& file) {
  file.write("series,unit,time_us,value\n");
  for (const Series& series : record.series) {
    // The name ends with its unit, after the first blank.
    const std::size_t blank = series.name.find(' ');
    const std::string name = csv_field(std::string_view(series.name).substr(0, blank));
    const std::string unit =
        blank == std::string::npos ? "" : csv_field(std::string_view(series.name).substr(blank + 1));
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      const Duration end = series.interval * static_cast<std::int64_t>(i + 1);
      file.write(fmt::format("{},{},{},{}\n", name, unit, us(end), series.values[i]));
    }
  }
}

/// Rows of summary.csv.
class SummaryRows {
 public:
  SummaryRows(const RunSummary& summary, OutputFile& file)
      : run_(fmt::format("{},{},{}", csv_field(summary.scenario), csv_field(summary.variant), summary.seed)),
        file_(file) {
    file_.write("scenario,variant,seed,of,quantity,unit,value\n");
  }

  template <class Value>
  void add(std::string_view of, std::string_view quantity, std::string_view unit, const Value& value) {
    file_.write(
        fmt::format("{},{},{},{},{}\n", run_, csv_field(of), quantity, unit, csv_field(fmt::format("{}", value))));
  }
  void add(std::string_view of, std::string_view quantity, std::string_view unit, const Distribution& values) {
    if (values.empty()) return;
    add(of, fmt::format("{}.mean", quantity), unit, values.mean);
    add(of, fmt::format("{}.p50", quantity), unit, values.p50);
    add(of, fmt::format("{}.p90", quantity), unit, values.p90);
    add(of, fmt::format("{}.p95", quantity), unit, values.p95);
    add(of, fmt::format("{}.p99", quantity), unit, values.p99);
    add(of, fmt::format("{}.maximum", quantity), unit, values.maximum);
  }
  void add(const std::string& of, const FctSummary& flows) {
    add(of, "flows", "flows", flows.flows);
    add(of, "stopped", "flows", flows.stopped);
    add(of, "completed", "flows", flows.completed);
    add(of, "fct", "us", flows.fct_us);
    add(of, "receiver_fct", "us", flows.receiver_fct_us);
    add(of, "slowdown", "", flows.slowdown);
    add(of, "slowdown.clipped", "flows", flows.clipped);
    add(of, "retransmitted", "packets", flows.retransmitted_packets);
    add(of, "out_of_order", "packets", flows.out_of_order_packets);
  }

 private:
  std::string run_;
  OutputFile& file_;
};

void add_groups(const std::string& prefix, const std::array<FctSummary, kFlowGroups>& groups, SummaryRows& rows) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].flows > 0) rows.add(prefix + std::string(kFlowGroupNames[i]), groups[i]);
  }
}

void add_drops(std::string_view of, const std::array<std::uint64_t, 8>& drops, SummaryRows& rows) {
  for (std::size_t reason = 0; reason < drops.size(); ++reason) {
    rows.add(of, fmt::format("dropped.{}", column_name(kDropReasonNames[reason])), "frames", drops[reason]);
  }
}

void write_summary(const RunRecord& record, OutputFile& file) {
  const RunSummary summary = summarise(record);
  SummaryRows rows(summary, file);
  rows.add("run", "version", "", summary.version);
  rows.add("run", "digest", "", summary.digest);
  rows.add("run", "interrupted", "", int{summary.interrupted});
  rows.add("run", "failure", "", summary.failure);
  rows.add("run", "simulated", "us", us(summary.simulated.since_start()));
  rows.add("run", "data", "frames", summary.data_frames);
  rows.add("run", "retransmitted", "frames", summary.retransmitted_frames);
  rows.add("run", "out_of_order", "frames", summary.out_of_order_frames);
  rows.add("run", "pauses", "pauses", summary.pauses);
  rows.add("run", "paused_share", "", summary.paused_share);
  add_drops("run", summary.drops, rows);
  for (const TierSummary& tier : summary.tiers) {
    rows.add(tier.name, "switches", "switches", tier.switches);
    rows.add(tier.name, "buffer_maximum", "bytes", tier.buffer_maximum);
    if (tier.occupancy.count() > 0) rows.add(tier.name, "occupancy.p99", "bytes", tier.occupancy.quantile(0.99));
    rows.add(tier.name, "pauses", "pauses", tier.pauses_sent);
    add_drops(tier.name, tier.drops, rows);
  }
  for (const TierPairSummary& pair : summary.tier_pairs) {
    const std::string of = fmt::format("{} paused by {}", pair.paused, pair.pausing);
    rows.add(of, "links", "links", pair.links);
    rows.add(of, "links_paused", "links", pair.links_paused);
    rows.add(of, "pauses", "pauses", pair.pauses);
    rows.add(of, "paused_share", "", pair.paused_share);
    rows.add(of, "paused_share.maximum", "", pair.largest_paused_share);
  }
  for (std::size_t i = 0; i < summary.pause_hold.size(); ++i) {
    const PauseHoldSummary& hold = summary.pause_hold[i];
    if (hold.packets == 0) continue;
    rows.add(kFlowGroupNames[i], "held", "packets", hold.packets);
    rows.add(kFlowGroupNames[i], "held.mean", "us", hold.mean_held_us);
    rows.add(kFlowGroupNames[i], "innocent_pause.mean", "us", hold.mean_innocent_us);
    rows.add(kFlowGroupNames[i], "innocent_pause.share_of_held", "", hold.innocent_share);
  }
  add_groups("", summary.groups, rows);
  for (const SizeBinSummary& size : summary.sizes) add_groups(size.bin.label + " ", size.groups, rows);
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::vector<std::string> write_csv(const RunRecord& record, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return {fmt::format("{}: {}", directory.string(), error.message())};
  std::vector<std::string> errors;
  const auto write = [&](const char* name, void (*content)(const RunRecord&, OutputFile&)) {
    OutputFile file(directory / name);
    content(record, file);
    if (auto failed = file.commit()) errors.push_back(std::move(*failed));
  };
  write("flows.csv", write_flows);
  write("switches.csv", write_switches);
  write("links.csv", write_links);
  write("series.csv", write_series);
  write("summary.csv", write_summary);
  return errors;
}

}  // namespace weir
