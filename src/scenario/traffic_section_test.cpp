// SPDX-License-Identifier: Apache-2.0
#include "scenario/traffic_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scenario/test_scenario.h"

namespace weir::traffic_section_test {
namespace {

using namespace weir::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_scenario::errors;
using testing_scenario::kGood;
using testing_scenario::only;
using testing_scenario::read;

/// The valid scenario with this traffic instead of its own, and without a stop.
std::string offering(const std::string& traffic) {
  return kGood.substr(0, kGood.find("[[traffic]]")) + "[[traffic]]\nname = \"t\"\n" + traffic + "\n";
}

/// At most `count` flows of the only source.
std::vector<FlowSpec> flows(const std::string& traffic, std::size_t count = 1'000) {
  const ScenarioVariant variant = only(offering(traffic));
  auto sources = variant.settings.traffic(1);
  std::vector<FlowSpec> out;
  if (sources.size() != 1) return out;
  while (out.size() < count && sources[0]->next_start() != Time::never()) out.push_back(sources[0]->take());
  return out;
}

std::map<std::pair<std::size_t, std::size_t>, double> offered(const std::string& traffic) {
  std::map<std::pair<std::size_t, std::size_t>, double> out;
  only(offering(traffic)).settings.traffic(1)[0]->offered([&](HostId from, HostId to, double rate) {
    out[{from.index(), to.index()}] += rate;
  });
  return out;
}

double total(const std::string& traffic) {
  double sum = 0;
  for (const auto& [pair, rate] : offered(traffic)) sum += rate;
  return sum;
}

std::vector<std::string> wrong(const std::string& traffic) {
  return errors(offering(traffic));
}

TEST(TrafficSection, OffersPoisson) {
  const std::string base = "kind = \"poisson\"\nsize = \"10 KB\"\nflow_limit = 100\n";
  EXPECT_THAT(flows(base + "load = 0.5"), SizeIs(100));
  EXPECT_NEAR(total(base + "load = 0.5"), 4 * 50e9, 1);
  EXPECT_NEAR(total(base + "rate = \"30 Gbit/s\""), 30e9, 1);
  EXPECT_NEAR(total(base + "load = 0.5\nload_of = \"core_links\""), 4 * 50e9, 1);  // 2 ToRs x 2 spines
  EXPECT_NEAR(total(base + "load = 0.5\nload_of = \"core_links\"\ncore_share = 0.5"), 8 * 50e9, 1);
  EXPECT_NEAR(total(base + "load = 0.5\nsources = \"rack 0\""), 2 * 50e9, 1);
  const auto between = offered(base + "load = 0.5\nscope = \"inter_rack\"\nexclude = \"h0\"");
  EXPECT_THAT(between, SizeIs(4));  // h1 with h2 and h3, in both directions
  EXPECT_FALSE(between.contains({0, 2}));
  const auto local = offered(base + "rate = \"10 Gbit/s\"\nrack_local_share = 0.25");
  EXPECT_NEAR(local.at({0, 1}) + local.at({1, 0}) + local.at({2, 3}) + local.at({3, 2}), 2.5e9, 1);
}

TEST(TrafficSection, OffersBlocks) {
  const auto rates = offered(
      "kind = \"open_loop\"\narrivals = \"lognormal\"\nsigma = 2\nsize = \"10 KB\"\nflow_limit = 5\nrate = \"9 "
      "Gbit/s\"\n"
      "block = [{ sources = \"h0\", destinations = \"h1\", weight = 2 }, { sources = \"h2\", destinations = \"h3\" }]");
  EXPECT_THAT(rates, SizeIs(2));
  EXPECT_NEAR(rates.at({0, 1}), 6e9, 1);
  EXPECT_NEAR(rates.at({2, 3}), 3e9, 1);
}

TEST(TrafficSection, OffersIncast) {
  const std::string base = "kind = \"incast\"\nsources = [\"h1\", \"h2\", \"h3\"]\ndestinations = \"h0\"\ndegree = 3\n";
  const auto once = flows(base + "size = \"64 KB\"\nevent_limit = 1\nstart = \"5 us\"");
  ASSERT_THAT(once, SizeIs(3));
  for (const FlowSpec& flow : once) {
    EXPECT_EQ(flow.start, Time() + 5_us);
    EXPECT_EQ(flow.destination, HostId(0));
    EXPECT_EQ(flow.size, 64_KB);
    EXPECT_EQ(flow.label, FlowLabel::incast);
  }
  // A label is a name.
  EXPECT_TRUE(flows(base + "size = \"64 KB\"\nevent_limit = 1\nlabel = \"mine\"").front().incast);
  EXPECT_FALSE(flows("kind = \"flows\"\nflow = [{ source = \"h0\", destination = \"h1\", size = \"1 KB\" }]\n"
                     "label = \"incast\"")
                   .front()
                   .incast);
  EXPECT_THAT(flows(base + "size = \"64 KB\"\nevent_limit = 4\ninterval = \"10 us\""), SizeIs(12));
  EXPECT_NEAR(total(base + "size = \"64 KB\"\nevent_limit = 4\nload = 0.5"), 50e9, 1e3);
  for (const FlowSpec& flow : flows(base + "size = { packets = [30, 40] }\nevent_limit = 20\ninterval = \"10 us\"")) {
    EXPECT_EQ(flow.size.count() % 1'000, 0);
    EXPECT_GE(flow.size, 30_KB);
    EXPECT_LE(flow.size, 40_KB);
  }
  bool odd = false;
  for (const FlowSpec& flow : flows(base + "size = { min = \"30 KB\", max = \"40 KB\" }\nevent_limit = 20\n"
                                           "interval = \"10 us\"")) {
    EXPECT_GE(flow.size, 30_KB);
    EXPECT_LE(flow.size, 40_KB);
    odd = odd || flow.size.count() % 1'000 != 0;
  }
  EXPECT_TRUE(odd);
}

TEST(TrafficSection, KnowsTheDestinationsOfIncasts) {
  const ScenarioVariant variant =
      only(kGood +
           "[[traffic]]\nkind = \"incast\"\ndestinations = [\"h3\", \"h1\"]\ndegree = 1\nsize "
           "= \"1 KB\"\nevent_limit = 1\n");
  EXPECT_THAT(variant.settings.incast_destinations, ElementsAre(HostId(1), HostId(3)));
}

TEST(TrafficSection, OffersTrains) {
  const auto train =
      flows("kind = \"train\"\npairs = [[\"h0\", \"h2\"]]\nsize = \"64 KB\"\nstart = \"1 ms\"\nstop = \"1.1 ms\"");
  ASSERT_GE(train.size(), 2U);
  EXPECT_EQ(train[0].start, Time() + 1_ms);
  // The payload rate of a 100 Gbit/s link: 64 packets of 1086 B on the wire.
  EXPECT_NEAR((train[1].start - train[0].start).nanoseconds(), 64 * 86.88, 0.01);
  EXPECT_NEAR(total("kind = \"train\"\npairs = [[\"h0\", \"h2\"]]\nsize = \"64 KB\"\nflows_per_train = 3\nrate = \"5 "
                    "Gbit/s\""),
              5e9, 1);
}

TEST(TrafficSection, OffersClosedLoopsPermutationsAndCollectives) {
  EXPECT_THAT(
      flows("kind = \"closed_loop\"\nsources = [\"h0\", \"h1\"]\ndestinations = [\"h2\", \"h3\"]\nsize = \"1 KB\"\n"
            "outstanding = 2\nmessages_per_pair = 10"),
      SizeIs(4));  // two pairs, two messages each, until one completes
  const auto permutation = flows("kind = \"permutation\"\nsize = \"1 KB\"");
  ASSERT_THAT(permutation, SizeIs(4));
  std::vector<bool> receives(4, false);
  for (const FlowSpec& flow : permutation) receives[flow.destination.index()] = true;
  EXPECT_THAT(receives, testing::Each(true));
  EXPECT_THAT(flows("kind = \"all_to_all\"\nbytes_per_sender = \"3 KB\"\nstep_limit = 1\nstep_interval = \"1 ms\""),
              SizeIs(12));
}

TEST(TrafficSection, OffersFlowsOneByOne) {
  const auto list = flows(
      "kind = \"flows\"\npriority = 2\nflow = [{ source = \"h1\", destination = \"h0\", size = \"1 MB\", start = \"3 "
      "us\" "
      "}, { source = \"h2\", destination = \"h0\", size = \"endless\", rate_limit = \"1 Gbit/s\", stop = \"1 ms\", "
      "priority = 4 }]");
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0].source, HostId(2));
  EXPECT_EQ(list[0].size, kLongRunning);
  EXPECT_EQ(list[0].stop, Time() + 1_ms);
  EXPECT_EQ(list[0].priority, 4);
  EXPECT_EQ(list[1].start, Time() + 3_us);
  EXPECT_EQ(list[1].priority, 2);
}

TEST(TrafficSection, DrawsSizesOfListedFlowsWithTheSeed) {
  const auto settings = only(offering("kind = \"flows\"\nflow = [{ source = \"h1\", destination = \"h0\", size = { min "
                                      "= \"1 B\", max = \"100 MB\" } }]"))
                            .settings;
  const auto size = [&](std::uint64_t seed) { return settings.traffic(seed)[0]->take().size; };
  EXPECT_EQ(size(1), size(1));
  EXPECT_NE(size(1), size(2));
}

TEST(TrafficSection, ReadsFilesFromTheScenariosFolder) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weir_traffic_section";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "flow.txt") << "2\n0 2 3 100 5000 2.0\n1 3 3 100 6000 2.00001\n";
  std::ofstream(folder / "sizes.txt") << "1000 0\n2000 100\n";
  const Scenario scenario =
      read_scenario(offering("kind = \"file\"\npath = \"flow.txt\"\norigin = \"2 s\"\n[[traffic]]\nkind = \"poisson\"\n"
                             "size = { file = \"sizes.txt\" }\nload = 0.1\nflow_limit = 9"),
                    "s.toml", folder);
  ASSERT_THAT(scenario.errors, IsEmpty());
  auto sources = scenario.variants[0].settings.traffic(1);
  EXPECT_EQ(sources[0]->next_start(), Time());
  EXPECT_EQ(sources[0]->take().size, 5_KB);
  EXPECT_EQ(sources[0]->next_start(), Time() + 10_us);
  const Bytes drawn = sources[1]->take().size;
  EXPECT_GE(drawn, 1_KB);
  EXPECT_LE(drawn, 2_KB);
  EXPECT_THAT(wrong("kind = \"file\"\npath = \"none.txt\""), ElementsAre(HasSubstr("none.txt")));
  EXPECT_THAT(wrong("kind = \"file\"\npath = \"none.txt\"\npriority = 2"),
              testing::Contains("s.toml:23:12: traffic.t.priority: has no meaning for flows of a file"));
  std::filesystem::remove_all(folder);
}

