// SPDX-License-Identifier: Apache-2.0
// Parameters for the tests of schemes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/parameters.h"
#include "policy/scheme.h"

namespace weir::testing_scheme {

using Values = std::vector<std::pair<std::string_view, ParameterValue>>;

/// A scheme's parameters with these values, and defaults for the others.
inline Parameters with(const Scheme& scheme, const Values& values) {
  Parameters parameters(scheme.parameters);
  for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
  return parameters;
}

inline std::vector<std::string> texts_of(const std::vector<ParameterRefusal>& refusals) {
  std::vector<std::string> out;
  for (const ParameterRefusal& refusal : refusals) {
    EXPECT_TRUE(refusal.text.starts_with(refusal.parameter)) << refusal.text;
    out.push_back(refusal.text);
  }
  return out;
}

}  // namespace weir::testing_scheme
