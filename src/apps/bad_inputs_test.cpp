// SPDX-License-Identifier: Apache-2.0
// Inputs that are certainly wrong: all errors are reported at once, each with its position, its key and what was
// expected; the status is 2, and nothing is written. For folders that cannot hold results see results_test.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/console.h"
#include "apps/test_commands.h"
#include "scenario/scheme_slot.h"

namespace weir::apps::bad_inputs_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Four hosts under two switches, and one flow.
const std::string kListed = R"([scenario]
title = "Four hosts"

[topology]
kind = "leaf_spine"
tors = 2
hosts_per_tor = 2
spines = 1
host_link = { rate = "100 Gbit/s", delay = "1 us" }
fabric_link = { rate = "100 Gbit/s", delay = "1 us" }

[switch]
buffer = "12 MB"
flow_control = "pfc"
congestion_point = "red"
[host]
congestion_control = "dcqcn"

[[traffic]]
name = "pair"
kind = "flows"
flow = [
  { source = "h0", destination = "h2", size = "10 KB" },
]

[run]
stop = "1 ms"
)";

/// An explicit network.
const std::string kByHand = R"([scenario]
title = "By hand"

[topology]
kind = "explicit"
hosts = ["a", "b", "c"]
switches = ["left", "right"]
link = [
  { between = ["a", "left"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["b", "left"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["c", "right"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["left", "right"], rate = "100 Gbit/s", delay = "1 us" },
]

[[traffic]]
name = "pair"
kind = "flows"
flow = [{ source = "a", destination = "c", size = "10 KB" }]

[run]
stop = "1 ms"
)";

using Changes = std::vector<std::pair<std::string, std::string>>;
using Files = std::map<std::string, std::string>;

/// `text` with the only occurrence of each first replaced by its second.
std::string changed(std::string text, const Changes& changes) {
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at == std::string::npos) continue;
    EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from << " occurs twice";
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Replaces what kListed contains about its traffic after the name.
Changes traffic(const std::string& keys) {
  return {{R"(kind = "flows"
flow = [
  { source = "h0", destination = "h2", size = "10 KB" },
]
)",
           keys}};
}
const Changes kFlowFile = traffic("kind = \"file\"\npath = \"flows.txt\"\n");
const Changes kSizeFile = traffic("kind = \"poisson\"\nload = 0.5\nsize = { file = \"sizes.txt\" }\n");

struct BadInput {
  const char* name;
  std::string text;
  Changes changes;
  std::vector<std::string> errors;  ///< the lines of stderr, without the folder
  Files files = {};                 ///< next to the scenario
};

void PrintTo(const BadInput& input, std::ostream* out) {
  *out << input.name;
}

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) names.insert(entry.path().string());
  return names;
}

/// Commands whose scenario refers to other files.
class Inputs : public Commands {
 protected:
  void give(const std::string& text, const Files& files = {}) {
    write(text);
    for (const auto& [name, content] : files) std::ofstream(folder() / name, std::ios::binary) << content;
  }
  /// What was printed on stderr, without the folder.
  [[nodiscard]] std::string errors() const {
    const std::string prefix = folder().string() + "/";
    std::string text = err_;
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
  }
  int compare_capturing() {
    return capture([&] { return compare(run_command()); });
  }
};

class BadInputs : public Inputs, public testing::WithParamInterface<BadInput> {};

TEST_P(BadInputs, AreRefusedWithAllThatIsWrong) {
  give(changed(GetParam().text, GetParam().changes), GetParam().files);
  std::string expected;
  for (const std::string& error : GetParam().errors) expected += error + "\n";
  const std::set<std::string> before = names_in(folder());
  RunCommand keeping = run_command();
  keeping.out = (folder() / "out").string();
  for (const auto& command : {compare, run}) {
    EXPECT_EQ(capture([&] { return command(keeping); }), kWrongInput);
    EXPECT_EQ(errors(), expected);
    EXPECT_THAT(out_, IsEmpty());
    EXPECT_EQ(names_in(folder()), before);
  }
  EXPECT_EQ(capture([&] { return check(keeping.scenario, false, false); }), kWrongInput);
  EXPECT_EQ(errors(), expected);
}