TEST(TrafficSection, RecordsWhatTheFilesHeld) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weir_recorded_files";
  std::filesystem::create_directories(folder);
  const std::string text = offering(
      "kind = \"file\"\npath = \"flow.txt\"\n[[traffic]]\nkind = \"poisson\"\nsize = { file = \"sizes.txt\" }\n"
      "load = 0.1\nflow_limit = 9");
  const auto configuration = [&](const std::string& flows, const std::string& sizes) {
    std::ofstream(folder / "flow.txt") << flows;
    std::ofstream(folder / "sizes.txt") << sizes;
    const Scenario scenario = read_scenario(text, "s.toml", folder);
    EXPECT_THAT(scenario.errors, IsEmpty());
    return scenario.ok() ? scenario.variants[0].settings.effective_configuration : std::string();
  };
  const std::string flows = "1\n0 2 3 100 5000 0\n";
  const std::string sizes = "1000 0\n2000 100\n";
  const std::string before = configuration(flows, sizes);
  EXPECT_NE(configuration("1\n0 2 3 100 5001 0\n", sizes), before);
  EXPECT_NE(configuration(flows, "1000 0\n2001 100\n"), before);
  EXPECT_EQ(configuration(flows, sizes), before);
  std::filesystem::remove_all(folder);
}

