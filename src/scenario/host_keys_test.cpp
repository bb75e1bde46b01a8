// SPDX-License-Identifier: Apache-2.0
// Receive buffers in [host] and [[host.group]].
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenario/test_scenario.h"

namespace weir::host_keys_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_scenario::changed;
using testing_scenario::errors;
using testing_scenario::only;

/// A scenario with these lines after [host].
std::string with_hosts(const std::string& lines) {
  return changed("payload = 1000", "payload = 1000\n" + lines);
}

TEST(HostGroups, GiveSomeHostsAReceiveBuffer) {
  const Settings settings =
      only(with_hosts("receive_buffer = \"1 MB\"\ndrain_rate = \"90 Gbit/s\"\n"
                      "[[host.group]]\nname = \"slow\"\nhosts = \"h1..h2\"\ndrain_rate = \"40 Gbit/s\"\n"
                      "[[host.group]]\nhosts = \"h3\"\nreceive_buffer = \"200 KB\"\n"))
          .settings;
  EXPECT_EQ(settings.receive_buffer_of(HostId(0)).drain_rate, 90_Gbps);
  EXPECT_EQ(settings.receive_buffer_of(HostId(1)).size, 1_MB);
  EXPECT_EQ(settings.receive_buffer_of(HostId(2)).drain_rate, 40_Gbps);
  EXPECT_EQ(settings.receive_buffer_of(HostId(3)).size, 200_KB);
  EXPECT_EQ(settings.receive_buffer_of(HostId(3)).drain_rate, 90_Gbps);
}

TEST(HostGroups, HaveNoReceiveBufferUnlessItIsGiven) {
  const Settings settings = only(with_hosts("")).settings;
  EXPECT_EQ(settings.receive_buffer_of(HostId(0)).size, Bytes());
  EXPECT_TRUE(settings.host_groups.empty());
}

TEST(HostGroups, NeedBothKeys) {
  EXPECT_THAT(errors(with_hosts("receive_buffer = \"1 MB\"\n")),
              ElementsAre(HasSubstr("host.receive_buffer: is given without drain_rate, expected both or neither")));
  EXPECT_THAT(errors(with_hosts("[[host.group]]\nhosts = \"h1\"\ndrain_rate = \"1 Gbit/s\"\n")),
              ElementsAre(HasSubstr("host.group.0.drain_rate: is given without receive_buffer, expected both or")));
  EXPECT_THAT(errors(with_hosts("receive_buffer = \"1 MB\"\ndrain_rate = \"0 Gbit/s\"\n")),
              ElementsAre(HasSubstr("host.drain_rate: ")));
}

TEST(HostGroups, NameHostsOnce) {
  const std::string keys = "receive_buffer = \"1 MB\"\ndrain_rate = \"1 Gbit/s\"\n";
  EXPECT_THAT(errors(with_hosts("[[host.group]]\n" + keys)),
              ElementsAre(HasSubstr("host.group.0: hosts is missing, expected a host")));
  EXPECT_THAT(errors(with_hosts("[[host.group]]\nname = \"a\"\nhosts = \"h0\"\n" + keys +
                                "[[host.group]]\nhosts = \"h0..h1\"\n" + keys)),
              ElementsAre(HasSubstr("host.group.1.hosts: \"h0\" is already in group \"a\", expected each host in at")));
  EXPECT_THAT(errors(with_hosts("[[host.group]]\nname = \"a\"\nhosts = \"h0\"\n" + keys +
                                "[[host.group]]\nname = \"a\"\nhosts = \"h1\"\n" + keys)),
              ElementsAre(HasSubstr("host.group.a: two groups are named \"a\"")));
}

}  // namespace
}  // namespace weir::host_keys_test
