// SPDX-License-Identifier: Apache-2.0
#include "schemes/static_threshold/static_threshold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "policy/testing/fake_switch.h"
#include "schemes/test_parameters.h"

namespace weir::static_threshold::static_threshold_test {
namespace {

using namespace literals;
using testing::IsEmpty;
using testing::SizeIs;
using testing_scheme::Values;
using testing_scheme::with;

/// A switch of four ports, the last of 400 Gbit/s and the others of 100, and the policy attached to it.
struct Setting {
  explicit Setting(const Values& values) : policy(scheme.buffer(with(scheme, values))) {
    context.set_rate(PortId(3), 400_Gbps);
    context.buffer_state().pools[0] = {.size = 800'000, .used = 0};
    policy->attach(context);
  }
  [[nodiscard]] std::int64_t xoff(std::size_t port) const { return policy->xoff(context, PortId(port), 3); }
  [[nodiscard]] std::int64_t xon(std::size_t port) const { return policy->xon(context, PortId(port), 3); }

  FakeSwitch context{4};
  std::unique_ptr<BufferPolicy> policy;
};

TEST(StaticThreshold, StaysWhereItIs) {
  Setting setting({{"xoff", Bytes(50'000)}});
  EXPECT_EQ(setting.xoff(0), 50'000);  // [ST-1]
  setting.context.buffer_state().pools[0].used = 799'000;
  EXPECT_EQ(setting.xoff(0), 50'000);
  EXPECT_EQ(setting.xoff(3), 50'000);
}

TEST(StaticThreshold, MayDifferForFastPorts) {
  Setting setting({{"xoff", Bytes(500'000)}, {"fast_rate", 400_Gbps}, {"fast_xoff", Bytes(800'000)}});
  EXPECT_EQ(setting.xoff(0), 500'000);
  EXPECT_EQ(setting.xoff(3), 800'000);  // [ST-2]
}

TEST(StaticThreshold, IsAnEqualPartOfThePoolWhenNotGiven) {
  Setting setting({});
  EXPECT_EQ(setting.xoff(0), 200'000);  // [ST-3]
  EXPECT_EQ(setting.xoff(3), 200'000);

  Setting pools({});
  pools.context.buffer_state().pool_of_priority[5] = 1;
  pools.context.buffer_state().pools[1] = {.size = 40'000, .used = 0};
  const auto policy = scheme.buffer(with(scheme, {}));
  policy->attach(pools.context);
  EXPECT_EQ(policy->xoff(pools.context, PortId(0), 5), 10'000);
  EXPECT_EQ(policy->xoff(pools.context, PortId(0), 3), 200'000);
}

TEST(StaticThreshold, ResumesAnOffsetBelowAndNeverBelowZero) {
  EXPECT_EQ(Setting({{"xoff", Bytes(50'000)}}).xon(0), 50'000 - 3'072);  // [ST-4]
  EXPECT_EQ(Setting({{"xoff", Bytes(50'000)}, {"resume_offset", Bytes(50'001)}}).xon(0), 0);
  EXPECT_EQ(Setting({{"xoff", Bytes(50'000)}, {"resume_offset", Bytes(0)}}).xon(0), 50'000);
}

TEST(StaticThreshold, LimitsALossyEgress) {
  const Setting open({});
  EXPECT_EQ(open.policy->egress_limit(open.context, PortId(1), 0), 800'000);  // [ST-5]
  const Setting limited({{"egress_limit", Bytes(30'000)}});
  EXPECT_EQ(limited.policy->egress_limit(limited.context, PortId(1), 0), 30'000);
  const Setting both({{"egress_limit", Bytes(30'000)},
                      {"fast_rate", 400_Gbps},
                      {"fast_xoff", Bytes(1)},
                      {"fast_egress_limit", Bytes(60'000)}});
  EXPECT_EQ(both.policy->egress_limit(both.context, PortId(1), 0), 30'000);
  EXPECT_EQ(both.policy->egress_limit(both.context, PortId(3), 0), 60'000);
}

TEST(StaticThreshold, RejectsHalfAFastPort) {
  EXPECT_THAT(scheme.errors(with(scheme, {})), IsEmpty());
  EXPECT_THAT(scheme.errors(with(scheme, {{"fast_rate", 400_Gbps}})), SizeIs(1));
  EXPECT_THAT(scheme.errors(with(scheme, {{"fast_xoff", Bytes(1)}})), SizeIs(1));
  EXPECT_THAT(scheme.errors(with(scheme, {{"fast_rate", 400_Gbps}, {"fast_xoff", Bytes(1)}})), IsEmpty());
  EXPECT_THAT(scheme.errors(with(scheme, {{"fast_egress_limit", Bytes(1)}})), SizeIs(1));
}

}  // namespace
}  // namespace weir::static_threshold::static_threshold_test
