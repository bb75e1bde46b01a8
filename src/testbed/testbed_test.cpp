// SPDX-License-Identifier: Apache-2.0
#include "testbed/testbed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenario/real_nic.h"
#include "scenario/real_switch.h"
#include "scenario/scenario.h"
#include "scenario/test_real.h"

namespace weir::testbed_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_real::kTraffic;
using testing_real::with;

const std::string kStar = testing_real::star(3, "rate = \"100 Mbit/s\", delay = \"10 us\"", "1 MB");

const std::string kClients = R"([testbed]
duration = "20 s"
warm_up = "5 s"
[[client]]
from = "h0"
to = "h2"
rate = "50 Mbit/s"
priority = 5
[[client]]
from = "h1"
to = "h2"
rate = "80 Mbit/s"
payload = 1000
start = "4 s"
)";

std::vector<std::string> errors_of(const std::string& text) {
  return read_testbed(text, "net.toml").errors;
}

Testbed read(const std::string& text) {
  const TestbedFile file = read_testbed(text, "net.toml");
  EXPECT_THAT(file.errors, IsEmpty());
  return file.testbed;
}

TEST(Testbed, HasClients) {
  const Testbed testbed = read(kStar + kClients);
  EXPECT_EQ(testbed.duration.seconds(), 20);
  EXPECT_EQ(testbed.warm_up.seconds(), 5);
  ASSERT_EQ(testbed.clients.size(), 2u);
  EXPECT_EQ(testbed.clients[0].from, "h0");
  EXPECT_EQ(testbed.clients[0].destination, HostId(2));
  EXPECT_EQ(testbed.clients[0].priority, 5);
  EXPECT_EQ(testbed.clients[1].payload, 1'000);
  EXPECT_FALSE(testbed.has_traffic);
}

TEST(Testbed, ErrorsNameFileLineAndKey) {
  EXPECT_THAT(errors_of(kStar), ElementsAre(AllOf(HasSubstr("net.toml"), HasSubstr("has no traffic"))));
  EXPECT_THAT(errors_of(kStar + with(kClients, "\"h2\"", "\"h0\"")),
              ElementsAre(AllOf(HasSubstr("net.toml:15:6: "), HasSubstr("the host that sends"))));
  EXPECT_THAT(errors_of(kStar + with(kClients, "\"h2\"", "\"h9\"")), Contains(HasSubstr("net.toml:15:6:")));
  EXPECT_THAT(errors_of(kStar + with(kClients, "rate = \"50 Mbit/s\"\n", "")), Contains(HasSubstr("rate")));
  EXPECT_THAT(errors_of(kStar + with(kClients, "start = \"4 s\"", "start = \"20 s\"")),
              ElementsAre(AllOf(HasSubstr("net.toml:23:9: "), HasSubstr("testbed.duration"))));
  EXPECT_THAT(errors_of(kStar + with(kClients, "warm_up = \"5 s\"", "warm_up = \"20 s\"")),
              ElementsAre(AllOf(HasSubstr("net.toml:12:11: "), HasSubstr("testbed.duration"))));
  EXPECT_THAT(errors_of(kStar + with(kClients, "payload = 1000", "payload = 1473")), Contains(HasSubstr("1472")));
  EXPECT_THAT(errors_of(kStar + with(kClients, "priority = 5", "prio = 5")), Contains(HasSubstr("prio")));
}

TEST(Testbed, ABadDurationIsOneError) {
  for (const char* duration : {"20", "\"500 ms\"", "\"2 h\""}) {
    EXPECT_THAT(errors_of(kStar + with(kClients, "\"20 s\"", duration)), ElementsAre(HasSubstr("net.toml:11:12: ")))
        << duration;
  }
}

TEST(Testbed, ClientsRunForWholeSecondsAfterTheWarmUp) {
  EXPECT_THAT(errors_of(kStar + with(kClients, "\"20 s\"", "\"20500 ms\"")),
              ElementsAre(AllOf(HasSubstr("net.toml:13:1: "), HasSubstr("whole seconds")),
                          AllOf(HasSubstr("net.toml:23:9: "), HasSubstr("whole seconds"))));
  EXPECT_THAT(errors_of(kStar + with(kClients, "\"4 s\"", "\"14 s\"")), IsEmpty()) << "one second after the warm-up";
  EXPECT_THAT(errors_of(kStar + with(kClients, "\"4 s\"", "\"15 s\"")),
              ElementsAre(AllOf(HasSubstr("net.toml:23:9: "), HasSubstr("testbed.warm_up"))));
}

TEST(Testbed, TheBuffersOfAllNicsFitIntoOneProcess) {
  EXPECT_THAT(errors_of(kStar + with(kClients, "[testbed]", "[testbed]\npackets = 1048576")), IsEmpty());
  const std::string five = with(kStar, "hosts = 3", "hosts = 5");
  EXPECT_THAT(errors_of(five + with(kClients, "[testbed]", "[testbed]\npackets = 1048576")),
              ElementsAre(AllOf(HasSubstr("net.toml:11:11: testbed.packets"), HasSubstr("5 NICs"))));
}

TEST(Testbed, RefusesFiles) {
  const std::string graph = with(kStar, "kind = \"single_switch\"", "kind = \"file\"\npath = \"graph.json\"");
  EXPECT_THAT(errors_of(graph + kClients),
              Contains(AllOf(HasSubstr("net.toml:3:1: topology.path"), HasSubstr("file"))));
  const std::string flows = "[[traffic]]\nkind = \"file\"\npath = \"flows.txt\"\n";
  EXPECT_THAT(errors_of(kStar + flows), Contains(HasSubstr("net.toml:12:1: traffic.0.path: names a file")));
}

TEST(Testbed, NamesOfSwitchesAreThoseOfFiles) {
  const auto named = [](const std::string& name) {
    std::string network = "[topology]\nkind = \"explicit\"\nhosts = [\"h0\", \"h1\"]\nswitches = [\"" + name + "\"]\n";
    for (const char* host : {"h0", "h1"}) {
      network += std::string("[[topology.link]]\nbetween = [\"") + host + "\", \"" + name +
                 "\"]\nrate = \"1 Gbit/s\"\ndelay = \"1 us\"\n";
    }
    return network + "[switch]\nbuffer = \"1 MB\"\n" + kTraffic;
  };
  EXPECT_THAT(errors_of(named("leaf-1")), IsEmpty());
  for (const char* name : {"../leaf", ".leaf", "nics", "client0"}) {
    EXPECT_THAT(errors_of(named(name)), ElementsAre(AllOf(HasSubstr("net.toml:1:"), HasSubstr(name)))) << name;
  }
}

TEST(Testbed, RefusesWhatHostsCannotDo) {
  EXPECT_THAT(errors_of(with(kStar, "line_rate", "hpcc") + kClients),
              Contains(AllOf(HasSubstr("net.toml:9:1: host.congestion_control"), HasSubstr("acknowledgements"))));
  EXPECT_THAT(errors_of(with(kStar, "\"pfc\"", "\"bfc\"") + kClients), Contains(HasSubstr("switch.flow_control")));
  EXPECT_THAT(errors_of(with(kStar, "\"pfc\"", "\"bfc\"") + kTraffic), IsEmpty()) << "the NICs send themselves";
  EXPECT_THAT(errors_of(with(kStar, "\"pfc\"", "\"ideal_fq\"") + kTraffic), Contains(HasSubstr("is ideal")));
}

/// The generated configurations are what the programs read.
void expect_readable(const TestbedPlan& plan) {
  for (const TestbedNode& node : plan.nodes) {
    if (node.is_switch) {
      EXPECT_THAT(read_real_switch(node.config, node.name).errors, IsEmpty()) << node.config;
    } else {
      EXPECT_THAT(read_real_nics(node.config, node.name).errors, IsEmpty()) << node.config;
    }
  }
}

/// Each end of a cable has a namespace of the plan and a name of its own there.
void expect_consistent(const TestbedPlan& plan) {
  std::set<std::string> ends;
  const auto check = [&](const std::string& space, const std::string& end) {
    EXPECT_TRUE(ends.insert(space + "/" + end).second) << space << " " << end;
    EXPECT_THAT(plan.spaces, Contains(space));
  };
  for (const TestbedCable& cable : plan.cables) {
    check(cable.space, cable.end);
    check(cable.other_space, cable.other_end);
  }
  // Every device that a configuration names exists.
  for (const TestbedNode& node : plan.nodes) {
    for (std::size_t at = 0; (at = node.config.find("iface=", at)) != std::string::npos;) {
      at += 6;
      const std::string name = node.config.substr(at, node.config.find('"', at) - at);
      EXPECT_TRUE(ends.contains(node.space + "/" + name)) << node.space << " " << name;
    }
  }
}

TEST(Testbed, ThePlanOfAStar) {
  const TestbedPlan plan = plan_of(read(kStar + kClients));
  EXPECT_EQ(plan.nodes.size(), 2u);
  EXPECT_EQ(plan.hosts.size(), 3u);
  EXPECT_EQ(plan.cables.size(), 6u);
  EXPECT_EQ(plan.hosts[2].address, "10.0.0.2");
  EXPECT_EQ(plan.hosts[2].mac, "02:00:0a:00:00:02");
  expect_readable(plan);
  expect_consistent(plan);
}

TEST(Testbed, ThePlanOfAFabricJoinsItsSwitches) {
  const std::string fabric = R"([topology]
kind = "leaf_spine"
tors = 2
hosts_per_tor = 2
spines = 2
host_link = { rate = "100 Mbit/s", delay = "10 us" }
fabric_link = { rate = "100 Mbit/s", delay = "10 us" }
[switch]
buffer = "1 MB"
flow_control = "pfc"
)";
  const TestbedPlan plan = plan_of(read(fabric + kTraffic));
  EXPECT_EQ(plan.nodes.size(), 5u);
  EXPECT_THAT(plan.hosts, IsEmpty()) << "nothing but messages of the NICs";
  EXPECT_EQ(plan.cables.size(), 4u + 4u);
  expect_readable(plan);
  expect_consistent(plan);
}