TEST(TrafficSection, OfFilesReadsBackFromAnotherFolder) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weir_files_read_back";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "flow.txt") << "1\n0 2 3 100 5000 0\n";
  std::ofstream(folder / "sizes.txt") << "1000 0\n2000 100\n";
  const Scenario scenario =
      read_scenario(offering("kind = \"file\"\npath = \"flow.txt\"\n[[traffic]]\nkind = \"poisson\"\nsize = { file = "
                             "\"sizes.txt\" }\nload = 0.1\nflow_limit = 9"),
                    "s.toml", folder);
  ASSERT_THAT(scenario.errors, IsEmpty());
  const std::string text = scenario.variants[0].settings.effective_configuration;
  EXPECT_THAT(text, HasSubstr("path = \"" + (folder / "flow.txt").string() + "\"\n"));
  const Scenario again = read_scenario(text, "configuration.toml", folder / "kept");
  ASSERT_THAT(again.errors, IsEmpty());
  EXPECT_EQ(again.variants[0].settings.effective_configuration, text);
  std::filesystem::remove_all(folder);
}

TEST(TrafficSection, OfListedFlowsReadsBack) {
  const std::string text =
      only(offering("kind = \"flows\"\nflow = [{ source = \"h0\", destination = \"h1\", size = \"1 KB\" }]"))
          .settings.effective_configuration;
  EXPECT_EQ(only(text).settings.effective_configuration, text);
}

