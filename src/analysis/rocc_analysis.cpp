// SPDX-License-Identifier: Apache-2.0
// RoCC's control loop (rocc 5): phase margin and loop bandwidth over gains and numbers of flows, and the effect of
// tuning the gains by the fair rate.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "policy/pi_loop.h"

namespace weir::analysis {
namespace {

using namespace literals;

constexpr int kPairs = 6;  // number of gain pairs: regions of the fair rate (algorithm 1)
const Quantity kMargin = {"phase margin", "degrees"};
const Quantity kBandwidth = {"loop bandwidth", "rad/s"};
const Quantity kFlows = {"flows"};

/// The parameters, read.
class Model {
 public:
  explicit Model(const Parameters& parameters)
      : alpha_(parameters.get<double>("alpha")),
        beta_(parameters.get<double>("beta")),
        interval_(parameters.get<Duration>("update_interval")),
        rate_step_(parameters.get<BitRate>("rate_step")),
        queue_step_(parameters.get<Bytes>("queue_step")),
        line_rate_(parameters.get<BitRate>("line_rate")),
        flows_(parameters.get<std::int64_t>("flows")),
        more_flows_(parameters.get<std::int64_t>("more_flows")),
        most_flows_(parameters.get<std::int64_t>("most_flows")) {}

  [[nodiscard]] PiLoop loop(double alpha, double beta, double flows) const {
    const double rate_bytes = static_cast<double>(rate_step_.bits_per_second()) / 8;
    return {.alpha = alpha,
            .beta = beta,
            .flows = flows,
            .step_ratio = rate_bytes / static_cast<double>(queue_step_.count()),
            .interval = interval_};
  }
  /// The loop with the gains of region `pair`, which are halved once per region.
  [[nodiscard]] PiLoop pair(int pair, double flows) const {
    const double part = 1 << pair;
    return loop(alpha_ / part, beta_ / part, flows);
  }
  /// The region of the fair rate for this number of flows (equation 1 without mice).
  [[nodiscard]] int region(double flows) const {
    int pair = 0;
    while (pair + 1 < kPairs && 1 / flows < 1.0 / (2 << pair)) ++pair;
    return pair;
  }

  /// Numbers of flows: all up to the end of figure 7, then about twenty per octave.
  [[nodiscard]] std::vector<double> flow_counts(double from) const {
    constexpr double kAll = 128;
    std::vector<double> out;
    for (double n = from; n < static_cast<double>(most_flows_); n = n < kAll ? n + 1 : std::round(n * 1.035)) {
      out.push_back(n);
    }
    out.push_back(static_cast<double>(most_flows_));
    return out;
  }
  [[nodiscard]] std::array<double, 2> shown_flows() const {
    return {static_cast<double>(flows_), static_cast<double>(more_flows_)};
  }
  [[nodiscard]] double alpha() const { return alpha_; }
  [[nodiscard]] double beta() const { return beta_; }
  [[nodiscard]] double line_rate() const { return line_rate_.gigabits_per_second(); }

