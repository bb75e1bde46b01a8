// SPDX-License-Identifier: Apache-2.0
#include "fabric/hop_protocols.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "policy/scheme.h"

namespace weir::hop_protocols_test {
namespace {

class Nothing final : public FlowControl {};
class NothingAtNics final : public NicFlowControl {};

/// Announces the value of its parameter, and one more at NICs.
Scheme announcing(std::uint8_t protocol) {
  Scheme scheme = {.name = "announces",
                   .summary = "for a test",
                   .traits = {.protocol = protocol},
                   .parameters = {{.name = "number", .default_value = std::int64_t{7}, .meaning = "", .source = ""}}};
  scheme.flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<Nothing>(); };
  scheme.announces = [](const Parameters& parameters, bool nic) {
    return static_cast<std::uint32_t>(parameters.get<std::int64_t>("number") + (nic ? 1 : 0));
  };
  return scheme;
}

TEST(HopProtocols, AnnounceANumberWithEachProtocol) {
  const Scheme first = announcing(200);
  Scheme second = announcing(201);
  second.nic_flow_control = [](const Parameters&) -> std::unique_ptr<NicFlowControl> {
    return std::make_unique<NothingAtNics>();
  };
  SwitchSettings settings;
  settings.flow_control = {{&first, Parameters(first.parameters)}, {&second, Parameters(second.parameters)}};
  settings.flow_control[1].parameters.set("number", std::int64_t{9});

  Peer a_switch;
  a_switch.announced = announced_by(settings, false);
  EXPECT_EQ(a_switch.announces(200), 7u);
  EXPECT_EQ(a_switch.announces(201), 9u);
  EXPECT_EQ(a_switch.announces(202), 0u);

  Peer a_nic;
  a_nic.announced = announced_by(settings, true);
  EXPECT_EQ(a_nic.announces(200), 0u) << "it has no part in that one";
  EXPECT_EQ(a_nic.announces(201), 10u);
}

// Credits and pulls of hosts limit rates, and hold up nothing.
TEST(HopProtocols, PauseUnlessTheirControlFramesAreThoseOfHosts) {
  Scheme scheme = announcing(200);
  SwitchSettings settings;
  EXPECT_FALSE(sends_pauses(settings));
  settings.flow_control = {{&scheme, Parameters(scheme.parameters)}};
  EXPECT_TRUE(sends_pauses(settings));
  scheme.traits.to_hosts = ControlSource::switches;
  EXPECT_TRUE(sends_pauses(settings));
  scheme.traits.to_hosts = ControlSource::hosts;
  EXPECT_FALSE(sends_pauses(settings));
  scheme.traits.pfc = true;
  EXPECT_TRUE(sends_pauses(settings));
  scheme.flow_control = nullptr;
  EXPECT_FALSE(sends_pauses(settings));
}

}  // namespace
}  // namespace weir::hop_protocols_test
