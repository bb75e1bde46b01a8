// SPDX-License-Identifier: Apache-2.0
#include "scenario/real_nic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario/test_real.h"

namespace weir::real_nic_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_real::kTraffic;
using testing_real::with;

const std::string kNetwork = testing_real::star(2, "rate = \"1 Gbit/s\", delay = \"1 us\"", "640 KB");

const std::string kNics = R"([[nic]]
host = "h1"
device = "net_ring0"
host_device = "net_ring1"
queue = "30 KB"
flows = 7
[[nic]]
host = "h0"
device = "net_ring2"
[[neighbour]]
host = "h0"
mac = "52:54:00:00:00:01"
)";

std::vector<std::string> errors_of(const std::string& text) {
  return read_real_nics(text, "nics.toml").errors;
}

TEST(RealNic, HasDevicesByHost) {
  const RealNicFile file = read_real_nics(kNetwork + kNics, "nics.toml");
  ASSERT_THAT(file.errors, IsEmpty());
  const RealNics& real = file.real;
  ASSERT_EQ(real.nics.size(), 2u);
  EXPECT_EQ(real.nics[0].host, HostId(1));
  EXPECT_EQ(real.nics[0].device, "net_ring0");
  EXPECT_EQ(real.nics[0].host_device, "net_ring1");
  EXPECT_EQ(real.nics[0].queue, Bytes(30'000));
  EXPECT_EQ(real.nics[0].flows, 7u);
  EXPECT_EQ(real.nics[1].host_device, "");
  EXPECT_EQ(real.nics[1].queue, Bytes(100'000));
  EXPECT_FALSE(real.has_traffic);
  EXPECT_EQ(real.packets, 16'384u);
  ASSERT_EQ(real.neighbours.size(), 1u);
}

TEST(RealNic, MaySendTrafficItself) {
  const RealNicFile file =
      read_real_nics(kNetwork + kNics + kTraffic + "[real]\ntraffic_after = \"2 s\"\n", "nics.toml");
  ASSERT_THAT(file.errors, IsEmpty());
  EXPECT_TRUE(file.real.has_traffic);
  EXPECT_EQ(file.real.traffic_after, Duration::picoseconds(2'000'000'000'000));
  EXPECT_EQ(file.real.settings.traffic(1).size(), 1u);
}

TEST(RealNic, ErrorsNameFileLineAndKey) {
  EXPECT_THAT(errors_of(kNetwork), ElementsAre(AllOf(HasSubstr("nics.toml"), HasSubstr("has no NIC"))));
  EXPECT_THAT(errors_of(kNetwork + with(kNics, "\"h1\"", "\"h7\"")), Contains(HasSubstr("nics.toml:11:8: ")));
  EXPECT_THAT(errors_of(kNetwork + with(kNics, "\"h1\"", "\"h0\"")),
              ElementsAre(AllOf(HasSubstr("nics.toml:17:8: "), HasSubstr("already has a NIC"))));
  EXPECT_THAT(errors_of(kNetwork + with(kNics, "device = \"net_ring0\"\n", "")), Contains(HasSubstr("device")));
  EXPECT_THAT(errors_of(kNetwork + with(kNics, "30 KB", "1 KB")), Contains(HasSubstr("nics.toml:14:9: ")));
  EXPECT_THAT(errors_of(kNetwork + with(kNics, "flows = 7", "flow = 7")),
              ElementsAre(AllOf(HasSubstr("flow"), HasSubstr("flows"))));
  EXPECT_THAT(errors_of(kNetwork + with(kNics, "52:54", "5254")), Contains(HasSubstr("MAC address")));
}

TEST(RealNic, ADeviceIsOpenedOnce) {
  EXPECT_THAT(errors_of(kNetwork + with(kNics, "net_ring2", "net_ring1,iface=b")),
              ElementsAre(AllOf(HasSubstr("nics.toml:18:10: "), HasSubstr("\"net_ring1\" is used above"))));
}

TEST(RealNic, TrafficNeedsANicForEachHost) {
  const std::string one = "[[nic]]\nhost = \"h0\"\ndevice = \"net_ring0\"\n";
  EXPECT_THAT(errors_of(kNetwork + one + kTraffic), ElementsAre(HasSubstr("\"h1\" has none")));
}

TEST(RealNic, HostsNeedCongestionControlWithoutAcknowledgements) {
  for (const char* scheme : {"dctcp", "timely", "hpcc"}) {
    EXPECT_THAT(errors_of(with(kNetwork, "line_rate", scheme) + kNics),
                Contains(AllOf(HasSubstr("nics.toml:9:1: host.congestion_control"), HasSubstr("acknowledgements"))));
    EXPECT_THAT(errors_of(with(kNetwork, "line_rate", scheme) + with(kNics, "host_device = \"net_ring1\"\n", "")),
                IsEmpty())
        << "the messages of a NIC have acknowledgements";
  }
  for (const char* scheme : {"dcqcn", "rocc", "qcn", "line_rate"}) {
    EXPECT_THAT(errors_of(with(kNetwork, "line_rate", scheme) + kNics), IsEmpty()) << scheme;
  }
  EXPECT_THAT(errors_of(with(kNetwork, "congestion_control = \"line_rate\"", "transport = \"ndp\"") + kNics),
              Contains(HasSubstr("host.transport")));
}

TEST(RealNic, HostsCannotCarryTheHeadersOfAFlowControl) {
  const std::string network = with(kNetwork, "\"pfc\"", "\"bfc\"");
  EXPECT_THAT(errors_of(network + kNics),
              Contains(AllOf(HasSubstr("nics.toml:7:1: switch.flow_control"), HasSubstr("\"bfc\""))));
  EXPECT_THAT(errors_of(network + with(kNics, "host_device = \"net_ring1\"\n", "")), IsEmpty());
}

TEST(RealNic, IdealSchemesAndOtherFramesAreRefused) {
  EXPECT_THAT(errors_of(with(kNetwork, "\"pfc\"", "\"ideal_fq\"") + kNics), Contains(HasSubstr("is ideal")));
  EXPECT_THAT(errors_of(kNetwork + "framing = \"hpcc_simulator\"\n" + kNics), Contains(HasSubstr("host.framing")));
}

}  // namespace
}  // namespace weir::real_nic_test
