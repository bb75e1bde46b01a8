// Parameters for the tests of schemes.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "policy/parameters.h"
#include "policy/scheme.h"

namespace weir::testing_scheme {

using Values = std::vector<std::pair<std::string_view, ParameterValue>>;

/// A scheme's parameters with these values, the others at their defaults.
inline Parameters with(const Scheme& scheme, const Values& values) {
  Parameters parameters(scheme.parameters);
  for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
  return parameters;
}

}  // namespace weir::testing_scheme
