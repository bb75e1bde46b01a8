// SPDX-License-Identifier: Apache-2.0
#include "schemes/dynamic_threshold/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "schemes/dynamic_threshold/dynamic_threshold.h"

namespace weir::dynamic_threshold::advice_test {
namespace {

using namespace weir::literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(DynamicThresholdAdvice, IsWhatTheLawGives) {
  AdvisedFabric fabric;
  fabric.switches = {{"tor0", 1_MB, 3, {25_Gbps}}};
  fabric.maximum_frame = 1066_B;
  const Advice advice = advise(fabric);
  EXPECT_EQ(advice.share_of_free, 1.0);
  ASSERT_EQ(advice.parameters.size(), 3U);
  EXPECT_EQ(std::get<double>(advice.parameters[0].value), 1.0);
  EXPECT_EQ(std::get<Bytes>(advice.parameters[2].value), 2132_B);
  // One congested ingress gets half of the buffer; three get a quarter each, and a quarter stays free.
  EXPECT_THAT(advice.consequences, ElementsAre(HasSubstr("n = 1 congested ingress 500000 B, with all n = 3 250000 B")));
}

TEST(DynamicThresholdAdvice, NamesParametersOfTheScheme) {
  AdvisedFabric fabric;
  fabric.switches = {{"tor0", 1_MB, 3, {25_Gbps}}};
  Parameters parameters(scheme.parameters);
  for (const ParameterAdvice& one : advise(fabric).parameters) EXPECT_TRUE(parameters.set(one.parameter, one.value));
}

}  // namespace
}  // namespace weir::dynamic_threshold::advice_test