std::string name_of(const testing::TestParamInfo<BadInput>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Keys, BadInputs,
    testing::Values(
        BadInput{"UnknownKey",
                 kListed,
                 {{"buffer =", "bufer ="}},
                 {"s.toml:13:1: switch.bufer: unknown key (did you mean \"buffer\"?)"}},
        BadInput{"UnknownKeyNearNone",
                 kListed,
                 {{"stop =", "until ="}},
                 {"s.toml:27:1: run.until: unknown key, expected one of seeds, seed, stop, drain, drain_limit, "
                  "frame_capacity"}},
        BadInput{"UnknownSection",
                 kListed,
                 {{"[host]", "[hosts]"}},
                 {"s.toml:16:2: hosts: unknown key (did you mean \"host\"?)"}},
        BadInput{"UnknownKeyOfAVariant",
                 kListed + "\n[variants.small]\nswitch.bufer = \"6 MB\"\n",
                 {},
                 {"s.toml:30:8: switch.bufer: unknown key (did you mean \"buffer\"?)"}},
        BadInput{"MissingKey",
                 kListed,
                 {{"spines = 1\n", ""}},
                 {"s.toml:4:2: topology.spines: is missing, expected an integer: number of spine switches"}},
        BadInput{"DuplicateKey",
                 kListed,
                 {{"tors = 2", "tors = 2\ntors = 3"}},
                 {"s.toml:7:8: error while parsing key-value pair: cannot redefine existing integer 'tors'; the rest "
                  "of the file was not read"}},
        BadInput{"DuplicateVariant",
                 kListed + "\n[variants.a]\n\n[variants.a]\n",
                 {},
                 {"s.toml:31:1: error while parsing table header: cannot redefine existing table 'variants.a'; the "
                  "rest of the file was not read"}},
        BadInput{"UnknownScheme",
                 kListed,
                 {{"\"dcqcn\"", "\"dcqn\""}},
                 {"s.toml:17:22: host.congestion_control.scheme: unknown scheme \"dcqn\", expected one of " +
                  schemes_in(scheme_role::kCongestionControl) + " (did you mean \"dcqcn\"?)"}},
        BadInput{"SchemeOfAnotherRole",
                 kListed,
                 {{"\"pfc\"", "\"dcqcn\""}},
                 {"s.toml:14:16: switch.flow_control.0.scheme: scheme \"dcqcn\" cannot be used as flow control, "
                  "expected one "
                  "of " +
                  schemes_in(scheme_role::kFlowControl)}},
        BadInput{"UnknownParameter",
                 kListed,
                 {{"\"pfc\"", "{ scheme = \"pfc\", quant = 3 }"}},
                 {"s.toml:14:34: switch.flow_control.0.quant: unknown key (did you mean \"quanta\"?)"}},
        BadInput{"UnknownKind",
                 kListed,
                 {{"\"flows\"", "\"flow\""}},
                 {"s.toml:21:8: traffic.pair.kind: is \"flow\", expected one of \"poisson\", \"open_loop\", "
                  "\"incast\", \"train\", \"closed_loop\", \"all_to_all\", \"permutation\", \"flows\", \"file\" (did "
                  "you mean \"flows\"?)"}},
        BadInput{
            "EverythingAtOnce",
            kListed,
            {{"tors = 2", "tors = 0"}, {"\"12 MB\"", "\"12\""}, {"flow_control =", "flow_contrl ="}, {"\"1 ms\"", "1"}},
            {"s.toml:6:8: topology.tors: is 0, expected at least 1 and at most 1000000",
             "s.toml:13:10: switch.buffer: \"12\" has no unit, expected one of B, KB, KiB, MB, MiB, GB, GiB, TB, "
             "TiB",
             "s.toml:14:1: switch.flow_contrl: unknown key (did you mean \"flow_control\"?)",
             "s.toml:27:8: run.stop: is 1, expected a time with its unit, such as \"50 us\""}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Values, BadInputs,
    testing::Values(
        BadInput{"MissingUnit",
                 kListed,
                 {{"\"12 MB\"", "\"12\""}},
                 {"s.toml:13:10: switch.buffer: \"12\" has no unit, expected one of B, KB, KiB, MB, MiB, GB, GiB, TB, "
                  "TiB"}},
        BadInput{"NumberWithoutUnit",
                 kListed,
                 {{"\"12 MB\"", "12"}},
                 {"s.toml:13:10: switch.buffer: is 12, expected a size with its unit, such as \"12 MB\""}},
        BadInput{"WrongUnit",
                 kListed,
                 {{"\"1 ms\"", "\"1 Ms\""}},
                 {"s.toml:27:8: run.stop: \"1 Ms\" has an unknown unit \"Ms\", expected one of ps, ns, us, ms, s (did "
                  "you mean \"1 ms\"?)"}},
        BadInput{"UnitOfAnotherAmount",
                 kListed,
                 {{"\"12 MB\"", "\"12 us\""}},
                 {"s.toml:13:10: switch.buffer: \"12 us\" has an unknown unit \"us\", expected one of B, KB, KiB, MB, "
                  "MiB, GB, GiB, TB, TiB"}},
        BadInput{"OutOfRange",
                 kListed,
                 {{"[host]", "[host]\npayload = 100000"}},
                 {"s.toml:17:11: host.payload: is 100000, expected at least 1 and at most 9000"}},
        BadInput{"BeyondAllIntegers",
                 kListed,
                 {{"tors = 2", "tors = 99999999999999999999"}},
                 {"s.toml:6:28: error while parsing decimal integer: '99999999999999999999' is not representable in 64 "
                  "bits; the rest of the file was not read"}},
        BadInput{"BeyondAllSizes",
                 kListed,
                 {{"\"12 MB\"", "\"99999999999 GB\""}},
                 {"s.toml:13:10: switch.buffer: \"99999999999 GB\" is too large, at most 2^61-1 bytes"}},
        BadInput{"NotANumber",
                 kListed,
                 traffic("kind = \"poisson\"\nload = nan\nsize = \"64 KB\"\n"),
                 {"s.toml:22:8: traffic.pair.load: is nan, expected a finite number"}},
        BadInput{"TextForAnInteger",
                 kListed,
                 {{"tors = 2", "tors = \"two\""}},
                 {"s.toml:6:8: topology.tors: is \"two\", expected an integer"}},
        BadInput{"FractionForAnInteger",
                 kListed,
                 {{"[host]", "[host]\npayload = 1.5"}},
                 {"s.toml:17:11: host.payload: is 1.5, expected an integer"}},
        BadInput{"TextForATruth",
                 kListed,
                 {{"[run]", "[run]\ndrain = \"yes\""}},
                 {"s.toml:27:9: run.drain: is \"yes\", expected true or false"}},
        BadInput{"TextForATable",
                 kListed,
                 {{"host_link = { rate = \"100 Gbit/s\", delay = \"1 us\" }", "host_link = \"100 Gbit/s\""}},
                 {"s.toml:4:2: topology.host_link.delay: is missing, expected a duration with its unit, such as \"600 "
                  "ns\": propagation delay, one way",
                  "s.toml:4:2: topology.host_link.rate: is missing, expected a rate with its unit, such as \"100 "
                  "Gbit/s\": rate of each direction",
                  "s.toml:9:13: topology.host_link: is \"100 Gbit/s\", expected a table"}},
        BadInput{"PriorityThatDoesNotExist",
                 kListed,
                 {{"buffer =", "lossless = [3, 8]\nbuffer ="}, {"size =", "priority = 8, size ="}},
                 {"s.toml:13:16: switch.lossless.1: is 8, expected at least 0 and at most 7",
                  "s.toml:24:51: traffic.pair.flow.0.priority: is 8, expected at least 0 and at most 7"}}),
    name_of);

/// Names nested by dots, whose depth TOML does not limit.
std::string nested(std::size_t depth) {
  std::string text = "a";
  for (std::size_t i = 0; i < depth; ++i) text += ".a";
  return text + " = 1\n";
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadInputs,
    testing::Values(
        BadInput{"Empty", "", {}, {"s.toml: is empty, expected a scenario (TOML)"}},
        BadInput{"Blank", " \n\t\n", {}, {"s.toml: is empty, expected a scenario (TOML)"}},
        BadInput{"Binary",
                 std::string("\x7f\x45LF\x02\x01\x01\0\0", 9),
                 {},
                 {"s.toml: is not text, expected a scenario file (TOML)"}},
        BadInput{"NotUtf8",
                 kListed,
                 {{"Four hosts", "Four \xff hosts"}},
                 {"s.toml:2:14: encountered invalid utf-8 sequence; the rest of the file was not read"}},
        BadInput{"NotToml",
                 kListed,
                 {{"tors = 2", "tors ="}},
                 {"s.toml:6:7: error while parsing key-value pair: expected value, saw '\\n'; the rest of the file was "
                  "not read"}},
        BadInput{"ListsInLists",
                 "a = " + std::string(100'000, '['),
                 {},
                 {"s.toml:1:261: error while parsing value: exceeded maximum nested value depth of 256 "
                  "(TOML_MAX_NESTED_VALUES); the rest of the file was not read"}},
        BadInput{"NamesInNames",
                 "[scenario]\n" + nested(50'000),
                 {},
                 {"s.toml:2:1: a key of more than 16 parts, expected at most 16; the rest of the file was not read"}},
        BadInput{
            "OfAnotherKind",
            "#!/bin/sh\n# nothing here\n",
            {},
            {"s.toml:1:1: has no traffic, expected [[traffic]] tables",
             "s.toml:1:1: scenario.title: is missing, expected a string: title of the scenario",
             "s.toml:1:1: topology.kind: is missing, expected one of \"single_switch\", \"dumbbell\", \"leaf_spine\", "
             "\"fat_tree\", \"clos\", \"two_data_centres\", \"file\", \"explicit\": kind of topology"}},
        BadInput{"OfAHundredMegabytes",
                 std::string(100'000'000, '#'),
                 {},
                 {"s.toml: is larger than 4 MiB, expected a scenario; put long lists of flows, sizes or links into "
                  "separate files (kind = \"file\")"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Networks, BadInputs,
    testing::Values(
        BadInput{"DuplicateName",
                 kByHand,
                 {{"\"b\", \"c\"]", "\"b\", \"c\", \"b\"]"}},
                 {"s.toml:6:25: topology.hosts: \"b\" is named twice, expected each node once"}},
        BadInput{"HostWithTheNameOfASwitch",
                 kByHand,
                 {{"\"right\"]\nlink", "\"right\", \"a\"]\nlink"}},
                 {"s.toml:7:30: topology.switches: \"a\" is named twice, expected each node once"}},
        BadInput{
            "LinkToAnUnknownNode",
            kByHand,
            {{"[\"b\", \"left\"]", "[\"b\", \"lft\"]"}, {"[\"a\", \"left\"]", "[\"xyz\", \"left\"]"}},
            {"s.toml:9:16: topology.link.0.between: \"xyz\" is neither a host nor a switch, expected the name of one",
             "s.toml:10:21: topology.link.1.between: \"lft\" is neither a host nor a switch, expected the name of one "
             "(did you mean \"left\"?)"}},
        BadInput{"EmptyName",
                 kByHand,
                 {{"\"b\", \"c\"]", "\"b\", \"c\", \"\"]"}},
                 {"s.toml:6:25: topology.hosts: is empty, expected a name"}},
        BadInput{"HostWithoutLink",
                 kByHand,
                 {{"\"b\", \"c\"]", "\"b\", \"c\", \"d\"]"}},
                 {"s.toml:6:25: topology.hosts: \"d\" has no link, expected one"}},
        BadInput{"SwitchWithoutLink",
                 kByHand,
                 {{"\"left\", \"right\"]\n", "\"left\", \"right\", \"lone\"]\n"}},
                 {"s.toml:7:30: topology.switches: \"lone\" has no link, expected at least one"}},
        BadInput{"LinkToItself",
                 kByHand,
                 {{"between = [\"left\", \"right\"]", "between = [\"left\", \"left\"]"}},
                 {"s.toml:12:15: topology.link.3.between: joins \"left\" to itself, expected two nodes"}},
        BadInput{
            "LinkBetweenHosts",
            kByHand,
            {{"between = [\"left\", \"right\"]", "between = [\"a\", \"c\"]"}},
            {"s.toml:12:15: topology.link.3.between: joins the hosts \"a\" and \"c\", expected a switch at one end"}},
        BadInput{"PriorityNamedTwice",
                 kListed,
                 {{"buffer =", "lossless = [3, 3]\nbuffer ="}},
                 {"s.toml:13:16: switch.lossless: 3 is named twice, expected each priority once"}},
        BadInput{"UnreachablePair",
                 kByHand,
                 {{"  { between = [\"left\", \"right\"], rate = \"100 Gbit/s\", delay = \"1 us\" },\n", ""}},
                 {"s.toml:4:2: topology: hosts a and c cannot reach each other"}},
        BadInput{"HostWithTwoLinks",
                 kByHand,
                 {{"  { between = [\"left\", \"right\"]",
                   "  { between = [\"a\", \"right\"], rate = \"100 Gbit/s\", delay = \"1 us\" },\n  { between = "
                   "[\"left\", \"right\"]"}},
                 {"s.toml:12:15: topology.link.3.between: gives host \"a\" more than one link, expected one"}},
        BadInput{"TooLarge",
                 kListed,
                 {{"tors = 2", "tors = 60000"}, {"hosts_per_tor = 2", "hosts_per_tor = 60000"}},
                 {"s.toml:4:2: topology: 3600060001 nodes, expected at most 1000000",
                  "s.toml:4:2: topology: 3600060000 links, expected at most 10000000"}},
        BadInput{
            "RateThatNoClockCanExpress",
            kListed,
            {{"host_link = { rate = \"100 Gbit/s\"", "host_link = { rate = \"1000000 Tbit/s\""},
             {"fabric_link = { rate = \"100 Gbit/s\"", "fabric_link = { rate = \"1 bit/s\""}},
            {"s.toml:9:22: topology.host_link.rate: is \"1000000 Tbit/s\", expected at least 1 Mbit/s and at most 8 "
             "Tbit/s",
             "s.toml:10:24: topology.fabric_link.rate: is \"1 bit/s\", expected at least 1 Mbit/s and at most 8 "
             "Tbit/s"}},
        BadInput{"RateThatASchemeCannotExpress",
                 kListed,
                 {{"\"dcqcn\"", "{ scheme = \"dcqcn\", minimum_rate = \"1 bit/s\" }"}},
                 {"s.toml:17:57: host.congestion_control.minimum_rate: is \"1 bit/s\", expected at least 10 kbit/s and "
                  "at most 1 Tbit/s"}},
        BadInput{"DelayOfNoCable",
                 kListed,
                 {{"host_link = { rate = \"100 Gbit/s\", delay = \"1 us\"",
                   "host_link = { rate = \"100 Gbit/s\", delay = \"1000000 s\""}},
                 {"s.toml:9:44: topology.host_link.delay: is \"1000000 s\", expected at most 1 s"}},
        BadInput{"HeadroomLargerThanTheBuffer",
                 kListed,
                 {{"\"12 MB\"", "\"12 MB\"\nheadroom = \"20 MB\""}},
                 {"s.toml:13:10: switch.buffer: 2 switches like tor0: headroom (60 MB) and reserve (0 B) of 3 ports "
                  "use up the buffer of 12 MB, expected a larger buffer, fewer lossless priorities or less headroom",
                  "s.toml:13:10: switch.buffer: spine0: headroom (40 MB) and reserve (0 B) of 2 ports use up the "
                  "buffer of 12 MB, expected a larger buffer, fewer lossless priorities or less headroom"}},
        BadInput{"BufferThatCannotBe",
                 kListed,
                 {{"\"12 MB\"",
                   "\"2000 TB\"\nheadroom = \"2000 TB\"\nreserve = \"2000 TB\"\ncontrol_reserve = "
                   "\"2000 TB\""}},
                 {"s.toml:13:10: switch.buffer: is \"2000 TB\", expected above 0 B and at most 1000 TB",
                  "s.toml:14:12: switch.headroom: is \"2000 TB\", expected at most 1000 TB",
                  "s.toml:15:11: switch.reserve: is \"2000 TB\", expected at most 1000 TB",
                  "s.toml:16:19: switch.control_reserve: is \"2000 TB\", expected at most 1000 TB"}},
        BadInput{
            "HeadroomBeyondAllIntegers",
            kListed,
            {{"\"12 MB\"", "\"12 MB\"\nheadroom = { rate_delay = 1e300 }"}},
            {"s.toml:13:10: switch.buffer: 2 switches like tor0: headroom (9223372036854775.807 KB) and reserve (0 B) "
             "of 3 ports use up the buffer of 12 MB, expected a larger buffer, fewer lossless priorities or less "
             "headroom",
             "s.toml:13:10: switch.buffer: spine0: headroom (9223372036854775.807 KB) and reserve (0 B) of 2 ports use "
             "up the buffer of 12 MB, expected a larger buffer, fewer lossless priorities or less headroom"}},
        BadInput{"StopBeyondAllTime",
                 kListed,
                 {{"stop = \"1 ms\"", "stop = \"9223372 s\"\ndrain_limit = \"1000 s\""}},
                 {"s.toml:27:8: run.stop: \"9223372 s\" is too large, at most 2^61-1 picoseconds"}},
        BadInput{"StopBeyondAllEvents",
                 kListed,
                 {{"stop = \"1 ms\"", "stop = \"2305843.00921 s\""}},
                 {"s.toml:27:8: run.stop: is 2305843009.21 ms, expected less than 2305843.009 s, the maximum run time "
                  "of a network of this size"}},
        BadInput{"StopAndDrainBeyondAllEvents",
                 kListed,
                 {{"stop = \"1 ms\"", "stop = \"2305843 s\"\ndrain_limit = \"2305843 s\""}},
                 {"s.toml:28:15: run.drain_limit: is 2305843 s after stop, which is 2305843 s, expected less than "
                  "2305843.009 s, the maximum run time of a network of this size"}},
        BadInput{"DrainBeyondAllEvents",
                 kListed,
                 {{"stop = \"1 ms\"", "drain_limit = \"2305843.00921 s\""}},
                 {"s.toml:27:15: run.drain_limit: is 2305843009.21 ms, expected less than 2305843.009 s, the maximum "
                  "run time of a network of this size"}},
        BadInput{"SampleIntervalBeyondAllEvents",
                 kListed + "\n[measure]\nsample_interval = \"2305843.009213693 s\"\n",
                 {},
                 {"s.toml:30:19: measure.sample_interval: is 2305843009213.693 us, expected less than "
                  "2305843009213693.951 ns, the maximum time between events in a network of this size"}},
        BadInput{"FailureOfAnUnknownLink",
                 kListed + "\n[[failure]]\nbetween = [\"tor0\", \"spin0\"]\ndown = \"10 us\"\n",
                 {},
                 {"s.toml:30:20: failure.0.between: unknown node \"spin0\" (did you mean \"spine0\"?)"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Traffic, BadInputs,
    testing::Values(
        BadInput{"DuplicateName",
                 kListed + "\n[[traffic]]\nname = \"pair\"\nkind = \"permutation\"\nsize = \"1 KB\"\n",
                 {},
                 {"s.toml:30:8: traffic.pair.name: other traffic is also named \"pair\", expected a unique name"}},
        BadInput{"FlowToItself",
                 kListed,
                 {{"\"h2\"", "\"h0\""}},
                 {"s.toml:23:34: traffic.pair.flow.0.destination: \"h0\" is the source, expected another host"}},
        BadInput{"FlowToASwitch",
                 kListed,
                 {{"\"h2\"", "\"tor1\""}},
                 {"s.toml:23:34: traffic.pair.flow.0.destination: \"tor1\" is a switch, expected a host"}},
        BadInput{"FlowToNobody",
                 kListed,
                 {{"\"h2\"", "\"h9\""}},
                 {"s.toml:23:34: traffic.pair.flow.0.destination: unknown node \"h9\" (did you mean \"h0\"?)"}},
        BadInput{"FlowOfSizeZero",
                 kListed,
                 {{"\"10 KB\"", "\"0 B\""}},
                 {"s.toml:23:47: traffic.pair.flow.0.size: is \"0 B\", expected a size above zero"}},
        BadInput{"FlowOfNegativeSize",
                 kListed,
                 {{"\"10 KB\"", "\"-1 B\""}},
                 {"s.toml:23:47: traffic.pair.flow.0.size: \"-1 B\" is below zero, expected at least 0 B"}},
        BadInput{"FlowOfTooManyPackets",
                 kListed,
                 {{"\"10 KB\"", "\"9000 TB\""}},
                 {"s.toml:23:3: traffic.pair.flow.0: has flows of 9000 TB, which is more than 2^31 - 1 packets of 1000 "
                  "B, expected at most 2147483.647 MB"}},
        BadInput{
            "FlowThatStartsAfterTheEnd",
            kListed,
            {{"size =", "start = \"1 ms\", size ="}},
            {"s.toml:19:1: traffic.pair: no flow starts before the run's stop at 1 ms, expected an earlier start"}},
        BadInput{
            "TrafficThatStartsAfterTheEnd",
            kListed,
            traffic("kind = \"poisson\"\nload = 0.5\nsize = \"64 KB\"\nstart = \"2 ms\"\n"),
            {"s.toml:19:1: traffic.pair: no flow starts before the run's stop at 1 ms, expected an earlier start"}},
        BadInput{"FlowThatStopsBeforeItsStart",
                 kListed,
                 {{"size =", "start = \"200 us\", stop = \"100 us\", size ="}},
                 {"s.toml:19:1: traffic.pair: flow 1: stops before it starts"}},
        BadInput{"OverloadThatNobodyIntended",
                 kListed,
                 traffic("kind = \"poisson\"\nsources = \"h0\"\ndestinations = \"h1\"\nload = 1.2\nsize = \"64 KB\"\n"),
                 {"s.toml:20:8: traffic.pair: link h0 -> tor0: the offered load is 1.303 times its rate (1.303 data, "
                  "0.000 acknowledgements) from 0 ps on, by pair; expected at most 1, or overload = \"intended\"",
                  "s.toml:20:8: traffic.pair: link tor0 -> h1: the offered load is 1.303 times its rate (1.303 data, "
                  "0.000 acknowledgements) from 0 ps on, by pair; expected at most 1, or overload = \"intended\""}},
        BadInput{"TrafficThatNeverEnds",
                 kListed,
                 {{"stop = \"1 ms\"\n", ""}, traffic("kind = \"poisson\"\nload = 0.5\nsize = \"64 KB\"\n").front()},
                 {"s.toml:1:1: pair never ends, expected run.stop, or a stop or limit of the traffic itself"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    FlowFiles, BadInputs,
    testing::Values(
        BadInput{"Missing", kListed, kFlowFile, {"s.toml:19:1: traffic.pair: flows.txt: no such file"}},
        BadInput{"Empty",
                 kListed,
                 kFlowFile,
                 {"s.toml:19:1: traffic.pair: flows.txt: is empty, expected the number of flows and the flows"},
                 {{"flows.txt", ""}}},
        BadInput{"NoFlows",
                 kListed,
                 kFlowFile,
                 {"s.toml:19:1: traffic.pair: flows.txt: has no flow, expected at least one"},
                 {{"flows.txt", "0\n"}}},
        BadInput{"Binary",
                 kListed,
                 kFlowFile,
                 {"s.toml:19:1: traffic.pair: flows.txt:1: a control character, expected text (is it a binary or a "
                  "compressed file?)"},
                 {{"flows.txt", std::string("\0\1\2", 3)}}},
        BadInput{"FewerThanAnnounced",
                 kListed,
                 kFlowFile,
                 {"s.toml:19:1: traffic.pair: flows.txt:1: 3 flows are announced, but 2 follow, expected as many"},
                 {{"flows.txt", "3\n0 2 3 100 1000 0.0001\n1 3 3 100 1000 0.0002\n"}}},
        BadInput{"MoreThanAnnounced",
                 kListed,
                 kFlowFile,
                 {"s.toml:19:1: traffic.pair: flows.txt:1: 1 flows are announced, but 2 follow, expected as many"},
                 {{"flows.txt", "1\n0 2 3 100 1000 0.0001\n1 3 3 100 1000 0.0002\n"}}},
        BadInput{"AfterTheEnd",
                 kListed,
                 kFlowFile,
                 {"s.toml:19:1: traffic.pair: no flow starts before the run's stop at 1 ms, expected an earlier start"},
                 {{"flows.txt", "1\n0 2 3 100 1000 2.0001\n"}}},
        BadInput{
            "EveryFlowWrong",
            kListed,
            kFlowFile,
            {"s.toml:19:1: traffic.pair: flows.txt:2: host 0 sends to itself, expected another destination",
             "s.toml:19:1: traffic.pair: flows.txt:3: destination 4 is not a host of the network",
             "s.toml:19:1: traffic.pair: flows.txt:4: size 0 is out of range, expected 1 to 9007199254740992",
             "s.toml:19:1: traffic.pair: flows.txt:5: size -5 is out of range, expected 1 to 9007199254740992",
             "s.toml:19:1: traffic.pair: flows.txt:6: pg 8 is out of range, expected 0 to 7",
             "s.toml:19:1: traffic.pair: flows.txt:7: start -0.1 s is negative",
             "s.toml:19:1: traffic.pair: flows.txt:8: 5 columns, expected 6"},
            {{"flows.txt",
              "7\n0 0 3 100 1 0\n1 4 3 100 1 0\n1 2 3 100 0 0\n1 2 3 100 -5 0\n1 2 8 100 1 0\n1 2 3 100 1 -0.1\n1 2 "
              "3 100 1\n"}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    SizeTables, BadInputs,
    testing::Values(
        BadInput{"Missing", kListed, kSizeFile, {"s.toml:23:1: traffic.pair.size: sizes.txt: no such file"}},
        BadInput{"NotMonotone",
                 kListed,
                 kSizeFile,
                 {"s.toml:23:1: traffic.pair.size: sizes.txt:3: size 500 is below that of the previous point, 1000, "
                  "expected sizes in ascending order",
                  "s.toml:23:1: traffic.pair.size: sizes.txt:4: probability 0.7 is below that of the previous point, "
                  "0.8, expected cumulative probabilities"},
                 {{"sizes.txt", "0 0\n1000 0.5\n500 0.8\n2000 0.7\n3000 1\n"}}},
        BadInput{"NotToTheEnd",
                 kListed,
                 kSizeFile,
                 {"s.toml:23:1: traffic.pair.size: sizes.txt:3: the last probability is 0.9, expected 1"},
                 {{"sizes.txt", "0 0\n1000 0.5\n3000 0.9\n"}}}),
    name_of);

/// Drops root's privileges during its lifetime, because root may read and write everything.
class AsNobody {
 public:
  AsNobody() : root_(geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    if (root_) {
      EXPECT_EQ(seteuid(kNobody), 0);
    }
  }
  ~AsNobody() {
    if (root_) {
      EXPECT_EQ(seteuid(0), 0);
    }
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  bool root_;
};

TEST_F(Inputs, ThatAreNotThere) {
  RunCommand command = run_command();
  command.scenario.file = (folder() / "other.toml").string();
  EXPECT_EQ(capture([&] { return compare(command); }), kWrongInput);
  EXPECT_EQ(errors(), "other.toml: no such file\n");
}

TEST_F(Inputs, ThatAreFolders) {
  RunCommand command = run_command();
  command.scenario.file = folder().string();
  EXPECT_EQ(capture([&] { return compare(command); }), kWrongInput);
  EXPECT_EQ(err_, folder().string() + ": is a directory, expected a scenario file (TOML)\n");
}

TEST_F(Inputs, ThatNobodyMayRead) {
  give(kListed);
  std::filesystem::permissions(file(), std::filesystem::perms::none);
  const AsNobody nobody;
  EXPECT_EQ(compare_capturing(), kWrongInput);
  EXPECT_EQ(errors(), "s.toml: cannot be read: Permission denied\n");
}

TEST_F(Inputs, InAFolderThatNobodyMayEnter) {
  give(kListed);
  std::filesystem::permissions(folder(), std::filesystem::perms::owner_all);
  const AsNobody nobody;
  if (geteuid() == getuid()) GTEST_SKIP() << "the owner may enter";
  EXPECT_EQ(compare_capturing(), kWrongInput);
  EXPECT_EQ(errors(), "s.toml: cannot be read: Permission denied\n");
}

TEST_F(Inputs, InAFolderThatNobodyMayWriteInto) {
  give(kListed);
  const std::filesystem::path out = folder() / "out";
  std::filesystem::create_directory(out);
  using std::filesystem::perms;
  std::filesystem::permissions(out, perms::owner_read | perms::owner_exec | perms::others_read | perms::others_exec);
  RunCommand command = run_command();
  command.out = out.string();
  {
    const AsNobody nobody;
    std::error_code error;
    if (!std::filesystem::exists(folder(), error)) GTEST_SKIP() << "others may not enter " << folder();
    EXPECT_EQ(capture([&] { return compare(command); }), kWrongInput);
  }
  EXPECT_EQ(errors(), "weir: out/results.sqlite: Permission denied\n");
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_THAT(names_in(out), IsEmpty());
}

/// The scenario, and the files that it names.
TEST_F(Inputs, MayBeginWithAByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  give(mark + changed(kListed, kFlowFile), {{"flows.txt", mark + "1\n0 2 3 100 1000 0.0001\n"}});
  EXPECT_EQ(compare_capturing(), kDone) << err_;
  give(mark + "\n");
  EXPECT_EQ(compare_capturing(), kWrongInput);
  EXPECT_EQ(errors(), "s.toml: is empty, expected a scenario (TOML)\n");
}

/// Conditions that would stop a run are found before it, by weir check too.
TEST_F(Inputs, ThatNoRunCanReachTheEndOf) {
  const auto refused = [&](const std::string& text, const std::string& why) {
    give(text);
    EXPECT_EQ(compare_capturing(), kWrongInput);
    EXPECT_THAT(errors(), HasSubstr(why));
    ScenarioCommand command;
    command.file = file();
    EXPECT_EQ(capture([&] { return check(command, false, false); }), kWrongInput);
    EXPECT_THAT(errors(), HasSubstr(why));
  };
  refused(changed(kListed,
                  {{"[run]\nstop = \"1 ms\"\n", ""}, {"size = \"10 KB\"", "size = \"10 KB\", start = \"2305843 s\""}}),
          ": traffic.pair: a flow starts at 2305843 s, expected before ");
  refused(kListed + "[variants." + std::string(101, 'v') + "]\n", ": has a name of 101 bytes, expected at most 100");
  refused(kListed + "[variants.\"\\u001b[2J\"]\n",
          ": has a name with a control character, expected printable characters");
}

TEST_F(Inputs, AreBoundedInNumber) {
  std::string variants = kListed;
  for (int i = 0; i <= 10'000; ++i) variants += "[variants.v" + std::to_string(i) + "]\n";
  give(variants);
  EXPECT_EQ(compare_capturing(), kWrongInput);
  EXPECT_THAT(errors(),
              HasSubstr(": variants: are 10001, expected at most 10000 at once; --variant selects some of them"));
  for (const char* kind : {"closed_loop", "train"}) {
    give(changed(kListed, traffic(std::string("kind = \"") + kind +
                                  "\"\nsize = \"1 KB\"\npairing = \"random\"\ncount = 10000000\n")));
    EXPECT_EQ(compare_capturing(), kWrongInput);
    EXPECT_THAT(errors(), HasSubstr("traffic.pair.count: is 10000000 destinations for each of 4 sources, expected at "
                                    "most 2097152 pairs in total, which is 524288 per source"));
  }
  give(changed(kListed, traffic("kind = \"closed_loop\"\nsize = \"1 KB\"\npairing = \"all\"\noutstanding = "
                                "1000000\n")));
  EXPECT_EQ(compare_capturing(), kWrongInput);
  EXPECT_THAT(
      errors(),
      HasSubstr(
          "traffic.pair.outstanding: is 1000000 messages for each of 12 pairs, expected at most 2097152 in total"));
}

TEST_F(Inputs, CannotCommandATerminal) {
  give(changed(kListed, {{"\"Four hosts\"", "\"Four \\u001b[31mhosts\\u009b\""}}));
  ASSERT_EQ(compare_capturing(), kDone) << err_;
  EXPECT_THAT(out_, HasSubstr("Four \\x1b[31mhosts\\u009b\n"));
  RunCommand command = run_command();
  command.scenario.file = (folder() / "none\x1b[2J\a.toml").string();
  EXPECT_EQ(capture([&] { return compare(command); }), kWrongInput);
  EXPECT_THAT(err_, HasSubstr("none\\x1b[2J\\x07.toml: no such file\n"));
  EXPECT_EQ(printable("caf\xc3\xa9\ttab\nline \xc2\xb5s"), "caf\xc3\xa9\ttab\nline \xc2\xb5s");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x81\xa6"
                      "c \xe2\x80\x93"),
            "a\\u202eb\\u2066c \xe2\x80\x93");
}

TEST_F(Inputs, OnTheCommandLine) {
  give(kListed);
  RunCommand command = run_command();
  command.scenario.options.set = {"switch.bufer=12 MB", "run.stop=1", "nothing"};
  command.scenario.options.variants = {"small"};
  EXPECT_EQ(capture([&] { return compare(command); }), kWrongInput);
  EXPECT_EQ(errors(),
            "--set nothing: is not an assignment, expected key=value, such as switch.buffer=\"12 MB\"\n--set "
            "run.stop=1: run.stop: is 1, expected a time with its unit, such as \"50 us\"\n--set switch.bufer=12 MB: "
            "switch.bufer: unknown key (did you mean \"buffer\"?)\n--variant small: unknown variant; the scenario has "
            "no variants\n");
}

TEST_F(Inputs, WithFlowsOutOfOrderAreSortedAndThatIsSaid) {
  const std::string text = changed(kListed, kFlowFile);
  give(text, {{"flows.txt", "2\n1 3 3 100 1000 0.0001\n0 2 3 100 1000 0.0002\n"}});
  ASSERT_EQ(compare_capturing(), kDone) << err_;
  EXPECT_THAT(err_, IsEmpty());
  const std::string sorted = out_;
  give(text, {{"flows.txt", "2\n0 2 3 100 1000 0.0002\n1 3 3 100 1000 0.0001\n"}});
  ASSERT_EQ(compare_capturing(), kDone) << err_;
  EXPECT_EQ(errors(), "note: flows.txt: the flows are not in order of start; they were sorted\n");
  EXPECT_EQ(out_, sorted);
}

TEST_F(Inputs, WithFlowsBeyondTheEndSaySo) {
  give(changed(kListed, kFlowFile),
       {{"flows.txt", "3\n0 2 3 100 1000 0.0001\n1 3 3 100 1000 0.001\n1 3 3 100 1000 0.002\n"}});
  ASSERT_EQ(compare_capturing(), kDone) << err_;
  EXPECT_EQ(errors(), "note: pair: 2 of 3 flows start at or after the run's stop at 1 ms and are ignored\n");
}

TEST_F(Inputs, WithAFlowOfFiveGigabytesWork) {
  give(changed(kListed, {{"\"10 KB\"", "\"5 GB\""},
                         {"[host]", "[host]\npayload = 9000\nacknowledge_every = 64"},
                         {"congestion_control = \"dcqcn\"\n", ""},
                         {"\"1 ms\"", "\"1 s\""}}));
  RunCommand command = run_command();
  command.out = (folder() / "out").string();
  ASSERT_EQ(capture([&] { return compare(command); }), kDone) << err_;
  EXPECT_THAT(err_, IsEmpty());
  // source, destination, ports, size, start, FCT and ideal FCT in ns: 5 GB take 0.4 s at 100 Gbit/s.
  EXPECT_THAT(content(folder() / "out" / "fct.txt"), HasSubstr(" 5000000000 0 40"));
}

}  // namespace
}  // namespace weir::apps::bad_inputs_test
