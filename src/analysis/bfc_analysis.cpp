// SPDX-License-Identifier: Apache-2.0
// Calculations from BFC's paper: how long a paused flow can be without packets, the sizes of BFC's tables, and the
// switch capacity that recirculation takes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/bfc_model.h"

namespace weir::analysis {
namespace {

using namespace literals;

constexpr std::int64_t kLargestFrame = 65'535;  // maximum, in bytes, in a mix

// Of appendix C. A product is the one-hop round trip times the rate at which the flow is drained.
const Quantity kThreshold = {"threshold", "one-hop BDPs"};
const Quantity kRatio = {"arrival rate / drain rate"};
const Quantity kIdle = {"idle", "%"};
const Quantity kPeak = {"longest queue", "one-hop BDPs"};

/// Figure 30: equation 5 over the threshold; and the maximum queue length of that flow.
void add_worst_idle_time(Findings& out) {
  constexpr double kMost = 4;
  NumberTable table = {"worst_idle_time",
                       "Maximum fraction of time for which a flow has no packets (equation 5), and peak of its queue",
                       {kThreshold, kRatio, kIdle, kPeak}};
  for (int step = 0; step <= 16; ++step) {
    const double threshold = kMost * step / 16;
    const double x = bfc_worst_enqueue_ratio(threshold);
    table.rows.push_back({threshold, x, 100 * bfc_worst_idle_share(threshold), bfc_longest_queue(x, threshold)});
  }
  Chart idle = {
      table.name, "Maximum fraction of time for which a flow has no packets (figure 30)", {kThreshold}, {kIdle}};
  Curve curve = {"equation 5"};
  constexpr int kSteps = 400;
  for (int step = 0; step <= kSteps; ++step) {
    const double threshold = kMost * step / kSteps;
    curve.points.push_back({threshold, 100 * bfc_worst_idle_share(threshold)});
  }
  idle.curves.push_back(std::move(curve));
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(idle));
}

/// Equation 4 over the ratio of a flow's rates, and its queue at the end of phase 1, for some thresholds.
void add_idle_time(Findings& out) {
  NumberTable table = {"idle_time",
                       "Fraction of time for which a flow has no packets (equation 4), and peak of its queue",
                       {kThreshold, kRatio, kIdle, kPeak},
                       {},
                       2};
  Chart idle = {table.name, "Fraction of time for which a flow has no packets (equation 4)", {kRatio}, {kIdle}};
  Chart peak = {"longest_queue", "Maximum queue length of a flow (appendix C)", {kRatio}, {kPeak}};
  for (const double threshold : {0.5, 1.0, 2.0}) {
    Curve idle_curve = {fmt::format("Th {:.2g}", threshold)};
    Curve peak_curve = idle_curve;
    for (int step = 1; step <= 40; ++step) {
      const double x = 1 + step / 10.0;
      const double percent = 100 * bfc_idle_share(x, threshold);
      table.rows.push_back({threshold, x, percent, bfc_longest_queue(x, threshold)});
      idle_curve.points.push_back({x, percent});
      peak_curve.points.push_back({x, bfc_longest_queue(x, threshold)});
    }
    idle.curves.push_back(std::move(idle_curve));
    peak.curves.push_back(std::move(peak_curve));
  }
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(idle));
  out.charts.push_back(std::move(peak));
}

