#include "schemes/rocc/tuning.h"

#include <algorithm>
#include <string>

#include "policy/pi_loop.h"

namespace weir::rocc {
namespace {

using namespace literals;

constexpr double kSlow = 40e9;  // bit/s: the two rates the paper gives values for
constexpr double kFast = 100e9;

/// Section 6's value at 40 and at 100 Gbit/s.
struct AtBoth {
  double slow;
  double fast;
};
constexpr AtBoth kReference = {150e3, 300e3};
constexpr AtBoth kMiddle = {300e3, 600e3};
constexpr AtBoth kMaximum = {360e3, 660e3};
constexpr AtBoth kAlpha = {0.3, 0.45};
constexpr AtBoth kBeta = {1.5, 2.25};

/// [ROCC-CP-10] In proportion to the rate below 40 Gbit/s, on a line between the two.
double up_to_fast(const AtBoth& value, double rate) {
  if (rate <= kSlow) return value.slow * rate / kSlow;
  return value.slow + (value.fast - value.slow) * (std::min(rate, kFast) - kSlow) / (kFast - kSlow);
}

/// A threshold: above 100 Gbit/s in proportion to the rate, as it stands for a time.
double threshold(Bytes given, const AtBoth& value, double rate) {
  if (given > Bytes()) return static_cast<double>(given.count());
  return rate > kFast ? value.fast * rate / kFast : up_to_fast(value, rate);
}

/// A gain: above 100 Gbit/s that of 100 Gbit/s, for the margin of stability hangs on it and not on the rate.
double gain(double given, const AtBoth& value, BitRate port) {
  return given > 0 ? given : up_to_fast(value, static_cast<double>(port.bits_per_second()));
}

std::int64_t fixed(double gain) {
  return std::min(kMostGain, static_cast<std::int64_t>(gain * (1 << kGainBits) + 0.5));
}

/// A number for a message; this folder does not print otherwise.
std::string number(double value) {
  std::string out = std::to_string(value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out;
}

std::string gigabits(BitRate rate) {
  return number(rate.gigabits_per_second()) + " Gbit/s";
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

std::vector<std::string> complaints(const Parameters& parameters) {
  std::vector<std::string> out;
  const Tuning tuning(parameters);
  const LoopSettings slow = tuning.at(BitRate(static_cast<std::int64_t>(kSlow)));
  // [ROCC-CP-9]
  if (slow.q_reference >= slow.q_middle) out.emplace_back("q_reference is not below q_middle");
  if (slow.q_middle >= slow.q_maximum) out.emplace_back("q_middle is not below q_maximum");
  if (tuning.maximum_rate > 0 && tuning.minimum_rate > tuning.maximum_rate) {
    out.emplace_back("minimum_rate is above maximum_rate");
  }
  return out;
}

// [ROCC-CP-12]
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  const Tuning tuning(parameters);
  std::vector<std::string> out;
  for (const BitRate port : {around.slowest_link, around.fastest_link}) {
    // Each region ends at twice the flows and half the gains of the one before, so the loop is the same there.
    const PiLoop loop = {.alpha = tuning.alpha_at(port),
                         .beta = tuning.beta_at(port),
                         .flows = 2,
                         .step_ratio = static_cast<double>(tuning.rate_step.bits_per_second()) / 8 /
                                       static_cast<double>(tuning.queue_step.count()),
                         .interval = tuning.update_interval};
    const double margin = loop.phase_margin();
    if (margin <= 0) {
      out.push_back("alpha " + number(loop.alpha) + " and beta " + number(loop.beta) + " at " + gigabits(port) +
                    " leave the loop a phase margin of " + std::to_string(static_cast<int>(margin)) +
                    " degrees for two flows: the fair rate will not settle");
    }
    if (around.slowest_link == around.fastest_link) break;
  }
  if (tuning.update_interval < around.longest_round_trip) {
    out.push_back("update_interval is " + microseconds(tuning.update_interval) + ", below the longest round trip of " +
                  microseconds(around.longest_round_trip) +
                  ": the rate changes again before the last change can be seen");
  }
  return out;
}

}  // namespace weir::rocc
