// SPDX-License-Identifier: Apache-2.0
// The built-in schemes that recommend parameters: one line each.
#include <array>
#include <utility>

#include "policy/advice.h"
#include "schemes/dynamic_threshold/advice.h"
#include "schemes/dynamic_threshold/dynamic_threshold.h"
#include "schemes/red/advice.h"
#include "schemes/red/red.h"

namespace weir {

Advise advice_of(const Scheme& scheme) {
  static constexpr std::array kAdvice = {
      std::pair<const Scheme*, Advise>(&dynamic_threshold::scheme, &dynamic_threshold::advise),
      std::pair<const Scheme*, Advise>(&red::scheme, &red::advise),
  };
  for (const auto& [of, advise] : kAdvice) {
    if (of == &scheme) return advise;
  }
  return nullptr;
}

}  // namespace weir
