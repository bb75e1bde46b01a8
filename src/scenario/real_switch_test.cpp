// SPDX-License-Identifier: Apache-2.0
#include "scenario/real_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario/real_common.h"
#include "scenario/test_real.h"

namespace weir::real_switch_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace weir::literals;

const std::string kNetwork =
    testing_real::star(2, "rate = \"1 Gbit/s\", delay = \"1 us\"", "640 KB") + "loss_recovery = \"go_back_n\"\n";

const std::string kPorts = R"([real]
node = "switch0"
[[port]]
towards = "h1"
device = "net_ring1"
next_hop = "52:54:00:ab:cd:ef"
[[port]]
port = 0
device = "net_ring0"
[[neighbour]]
host = "h0"
mac = "52:54:00:00:00:01"
)";

std::vector<std::string> errors_of(const std::string& text) {
  return read_real_switch(text, "switch.toml").errors;
}

/// Removes or replaces a part of the ports' text.
std::string with(const std::string& from, const std::string& to) {
  return testing_real::with(kNetwork + kPorts, from, to);
}

TEST(RealSwitch, HasDevicesByPort) {
  const RealSwitchFile file = read_real_switch(kNetwork + kPorts, "switch.toml");
  ASSERT_THAT(file.errors, IsEmpty());
  const RealSwitch& real = file.real;
  EXPECT_EQ(real.id, SwitchId(0));
  ASSERT_EQ(real.ports.size(), 2u);
  EXPECT_EQ(real.ports[0].device, "net_ring0");
  EXPECT_FALSE(real.ports[0].next_hop);
  EXPECT_EQ(real.ports[1].device, "net_ring1");
  EXPECT_EQ(real.ports[1].next_hop, (MacAddress{{0x52, 0x54, 0, 0xab, 0xcd, 0xef}}));
  ASSERT_EQ(real.neighbours.size(), 1u);
  EXPECT_EQ(real.neighbours[0].first, HostId(0));
  EXPECT_EQ(real.packets, 640'000u / 64 + 2 * 4'096);
  EXPECT_EQ(real.packet_bytes, 2'048u);
  EXPECT_EQ(real.settings.switches.flow_control.size(), 1u);
}

TEST(RealSwitch, SaysWhichPrioritiesANeighbourMayPause) {
  const auto pausable = [](const std::string& line) {
    const RealSwitchFile file = read_real_switch(with("port = 0\n", "port = 0\n" + line), "switch.toml");
    EXPECT_THAT(file.errors, IsEmpty());
    EXPECT_EQ(file.real.ports[1].pausable.to_ulong(), 8u);
    return file.real.ports[0].pausable.to_ulong();
  };
  EXPECT_EQ(pausable(""), 8u) << "priority 3 is lossless";
  EXPECT_EQ(pausable("pausable = [3]\n"), 8u);
  EXPECT_EQ(pausable("pausable = []\n"), 0u);
  EXPECT_THAT(errors_of(with("port = 0\n", "port = 0\npausable = [3, 2]\n")),
              Contains(AllOf(HasSubstr("switch.toml:19"), HasSubstr("pausable"), HasSubstr("priority 2"))));
  EXPECT_THAT(errors_of(with("port = 0\n", "port = 0\npausable = [8]\n")), Contains(HasSubstr("pausable")));
}

TEST(RealSwitch, SaysWhetherAHostSpeaksSchemes) {
  const auto ports = [](const std::string& line) {
    const RealSwitchFile file = read_real_switch(with("port = 0\n", "port = 0\n" + line), "switch.toml");
    EXPECT_THAT(file.errors, IsEmpty());
    EXPECT_TRUE(file.real.ports[1].speaks_schemes);
    return file.real.ports[0].speaks_schemes;
  };
  EXPECT_TRUE(ports(""));
  EXPECT_TRUE(ports("speaks_schemes = true\n"));
  EXPECT_FALSE(ports("speaks_schemes = false\n"));
  EXPECT_THAT(errors_of(with("port = 0\n", "port = 0\nspeaks_schemes = 0\n")),
              Contains(AllOf(HasSubstr("switch.toml:19"), HasSubstr("speaks_schemes"), HasSubstr("true or false"))));
}

TEST(RealSwitch, SaysHowLongItsLoopIsMeasured) {
  const auto calibration = [](const std::string& line) {
    const RealSwitchFile file =
        read_real_switch(with("node = \"switch0\"\n", "node = \"switch0\"\n" + line), "switch.toml");
    EXPECT_THAT(file.errors, IsEmpty());
    return file.real.calibration;
  };
  EXPECT_EQ(calibration(""), 100_ms);
  EXPECT_EQ(calibration("calibration = \"2 s\"\n"), 2_s);
  EXPECT_EQ(calibration("calibration = \"0 s\"\n"), Duration());
  EXPECT_THAT(errors_of(with("node = \"switch0\"\n", "node = \"switch0\"\ncalibration = \"1 min\"\n")),
              Contains(AllOf(HasSubstr("real.calibration"))));
  EXPECT_THAT(errors_of(with("node = \"switch0\"\n", "node = \"switch0\"\ncalibration = \"11 s\"\n")),
              Contains(AllOf(HasSubstr("real.calibration"), HasSubstr("10 s"))));
}

const std::string kLeafSpine = R"([topology]
kind = "leaf_spine"
tors = 2
hosts_per_tor = 1
spines = 1
host_link = { rate = "1 Gbit/s", delay = "1 us" }
fabric_link = { rate = "1 Gbit/s", delay = "1 us" }
)";

