// SPDX-License-Identifier: Apache-2.0
// SPFC's flow model (spfc IV): how fast packets leave victim and burst ports, and which K distinguishes the two.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/spfc_model.h"

namespace weir::analysis {
namespace {

using namespace literals;

const Quantity kBurstPorts = {"burst ports"};
const Quantity kCongestedPart = {"congested part"};

/// The parameters, read.
struct Setup {
  double k;
  double epsilon;
  double pool;
  double alpha;
  int ports;

  explicit Setup(const Parameters& parameters)
      : k(static_cast<double>(parameters.get<std::int64_t>("k"))),
        epsilon(parameters.get<double>("epsilon")),
        pool(static_cast<double>(parameters.get<Bytes>("pool").count())),
        alpha(parameters.get<double>("alpha")),
        ports(static_cast<int>(parameters.get<std::int64_t>("ports"))) {}
  /// Two ports receive, and one is the victim's.
  [[nodiscard]] int most_burst_ports() const { return ports - 3; }
};

/// Equations 5, 6 and 8 over the number of burst ports.
void add_rates(const Setup& setup, Findings& out) {
  NumberTable table = {"burst_ports",
                       fmt::format("By number of burst ports, epsilon {:.3g}", setup.epsilon),
                       {kBurstPorts,
                        {"rate from a burst port", "of C"},
                        {"rate from the victim port", "of C"},
                        {"K above"},
                        {"maximum K"}}};
  Chart chart = {"departure_rates", "Rates at which packets leave ports", {kBurstPorts}, {{"rate", "of C"}}};
  Curve burst = {"burst port"};
  Curve victim = {"victim port"};
  for (int n = 1; n <= setup.most_burst_ports(); ++n) {
    const double from_burst = spfc_model::burst_departure_rate(n);
    const double from_victim = spfc_model::victim_departure_rate(n, setup.epsilon);
    table.rows.push_back({static_cast<double>(n), from_burst, from_victim, spfc_model::smallest_k(n, setup.epsilon),
                          spfc_model::largest_k(n)});
    burst.points.push_back({static_cast<double>(n), from_burst});
    victim.points.push_back({static_cast<double>(n), from_victim});
  }
  chart.curves = {std::move(burst), std::move(victim)};
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(chart));
}

/// Figure 9: the region of burst ports and congested part, bounded by surfaces, in which K distinguishes ports.
void add_surfaces(const Setup& setup, Findings& out) {
  constexpr int kSteps = 10;
  NumberTable table = {"surfaces",
                       "Range of K that distinguishes burst and victim ports",
                       {kCongestedPart, kBurstPorts, {"K above"}, {"maximum K"}},
                       {},
                       2};
  Chart chart = {table.name,
                 "Figure 9: K must lie above the curve of the congested part, and at most on the straight line",
                 {kBurstPorts},
                 {{"K"}}};
  Curve top = {"at most"};
  for (int n = 1; n <= setup.most_burst_ports(); ++n) {
    top.points.push_back({static_cast<double>(n), spfc_model::largest_k(n)});
  }
  for (int step = 0; step <= kSteps; ++step) {
    const double epsilon = static_cast<double>(step) / kSteps;
    Curve curve = {fmt::format("above, congested part {}", epsilon)};
    for (int n = 1; n <= setup.most_burst_ports(); ++n) {
      const double bottom = spfc_model::smallest_k(n, epsilon);
      table.rows.push_back({epsilon, static_cast<double>(n), bottom, spfc_model::largest_k(n)});
      curve.points.push_back({static_cast<double>(n), bottom});
    }
    if (step % 2 == 0) chart.curves.push_back(std::move(curve));
  }
  chart.curves.push_back(std::move(top));
  chart.levels = {setup.k};
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(chart));
}

/// For each number of burst ports, the maximum congested part at which K distinguishes ports.
void add_range_of_k(const Setup& setup, Findings& out) {
  NumberTable bounds = {"range_of_k",
                        "Maximum congested part for which K distinguishes the ports",
                        {{"K"}, kBurstPorts, kCongestedPart},
                        {},
                        2};
  NumberTable covered = {
      "covered", "Fraction of all pairs of burst ports and congested part that K covers", {{"K"}, {"covered", "%"}}};
  Chart chart = {bounds.name, bounds.title, {kBurstPorts}, {kCongestedPart}};
  std::vector<double> values = {3, 5, 7, 9};
  if (std::find(values.begin(), values.end(), setup.k) == values.end()) values.push_back(setup.k);
  std::sort(values.begin(), values.end());
  for (const double k : values) {
    Curve curve = {fmt::format("K = {}", k)};
    for (int n = 1; n <= setup.most_burst_ports(); ++n) {
      const double most = k <= spfc_model::largest_k(n) ? spfc_model::largest_epsilon(k, n) : 0;
      bounds.rows.push_back({k, static_cast<double>(n), most});
      curve.points.push_back({static_cast<double>(n), most});
    }
    covered.rows.push_back({k, 100 * spfc_model::covered(k, setup.ports)});
    chart.curves.push_back(std::move(curve));
  }
  out.tables.push_back(std::move(covered));
  out.tables.push_back(std::move(bounds));
  out.charts.push_back(std::move(chart));
}

