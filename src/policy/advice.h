// SPDX-License-Identifier: Apache-2.0
// What a scheme of a switch recommends of its parameters for a fabric, each with its formula and source.
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

/// Switches that are alike.
struct AdvisedSwitch {
  std::string name;              ///< "64 switches like tor0"
  Bytes shared;                  ///< what headroom and reserve leave of the buffer; above zero
  std::size_t ports = 0;         ///< at least one
  std::vector<BitRate> rates{};  ///< of the ports, ascending, each once
};

/// What advice may be worked out from.
struct AdvisedFabric {
  std::vector<AdvisedSwitch> switches{};  ///< never empty
  std::size_t lossless = 1;               ///< priorities; at least one
  Bytes maximum_frame;                    ///< frame bytes
  Duration longest_round_trip;            ///< without queueing; zero: no two hosts are connected
  /// An ingress pauses at this times the free part of the shared buffer; zero: it is not known.
  double share_of_free = 0;
};

/// One parameter.
struct ParameterAdvice {
  std::string_view parameter;  ///< of the scheme
  ParameterValue value;        ///< of the parameter's kind and in its range
  std::string formula;         ///< how it follows, with the figures of this fabric; one line
  std::string_view source;     ///< where the formula is published
};

/// What one scheme recommends.
struct Advice {
  std::vector<ParameterAdvice> parameters{};
  std::vector<std::string> consequences{};  ///< what follows for the switches of this fabric; a line each
  double share_of_free = 0;                 ///< AdvisedFabric::share_of_free with these parameters; zero: none
};

using Advise = Advice (*)(const AdvisedFabric&);

/// How a built-in scheme advises; nullptr where it has no advice.
Advise advice_of(const Scheme& scheme);

}  // namespace weir
