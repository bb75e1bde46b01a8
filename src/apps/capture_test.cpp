// SPDX-License-Identifier: Apache-2.0
// Captured links: the file can be dissected by tshark, and capturing does not change the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "apps/test_commands.h"
#include "capture/test_tshark.h"

namespace weir::apps::capture_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Eight hosts send to one: PFC, CNPs, acknowledgements and data cross the captured links.
const std::string kIncast = R"([scenario]
title = "Incast"

[topology]
kind = "leaf_spine"
tors = 2
hosts_per_tor = 4
spines = 1
host_link = { rate = "100 Gbit/s", delay = "1 us" }
fabric_link = { rate = "400 Gbit/s", delay = "1 us" }

[switch]
buffer = "1 MB"
flow_control = "pfc"
congestion_point = "red"

[host]
congestion_control = "dcqcn"

[[traffic]]
name = "incast"
kind = "incast"
destinations = "h0"
degree = 7
size = "300 KB"
event_limit = 1

[run]
stop = "1 ms"
)";

const std::string kCapture = R"(
[capture]
links = ["h4 -> tor1", "tor1 -> h4", "tor0 -> h0", "tor0 -> h1", "h0 -> tor0"]
)";

class Capture : public Commands {
 protected:
  Capture() { write(kIncast + kCapture); }
  [[nodiscard]] std::filesystem::path out() const { return folder() / "out"; }
  [[nodiscard]] std::filesystem::path file_of_frames() const { return out() / "capture.pcapng"; }
  int compare_keeping() {
    RunCommand command = run_command();
    command.out = out().string();
    return capture([&] { return compare(command); });
  }
  /// The lines that tshark prints for the file.
  [[nodiscard]] std::vector<std::string> tshark(const std::string& arguments) const {
    return captured::tshark(file_of_frames(), arguments);
  }
};

TEST_F(Capture, IsDissectedByTshark) {
  if (!captured::has_tshark()) GTEST_SKIP() << "tshark is not installed";
  ASSERT_EQ(compare_keeping(), kDone) << err_;
  EXPECT_THAT(tshark(captured::kMalformed), IsEmpty());
  const std::size_t frames = tshark("").size();
  EXPECT_GT(frames, 0U);
  EXPECT_EQ(tshark("-o eth.check_fcs:TRUE -Y 'eth.fcs.status == 1'").size(), frames);
  EXPECT_EQ(tshark("-o ip.check_checksum:TRUE -Y 'ip.checksum.status == 1'").size(), tshark("-Y ip").size());
  std::map<std::string, int> seen;
  for (const std::string& line : tshark("-T fields -e frame.interface_name -e _ws.col.Protocol")) ++seen[line];
  EXPECT_GT(seen["h4 -> tor1\tRRoCE"], 0);
  EXPECT_GT(seen["tor0 -> h1\tMAC CTRL"], 0) << "no PAUSE";
  EXPECT_GT(seen["h0 -> tor0\tRRoCE"], 0);
  // First, middle and last packets of a message, acknowledgements, and CNPs.
  std::map<std::string, int> opcodes;
  for (const std::string& line : tshark("-Y infiniband -T fields -e infiniband.bth.opcode")) ++opcodes[line];
  EXPECT_EQ(opcodes["0"], 8) << "one message from h4, seven to h0";
  EXPECT_EQ(opcodes["2"], 8);
  EXPECT_GT(opcodes["1"], 0);
  EXPECT_GT(opcodes["17"], 0);
  EXPECT_GT(opcodes["129"], 0);
  // Datagrams to queue pairs 0 and 1 would be management datagrams.
  EXPECT_THAT(tshark("-Y 'infiniband.mad || infiniband.bth.destqp < 2'"), IsEmpty());
  EXPECT_FALSE(tshark("-Y 'infiniband.bth.destqp == 2'").empty());
  // The quanta of a PFC frame for priority 3.
  EXPECT_THAT(tshark("-Y 'macc.opcode == 0x0101' -T fields -e macc.cbfc.pause_time.c3"), Not(IsEmpty()));
}

TEST_F(Capture, ChangesNothing) {
  ASSERT_EQ(compare_keeping(), kDone) << err_;
  const auto digests = [this] { return out_.substr(out_.find("digest"), out_.find("report: ") - out_.find("digest")); };
  const std::string with = digests();
  EXPECT_THAT(err_, IsEmpty());
  write(kIncast);
  ASSERT_EQ(capture([&] { return compare(run_command()); }), kDone) << err_;
  EXPECT_EQ(digests(), with);
}

TEST_F(Capture, IsBounded) {
  write(kIncast + kCapture + "frame_limit = 10\nsnap_length = \"64 B\"\n");
  ASSERT_EQ(compare_keeping(), kDone) << err_;
  EXPECT_THAT(err_, HasSubstr("note: " + file_of_frames().string() + ": "));
  EXPECT_THAT(err_, HasSubstr(" further frames were not captured: capture.frame_limit is 10\n"));
  EXPECT_LT(std::filesystem::file_size(file_of_frames()), 10 * 128U + 1'000U);
}

TEST_F(Capture, NeedsAFolder) {
  EXPECT_EQ(capture([&] { return compare(run_command()); }), kDone);
  EXPECT_EQ(err_, "note: capture: no frames are captured without --out, which names the results folder\n");
}

}  // namespace
}  // namespace weir::apps::capture_test