 private:
  double alpha_;
  double beta_;
  Duration interval_;
  BitRate rate_step_;
  Bytes queue_step_;
  BitRate line_rate_;
  std::int64_t flows_;
  std::int64_t more_flows_;
  std::int64_t most_flows_;
};

std::string pair_label(const PiLoop& loop) {
  return fmt::format("{:.3g} : {:.3g}", loop.alpha, loop.beta);
}

/// The loop's main numbers, for the two numbers of flows and each pair of gains.
NumberTable margins(const Model& model) {
  NumberTable table = {"margins",
                       "Phase margin and loop bandwidth",
                       {{"alpha"}, {"beta"}, kFlows, kMargin, kBandwidth, {"gain K", "1/s^2"}, {"zero", "rad/s"}},
                       {},
                       3};
  for (int pair = 0; pair < kPairs; ++pair) {
    for (const double flows : model.shown_flows()) {
      const PiLoop loop = model.pair(pair, flows);
      table.rows.push_back(
          {loop.alpha, loop.beta, flows, loop.phase_margin(), loop.crossover(), loop.gain(), loop.zero()});
    }
  }
  return table;
}

/// Figure 5: over alpha, and for some beta, around the given gains.
void add_gains(const Model& model, Findings& out) {
  constexpr int kSteps = 25;
  constexpr double kReach = 2.5;
  const double flows = model.shown_flows()[0];
  NumberTable table = {"phase_margin_of_gains",
                       fmt::format("Phase margin by gains, {} flows", flows),
                       {{"alpha"}, {"beta"}, kMargin},
                       {},
                       2};
  Chart chart = {table.name, table.title, {{"alpha"}}, {kMargin}, {}, {0}};
  for (const double share : {0.2, 0.5, 1.0, 2.0, 4.0}) {
    const double beta = share * model.beta();
    Curve curve = {fmt::format("beta {:.3g}", beta)};
    for (int step = 1; step <= kSteps; ++step) {
      const double alpha = model.alpha() * kReach * step / kSteps;
      const double margin = model.loop(alpha, beta, flows).phase_margin();
      table.rows.push_back({alpha, beta, margin});
      curve.points.push_back({alpha, margin});
    }
    chart.curves.push_back(std::move(curve));
  }
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(chart));
}

/// Figure 6: gain and phase over frequency for two numbers of flows.
void add_bode(const Model& model, Findings& out) {
  constexpr int kSteps = 120;
  constexpr double kFirst = 2;  // powers of ten, rad/s
  constexpr double kLast = 5;
  NumberTable table = {
      "bode", "Open loop by frequency", {kFlows, {"frequency", "rad/s"}, {"gain", "dB"}, {"phase", "degrees"}}, {}, 2};
  const Axis frequency = {{"frequency", "rad/s"}, Scale::logarithmic};
  Chart gain = {"bode_gain", "Gain of the open loop", frequency, {{"gain", "dB"}}, {}, {0}};
  Chart phase = {"bode_phase", "Phase of the open loop", frequency, {{"phase", "degrees"}}, {}, {-180}};
  for (const double flows : model.shown_flows()) {
    const PiLoop loop = model.loop(model.alpha(), model.beta(), flows);
    Curve gains = {fmt::format("{} flows", flows)};
    Curve phases = gains;
    for (int step = 0; step <= kSteps; ++step) {
      const double w = std::pow(10, kFirst + (kLast - kFirst) * step / kSteps);
      const double decibels = 20 * std::log10(loop.magnitude(w));
      table.rows.push_back({flows, w, decibels, loop.phase(w)});
      gains.points.push_back({w, decibels});
      phases.points.push_back({w, loop.phase(w)});
    }
    gain.curves.push_back(std::move(gains));
    phase.curves.push_back(std::move(phases));
  }
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(gain));
  out.charts.push_back(std::move(phase));
}

/// Figure 7: over numbers of flows, for six pairs of gains.
void add_pairs(const Model& model, Findings& out) {
  NumberTable table = {"flows",
                       "Phase margin and loop bandwidth by number of flows",
                       {{"alpha"}, {"beta"}, kFlows, kMargin, kBandwidth},
                       {},
                       3};
  const Axis across = {kFlows, Scale::logarithmic};
  Chart margin = {"phase_margin_of_flows", "Phase margin by number of flows", across, {kMargin}, {}, {0}};
  Chart bandwidth = {
      "bandwidth_of_flows", "Loop bandwidth by number of flows", across, {kBandwidth, Scale::logarithmic}};
  for (int pair = 0; pair < kPairs; ++pair) {
    Curve margins = {pair_label(model.pair(pair, 1))};
    Curve bandwidths = margins;
    for (const double flows : model.flow_counts(2)) {
      const PiLoop loop = model.pair(pair, flows);
      table.rows.push_back({loop.alpha, loop.beta, flows, loop.phase_margin(), loop.crossover()});
      margins.points.push_back({flows, loop.phase_margin()});
      bandwidths.points.push_back({flows, loop.crossover()});
    }
    margin.curves.push_back(std::move(margins));
    bandwidth.curves.push_back(std::move(bandwidths));
  }
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(margin));
  out.charts.push_back(std::move(bandwidth));
}