/// Equation 2: the growth rate of queues while ports send at C, and the resulting departure rate.
void add_growth(const Setup& setup, Findings& out) {
  NumberTable table = {"growth",
                       fmt::format("Growth of queues while all send at C, epsilon {:.3g}", setup.epsilon),
                       {kBurstPorts,
                        {"growth of a burst port", "of C"},
                        {"rate from a burst port", "of C"},
                        {"growth of the victim port", "of C"},
                        {"rate from the victim port", "of C"}}};
  for (int n = 1; n <= setup.most_burst_ports(); ++n) {
    const double burst = spfc_model::burst_growth(n);
    const double victim = spfc_model::victim_growth(n, setup.epsilon);
    table.rows.push_back({static_cast<double>(n), burst, spfc_model::departure_rate(1, burst), victim,
                          spfc_model::departure_rate(1, victim)});
  }
  out.tables.push_back(std::move(table));
}

/// Equations 3 and 4: the bytes in normal ports, each at its threshold, as victim ports take more of the pool.
void add_thresholds(const Setup& setup, Findings& out) {
  constexpr int kSteps = 20;
  NumberTable table = {
      "thresholds",
      "Threshold of normal ports, all of which have reached it, by the bytes of victim ports",
      {{"normal ports"}, {"held by victim ports", "bytes"}, {"held by normal ports", "bytes"}, {"threshold", "bytes"}},
      {},
      2};
  Chart chart = {table.name, table.title, {{"held by victim ports", "bytes"}}, {{"threshold", "bytes"}}};
  std::vector<int> normal_ports = {0, 1, 4, 10};
  std::erase_if(normal_ports, [&](int ports) { return ports >= setup.most_burst_ports(); });
  normal_ports.push_back(setup.most_burst_ports());
  for (const int ports : normal_ports) {
    Curve curve = {fmt::format("{} normal ports with packets", ports)};
    for (int step = 0; step <= kSteps; ++step) {
      const double victims = setup.pool * step / kSteps;
      const std::vector<double> queues(static_cast<std::size_t>(ports),
                                       spfc_model::normal_queue(setup.alpha, setup.pool, victims, ports));
      const double normal = spfc_model::held(queues);
      const double threshold = spfc_model::normal_threshold(setup.alpha, setup.pool, victims, normal);
      table.rows.push_back({static_cast<double>(ports), victims, normal, threshold});
      curve.points.push_back({victims, threshold});
    }
    chart.curves.push_back(std::move(curve));
  }
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(chart));
}

Findings spfc_findings(const Parameters& parameters) {
  const Setup setup(parameters);
  Findings out;
  add_growth(setup, out);
  add_rates(setup, out);
  add_surfaces(setup, out);
  add_range_of_k(setup, out);
  add_thresholds(setup, out);
  return out;
}

}  // namespace

extern const Analysis spfc_analysis;  // declared for the registry: without it a constant would have internal linkage
const Analysis spfc_analysis = {
    .name = "spfc",
    .summary = "SPFC's flow model: the values of K that distinguish victim ports from burst ports",
    .source = "spfc IV.B to IV.D, equations 2 to 8, figure 9",
    .parameters = {{.name = "k",
                    .default_value = std::int64_t{5},
                    .meaning = "K_spfc, in addition to 3, 5, 7 and 9",
                    .source = "IV.C",
                    .minimum = 1,
                    .maximum = 1e3},
                   {.name = "epsilon",
                    .default_value = 0.75,
                    .meaning = "fraction of the victim port's traffic that goes to the congested port",
                    .source = "VII.A",
                    .maximum = 1},
                   {.name = "ports",
                    .default_value = std::int64_t{32},
                    .meaning = "ports of the switch; two receive, and one is the victim port",
                    .source = "III",
                    .minimum = 4,
                    .maximum = 1e4},
                   {.name = "pool",
                    .default_value = 16_MB,
                    .meaning = "the service pool",
                    .source = "III",
                    .minimum = 1,
                    .maximum = 1e12},
                   {.name = "alpha",
                    .default_value = 2.0,
                    .meaning = "alpha of the dynamic threshold of normal ports",
                    .source = "III",
                    .minimum = 1e-6,
                    .maximum = 1e3}},
    .findings = spfc_findings,
};

}  // namespace weir::analysis
