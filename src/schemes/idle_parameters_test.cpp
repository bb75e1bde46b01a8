// SPDX-License-Identifier: Apache-2.0
// Which parameters of schemes have no effect beside which others. Schemes with many have tests of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/scheme.h"
#include "schemes/test_parameters.h"

namespace weir::idle_parameters_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_scheme::Values;

/// The names, with the values beside which they have no effect.
std::vector<std::string> idle(std::string_view scheme, const Values& values) {
  const Scheme* found = find_scheme(scheme);
  if (found == nullptr) return {"no such scheme"};
  std::vector<std::string> out;
  for (const IdleParameter& each : idle_parameters(*found, testing_scheme::with(*found, values))) {
    out.push_back(std::string(each.parameter) + " with " + each.beside);
  }
  return out;
}

TEST(IdleParameters, AreThoseOfOtherOptions) {
  EXPECT_THAT(idle("red", {}), IsEmpty());
  EXPECT_THAT(idle("red", {{"scale_with_rate", false}}), ElementsAre("reference_rate with scale_with_rate = false"));
  EXPECT_THAT(idle("dynamic_threshold", {}), IsEmpty());
  EXPECT_THAT(idle("dynamic_threshold", {{"scale_alpha_with_rate", false}}),
              ElementsAre("reference_rate with scale_alpha_with_rate = false"));
  EXPECT_THAT(idle("static_threshold", {}),
              ElementsAre("fast_xoff with fast_rate = \"0 bit/s\"", "fast_egress_limit with fast_rate = \"0 bit/s\""));
  EXPECT_THAT(idle("static_threshold", {{"fast_rate", 100_Gbps}, {"fast_xoff", 800_KB}}), IsEmpty());
  EXPECT_THAT(idle("hpcc", {}), IsEmpty());
  EXPECT_THAT(idle("hpcc", {{"concurrent_flows", std::int64_t{4}}}),
              ElementsAre("additive_increase with concurrent_flows above 0"));
  EXPECT_THAT(idle("expresspass", {}), IsEmpty());
  EXPECT_THAT(idle("expresspass", {{"feedback", std::string("paper")}}),
              ElementsAre("weight_step with feedback = \"paper\""));
}

TEST(IdleParameters, AreThoseOfOtherVariants) {
  EXPECT_THAT(idle("dctcp", {}), ElementsAre("initial_window with start = \"line_rate\""));
  EXPECT_THAT(idle("dctcp", {{"start", std::string("slow_start")}}), IsEmpty());
  EXPECT_THAT(idle("dcqcn", {}), ElementsAre("decrease_interval with variant = \"paper\""));
  EXPECT_THAT(idle("dcqcn", {{"variant", std::string("hpcc_simulator")}}),
              ElementsAre("cnp_interval with variant = \"hpcc_simulator\""));
  EXPECT_THAT(idle("timely", {}),
              ElementsAre("patched_beta with variant = \"paper\"", "reference_round_trip with variant = \"paper\""));
  EXPECT_THAT(idle("timely", {{"variant", std::string("patched")}}), ElementsAre("beta with variant = \"patched\""));
}

TEST(IdleParameters, OfACongestionPointAreThoseOfItsOtherTables) {
  EXPECT_THAT(idle("rocc", {}),
              ElementsAre("feedback with computed_at = \"switch\"", "flow_age with flow_table = \"queue\"",
                          "sample_every with flow_table = \"queue\"", "elephant_hits with flow_table = \"queue\""));
  EXPECT_THAT(idle("rocc", {{"flow_table", std::string("bounded")}, {"computed_at", std::string("host")}}),
              ElementsAre("sample_every with flow_table = \"bounded\"", "elephant_hits with flow_table = \"bounded\""));
  EXPECT_THAT(idle("rocc", {{"flow_table", std::string("afd")}, {"computed_at", std::string("host")}}), IsEmpty());
}

}  // namespace
}  // namespace weir::idle_parameters_test
