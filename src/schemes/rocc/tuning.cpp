// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/tuning.h"

#include <algorithm>
#include <string>

#include "policy/pi_loop.h"
#include "schemes/rocc/rocc.h"

namespace weir::rocc {
namespace {

using namespace literals;

constexpr double kSlow = 40e9;  // bit/s: the two rates for which the paper gives values
constexpr double kFast = 100e9;

/// Section 6's values at 40 and at 100 Gbit/s.
struct AtBoth {
  double slow;
  double fast;
};
constexpr AtBoth kReference = {150e3, 300e3};
constexpr AtBoth kMiddle = {300e3, 600e3};
constexpr AtBoth kMaximum = {360e3, 660e3};
constexpr AtBoth kAlpha = {0.3, 0.45};
constexpr AtBoth kBeta = {1.5, 2.25};

/// [ROCC-CP-10] Proportional to the rate below 40 Gbit/s, linear between the two.
double up_to_fast(const AtBoth& value, double rate) {
  if (rate <= kSlow) return value.slow * rate / kSlow;
  return value.slow + (value.fast - value.slow) * (std::min(rate, kFast) - kSlow) / (kFast - kSlow);
}

/// A threshold: above 100 Gbit/s proportional to the rate, because it represents a queueing delay.
double threshold(Bytes given, const AtBoth& value, double rate) {
  if (given > Bytes()) return static_cast<double>(given.count());
  return rate > kFast ? value.fast * rate / kFast : up_to_fast(value, rate);
}

/// A gain: above 100 Gbit/s that of 100 Gbit/s, because the stability margin depends on it and not on the rate.
double gain(double given, const AtBoth& value, BitRate port) {
  return given > 0 ? given : up_to_fast(value, static_cast<double>(port.bits_per_second()));
}

std::int64_t fixed(double gain) {
  return std::min(kMostGain, static_cast<std::int64_t>(gain * (1 << kGainBits) + 0.5));
}

/// A number for a message; this folder formats no others.
std::string number(double value) {
  std::string out = std::to_string(value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out;
}

std::string whole(double value) {
  return std::to_string(static_cast<std::int64_t>(value < 0 ? value - 0.5 : value + 0.5));
}

std::string gigabits(BitRate rate) {
  return number(rate.gigabits_per_second()) + " Gbit/s";
}

std::string kilobytes(Bytes length) {
  return number(static_cast<double>(length.count()) / 1e3) + " KB";
}

std::string microseconds(Duration time) {
  return number(time.microseconds()) + " us";
}

}  // namespace

Tuning::Tuning(const Parameters& parameters)
    : update_interval(parameters.get<Duration>("update_interval")),
      rate_step(parameters.get<BitRate>("rate_step")),
      queue_step(parameters.get<Bytes>("queue_step")),
      minimum_rate(parameters.get<std::int64_t>("minimum_rate")),
      maximum_rate(parameters.get<std::int64_t>("maximum_rate")),
      q_reference(parameters.get<Bytes>("q_reference")),
      q_middle(parameters.get<Bytes>("q_middle")),
      q_maximum(parameters.get<Bytes>("q_maximum")),
      alpha(parameters.get<double>("alpha")),
      beta(parameters.get<double>("beta")) {}

double Tuning::alpha_at(BitRate port) const {
  return gain(alpha, kAlpha, port);
}

double Tuning::beta_at(BitRate port) const {
  return gain(beta, kBeta, port);
}

std::int64_t Tuning::length_of(std::int64_t bytes) const {
  return std::min(kMostLength, bytes / queue_step.count());
}

LoopSettings Tuning::at(BitRate port) const {
  const auto rate = static_cast<double>(port.bits_per_second());
  const auto steps = [&](Bytes given, const AtBoth& value) {
    return length_of(static_cast<std::int64_t>(threshold(given, value, rate)));
  };
  LoopSettings out;
  out.q_reference = steps(q_reference, kReference);
  out.q_middle = steps(q_middle, kMiddle);
  out.q_maximum = steps(q_maximum, kMaximum);
  const std::int64_t line = port.bits_per_second() / rate_step.bits_per_second();
  out.f_maximum = std::clamp<std::int64_t>(maximum_rate > 0 ? maximum_rate : line, 1, kMostRate);
  out.f_minimum = std::min(minimum_rate, out.f_maximum);
  out.alpha = fixed(alpha_at(port));
  out.beta = fixed(beta_at(port));
  return out;
}

// [ROCC-CP-9] Given values are compared only with given ones; defaults depend on the port's rate.
std::vector<std::string> errors(const Parameters& parameters) {
  std::vector<std::string> out;
  const Tuning tuning(parameters);
  const auto out_of_order = [&](Bytes lower, Bytes higher) {
    return lower > Bytes() && higher > Bytes() && tuning.length_of(lower.count()) >= tuning.length_of(higher.count());
  };
  if (out_of_order(tuning.q_reference, tuning.q_middle)) out.emplace_back("q_reference is not below q_middle");
  if (out_of_order(tuning.q_middle, tuning.q_maximum)) out.emplace_back("q_middle is not below q_maximum");
  if (out_of_order(tuning.q_reference, tuning.q_maximum)) out.emplace_back("q_reference is not below q_maximum");
  if (tuning.maximum_rate > 0 && tuning.minimum_rate > tuning.maximum_rate) {
    out.emplace_back("minimum_rate is above maximum_rate");
  }
  return out;
}

// [ROCC-CP-9]
std::vector<ParameterRefusal> refusals(const Parameters& parameters, const std::vector<BitRate>& ports) {
  std::vector<ParameterRefusal> out;
  const Tuning tuning(parameters);
  for (const BitRate port : ports) {
    const LoopSettings here = tuning.at(port);
    const auto in_order = [&](const char* lower, std::int64_t less, const char* higher, std::int64_t more) {
      if (less < more) return;
      out.push_back({lower, std::string(lower) + ", " + kilobytes(tuning.queue_step * less) + " at ports of " +
                                gigabits(port) + ", is not below " + higher + ", " +
                                kilobytes(tuning.queue_step * more) + " there"});
    };
    in_order("q_reference", here.q_reference, "q_middle", here.q_middle);
    in_order("q_middle", here.q_middle, "q_maximum", here.q_maximum);
    if (tuning.minimum_rate > here.f_maximum) {
      out.push_back({"minimum_rate", "minimum_rate, " + gigabits(tuning.rate_of(tuning.minimum_rate)) +
                                         ", is above the greatest rate at ports of " + gigabits(port) + ", " +
                                         gigabits(tuning.rate_of(here.f_maximum))});
    }
  }
  return out;
}

namespace {

/// The loop at a port of this rate with so many flows: the more flows, the lower the fair rate and therefore the gains.
PiLoop loop_of(const Tuning& tuning, BitRate port, double flows) {
  const LoopSettings settings = tuning.at(port);
  const double fair = static_cast<double>(port.bits_per_second()) / flows /
                      static_cast<double>(tuning.rate_step.bits_per_second()) * (1 << kRateBits);
  const double divided = 1 << region_of(settings, static_cast<std::int64_t>(fair));
  return {.alpha = tuning.alpha_at(port) / divided,
          .beta = tuning.beta_at(port) / divided,
          .flows = flows,
          .step_ratio = static_cast<double>(tuning.rate_step.bits_per_second()) / 8 /
                        static_cast<double>(tuning.queue_step.count()),
          .interval = tuning.update_interval};
}

void warn_of_margins(const Tuning& tuning, const SchemeSurroundings& around, std::vector<std::string>& out) {
  bool settles = true;
  for (const BitRate port : {around.network.slowest_link(), around.network.fastest_link()}) {
    // Each region ends at twice the flows and half the gains of the previous one, so the loop is the same there.
    const double margin = loop_of(tuning, port, 2).phase_margin();
    if (margin <= 0) {
      out.push_back("alpha " + number(tuning.alpha_at(port)) + " and beta " + number(tuning.beta_at(port)) + " at " +
                    gigabits(port) + " give the control loop a phase margin of " + whole(margin) +
                    " degrees with two flows: the fair rate will not converge");
      settles = false;
    }
    if (around.network.links.size() == 1) break;
  }
  if (!settles) return;
  // The last region has no end.
  for (const auto& [port, pairs] : around.network.links) {
    if (pairs <= 2) continue;
    const double margin = loop_of(tuning, port, pairs).phase_margin();
    if (margin > 0) continue;
    out.push_back("up to " + whole(pairs) + " pairs of hosts share a link of " + gigabits(port) +
                  ": while all of them send at once, the control loop has a phase margin of " + whole(margin) +
                  " degrees, and the fair rate oscillates");
  }
}

/// Parameters that must be equal in switches and hosts.
void warn_of_differences(const Parameters& parameters, const SchemeSurroundings& around, const Parameters& of_hosts,
                         std::vector<std::string>& out) {
  const Tuning here(parameters);
  const Tuning hosts(of_hosts);
  if (here.rate_step != hosts.rate_step) {
    out.push_back("rate_step is " + gigabits(here.rate_step) + " at switches and " + gigabits(hosts.rate_step) +
                  " at hosts: hosts would misinterpret each rate");
  }
  const bool registry =
      parameters.get<std::string>("computed_at") == "host" && parameters.get<std::string>("feedback") == "registry";
  if (!registry) return;
  if (here.queue_step != hosts.queue_step) {
    out.push_back("queue_step is " + kilobytes(here.queue_step) + " at switches and " + kilobytes(hosts.queue_step) +
                  " at hosts: hosts would misinterpret each length");
    return;
  }
  for (const BitRate port : {around.network.slowest_link(), around.network.fastest_link()}) {
    if (here.at(port) != hosts.at(port)) {
      out.push_back("thresholds, gains or limits at ports of " + gigabits(port) +
                    " differ between switches and the registry of the hosts: hosts would compute other rates");
    }
    if (around.network.links.size() == 1) break;
  }
}

}  // namespace

std::vector<IdleParameter> idle(const Parameters& parameters) {
  std::vector<IdleParameter> out;
  const std::string& table = parameters.get<std::string>("flow_table");
  if (parameters.get<std::string>("computed_at") == "switch") out.push_back({"feedback", "computed_at = \"switch\""});
  if (table == "queue") out.push_back({"flow_age", "flow_table = \"queue\""});
  if (table == "queue" || table == "bounded") {
    for (const std::string_view name : {"sample_every", "elephant_hits"}) {
      out.push_back({name, "flow_table = \"" + table + "\""});
    }
  }
  return out;
}

// [ROCC-CP-12]
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  std::vector<std::string> out;
  if (!around.at_switch) return out;  // hosts use what switches announce
  const Tuning tuning(parameters);
  warn_of_margins(tuning, around, out);
  Duration reaction = around.network.longest_round_trip;
  std::string parts = "the longest round trip of " + microseconds(reaction);
  const SchemeInUse control = around.hosts.congestion_control;
  if (const Parameters* of_hosts = parameters_of(scheme, {&control, 1}); of_hosts != nullptr) {
    const auto delay = of_hosts->get<Duration>("reaction_delay");
    reaction += delay;
    if (delay > Duration()) parts += " and the reaction delay of " + microseconds(delay);
    warn_of_differences(parameters, around, *of_hosts, out);
  }
  if (tuning.update_interval < reaction) {
    out.push_back("update_interval is " + microseconds(tuning.update_interval) + ", below " + parts +
                  ": the rate changes again before the effect of the last change is visible");
  }
  return out;
}

}  // namespace weir::rocc