TEST(Testbed, IperfIsGivenThePayloadRate) {
  const Testbed testbed = read(kStar + kClients);
  const auto arguments = client_arguments(testbed.clients[1], 5'202, testbed.duration);
  const auto after = [&](const std::string& option) {
    const auto at = std::find(arguments.begin(), arguments.end(), option);
    return at == arguments.end() ? std::string() : *(at + 1);
  };
  EXPECT_EQ(after("--client"), "10.0.0.2");
  EXPECT_EQ(after("--bitrate"), "75046904") << "80 Mbit/s x 1000 / 1066";
  EXPECT_EQ(after("--tos"), "96");
  EXPECT_EQ(after("--time"), "16");
  EXPECT_EQ(after("--length"), "1000");
}

TEST(Testbed, TheSimulatorRunsTheSame) {
  const Scenario scenario = read_scenario(scenario_of(read(kStar + kTraffic + kClients)), "scenario.toml", {});
  ASSERT_THAT(scenario.errors, IsEmpty());
  const Settings& settings = scenario.variants.front().settings;
  EXPECT_EQ(settings.run.stop, Time() + Duration::picoseconds(20'000'000'000'000));
  EXPECT_EQ(settings.traffic(1).size(), 3u);
  EXPECT_TRUE(settings.measurement.watched_port.has_value());
}

TEST(Testbed, WatchesThePortOfTheFirstClientOrANamedOne) {
  const std::optional<std::pair<SwitchId, PortId>> port = read(kStar + kClients).watched_port;
  ASSERT_TRUE(port);
  EXPECT_EQ(port->second, PortId(2));
  const std::string named = with(kStar + kClients, "duration = \"20 s\"\n",
                                 "duration = \"20 s\"\nwatched_port = { node = \"switch0\", towards = \"h1\" }\n");
  EXPECT_EQ(read(named).watched_port->second, PortId(1));
  const Scenario scenario = read_scenario(scenario_of(read(named)), "scenario.toml", {});
  ASSERT_THAT(scenario.errors, IsEmpty());
  EXPECT_EQ(scenario.variants.front().settings.measurement.watched_port->second, PortId(1));
  EXPECT_FALSE(read(kStar + kTraffic).watched_port);
  EXPECT_THAT(errors_of(with(named, "towards = \"h1\"", "towards = \"h7\"")), Contains(HasSubstr("watched_port")));
}

TEST(Testbed, BothRunsAreVariantsOfOneScenario) {
  const std::string picture =
      "[[picture]]\nname = \"q\"\nx = \"t (s)\"\ny = \"q (KB)\"\n[[picture.line]]\neach = [\"variant\"]\n"
      "value = 'size_series(name=\"port.queued\")'\n";
  const Scenario scenario =
      read_scenario(comparison_of(read(kStar + kTraffic + kClients + picture), "net"), "scenario.toml", {});
  ASSERT_THAT(scenario.errors, IsEmpty());
  EXPECT_EQ(scenario.title, "net");
  ASSERT_EQ(scenario.variants.size(), 2u);
  EXPECT_EQ(scenario.variants[0].name, kSimulated);
  EXPECT_EQ(scenario.variants[1].name, kMeasured);
  EXPECT_EQ(scenario.pictures.size(), 1u);
}

// Frames of Weir have a tag, which the MTU of an interface does not count.
TEST(Testbed, TheLongestFramePasses) {
  EXPECT_EQ(plan_of(read(kStar + kClients)).mtu, 1'500u);
  const auto of_payload = [](int payload) {
    return with(kStar + kTraffic, "[host]\n", "[host]\npayload = " + std::to_string(payload) + "\n");
  };
  EXPECT_EQ(plan_of(read(of_payload(1'456))).mtu, 1'500u);
  EXPECT_EQ(plan_of(read(of_payload(1'460))).mtu, 1'504u);
  // The header of a scheme has a fixed part of 12 bytes, which frames of the simulation do not have.
  const std::string with_floodgate =
      with(of_payload(1'460), "flow_control = \"pfc\"", "flow_control = [\"floodgate\", \"pfc\"]");
  EXPECT_EQ(plan_of(read(with_floodgate)).mtu, 1'520u);
  EXPECT_THAT(errors_of(of_payload(1'900)),
              Contains(AllOf(HasSubstr("host.payload"), HasSubstr("1962"), HasSubstr("at most 1900"))));
}

TEST(Testbed, TheExamplesAreGood) {
  std::size_t examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator("examples/testbed")) {
    SCOPED_TRACE(entry.path().string());
    const TestbedFile file = load_testbed(entry.path().string());
    EXPECT_THAT(file.errors, IsEmpty());
    if (!file.errors.empty()) continue;
    EXPECT_THAT(read_scenario(comparison_of(file.testbed, "t"), "scenario.toml", {}).errors, IsEmpty());
    ++examples;
  }
  EXPECT_GE(examples, 8u);
}

}  // namespace
}  // namespace weir::testbed_test