/// Sections 3.3.1, 4 and 6.2.1: the memory of the switch, and how often two flows collide in an entry.
void add_tables(const Parameters& parameters, Findings& out) {
  const auto ports = parameters.get<std::int64_t>("ports");
  const auto queues = parameters.get<std::int64_t>("queues");
  const auto factor = parameters.get<std::int64_t>("table_factor");
  const auto pipelines = parameters.get<std::int64_t>("pipelines");
  const BfcEntryWidths widths = bfc_entry_widths(queues);
  const auto add_row = [&](NumberTable& table, double first, std::int64_t of_ports, std::int64_t entries) {
    const auto table_bytes = static_cast<double>(entries * (widths.queue + widths.frames + widths.time));
    const auto counters = static_cast<double>(bfc_pause_counter_entries(of_ports, queues));
    const auto counter_bytes = static_cast<double>(bfc_pause_counter_bytes(of_ports, queues, widths).count());
    table.rows.push_back({first, static_cast<double>(entries), table_bytes, counters, counter_bytes});
  };
  const std::int64_t entries = bfc_flow_table_entries(ports * queues, factor);
  const std::vector<Quantity> taken = {
      {"flow table", "entries"}, {"flow table", "bytes"}, {"pause counters", "entries"}, {"pause counters", "bytes"}};
  NumberTable all = {"memory", "Memory of the tables", {{"queues"}}};
  NumberTable part = {"memory_of_pipeline", "Memory of the tables in the pipeline with the most", {{"pipelines"}}};
  for (NumberTable* table : {&all, &part}) table->columns.insert(table->columns.end(), taken.begin(), taken.end());
  add_row(all, static_cast<double>(ports * queues), ports, entries);
  add_row(part, static_cast<double>(pipelines), bfc_part_of_pipeline(ports, pipelines),
          bfc_part_of_pipeline(entries, pipelines));
  // "Less than 10 % of the switch's dedicated stateful memory" (3.3.1): the paper does not give the size of this
  // memory.
  constexpr double kPaperShare = 0.1;
  const double table_bytes = all.rows[0][2];
  NumberTable share = {"share",
                       "Fraction of the stateful memory used by the flow table",
                       {{"flow table", "bytes"}, {"memory of which that is 10 %", "bytes"}},
                       {{table_bytes, table_bytes / kPaperShare}}};
  const auto memory = static_cast<double>(parameters.get<Bytes>("stateful_memory").count());
  if (memory > 0) {
    share.columns.push_back({"fraction of the stateful memory", "%"});
    share.rows[0].push_back(100 * table_bytes / memory);
  }
  out.tables.push_back(std::move(all));
  out.tables.push_back(std::move(part));
  out.tables.push_back(std::move(share));
  const Quantity flows = {"active flows per egress"};
  const Quantity collision = {"collision", "%"};
  NumberTable table = {"collisions", "Probability that a flow shares its entry with another flow", {flows, collision}};
  Chart chart = {table.name, table.title, {flows, Scale::logarithmic}, {collision, Scale::logarithmic}};
  Curve curve = {fmt::format("{} entries per egress", queues * factor)};
  for (std::int64_t n = 2; n <= 64 * queues; n *= 2) {
    const double percent = 100 * bfc_index_collision(n - 1, queues * factor);
    table.rows.push_back({static_cast<double>(n), percent});
    curve.points.push_back({static_cast<double>(n), percent});
  }
  chart.curves.push_back(std::move(curve));
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(chart));
}

/// "64:1, 1066:1": equal numbers of frames of 64 bytes and of 1,066 bytes. nullopt if it is invalid.
std::optional<std::vector<FrameShare>> mix_of(std::string_view text) {
  std::vector<FrameShare> mix;
  double shares = 0;
  const auto number = [&text](auto& value) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
    return error == std::errc();
  };
  for (;;) {
    FrameShare one = {};
    if (!number(one.frame_bytes) || one.frame_bytes < 1 || one.frame_bytes > kLargestFrame) return std::nullopt;
    if (!text.starts_with(':')) return std::nullopt;
    text.remove_prefix(1);
    if (!number(one.share) || !std::isfinite(one.share) || one.share < 0) return std::nullopt;
    mix.push_back(one);
    shares += one.share;
    if (text.empty()) return shares > 0 && std::isfinite(shares) ? std::optional(mix) : std::nullopt;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
}

/// The columns of recirculation tables after the first, and their values for a mix of frames.
class Recirculation {
 public:
  explicit Recirculation(const Parameters& parameters)
      : sampling_(parameters.get<double>("sampling")),
        limits_{.capacity = parameters.get<BitRate>("capacity"),
                .recirculation_share = parameters.get<double>("recirculation_share"),
                .packets_per_second = std::nullopt,
                .header_bytes = parameters.get<Bytes>("header").count()} {
    const double packets = parameters.get<double>("packets_per_second");
    if (packets > 0) limits_.packets_per_second = packets;
  }

  [[nodiscard]] std::vector<Quantity> columns(const Quantity& first) const {
    std::vector<Quantity> columns = {first,
                                     {"frames", "million/s"},
                                     {"with headers", "million/s"},
                                     {"fraction of the capacity", "%"},
                                     {"largest header that fits", "bytes"},
                                     {"headers that fit the bandwidth", "%"}};
    if (limits_.packets_per_second) columns.push_back({"headers that fit the pipelines", "%"});
    return columns;
  }
  [[nodiscard]] std::vector<double> row(double first, std::span<const FrameShare> mix) const {
    const BfcRecirculation found = bfc_recirculation(mix, limits_, sampling_);
    std::vector<double> row = {first,
                               found.frames_per_second / 1e6,
                               (found.frames_per_second + found.recirculated_per_second) / 1e6,
                               100 * found.bandwidth_share,
                               found.header_within_bandwidth,
                               100 * found.sampling_within_bandwidth};
    if (found.sampling_within_packets) row.push_back(100 * *found.sampling_within_packets);
    return row;
  }
  [[nodiscard]] double percent(std::span<const FrameShare> mix) const {
    return 100 * bfc_recirculation(mix, limits_, sampling_).bandwidth_share;
  }
  [[nodiscard]] double level() const { return 100 * limits_.recirculation_share; }
  [[nodiscard]] std::string whose() const {
    return sampling_ < 1 ? fmt::format("{:.4g} % of headers", 100 * sampling_) : "every header";
  }

 private:
  double sampling_;
  BfcSwitchLimits limits_;
};

