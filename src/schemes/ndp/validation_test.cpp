// SPDX-License-Identifier: Apache-2.0
#include "schemes/ndp/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemes/ndp/ndp.h"

namespace weir::ndp::validation_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Scheme kSpreads = {.name = "spreads", .summary = "", .traits = {.spreads_packets = true}};
const Scheme kHashes = {.name = "hashes", .summary = "", .traits = {}};

/// Hosts that send data of priority 1 over links of 100 Gbit/s with round trips of 8 us.
SchemeSurroundings hosts() {
  SchemeSurroundings around;
  around.network.links = {{100_Gbps}};
  around.network.longest_round_trip = 8_us;
  around.hosts.offered = {1};
  return around;
}

SchemeSurroundings switches(const Scheme& forwarding, Priority lossless) {
  SchemeSurroundings around = hosts();
  around.at_switch.emplace();
  around.at_switch->lossless[lossless] = true;
  around.at_switch->flow_control = {{&scheme, nullptr}};
  around.at_switch->forwarding = {&forwarding, nullptr};
  return around;
}

std::vector<std::string> with_window(Bytes window) {
  Parameters parameters(scheme.parameters);
  parameters.set("initial_window", window);
  return warnings(parameters, hosts());
}

TEST(NdpValidation, AsksForATimeoutAboveTheRoundTrip) {
  Parameters parameters(scheme.parameters);
  parameters.set("initial_window", 100_KB);
  parameters.set("timeout", Duration(8_us));
  EXPECT_THAT(warnings(parameters, hosts()), IsEmpty());
  parameters.set("timeout", Duration(7_us));
  EXPECT_THAT(warnings(parameters, hosts()), ElementsAre(HasSubstr("timeout is less than a round trip")));
}

TEST(NdpValidation, AsksForAnInitialWindowOfABandwidthDelayProduct) {
  EXPECT_THAT(with_window(100_KB), IsEmpty());
  EXPECT_THAT(with_window(99'999_B), ElementsAre(HasSubstr("expected at least 100000 B")));
}

TEST(NdpValidation, AsksForLossyPriorities) {
  const Parameters parameters(scheme.parameters);
  EXPECT_THAT(warnings(parameters, switches(scheme, 3)), IsEmpty()) << "no data has this one";
  EXPECT_THAT(warnings(parameters, switches(scheme, 1)), ElementsAre(HasSubstr("priority 1 is lossless")));
}

TEST(NdpValidation, AsksForAForwardingThatSpreadsPackets) {
  const Parameters parameters(scheme.parameters);
  EXPECT_THAT(warnings(parameters, switches(kSpreads, 3)), IsEmpty());
  EXPECT_THAT(warnings(parameters, switches(kHashes, 3)), ElementsAre(HasSubstr("\"hashes\" does not spread")));
  SchemeSurroundings as_forwarding = switches(kHashes, 1);
  as_forwarding.at_switch->flow_control.clear();
  EXPECT_THAT(warnings(parameters, as_forwarding), IsEmpty());
}

}  // namespace
}  // namespace weir::ndp::validation_test