TEST(RealSwitch, ASwitchSpeaksItsSchemes) {
  const std::string network = kLeafSpine + R"([switch]
buffer = "1 MB"
flow_control = "bfc"
[real]
node = "tor0"
[[port]]
towards = "h0"
device = "net_ring0"
speaks_schemes = false
[[port]]
towards = "spine0"
device = "net_ring1"
)";
  EXPECT_THAT(errors_of(network), IsEmpty());
  EXPECT_THAT(
      errors_of(network + "speaks_schemes = false\n"),
      Contains(AllOf(HasSubstr("switch.toml:20"), HasSubstr("speaks_schemes"), HasSubstr("\"spine0\" is a switch"))));
}

const std::string kFabric = kLeafSpine + R"([switch]
buffer = "640 KB"
flow_control = "pfc"
[host]
congestion_control = "line_rate"
[real]
nodes = ["tor0", "spine0", "tor1"]
[[port]]
node = "tor1"
towards = "h1"
device = "net_ring1"
[[port]]
node = "tor0"
towards = "h0"
device = "net_ring0"
)";

TEST(RealSwitch, AProcessMayHaveSeveral) {
  const RealSwitchFile file = read_real_switch(kFabric, "fabric.toml");
  ASSERT_THAT(file.errors, IsEmpty());
  const std::vector<RealSwitch> switches = file.switches();
  ASSERT_EQ(switches.size(), 3u);
  EXPECT_EQ(switches[0].id, SwitchId(0));
  ASSERT_EQ(switches[0].ports.size(), 2u);
  EXPECT_EQ(switches[0].ports[0].device, "net_ring0");
  EXPECT_EQ(switches[0].ports[1].device, "") << "joined to spine0 in memory";
  EXPECT_EQ(switches[2].ports[0].device, "net_ring1");
  EXPECT_EQ(switches[1].ports.size(), 2u);
  for (const RealSwitch& real : switches) {
    EXPECT_EQ(real.packets, 3u * 10'000 + 6 * 4'096) << "a packet may be in the buffer of any of them";
    EXPECT_EQ(real.calibration, 100_ms);
  }
}