TEST(TrafficSection, RefusesAFileThatIsNotWhatTheScenarioSays) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weir_other_files";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a") << "a";
  // FNV-1a's published test vector for "a".
  EXPECT_THAT(
      read_scenario(offering("kind = \"file\"\npath = \"a\"\ncontents = \"0123456789abcdef\""), "s.toml", folder)
          .errors,
      ElementsAre("s.toml:23:12: traffic.t.contents: is \"0123456789abcdef\", but the contents of " +
                  (folder / "a").string() +
                  " have the digest af63dc4c8601ec8c: expected the original file, or no key contents"));
  std::filesystem::remove_all(folder);
}

TEST(TrafficSection, LabelsTheFlowsOfAFile) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weir_labelled_flows";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "flow.txt") << "3\n0 2 3 100 5000 0\n1 3 3 100 6000 1\n1 0 3 200 6000 2\n";
  const std::string keys = "kind = \"file\"\npath = \"flow.txt\"\nlabel = \"recorded\"\n";
  const Scenario scenario = read_scenario(offering(keys + "incast_destinations = \"h3\""), "s.toml", folder);
  ASSERT_THAT(scenario.errors, IsEmpty());
  const Settings& settings = scenario.variants[0].settings;
  const auto source = std::move(settings.traffic(1)[0]);
  const FlowSpec plain = source->take();
  EXPECT_EQ(settings.labels.at(static_cast<std::size_t>(plain.label)), "recorded");
  EXPECT_FALSE(plain.incast);
  for (const char* why : {"goes to h3", "HPCC's dport 200"}) {
    const FlowSpec flow = source->take();
    EXPECT_EQ(flow.label, FlowLabel::incast) << why;
    EXPECT_TRUE(flow.incast) << why;
  }
  EXPECT_THAT(settings.incast_destinations, ElementsAre(HostId(3)));
  std::filesystem::remove_all(folder);
}

TEST(TrafficSection, RefusesFlowsOfTooManyPackets) {
  const std::string poisson = "kind = \"poisson\"\nflow_limit = 1\nload = 0.5\nsize = ";
  const std::string most = "which is more than 2^31 - 1 packets of 1000 B, expected at most 2147483.647 MB";
  EXPECT_THAT(wrong(poisson + "\"2147483647 KB\""), IsEmpty());
  EXPECT_THAT(wrong(poisson + "\"2147483647001 B\""),
              ElementsAre(HasSubstr("traffic.t: has flows of 2147483647.001 KB, " + most)));
  EXPECT_THAT(wrong(poisson + "{ min = \"1 B\", max = \"9 TB\" }"),
              ElementsAre(HasSubstr("has flows of 9 TB, " + most)));
  EXPECT_THAT(wrong("kind = \"flows\"\nflow = [{ source = \"h0\", destination = \"h1\", size = \"9 TB\" }]"),
              ElementsAre(HasSubstr("traffic.t.flow.0: has flows of 9 TB, " + most)));
  EXPECT_THAT(wrong("kind = \"all_to_all\"\nbytes_per_sender = \"9 TB\"\nstep_limit = 1"),
              ElementsAre(HasSubstr("has flows of 9 TB, " + most)));
}

TEST(TrafficSection, TakesEndlessFlowsOfAnyPayload) {
  const std::string small = testing_scenario::changed("payload = 1000", "payload = 1",
                                                      offering("kind = \"permutation\"\nsize = \"endless\""));
  EXPECT_THAT(errors(small), IsEmpty());
}

TEST(TrafficSection, TakesSigmaZeroForConstantIntervals) {
  const std::string keys =
      "kind = \"open_loop\"\narrivals = \"lognormal\"\nsize = \"10 KB\"\nflow_limit = 5\nrate = "
      "\"8 Gbit/s\"\nsigma = ";
  const auto source = std::move(only(offering(keys + "0")).settings.traffic(1)[0]);
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(source->take().start, Time() + 10_us * i);
  EXPECT_THAT(wrong(keys + "-1"),
              ElementsAre(HasSubstr("traffic.t.sigma: is -1, expected at least 0.0 and at most 5.0")));
}

