// SPDX-License-Identifier: Apache-2.0
// The parameters of the control loop as given in scenarios, and their values at a port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/parameters.h"
#include "policy/scheme.h"
#include "schemes/rocc/fair_rate.h"

namespace weir::rocc {

/// Zero in a threshold, a gain or the maximum rate means "by the port's rate".
struct Tuning {
  explicit Tuning(const Parameters& parameters);

  /// The settings of the loop at a port of this rate.
  [[nodiscard]] LoopSettings at(BitRate port) const;
  /// The gains at a port of this rate, as real numbers.
  [[nodiscard]] double alpha_at(BitRate port) const;
  [[nodiscard]] double beta_at(BitRate port) const;
  /// A length in bytes in whole steps, rounded down.
  [[nodiscard]] std::int64_t length_of(std::int64_t bytes) const;
  /// A rate of this number of steps.
  [[nodiscard]] BitRate rate_of(std::int64_t steps) const { return rate_step * steps; }

  Duration update_interval;  ///< T
  BitRate rate_step;         ///< delta F
  Bytes queue_step;          ///< delta Q
  std::int64_t minimum_rate;
  std::int64_t maximum_rate;
  Bytes q_reference;
  Bytes q_middle;
  Bytes q_maximum;
  double alpha;
  double beta;
};

/// Errors that do not depend on the ports: Scheme::errors.
std::vector<std::string> errors(const Parameters& parameters);
/// Errors at ports of these rates: Scheme::refusals.
std::vector<ParameterRefusal> refusals(const Parameters& parameters, const std::vector<BitRate>& ports);
/// Parameters of the congestion point that its other options leave without effect: Scheme::idle.
std::vector<IdleParameter> idle(const Parameters& parameters);
/// Reasons why the parameters may be ineffective: Scheme::warnings.
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around);

}  // namespace weir::rocc
