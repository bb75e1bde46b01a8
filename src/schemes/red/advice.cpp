// SPDX-License-Identifier: Apache-2.0
#include "schemes/red/advice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace weir::red {
namespace {

constexpr double kPublishedKmin = 100'000;  // bytes at 25 Gbit/s
constexpr double kPublishedRate = 25e9;
constexpr double kPmax = 0.2;
constexpr std::int64_t kRatio = 4;  // kmax / kmin

double bits(BitRate rate) {
  return static_cast<double>(rate.bits_per_second());
}

std::string whole(double value) {
  return std::to_string(static_cast<std::int64_t>(value));
}

/// The bytes per egress queue at which no ingress pauses even if it fills all queues alone: n t < share x (shared -
/// lossless n t).
double mark_before_pause(const AdvisedSwitch& of, const AdvisedFabric& fabric) {
  const double share = fabric.share_of_free;
  return share * static_cast<double>(of.shared.count()) /
         (static_cast<double>(of.ports) * (1 + share * static_cast<double>(fabric.lossless)));
}

std::string gigabits(BitRate rate) {
  std::string text = std::to_string(bits(rate) * 1e-9);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " Gbit/s";
}

}  // namespace

Advice advise(const AdvisedFabric& fabric) {
  BitRate reference = BitRate(std::numeric_limits<std::int64_t>::max());
  for (const AdvisedSwitch& of : fabric.switches) reference = std::min(reference, of.rates.front());
  const double published = kPublishedKmin * bits(reference) / kPublishedRate;
  Advice out;
  double kmin = published;
  std::string bound = "kmin = 100 KB x rate / 25 Gbit/s = " + whole(published) + " B at " + gigabits(reference);
  if (fabric.share_of_free > 0) {
    for (const AdvisedSwitch& of : fabric.switches) {
      const double most = mark_before_pause(of, fabric);
      // Thresholds grow with the rate of the port, so the fastest port of a switch reaches its limit first.
      const double at_reference = most * bits(reference) / bits(of.rates.back());
      out.consequences.push_back(of.name + ": marks precede pauses up to kmin = alpha x shared / (n x (1 + alpha x " +
                                 std::to_string(fabric.lossless) + ")) = " + whole(most) +
                                 " B, n = " + std::to_string(of.ports) + " ports, and so " + whole(at_reference) +
                                 " B at " + gigabits(reference));
      if (at_reference >= kmin) continue;
      kmin = at_reference;
      bound = "kmin <= alpha x shared / (n x (1 + alpha x lossless priorities)) = " + whole(most) + " B at " +
              gigabits(of.rates.back()) + " of " + of.name + ", which is less than 100 KB x rate / 25 Gbit/s";
    }
  }
  const std::int64_t kmin_bytes = std::max<std::int64_t>(1, static_cast<std::int64_t>(kmin));
  constexpr std::string_view kSource =
      "Li et al., SIGCOMM 2019 (HPCC), 5.1: 100 KB and 400 KB at 25 Gbit/s; Zhu et al., SIGCOMM 2015 (DCQCN), 4: ECN "
      "before PFC";
  out.parameters.push_back({"kmin", Bytes(kmin_bytes), bound, kSource});
  out.parameters.push_back(
      {"kmax", Bytes(kmin_bytes * kRatio), "kmax = 4 x kmin", "Li et al., SIGCOMM 2019 (HPCC), 5.1: 400 KB to 100 KB"});
  out.parameters.push_back({"pmax", kPmax, "marking probability at kmax", "the simulator published with HPCC"});
  out.parameters.push_back(
      {"scale_with_rate", true, "kmin and kmax scale with the port rate", "Li et al., SIGCOMM 2019 (HPCC), 5.1"});
  out.parameters.push_back({"reference_rate", reference, "the rate of the slowest port", "as stated above"});
  // A queue must outlast the cut after a mark; otherwise the link becomes idle.
  constexpr double kCut = 7;
  const double least = bits(reference) / 8 * fabric.longest_round_trip.seconds() / kCut;
  out.consequences.push_back(
      std::string(static_cast<double>(kmin_bytes) > least ? "kmin is large enough" : "kmin is TOO SMALL") +
      " to keep a link busy: it must exceed rate x round-trip time / 7 = " + whole(least) + " B at " +
      gigabits(reference) + " (Alizadeh et al., SIGCOMM 2010, section 3.4)" +
      (static_cast<double>(kmin_bytes) > least ? "" : "; use a larger buffer or fewer ports"));
  return out;
}

}  // namespace weir::red
