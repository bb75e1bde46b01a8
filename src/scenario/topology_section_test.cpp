// SPDX-License-Identifier: Apache-2.0
#include "scenario/topology_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "scenario/node_names.h"
#include "scenario/test_scenario.h"

namespace weir::topology_section_test {
namespace {

using namespace weir::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_scenario::changed;
using testing_scenario::errors;
using testing_scenario::kGood;
using testing_scenario::only;

/// The valid scenario on another network.
std::string on(const std::string& topology) {
  const std::size_t first = kGood.find("[topology]");
  const std::size_t last = kGood.find("[switch]");
  return kGood.substr(0, first) + "[topology]\n" + topology + "\n" + kGood.substr(last);
}

Topology network(const std::string& topology) {
  return only(on(topology)).settings.network.topology;
}

/// A network of two hosts on a switch, in the format of HPCC's simulator.
constexpr const char* kNetworkFile = "3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 1000ns 0\n";

const std::string kLink = "{ rate = \"100 Gbit/s\", delay = \"1 us\" }";

TEST(TopologySection, BuildsEachKind) {
  EXPECT_EQ(network("kind = \"single_switch\"\nhosts = 5\nlink = " + kLink).hosts(), 5U);
  const Topology groups = network("kind = \"single_switch\"\ngroup = [{ hosts = 2, link = " + kLink +
                                  " }, { hosts = 1, link = { rate = \"40 Gbit/s\", delay = \"0 ns\" } }]");
  EXPECT_EQ(groups.hosts(), 3U);
  EXPECT_EQ(groups.links()[2].rate, 40_Gbps);
  const Topology dumbbell = network("kind = \"dumbbell\"\nleft = { hosts = 3, link = " + kLink +
                                    " }\nright = { hosts = 2, link = " + kLink + " }\nmiddle = " + kLink);
  EXPECT_EQ(dumbbell.hosts(), 5U);
  EXPECT_EQ(dumbbell.links().size(), 6U);
  const Topology fat_tree = network("kind = \"fat_tree\"\nk = 4\nhost_link = " + kLink + "\nedge_agg_link = " + kLink +
                                    "\nagg_core_link = " + kLink);
  EXPECT_EQ(fat_tree.hosts(), 16U);
  EXPECT_EQ(fat_tree.switches(), 20U);
  const Topology clos = network(
      "kind = \"clos\"\npods = 2\ntors_per_pod = 2\nhosts_per_tor = 4\naggs_per_pod = 2\ncores = "
      "4\ntor_oversubscription = "
      "\"2:1\"\nhost_link = " +
      kLink + "\ntor_agg_link = { delay = \"1 us\" }\nagg_core_link = " + kLink);
  EXPECT_EQ(clos.hosts(), 16U);
  EXPECT_EQ(oversubscription(clos, clos.node(clos.find("tor0.0")).switch_id), 2.0);
  const Topology two =
      network("kind = \"two_data_centres\"\nspine_gateway_link = " + kLink +
              "\ngateway_link = { rate = \"200 Gbit/s\", delay = \"200 us\" }\n[[topology.data_centre]]\n"
              "tors = 2\nhosts_per_tor = 2\nspines = 1\nhost_link = " +
              kLink + "\nfabric_link = " + kLink);
  EXPECT_EQ(two.hosts(), 8U);
  EXPECT_EQ(two.switches(), 8U);
}

TEST(TopologySection, BuildsFromNodesAndLinks) {
  const Topology topology = network(
      "kind = \"explicit\"\nhosts = [\"a\", \"b\"]\nswitches = [\"s\"]\n"
      "link = [{ between = [\"a\", \"s\"], rate = \"10 Gbit/s\", delay = \"5 ns\" },"
      " { between = [\"s\", \"b\"], rate = \"25 Gbit/s\", delay = \"7 ns\", error_rate = 0.5 }]");
  EXPECT_EQ(topology.hosts(), 2U);
  EXPECT_EQ(topology.links()[1].rate, 25_Gbps);
  EXPECT_EQ(topology.links()[1].error_rate, 0.5);
  EXPECT_EQ(topology.node(topology.find("b")).rack, 0);
}

TEST(TopologySection, SaysWhatIsWrong) {
  EXPECT_THAT(
      errors(on("kind = \"leaf_spin\"")),
      ElementsAre("s.toml:5:8: topology.kind: is \"leaf_spin\", expected one of \"single_switch\", \"dumbbell\", "
                  "\"leaf_spine\", \"fat_tree\", \"clos\", \"two_data_centres\", \"file\", \"explicit\" (did you "
                  "mean \"leaf_spine\"?)"));
  EXPECT_THAT(
      errors(changed("tors = 2\n", "")),
      ElementsAre("s.toml:4:2: topology.tors: is missing, expected an integer: number of top-of-rack switches"));
  EXPECT_THAT(errors(changed("tors = 2\n", "tors = 0\n")),
              ElementsAre("s.toml:6:8: topology.tors: is 0, expected at least 1 and at most 1000000"));
  EXPECT_THAT(
      errors(changed("host_link = { rate = \"100 Gbit/s\"", "host_link = { rate = \"100 Gbps\"")),
      ElementsAre("s.toml:9:22: topology.host_link.rate: \"100 Gbps\" has an unknown unit \"Gbps\", expected one "
                  "of bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s (did you mean \"100 Gbit/s\"?)"));
  EXPECT_THAT(errors(changed("fabric_link = { rate", "tor_oversubscription = \"2\"\nfabric_link = { rate")),
              ElementsAre("s.toml:10:24: topology.tor_oversubscription: is \"2\", expected a ratio such as \"2:1\""));
  EXPECT_THAT(errors(on("kind = \"fat_tree\"\nk = 3\nhost_link = " + kLink + "\nedge_agg_link = " + kLink +
                        "\nagg_core_link = " + kLink)),
              ElementsAre("s.toml:4:2: topology: k is 3, expected an even number of 2 or more"));
  EXPECT_THAT(
      errors(on("kind = \"explicit\"\nhosts = [\"a\", \"b\"]\nswitches = [\"tor\"]\nlink = [{ between = [\"a\", "
                "\"torr\"], rate = \"1 Gbit/s\", delay = \"1 ns\" }]")),
      testing::Contains(HasSubstr("topology.link.0.between: \"torr\" is neither a host nor a switch, expected the name "
                                  "of one (did you mean \"tor\"?)")));
}

TEST(TopologySection, UnderstandsHyphensInNames) {
  EXPECT_EQ(only(changed("kind = \"leaf_spine\"", "kind = \"leaf-spine\"")).settings.effective_configuration,
            only(kGood).settings.effective_configuration);
  EXPECT_THAT(errors(changed("kind = \"leaf_spine\"", "kind = \"leaf-spin\"")), ElementsAre(HasSubstr("did you mean")));
}

TEST(TopologySection, TakesTheLengthOfACable) {
  const auto with = [](const std::string& host_link) {
    return changed("host_link = { rate = \"100 Gbit/s\", delay = \"1 us\" }",
                   "host_link = { rate = \"100 Gbit/s\"" + host_link + " }");
  };
  const auto delay = [&](const std::string& length) {
    const ScenarioVariant variant = only(with(", length = \"" + length + "\""));
    const Topology& topology = variant.settings.network.topology;
    return topology.link_at(topology.node_of(HostId(0)), PortId(0)).delay;
  };
  EXPECT_EQ(delay("30 m"), 150_ns);
  EXPECT_EQ(delay("0.5 m"), 2500_ps);
  EXPECT_EQ(delay("2km"), 10_us);
  EXPECT_EQ(delay("0 m"), Duration());
  for (const char* wrong : {"\"30\"", "30", "\"-1 m\"", "\"1 ft\"", "\"300000 km\"", "\"\""}) {
    EXPECT_THAT(errors(with(std::string(", length = ") + wrong)),
                ElementsAre(HasSubstr("expected a length of 0 m to 200000 km with its unit, such as \"30 m\"")))
        << wrong;
  }
  EXPECT_THAT(
      errors(with(", length = \"1 m\", delay = \"5 ns\"")),
      ElementsAre(HasSubstr("topology.host_link.length: is given together with delay, expected only one of the two")));
  EXPECT_THAT(errors(with("")), ElementsAre(HasSubstr("topology.host_link.delay: is missing")));
  // The effective configuration reads back to itself.
  const std::string written = only(with(", length = \"30 m\"")).settings.effective_configuration;
  EXPECT_THAT(written, HasSubstr("length = \"30 m\"\n"));
  EXPECT_EQ(only(written).settings.effective_configuration, written);
}

TEST(TopologySection, ReadsAFileFromTheScenariosFolder) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weir_topology_section";
  std::filesystem::create_directories(folder / "data");
  std::ofstream(folder / "data" / "topology.txt") << "3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 1000ns 0\n";
  const std::string text = on("kind = \"file\"\npath = \"data/topology.txt\"");
  const Scenario scenario = read_scenario(text, "s.toml", folder);
  ASSERT_THAT(scenario.errors, IsEmpty());
  EXPECT_EQ(scenario.variants[0].settings.network.topology.hosts(), 2U);
  EXPECT_THAT(read_scenario(text, "s.toml", "/nowhere").errors, ElementsAre(HasSubstr("/nowhere/data/topology.txt")));
  std::filesystem::remove_all(folder);
}

TEST(TopologySection, AsksForNoNamesOfANetworkThatIsWrong) {
  const std::string text = changed("tors = 2\n", "tors = 0\n", changed("load = 0.5", "load = 0.5\nsources = \"h9\""));
  EXPECT_THAT(errors(text), ElementsAre(HasSubstr("topology.tors")));
}

TEST(NodeNames, ReadsHostsInAllTheirForms) {
  const auto sources = [](const std::string& value) {
    std::vector<std::size_t> out;
    const ScenarioVariant variant =
        only(changed("load = 0.5",
                     "load = 0.5\n[[traffic]]\nkind = \"incast\"\ndegree = 1\nsize = \"1 KB\"\nevent_limit = 1\n"
                     "destinations = " +
                         value));
    for (const HostId host : variant.settings.incast_destinations) out.push_back(host.index());
    return out;
  };
  EXPECT_THAT(sources("\"h2\""), ElementsAre(2));
  EXPECT_THAT(sources("\"h1..h3\""), ElementsAre(1, 2, 3));
  EXPECT_THAT(sources("\"tor1\""), ElementsAre(2, 3));
  EXPECT_THAT(sources("\"rack 0\""), ElementsAre(0, 1));
  EXPECT_THAT(sources("\"all\""), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sources("[\"h3\", \"rack 0\", \"h0\"]"), ElementsAre(0, 1, 3));
}

TEST(NodeNames, RefusesWhatNamesNoHost) {
  const auto error = [](const std::string& value) {
    return errors(changed("load = 0.5", "load = 0.5\nexclude = " + value));
  };
  const std::string at = "s.toml:24:11: traffic.background.exclude: ";
  EXPECT_THAT(error("\"h\""), ElementsAre(at + "unknown node \"h\" (did you mean \"h0\"?)"));
  EXPECT_THAT(error("\"tor7\""), ElementsAre(at + "unknown node \"tor7\" (did you mean \"tor0\"?)"));
  EXPECT_THAT(error("\"spine0\""), ElementsAre(at + "switch \"spine0\" has no hosts"));
  EXPECT_THAT(error("\"rack 9\""), ElementsAre(at + "\"rack 9\" has no host"));
  EXPECT_THAT(error("\"h3..h1\""), ElementsAre(at + "\"h3..h1\" is not a range, expected two hosts, the lower first"));
  EXPECT_THAT(error("3"), ElementsAre(HasSubstr(at + "is 3, expected a host (\"h3\"), a range")));
  EXPECT_THAT(error("[\"h1\", 3]"), ElementsAre(HasSubstr("is 3, expected a host (\"h3\"), a range")));
}

TEST(NodeNames, FindsLinksAndPorts) {
  const ScenarioVariant variant = only(kGood + R"(
[measure]
watched_port = { node = "tor0", towards = "h1" }

[[failure]]
between = ["tor0", "spine1"]
down = "10 us"
up = "20 us"

[[weight]]
node = "tor1"
port = 3
weight = 5
)");
  const Settings& settings = variant.settings;
  ASSERT_EQ(settings.network.failures.size(), 1U);
  const Link& link = settings.network.topology.link(settings.network.failures[0].link);
  EXPECT_EQ(settings.network.topology.node(link.a).name, "tor0");
  EXPECT_EQ(settings.network.topology.node(link.b).name, "spine1");
  EXPECT_EQ(settings.network.failures[0].up, Time() + 20_us);
  EXPECT_EQ(settings.measurement.watched_port, (std::pair(SwitchId(0), PortId(1))));
  ASSERT_EQ(settings.network.weights.size(), 1U);
  EXPECT_EQ(settings.network.weights[0].weight, 5);
}

TEST(NodeNames, RefusesLinksAndPortsThatAreNot) {
  EXPECT_THAT(errors(kGood + "[[failure]]\nbetween = [\"tor0\", \"tor1\"]\ndown = \"1 us\"\n"),
              ElementsAre("s.toml:29:11: failure.0.between: no link joins \"tor0\" and \"tor1\", expected a "
                          "neighbour of \"tor0\" such as \"h0\""));
  EXPECT_THAT(
      errors(kGood + "[[failure]]\nbetween = [\"tor0\", \"spine0\"]\nnumber = 2\ndown = \"1 us\"\n"),
      ElementsAre("s.toml:29:11: failure.0.between: 1 link joins these nodes, got number = 2, expected less than 1"));
  EXPECT_THAT(errors(kGood + "[[failure]]\nbetween = \"tor0\"\ndown = \"2 us\"\nup = \"1 us\"\n"),
              ElementsAre("s.toml:28:1: failure.0: up is 1 us, expected after down, which is 2 us",
                          "s.toml:29:11: failure.0.between: expected two names in a list, such as [\"tor0\", "
                          "\"spine1\"]"));
  EXPECT_THAT(errors(kGood + "[measure]\nwatched_port = { node = \"tor0\", port = 4 }\n"),
              ElementsAre(HasSubstr("is 4, but \"tor0\" has 4 ports, from 0")));
  EXPECT_THAT(errors(kGood + "[measure]\nwatched_port = { node = \"h0\", port = 0 }\n"),
              ElementsAre(HasSubstr("\"h0\" is a host, expected a switch")));
  EXPECT_THAT(errors(kGood + "[measure]\nwatched_port = { node = \"tor0\" }\n"),
              ElementsAre(HasSubstr("expected one of the keys towards and port")));
  EXPECT_THAT(errors(kGood + "[measure]\nwatched_port = { node = \"tor0\", towards = \"h3\" }\n"),
              ElementsAre(HasSubstr("no link joins \"tor0\" and \"h3\"")));
}

TEST(TopologySection, RecordsWhatAFileHeld) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weir_recorded_topology";
  std::filesystem::create_directories(folder);
  const auto configuration = [&](const std::string& network) {
    std::ofstream(folder / "network.txt") << network;
    const Scenario scenario = read_scenario(on("kind = \"file\"\npath = \"network.txt\""), "s.toml", folder);
    EXPECT_THAT(scenario.errors, IsEmpty());
    return scenario.ok() ? scenario.variants[0].settings.effective_configuration : std::string();
  };
  const std::string before = configuration(kNetworkFile);
  EXPECT_EQ(only(before).settings.effective_configuration, before);  // read from a different folder
  EXPECT_NE(configuration("3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 2000ns 0\n"), before);
  EXPECT_EQ(configuration(kNetworkFile), before);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace weir::topology_section_test
