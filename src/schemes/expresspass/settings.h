// SPDX-License-Identifier: Apache-2.0
// The parameters of ExpressPass.
#pragma once

#include <cstdint>
#include <string>

#include "policy/parameters.h"

namespace weir::expresspass {

struct Settings {
  explicit Settings(const Parameters& parameters)
      : alpha(parameters.get<double>("alpha")),
        initial_weight(parameters.get<double>("initial_weight")),
        minimum_weight(parameters.get<double>("minimum_weight")),
        maximum_weight(parameters.get<double>("maximum_weight")),
        weight_step(parameters.get<double>("weight_step")),
        target_loss(parameters.get<double>("target_loss")),
        jitter(parameters.get<double>("jitter")),
        timeout(parameters.get<Duration>("timeout")),
        initial_round_trip(parameters.get<Duration>("initial_round_trip")),
        small_flow(static_cast<std::uint32_t>(parameters.get<std::int64_t>("small_flow"))),
        credit_buffer(static_cast<std::uint32_t>(parameters.get<std::int64_t>("credit_buffer"))),
        credit_burst(parameters.get<std::int64_t>("credit_burst")),
        feedback_of_paper(parameters.get<std::string>("feedback") == "paper"),
        early_stop(parameters.get<bool>("early_stop")) {}

  double alpha;           ///< initial rate of credits, as a fraction of the maximum
  double initial_weight;  ///< the weights are w of the paper: the aggressiveness of increases
  double minimum_weight;
  double maximum_weight;
  double weight_step;
  double target_loss;
  double jitter;                ///< of the time between two credits, relative, in both directions
  Duration timeout;             ///< after which requests and NACKs are repeated, and a lost tail is noticed
  Duration initial_round_trip;  ///< assumed by a receiver until it has measured one
  std::uint32_t small_flow;     ///< packets; zero: all flows start alike
  std::uint32_t credit_buffer;
  std::int64_t credit_burst;
  bool feedback_of_paper;
  bool early_stop;
};

}  // namespace weir::expresspass
