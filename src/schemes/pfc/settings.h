// SPDX-License-Identifier: Apache-2.0
// The parameters of PFC as typed values.
#pragma once

#include <cstdint>

#include "policy/parameters.h"
#include "units/time.h"

namespace weir::pfc {

struct Settings {
  explicit Settings(const Parameters& parameters)
      : quanta(static_cast<std::uint16_t>(parameters.get<std::int64_t>("quanta"))),
        binary(parameters.get<bool>("binary")),
        response(parameters.get<Duration>("response")) {}

  std::uint16_t quanta;  ///< of a PAUSE; in units of 512 bit times
  bool binary;           ///< a PAUSE lasts until the RESUME
  Duration response;     ///< from receipt to effect
};

}  // namespace weir::pfc
