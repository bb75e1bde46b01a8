// SPDX-License-Identifier: Apache-2.0
// Recommendations of a switch's scheme for its parameters in a fabric, each with its formula and source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policy/parameters.h"
#include "policy/scheme.h"
#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"

namespace weir {

/// Switches with the same configuration.
struct AdvisedSwitch {
  std::string name;              ///< "64 switches like tor0"
  Bytes shared;                  ///< of the buffer, without headroom and reserve; above zero
  std::size_t ports = 0;         ///< at least one
  std::vector<BitRate> rates{};  ///< of the ports; ascending, without duplicates
};

/// The facts from which advice is computed.
struct AdvisedFabric {
  std::vector<AdvisedSwitch> switches{};  ///< never empty
  std::size_t lossless = 1;               ///< priorities; at least one
  Bytes maximum_frame;                    ///< frame bytes
  Duration longest_round_trip;            ///< without queueing; zero: no two hosts are connected
  /// An ingress pauses at this factor times the free part of the shared buffer; zero: unknown.
  double share_of_free = 0;
};

/// The recommendation for one parameter.
struct ParameterAdvice {
  std::string_view parameter;  ///< of the scheme
  ParameterValue value;        ///< of the parameter's kind and in its range
  std::string formula;         ///< the derivation, with the figures of this fabric; one line
  std::string_view source;     ///< where the formula is published
};

/// The recommendations of one scheme.
struct Advice {
  std::vector<ParameterAdvice> parameters{};
  std::vector<std::string> consequences{};  ///< for the switches of this fabric; one line each
  double share_of_free = 0;                 ///< AdvisedFabric::share_of_free with these parameters; zero: none
};

using Advise = Advice (*)(const AdvisedFabric&);

/// The advice function of a built-in scheme; nullptr if it has none.
Advise advice_of(const Scheme& scheme);

}  // namespace weir
