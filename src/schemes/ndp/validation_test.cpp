// SPDX-License-Identifier: Apache-2.0
#include "schemes/ndp/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schemes/ndp/ndp.h"
#include "schemes/ndp/ndp_transport.h"
#include "schemes/ndp/trimming_switch.h"

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

SchemeSurroundings switches(Priority lossless) {
  SchemeSurroundings around = hosts();
  around.at_switch.emplace();
  around.at_switch->lossless[lossless] = true;
  around.at_switch->flow_control = {{&scheme, nullptr}};
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
  EXPECT_THAT(warnings(parameters, switches(3)), IsEmpty()) << "no data has this one";
  EXPECT_THAT(warnings(parameters, switches(1)), ElementsAre(HasSubstr("priority 1 is lossless")));
  SchemeSurroundings as_forwarding = switches(1);
  as_forwarding.at_switch->flow_control.clear();
  EXPECT_THAT(warnings(parameters, as_forwarding), IsEmpty());
}

/// The transport with this initial window.
NdpTransport transport(Bytes window = 100_KB) {
  Parameters parameters(scheme.parameters);
  parameters.set("initial_window", window);
  return NdpTransport(Settings(parameters));
}

TEST(NdpNeeds, AForwardingThatSpreadsPackets) {
  PartPlace place;
  EXPECT_THAT(transport().warnings(place), IsEmpty()) << "no switch has a choice";
  place.forwardings = {&kSpreads};
  EXPECT_THAT(transport().warnings(place), IsEmpty());
  place.forwardings = {&kSpreads, &kHashes};
  EXPECT_THAT(transport().warnings(place), ElementsAre(HasSubstr("\"hashes\" does not spread")));
}

// [NDP-PATH-1]
TEST(NdpNeeds, ItsOwnForwardingForItsPaths) {
  PartPlace place;
  place.forwardings = {&scheme, &kHashes};
  EXPECT_THAT(transport().notes(place), IsEmpty());
  place.forwardings = {&kSpreads};
  EXPECT_THAT(transport().notes(place), ElementsAre(HasSubstr("\"spreads\" chooses the path of each packet")));
}

TEST(NdpNeeds, AWindowOfAtMostThePacketsInFlight) {
  PartPlace place;
  EXPECT_THAT(transport(2'048_KB).warnings(place), IsEmpty());
  EXPECT_THAT(transport(2'049_KB).warnings(place),
              ElementsAre("initial_window is 2049 packets of 1000 B, but a flow has at most 2048 in flight; expected a "
                          "host.payload of at least 1001"));
  place.payload = 1'001;
  EXPECT_THAT(transport(2'049_KB).warnings(place), IsEmpty());
}

// [NDP-RCV-1] [NDP-RCV-3] [NDP-RCV-4] 70 bytes and 20 of preamble and gap: one frame per packet, and a second one for
// each packet that its sender did not send without a pull.
TEST(NdpNeeds, RoomForAnAcknowledgementAndAPullPerPacket) {
  const ControlCost cost = transport(30'001_B).control_cost(Framing::rocev2(), 1'000);
  EXPECT_TRUE(transport().has_control_cost());
  EXPECT_EQ(cost.per_packet, 90);
  EXPECT_EQ(cost.per_late_packet, 90);
  EXPECT_EQ(cost.early_packets, 31);
  EXPECT_EQ(cost.per_message + cost.by_sender, 0);
}

/// The warnings of switches of four ports with this shared buffer and limit of a port, for data of the given
/// priorities, of which 3 is lossless.
std::vector<std::string> in_buffer(Bytes shared, std::set<Priority> offered, std::int64_t header_queue = 0,
                                   std::optional<Bytes> egress_limit = {}) {
  Parameters parameters(scheme.parameters);
  parameters.set("header_queue", header_queue);
  SwitchView view;
  view.lossless[3] = true;
  const SwitchSpace space = {"2 switches like s0", 4, shared, egress_limit, &view};
  PartPlace place;
  place.maximum_frame = 1'066;
  place.offered = std::move(offered);
  place.of_switches = std::span(&space, 1);
  return TrimmingSwitch(Settings(parameters)).warnings(place);
}

// [NDP-SW-1] [NDP-SW-6] A port has 8 packets of 1,066 bytes, and 129 headers of 66.
TEST(NdpNeeds, ABufferThatHoldsTheQueuesOfAllPorts) {
  constexpr std::int64_t kPort = 8 * 1'066 + 129 * 66;
  EXPECT_THAT(in_buffer(Bytes(4 * kPort), {1}), IsEmpty());
  EXPECT_THAT(
      in_buffer(Bytes(4 * kPort - 1), {1}),
      ElementsAre(HasSubstr("the buffer of 2 switches like s0 has 68167 B for data and header queues, but those "
                            "of 4 ports hold up to 68168 B")));
  EXPECT_THAT(in_buffer(Bytes(4 * kPort), {1, 2}), ElementsAre(HasSubstr("up to 136336 B")));
  EXPECT_THAT(in_buffer(Bytes(4 * kPort), {1, 3}), IsEmpty()) << "switches trim no lossless priority";
  EXPECT_THAT(in_buffer(Bytes(4 * (8 * 1'066 + 10 * 66)), {1}, 10), IsEmpty());
  EXPECT_THAT(in_buffer(Bytes(4 * (8 * 1'066 + 10 * 66) - 1), {1}, 10), testing::SizeIs(1));
}

TEST(NdpNeeds, ABufferPolicyThatLetsAPortHaveItsQueues) {
  constexpr std::int64_t kPort = 8 * 1'066 + 129 * 66;
  EXPECT_THAT(in_buffer(1_MB, {1}, 0, Bytes(kPort)), IsEmpty());
  EXPECT_THAT(in_buffer(1_MB, {1}, 0, Bytes(kPort - 1)),
              ElementsAre(HasSubstr("limits the frames of a priority at a port to 17041 B, but the data and header "
                                    "queues hold up to 17042 B")));
  EXPECT_THAT(in_buffer(1_MB, {3}, 0, Bytes(kPort - 1)), IsEmpty()) << "switches trim no lossless priority";
}

}  // namespace
}  // namespace weir::ndp::validation_test