/// The effect of auto-tuning (section 5.3): the gains that the fair rate of this number of flows selects.
void add_tuned(const Model& model, Findings& out) {
  NumberTable table = {"tuned",
                       "Auto-tuned: the gains that the fair rate selects",
                       {kFlows, {"fair rate", "Gbit/s"}, {"alpha"}, {"beta"}, kMargin, kBandwidth}};
  Chart chart = {"tuned", table.title, {kFlows, Scale::logarithmic}, {kMargin}, {}, {0}};
  Curve curve = {"auto-tuned"};
  for (const double flows : model.flow_counts(1)) {
    const PiLoop loop = model.pair(model.region(flows), flows);
    table.rows.push_back(
        {flows, model.line_rate() / flows, loop.alpha, loop.beta, loop.phase_margin(), loop.crossover()});
    curve.points.push_back({flows, loop.phase_margin()});
  }
  chart.curves.push_back(std::move(curve));
  out.tables.push_back(std::move(table));
  out.charts.push_back(std::move(chart));
}

Findings rocc_findings(const Parameters& parameters) {
  const Model model(parameters);
  Findings out;
  out.tables.push_back(margins(model));
  add_gains(model, out);
  add_bode(model, out);
  add_pairs(model, out);
  add_tuned(model, out);
  return out;
}

std::vector<std::string> rocc_errors(const Parameters& parameters) {
  const auto most = parameters.get<std::int64_t>("most_flows");
  if (most > std::max(parameters.get<std::int64_t>("flows"), parameters.get<std::int64_t>("more_flows"))) return {};
  return {fmt::format("most_flows is {}, expected more than flows and more_flows", most)};
}

}  // namespace

extern const Analysis rocc_analysis;  // declared for the registry: without it a constant would have internal linkage
const Analysis rocc_analysis = {
    .name = "rocc",
    .summary = "RoCC's control loop: phase margin and loop bandwidth by gains and number of flows",
    .source = "rocc 5, equations 2 to 6, figures 5 to 7",
    .parameters = {{.name = "alpha",
                    .default_value = 0.3,
                    .meaning = "gain of the queue error",
                    .source = "5.2",
                    .minimum = 1e-6,
                    .maximum = 1e3},
                   {.name = "beta",
                    .default_value = 3.0,
                    .meaning = "gain of the queue change",
                    .source = "5.2 (1.5 in section 6)",
                    .maximum = 1e3},
                   {.name = "update_interval",
                    .default_value = 40_us,
                    .meaning = "T, interval between computations of the fair rate",
                    .source = "5.2",
                    .minimum = 1e-9,
                    .maximum = 1},
                   {.name = "rate_step",
                    .default_value = 10_Mbps,
                    .meaning = "delta F, resolution of the fair rate",
                    .source = "section 6",
                    .minimum = 1,
                    .maximum = 1e12},
                   {.name = "queue_step",
                    .default_value = 600_B,
                    .meaning = "delta Q, resolution of the queue length",
                    .source = "section 6",
                    .minimum = 1,
                    .maximum = 1e9},
                   {.name = "line_rate",
                    .default_value = 40_Gbps,
                    .meaning = "rate of the link, for the fair rates of the auto-tuned loop",
                    .source = "section 6",
                    .minimum = 1,
                    .maximum = 1e13},
                   {.name = "flows",
                    .default_value = std::int64_t{2},
                    .meaning = "N in the results by gains and by frequency",
                    .source = "figure 5",
                    .minimum = 1,
                    .maximum = 1e6},
                   {.name = "more_flows",
                    .default_value = std::int64_t{10},
                    .meaning = "a second N in the results by frequency",
                    .source = "figure 6",
                    .minimum = 1,
                    .maximum = 1e6},
                   {.name = "most_flows",
                    .default_value = std::int64_t{300},
                    .meaning = "maximum N",
                    .source = "6.3; figure 7 ends at 128",
                    .minimum = 3,
                    .maximum = 1e6}},
    .findings = rocc_findings,
    .errors = rocc_errors,
};

}  // namespace weir::analysis