/// Section 4 and A.8: the cost of recirculating headers, over the size of frames and for a mix of them.
void add_recirculation(const Parameters& parameters, Findings& out) {
  const Recirculation recirculation(parameters);
  const Quantity size = {"frame", "bytes"};
  NumberTable table = {"recirculation", fmt::format("Recirculating {} at full load", recirculation.whose()),
                       recirculation.columns(size)};
  Chart chart = {
      table.name, "Fraction of the capacity used by recirculation", {size}, {{"fraction of the capacity", "%"}}};
  chart.levels = {recirculation.level()};
  Curve curve = {recirculation.whose()};
  for (const std::int64_t bytes : {64, 128, 256, 384, 501, 700, 1024, 1500, 4096, 9000}) {
    const std::array<FrameShare, 1> one = {{{bytes, 1}}};
    table.rows.push_back(recirculation.row(static_cast<double>(bytes), one));
    curve.points.push_back({static_cast<double>(bytes), recirculation.percent(one)});
  }
  chart.curves.push_back(std::move(curve));
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(chart));

  const auto& text = parameters.get<std::string>("mix");
  const std::vector<FrameShare> mix = mix_of(text).value();
  double frames = 0;
  double bytes = 0;
  for (const FrameShare& one : mix) {
    frames += one.share;
    bytes += one.share * static_cast<double>(one.frame_bytes);
  }
  out.tables.push_back({"recirculation_of_mix",
                        fmt::format("Recirculating {} of the mix {}", recirculation.whose(), text),
                        recirculation.columns({"mean frame", "bytes"}),
                        {recirculation.row(bytes / frames, mix)}});
}

std::vector<std::string> bfc_errors(const Parameters& parameters) {
  const auto& mix = parameters.get<std::string>("mix");
  if (mix_of(mix)) return {};
  return {fmt::format("mix is \"{}\", expected frame sizes in bytes (1 to {}), each with its weight: \"64:1, 1066:1\"",
                      mix, kLargestFrame)};
}

Findings bfc_findings(const Parameters& parameters) {
  Findings out;
  add_worst_idle_time(out);
  add_idle_time(out);
  add_tables(parameters, out);
  add_recirculation(parameters, out);
  return out;
}

}  // namespace

extern const Analysis bfc_analysis;  // declared for the registry: without it a constant would have internal linkage
const Analysis bfc_analysis = {
    .name = "bfc",
    .summary = "BFC's idle time and queue under a pause, the memory of its tables, and the cost of recirculation",
    .source = "bfc 3.3.1, 4, 6.2.1, A.8 and appendix C, equations 4 and 5, figure 30",
    .parameters = {{.name = "ports",
                    .default_value = std::int64_t{24},
                    .meaning = "ports of the switch",
                    .source = "6.2.1",
                    .minimum = 2,
                    .maximum = 1e4},
                   {.name = "queues",
                    .default_value = std::int64_t{32},
                    .meaning = "queues per port",
                    .source = "6.2.1",
                    .minimum = 1,
                    .maximum = 1e5},
                   {.name = "table_factor",
                    .default_value = std::int64_t{100},
                    .meaning = "flow-table entries per queue",
                    .source = "3.3.1",
                    .minimum = 1,
                    .maximum = 1e6},
                   {.name = "pipelines",
                    .default_value = std::int64_t{4},
                    .meaning = "number of pipelines among which the tables are divided",
                    .source = "4 (Tofino2)",
                    .minimum = 1,
                    .maximum = 64},
                   {.name = "stateful_memory",
                    .default_value = 0_B,
                    .meaning = "stateful memory of the switch, to which the flow table is compared; 0: no comparison",
                    .source = "3.3.1 says less than 10 % of Tofino2's memory, without its size",
                    .maximum = 1e15},
                   {.name = "capacity",
                    .default_value = BitRate(12'800'000'000'000),
                    .meaning = "capacity of the switch",
                    .source = "4 (Tofino2)",
                    .minimum = 1e9,
                    .maximum = 1e15},
                   {.name = "recirculation_share",
                    .default_value = 0.12,
                    .meaning = "fraction of the capacity reserved for recirculation",
                    .source = "4",
                    .maximum = 1},
                   {.name = "packets_per_second",
                    .default_value = 0.0,
                    .meaning = "frame rate of the pipelines, including recirculated frames; 0: no limit",
                    .source = "4 mentions the limit without a number"},
                   {.name = "header",
                    .default_value = 48_B,
                    .meaning = "size of a recirculated header",
                    .source = "ours: Ethernet to UDP, and 6 B of metadata; the paper gives no size",
                    .minimum = 1,
                    .maximum = 9000},
                   {.name = "sampling",
                    .default_value = 1.0,
                    .meaning = "fraction of frames whose headers are recirculated",
                    .source = "4: every packet; A.8 uses 0.5",
                    .minimum = 1e-6,
                    .maximum = 1},
                   {.name = "mix",
                    .default_value = std::string("64:1, 1066:1"),
                    .meaning = "frame sizes in bytes, each with its weight",
                    .source = "ours: packets of 1,000 bytes, each with its acknowledgement"}},
    .findings = bfc_findings,
    .errors = bfc_errors,
};

}  // namespace weir::analysis
