// SPDX-License-Identifier: Apache-2.0
#include "policy/routes.h"

#include <gtest/gtest.h>

#include <vector>

#include "units/random.h"

namespace weir::routes_test {
namespace {

/// Eight groups: one without ports, those of ports 0 to 3, and some of several ports.
Routes with_groups(std::size_t hosts) {
  Routes routes(hosts);
  for (std::uint16_t port = 0; port < 4; ++port) {
    const PortId one(port);
    routes.add_group({&one, 1});
  }
  for (std::uint16_t most = 2; most < 5; ++most) {
    std::vector<PortId> ports;
    for (std::uint16_t port = 0; port < most; ++port) ports.emplace_back(port);
    routes.add_group(ports);
  }
  return routes;
}

void expect_alike(const Routes& a, const Routes& b) {
  ASSERT_EQ(a.hosts(), b.hosts());
  for (std::size_t i = 0; i < a.hosts() + 2; ++i) {  // including hosts that do not exist
    const HostId host(i);
    if (i < a.hosts()) {
      EXPECT_EQ(a.group_of(host), b.group_of(host)) << i;
    }
    EXPECT_EQ(a.to(host).group, b.to(host).group) << i;
    ASSERT_EQ(a.way_to(host).is_port(), b.way_to(host).is_port()) << i;
    if (a.way_to(host).is_port()) {
      EXPECT_EQ(a.way_to(host).port(), b.way_to(host).port()) << i;
    } else {
      EXPECT_EQ(a.choices(a.way_to(host)).ports.size(), b.choices(b.way_to(host)).ports.size()) << i;
    }
  }
}

TEST(Routes, APackedTableSaysTheSame) {
  RandomStream random(1, 2, 3);
  for (const std::size_t hosts : {0U, 1U, 63U, 64U, 65U, 1000U}) {
    Routes flat = with_groups(hosts);
    for (std::size_t host = 0; host < hosts; ++host) {
      // Long runs of one group, occasionally interrupted by another.
      const std::uint64_t group = random.below(100) == 0 ? random.below(8) : host / 100 % 8;
      flat.set_group(HostId(host), static_cast<std::uint16_t>(group));
    }
    Routes packed = flat;
    packed.pack();
    expect_alike(packed, flat);
    packed.pack();
    expect_alike(packed, flat);
    if (hosts == 0) continue;
    const HostId changed(hosts / 2);
    flat.set_group(changed, 5);
    packed.set_group(changed, 5);
    expect_alike(packed, flat);
    packed.pack();
    expect_alike(packed, flat);
  }
}

TEST(Routes, HostsThatShareNextHopsTakeNoMemoryOfTheirOwn) {
  constexpr std::size_t kHosts = 65'536;
  Routes routes = with_groups(kHosts);
  for (std::size_t host = 0; host < kHosts; ++host) routes.set_group(HostId(host), host / 1024 % 8);
  EXPECT_GT(routes.bytes(), 2 * kHosts);
  routes.pack();
  EXPECT_LT(routes.bytes(), kHosts / 8);
}

}  // namespace
}  // namespace weir::routes_test