TEST(RealSwitch, PortsOfSeveralSwitchesNameTheirs) {
  const auto errors = [](const std::string& from, const std::string& to) {
    return errors_of(testing_real::with(kFabric, from, to));
  };
  EXPECT_THAT(errors("node = \"tor1\"\n", ""), Contains(HasSubstr("expected the key node")));
  EXPECT_THAT(errors("node = \"tor1\"", "node = \"tor2\""),
              Contains(AllOf(HasSubstr("port.0.node"), HasSubstr("\"tor2\" is not a switch of this process"))));
  EXPECT_THAT(errors("[\"tor0\", \"spine0\", \"tor1\"]", "[\"tor0\", \"tor0\"]"),
              Contains(AllOf(HasSubstr("real.nodes"), HasSubstr("names \"tor0\" twice"))));
  EXPECT_THAT(errors("[\"tor0\", \"spine0\", \"tor1\"]", "[\"tor0\", \"tor1\"]"),
              Contains(HasSubstr("has no [[port]] of \"tor0\" towards \"spine0\"")));
  EXPECT_THAT(errors("[real]\n", "[real]\nnode = \"tor0\"\n"),
              Contains(HasSubstr("expected one of the keys node and nodes")));
  EXPECT_THAT(errors("towards = \"h0\"", "towards = \"spine0\""),
              Contains(HasSubstr("has a [[port]] of \"tor0\" towards \"spine0\", but none at the other end")));
  EXPECT_THAT(errors("nodes = [\"tor0\", \"spine0\", \"tor1\"]\n", ""),
              Contains(HasSubstr("expected one of the keys node and nodes")));
}

TEST(RealSwitch, RefusesWhatAScenarioRefuses) {
  EXPECT_THAT(errors_of(with("buffer = \"640 KB\"", "bufer = \"640 KB\"")),
              Contains(AllOf(HasSubstr("switch.toml:6"), HasSubstr("switch.bufer"), HasSubstr("buffer"))));
}

TEST(RealSwitch, RefusesTrafficAndVariants) {
  EXPECT_THAT(errors_of(kNetwork + kPorts + "[[traffic]]\nkind = \"incast\"\n"), Contains(HasSubstr("traffic")));
  EXPECT_THAT(errors_of(kNetwork + kPorts + "[variants.a]\n"), Contains(HasSubstr("variants")));
  EXPECT_THAT(errors_of(kNetwork + kPorts + "[run]\nstop = \"1 ms\"\n"), Contains(HasSubstr("run")));
}

TEST(RealSwitch, NamesThePortWithoutADevice) {
  EXPECT_THAT(errors_of(with("[[port]]\nport = 0\ndevice = \"net_ring0\"\n", "")),
              Contains(HasSubstr("no [[port]] towards \"h0\"")));
}

TEST(RealSwitch, RefusesASecondDevice) {
  EXPECT_THAT(errors_of(with("port = 0", "port = 1")),
              Contains(AllOf(HasSubstr("switch.toml:17"), HasSubstr("already has a device"))));
}

TEST(RealSwitch, ADeviceIsOpenedOnce) {
  EXPECT_THAT(errors_of(with("\"net_ring0\"", "\"net_ring1\"")),
              Contains(AllOf(HasSubstr("switch.toml:19:10: "), HasSubstr("is used above"))));
}

TEST(RealSwitch, RefusesAPortThatIsNotThere) {
  EXPECT_THAT(errors_of(with("port = 0", "port = 2")), Contains(HasSubstr("has 2 ports")));
}

TEST(RealSwitch, SuggestsTheNearestNode) {
  EXPECT_THAT(errors_of(with("node = \"switch0\"", "node = \"switch\"")), Contains(HasSubstr("switch0")));
  EXPECT_THAT(errors_of(with("node = \"switch0\"", "node = \"h0\"")), Contains(HasSubstr("is a host")));
}

TEST(RealSwitch, RefusesABadAddress) {
  EXPECT_THAT(errors_of(with("52:54:00:ab:cd:ef", "52:54:00:ab:cd")),
              Contains(AllOf(HasSubstr("port"), HasSubstr("next_hop"), HasSubstr("MAC address"))));
  for (const char* text : {"", "52-54-00-ab-cd-ef", "52:54:00:ab:cd:eg", "52:54:00:ab:cd:ef:", "+1:54:00:ab:cd:ef"}) {
    EXPECT_FALSE(mac_address_from(text)) << text;
  }
}

TEST(RealSwitch, RefusesSimulatorsFrameSizes) {
  EXPECT_THAT(errors_of(with("[host]", "[host]\nframing = \"hpcc_simulator\"")),
              Contains(AllOf(HasSubstr("host.framing"), HasSubstr("rocev2"))));
}

TEST(RealSwitch, RefusesIdealSchemes) {
  EXPECT_THAT(errors_of(with("flow_control = \"pfc\"", "flow_control = \"ideal_fq\"")),
              Contains(HasSubstr("is ideal")));
}

}  // namespace
}  // namespace weir::real_switch_test
