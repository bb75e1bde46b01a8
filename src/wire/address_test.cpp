// SPDX-License-Identifier: Apache-2.0
#include "wire/address.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace weir::address_test {
namespace {

TEST(Address, OfAHostIsItsNumberIn10) {
  EXPECT_EQ(ipv4_address_of(HostId(0)).value, 0x0a00'0000u);
  EXPECT_EQ(ipv4_address_of(HostId(0x010203)).value, 0x0a01'0203u);
  EXPECT_EQ(mac_address_of(HostId(0x010203)), (MacAddress{{0x02, 0x00, 0x0a, 0x01, 0x02, 0x03}}));
}

TEST(Address, OfAHostIsUnicastAndLocallyAdministered) {
  EXPECT_EQ(mac_address_of(HostId(5)).octets[0] & 0x03, 0x02);
}

TEST(Address, OfNoHostNamesNone) {
  EXPECT_EQ(host_of(Ipv4Address{0x0b00'0001}), std::nullopt);
  EXPECT_EQ(host_of(kUnnamedIpv4Address), std::nullopt);
  EXPECT_EQ(host_of(kUnnamedMacAddress), std::nullopt);
  EXPECT_EQ(host_of(kMacControlAddress), std::nullopt);
  EXPECT_EQ(host_of(MacAddress{{0x02, 0x01, 0x0a, 0, 0, 1}}), std::nullopt);
}

RC_GTEST_PROP(Address, NamesTheHostItIsMadeFor, (std::uint32_t number)) {
  const HostId host(number % kAddressableHosts);
  RC_ASSERT(host_of(ipv4_address_of(host)) == host);
  RC_ASSERT(host_of(mac_address_of(host)) == host);
}

}  // namespace
}  // namespace weir::address_test
