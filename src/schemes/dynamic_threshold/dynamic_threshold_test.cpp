// SPDX-License-Identifier: Apache-2.0
#include "schemes/dynamic_threshold/dynamic_threshold.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/testing/fake_switch.h"

namespace weir::dynamic_threshold::dynamic_threshold_test {
namespace {

using namespace literals;

constexpr Priority kLossless = 3;

/// A switch of three ports, of 25, 100 and 400 Gbit/s, and the policy attached to it.
struct Setting {
  explicit Setting(const std::vector<std::pair<std::string_view, ParameterValue>>& values = {}) {
    Parameters parameters(scheme.parameters);
    for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
    policy = scheme.buffer(parameters);
    context.set_rate(PortId(0), 25_Gbps);
    context.set_rate(PortId(2), 400_Gbps);
    policy->attach(context);
  }
  void use(std::int64_t size, std::int64_t used) {
    context.buffer_state().pools[0].size = size;
    context.buffer_state().pools[0].used = used;
  }
  [[nodiscard]] std::int64_t xoff(std::size_t port) const { return policy->xoff(context, PortId(port), kLossless); }
  [[nodiscard]] std::int64_t xon(std::size_t port) const { return policy->xon(context, PortId(port), kLossless); }

  FakeSwitch context{3};
  std::unique_ptr<BufferPolicy> policy;
};

TEST(DynamicThreshold, IsAShareOfWhatIsFree) {
  Setting setting;
  setting.use(1'000'000, 200'000);
  EXPECT_EQ(setting.xoff(1), 100'000);  // [DT-1]
  setting.use(1'000'000, 200'001);
  EXPECT_EQ(setting.xoff(1), 99'999);
  setting.use(1'000'000, 1'000'000);
  EXPECT_EQ(setting.xoff(1), 0);
  setting.use(1'000'000, 1'000'100);
  EXPECT_EQ(setting.xoff(1), 0);
}

TEST(DynamicThreshold, LooksAtThePriorityOwnPool) {
  Setting setting;
  setting.use(1'000'000, 1'000'000);
  BufferState& buffer = setting.context.buffer_state();
  buffer.pool_of_priority[5] = 2;
  buffer.pools[2] = {.size = 80'000, .used = 0};
  EXPECT_EQ(setting.policy->xoff(setting.context, PortId(1), 5), 10'000);  // [DT-1]
}

// Choudhury and Hahne: n overloaded ports each settle at alpha / (1 + n alpha) of the buffer.
TEST(DynamicThreshold, LetsOverloadedIngressesSettleAlike) {
  for (const double alpha : {0.125, 1.0, 2.0, 4.0}) {
    for (const int ingresses : {1, 2}) {
      Setting setting({{"alpha", alpha}, {"scale_alpha_with_rate", false}});
      std::vector<std::int64_t> shared(static_cast<std::size_t>(ingresses));
      std::int64_t used = 0;
      setting.use(16'000'000, used);
      for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t i = 0; i < shared.size(); ++i) {
          if (shared[i] >= setting.xoff(i)) continue;
          shared[i] += 1'000;
          used += 1'000;
          setting.use(16'000'000, used);
          grows = true;
        }
      }
      const double expected = 16e6 * alpha / (1 + ingresses * alpha);
      for (const std::int64_t bytes : shared) {
        EXPECT_NEAR(static_cast<double>(bytes), expected, 1'000 * (1 + alpha)) << alpha;  // [DT-1]
      }
    }
  }
}

TEST(DynamicThreshold, ResumesAnOffsetBelowAndNeverBelowZero) {
  Setting setting;
  setting.use(1'000'000, 200'000);
  EXPECT_EQ(setting.xon(1), 100'000 - 3'072);  // [DT-2]
  setting.use(1'000'000, 990'000);
  EXPECT_EQ(setting.xoff(1), 1'250);
  EXPECT_EQ(setting.xon(1), 0);
  Setting without({{"resume_offset", Bytes(0)}});
  without.use(1'000'000, 200'000);
  EXPECT_EQ(without.xon(1), without.xoff(1));
}

TEST(DynamicThreshold, LimitsALossyEgressByItsOwnAlpha) {
  Setting setting;
  setting.use(1'000'000, 200'000);
  EXPECT_EQ(setting.policy->egress_limit(setting.context, PortId(2), 0), 800'000);  // [DT-3]
  Setting half({{"egress_alpha", 0.5}});
  half.use(1'000'000, 200'000);
  EXPECT_EQ(half.policy->egress_limit(half.context, PortId(2), 0), 400'000);
}

TEST(DynamicThreshold, GivesFastPortsMore) {
  Setting setting;
  setting.use(800'000, 0);
  EXPECT_EQ(setting.xoff(0), 100'000);
  EXPECT_EQ(setting.xoff(1), 100'000);
  EXPECT_EQ(setting.xoff(2), 400'000);  // [DT-4] two doublings

  Setting slow_nics({{"reference_rate", 10_Gbps}});
  slow_nics.use(800'000, 0);
  EXPECT_EQ(slow_nics.xoff(0), 400'000);  // 2.5 times counts as two doublings
  EXPECT_EQ(slow_nics.xoff(2), 800'000);  // six doublings, but alpha is limited to 1

  Setting large({{"alpha", 2.0}});
  large.use(800'000, 0);
  EXPECT_EQ(large.xoff(2), 1'600'000);

  Setting off({{"scale_alpha_with_rate", false}});
  off.use(800'000, 0);
  EXPECT_EQ(off.xoff(2), 100'000);
}

// The thresholds of an idle leaf switch in the Floodgate and Pyrrha simulators: 20 MiB, less the headroom of 16 ports
// of 100 Gbit/s and 4 of 400 Gbit/s at 600 ns, less 4 KiB of reserve per port; alpha 1/4.
TEST(DynamicThreshold, AgreesWithThePublicSimulators) {
  Setting setting({{"alpha", 0.25}});
  setting.use(20 * 1'048'576 - 16 * 60'000 - 4 * 240'000 - 20 * 4'096, 0);
  EXPECT_EQ(setting.xoff(1), 4'742'400);   // [DT-1]
  EXPECT_EQ(setting.xoff(2), 18'969'600);  // [DT-4]
}

}  // namespace
}  // namespace weir::dynamic_threshold::dynamic_threshold_test