TEST(TrafficSection, SaysWhatIsWrong) {
  EXPECT_THAT(wrong("kind = \"poison\""),
              ElementsAre(HasSubstr("traffic.t.kind: is \"poison\", expected one of \"poisson\"")));
  EXPECT_THAT(wrong("kind = \"poison\""), ElementsAre(HasSubstr("(did you mean \"poisson\"?)")));
  const std::string poisson = "kind = \"poisson\"\nflow_limit = 1\n";
  EXPECT_THAT(wrong(poisson + "load = 0.5\nsize = \"websaerch\""),
              ElementsAre(testing::AllOf(HasSubstr("traffic.t.size: unknown size distribution \"websaerch\""),
                                         HasSubstr("(did you mean \"websearch\"?)"))));
  EXPECT_THAT(wrong(poisson + "load = 0.5\nsize = \"0 KB\""),
              ElementsAre(HasSubstr("traffic.t.size: is \"0 KB\", expected a size above zero")));
  EXPECT_THAT(wrong(poisson + "load = 0.5"), ElementsAre(HasSubstr("size is missing, expected a size")));
  EXPECT_THAT(wrong(poisson + "size = \"1 KB\"\nload = 0.5\nrate = \"1 Gbit/s\""),
              ElementsAre(HasSubstr("has both rate and load, expected only one of the two")));
  EXPECT_THAT(wrong(poisson + "size = \"1 KB\"\nload = 0.5\nscope = \"intra_rack\"\nsources = \"h0\"\ndestinations = "
                              "\"h2\""),
              ElementsAre(HasSubstr("traffic.t: no source has a destination in its scope")));
  const std::string incast = "kind = \"incast\"\nsize = \"1 KB\"\n";
  EXPECT_THAT(wrong(incast + "degree = 3\nevent_limit = 1"), ElementsAre(HasSubstr("destinations is missing")));
  EXPECT_THAT(wrong(incast + "degree = 3\ndestinations = \"h0\""),
              ElementsAre(HasSubstr("has no interval, expected interval, rate, load, or event_limit = 1")));
  // An invalid key is not also reported as missing.
  EXPECT_THAT(wrong(incast + "degree = 3\ndestinations = \"h0\"\ninterval = \"1 sec\""),
              ElementsAre(HasSubstr("has an unknown unit \"sec\"")));
  EXPECT_THAT(wrong(poisson + "size = \"1 KB\"\nrate = \"1 Gbps\""),
              ElementsAre(HasSubstr("has an unknown unit \"Gbps\"")));
  EXPECT_THAT(
      wrong(incast + "degree = 4\ndestinations = \"h0\"\nevent_limit = 1"),
      ElementsAre(HasSubstr("traffic.t.degree: is 4, but only 3 sources may send to \"h0\", expected at most 3")));
  EXPECT_THAT(wrong("kind = \"train\"\nsize = \"1 KB\"\nflows_per_train = 1\npairs = [[\"h0\", \"h0\"]]"),
              ElementsAre(HasSubstr("expected two different hosts")));
  EXPECT_THAT(wrong("kind = \"flows\""), ElementsAre(HasSubstr("has no flow, expected [[traffic.flow]] tables")));
  EXPECT_THAT(wrong(poisson + "size = { packets = [3, 2] }\nload = 0.1"),
              ElementsAre(HasSubstr("expected the minimum and maximum number of full packets per flow")));
  EXPECT_THAT(wrong(poisson + "size = { min = \"3 KB\", max = \"2 KB\" }\nload = 0.1"),
              ElementsAre(HasSubstr("traffic.t.size: min (3 KB) is above max (2 KB)")));
  EXPECT_THAT(wrong(poisson + "size = { fiel = \"x\" }\nload = 0.1"),
              ElementsAre(HasSubstr("traffic.t.size: expected a size (\"64 KB\"), a table")));
  EXPECT_THAT(wrong(poisson + "size = \"1 KB\"\nload = 0.1\nstart = \"2 us\"\nstop = \"1 us\""),
              ElementsAre(HasSubstr("traffic.t: stop is not after start")));
}

TEST(TrafficSection, ReadsEveryBuiltInTable) {
  for (const char* name : {"websearch", "fb_hadoop", "google", "memcached", "web_server"}) {
    EXPECT_THAT(wrong(std::string("kind = \"poisson\"\nload = 0.1\nflow_limit = 1\nsize = \"") + name + "\""),
                IsEmpty())
        << name;
  }
}

}  // namespace
}  // namespace weir::traffic_section_test
