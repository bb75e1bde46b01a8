// SPDX-License-Identifier: Apache-2.0
// A linear rule that a buffer policy gives the switch must agree with its xoff().
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "policy/scheme.h"
#include "policy/testing/fake_switch.h"

namespace weir::linear_threshold_test {
namespace {

TEST(LinearThreshold, SaysWhatXoffSays) {
  int rules = 0;
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->buffer == nullptr) continue;
    FakeSwitch context(4);
    context.set_rate(PortId(1), BitRate(400'000'000'000));
    const auto policy = scheme->buffer(Parameters(scheme->parameters));
    policy->attach(context);
    PoolState& pool = context.buffer_state().pools[0];
    std::map<std::size_t, std::int64_t> offsets;  // of xon below xoff, by port
    for (const std::int64_t used : {0, 1, 1000, 123'457, 999'999, 1'000'000, 1'000'100}) {
      pool.size = 1'000'000;
      pool.used = used;
      const std::int64_t free = std::max<std::int64_t>(0, pool.size - pool.used);
      for (std::size_t port = 0; port < context.ports(); ++port) {
        const auto rule = policy->linear_xoff(PortId(port), 3);
        if (!rule) continue;
        ++rules;
        EXPECT_EQ(rule->base + static_cast<std::int64_t>(rule->share * static_cast<double>(free)),
                  policy->xoff(context, PortId(port), 3))
            << scheme->name << ", port " << port << ", used " << used;
        // The distance of xon is constant, whatever the use of the buffer: the resume condition is predicted from the
        // rule.
        const std::int64_t xon = policy->xon(context, PortId(port), 3);
        const std::int64_t below = policy->xoff(context, PortId(port), 3) - xon;
        if (rule->share > 0 && xon > 0) {
          EXPECT_EQ(below, offsets.try_emplace(port, below).first->second) << scheme->name << ", used " << used;
        }
      }
    }
  }
  EXPECT_GT(rules, 0);
}

}  // namespace
}  // namespace weir::linear_threshold_test
