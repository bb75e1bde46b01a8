// What BFC's paper works out by hand: for how long a paused flow can be without packets, how large its tables are, and
// what recirculation takes of a switch.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/bfc_model.h"

namespace weir::analysis {
namespace {

using namespace literals;

/// Figure 30: equation 4 over the ratio of a flow's rates, for some thresholds.
void add_idle_time(Findings& out) {
  const Quantity ratio = {"rate in over rate out"};
  const Quantity idle = {"idle", "%"};
  NumberTable worst = {"worst_idle_time",
                       "The most a flow is without packets (equation 5)",
                       {{"threshold", "one-hop products"}, ratio, idle}};
  NumberTable table = {"idle_time",
                       "How long a flow is without packets (equation 4)",
                       {{"threshold", "one-hop products"}, ratio, idle},
                       {},
                       2};
  Chart chart = {table.name, table.title, {ratio}, {idle}};
  for (const double threshold : {0.5, 1.0, 2.0}) {
    worst.rows.push_back({threshold, bfc_worst_enqueue_ratio(threshold), 100 * bfc_worst_idle_share(threshold)});
    Curve curve = {fmt::format("Th {:.2g}", threshold)};
    for (int step = 1; step <= 40; ++step) {
      const double x = 1 + step / 10.0;
      const double percent = 100 * bfc_idle_share(x, threshold);
      table.rows.push_back({threshold, x, percent});
      curve.points.push_back({x, percent});
    }
    chart.curves.push_back(std::move(curve));
  }
  out.tables.push_back(std::move(worst));
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(chart));
}

/// Sections 3.3.1, 4 and 6.2.1: what the switch keeps, and how often two flows meet in an entry.
void add_tables(const Parameters& parameters, Findings& out) {
  const auto ports = parameters.get<std::int64_t>("ports");
  const auto queues = parameters.get<std::int64_t>("queues");
  const auto factor = parameters.get<std::int64_t>("table_factor");
  out.tables.push_back(
      {"memory",
       "What the tables take",
       {{"queues"}, {"flow table", "entries"}, {"flow table", "bytes"}, {"pause counters", "entries"}},
       {{static_cast<double>(ports * queues), static_cast<double>(bfc_flow_table_entries(ports * queues, factor)),
         static_cast<double>(bfc_flow_table_bytes(ports * queues, factor).count()),
         static_cast<double>(bfc_pause_counter_entries(ports, queues))}}});
  const Quantity flows = {"active flows of an egress"};
  const Quantity collision = {"collision", "%"};
  NumberTable table = {"collisions", "A flow that shares its entry with another", {flows, collision}};
  Chart chart = {table.name, table.title, {flows, Scale::logarithmic}, {collision, Scale::logarithmic}};
  Curve curve = {fmt::format("{} entries an egress", queues * factor)};
  for (std::int64_t n = 2; n <= 64 * queues; n *= 2) {
    const double percent = 100 * bfc_index_collision(n - 1, queues * factor);
    table.rows.push_back({static_cast<double>(n), percent});
    curve.points.push_back({static_cast<double>(n), percent});
  }
  chart.curves.push_back(std::move(curve));
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(chart));
}

/// Section 4 and A.8: over the mean size of frames, what recirculating every header takes.
void add_recirculation(const Parameters& parameters, Findings& out) {
  const BfcSwitchLimits limits = {
      .capacity = parameters.get<BitRate>("capacity"),
      .recirculation_share = parameters.get<double>("recirculation_share"),
      .packets_per_second = parameters.get<double>("packets_per_second"),
      .header_bytes = parameters.get<Bytes>("header").count(),
  };
  const Quantity size = {"frame", "bytes"};
  NumberTable table = {"recirculation",
                       "Recirculating every header at full load",
                       {size,
                        {"frames", "million/s"},
                        {"of the capacity", "%"},
                        {"headers that fit the bandwidth", "%"},
                        {"headers that fit the pipelines", "%"}}};
  Chart chart = {table.name, "Share of the capacity that recirculation takes", {size}, {{"of the capacity", "%"}}};
  chart.levels = {100 * limits.recirculation_share};
  Curve curve = {"every header"};
  for (const std::int64_t bytes : {64, 128, 256, 384, 512, 700, 1024, 1500, 4096, 9000}) {
    const std::array<FrameShare, 1> mix = {{{bytes, 1}}};
    const BfcRecirculation found = bfc_recirculation(mix, limits);
    table.rows.push_back({static_cast<double>(bytes), found.frames_per_second / 1e6, 100 * found.bandwidth_share,
                          100 * found.sampling_within_bandwidth, 100 * found.sampling_within_packets});
    curve.points.push_back({static_cast<double>(bytes), 100 * found.bandwidth_share});
  }
  chart.curves.push_back(std::move(curve));
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(chart));
}

Findings findings(const Parameters& parameters) {
  Findings out;
  add_idle_time(out);
  add_tables(parameters, out);
  add_recirculation(parameters, out);
  return out;
}

}  // namespace

extern const Analysis bfc_analysis;  // of the registry: a constant would be this file's own without it
const Analysis bfc_analysis = {
    .name = "bfc",
    .summary = "BFC's idle time under a pause, the memory of its tables, what recirculation takes",
    .source = "bfc 3.3.1, 4, 6.2.1, A.8 and appendix C, equations 4 and 5, figure 30",
    .parameters = {{.name = "ports",
                    .default_value = std::int64_t{24},
                    .meaning = "of the switch",
                    .source = "6.2.1",
                    .minimum = 2,
                    .maximum = 1e4},
                   {.name = "queues",
                    .default_value = std::int64_t{32},
                    .meaning = "of a port",
                    .source = "6.2.1",
                    .minimum = 1,
                    .maximum = 1e5},
                   {.name = "table_factor",
                    .default_value = std::int64_t{100},
                    .meaning = "entries of the flow table a queue",
                    .source = "3.3.1",
                    .minimum = 1,
                    .maximum = 1e6},
                   {.name = "capacity",
                    .default_value = BitRate(12'800'000'000'000),
                    .meaning = "of the switch",
                    .source = "4 (Tofino2)",
                    .minimum = 1e9,
                    .maximum = 1e15},
                   {.name = "recirculation_share",
                    .default_value = 0.12,
                    .meaning = "of the capacity that is kept for recirculation",
                    .source = "4",
                    .maximum = 1},
                   {.name = "packets_per_second",
                    .default_value = 0.0,
                    .meaning = "that the pipelines can take; 0: not limited",
                    .source = "ours"},
                   {.name = "header",
                    .default_value = 64_B,
                    .meaning = "a recirculated header",
                    .source = "4",
                    .minimum = 1,
                    .maximum = 9000}},
    .findings = findings,
};

}  // namespace weir::analysis
