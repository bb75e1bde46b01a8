// SPDX-License-Identifier: Apache-2.0
// Packets of hosts, and messages of NICs, through NICs and a switch in memory.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/connections.h"
#include "nic_path.h"
#include "traffic/merged_traffic.h"

namespace weir::whole::nic_path_test {
namespace {

using weir::testing::ipv4_packet;
using ByteString = std::vector<std::byte>;

constexpr std::size_t kReceiver = 3;

Settings network(BitRate rate, std::size_t hosts = 4) {
  Settings settings = lossless_network(star(hosts, {rate, 5_us}), 1_s);
  settings.run.frame_capacity = std::size_t{1} << 13;
  settings.switches.pause_response = 50_us;
  return settings;
}

/// A host that hands UDP packets of one flow to its NIC at a constant rate, and counts what arrives.
struct Client {
  std::size_t number = 0;
  BitRate rate;
  Time next;
  std::uint32_t sent = 0;
};

ByteString packet_of(const Client& client, std::uint32_t sequence, std::uint8_t type_of_service) {
  ByteString bytes = ipv4_packet({.protocol = 17,
                                  .type_of_service = type_of_service,
                                  .source = 0x0a000000 + static_cast<std::uint32_t>(client.number),
                                  .destination = 0x0a000000 + static_cast<std::uint32_t>(kReceiver),
                                  .ports = {5201, 40000},
                                  .payload = 1'400});
  bytes[50] = static_cast<std::byte>(sequence >> 16);
  bytes[51] = static_cast<std::byte>(sequence >> 8);
  bytes[52] = static_cast<std::byte>(sequence);
  return bytes;
}

/// What arrived at the receiver.
struct Arrivals {
  std::array<std::uint64_t, kReceiver> bytes{};
  std::array<std::uint32_t, kReceiver> last{};  ///< sequence number
  bool in_order = true;
};

/// Runs clients for `length`, and returns what arrived after `since`.
Arrivals offer_packets(NicPath& path, std::vector<Client> clients, Duration length, Duration since,
                       std::uint8_t type_of_service, const std::function<void()>& watch = {}) {
  Arrivals out;
  const Time from = path.now + since;
  std::size_t seen = 0;
  for (const Time end = path.now + length; path.now < end;) {
    for (Client& client : clients) {
      for (; client.next <= path.now; client.next += time_to_send(Bytes(1'458), client.rate)) {
        path.host[client.number]->deliver(packet_of(client, ++client.sent, type_of_service));
      }
    }
    path.poll();
    const auto& sent = path.host[kReceiver]->sent;
    for (; seen < sent.size(); ++seen) {
      const std::size_t source = std::to_integer<std::size_t>(sent[seen][29]);
      const std::uint32_t sequence = std::to_integer<std::uint32_t>(sent[seen][50]) << 16 |
                                     std::to_integer<std::uint32_t>(sent[seen][51]) << 8 |
                                     std::to_integer<std::uint32_t>(sent[seen][52]);
      out.in_order &= sequence > out.last[source];
      out.last[source] = sequence;
      if (path.now >= from) out.bytes[source] += sent[seen].size();
    }
    if (watch && path.now >= from) watch();
  }
  return out;
}

/// RoCC at 1 Gbit/s: the times of 10 Gbit/s times ten, the steps of the rate in proportion to it, and the gains of
/// 10 Gbit/s.
Settings rocc_network() {
  Settings settings = network(BitRate(1'000'000'000));
  settings.switches.congestion_point = {choose("rocc", {{"update_interval", 1_ms},
                                                        {"q_reference", 75_KB},
                                                        {"q_middle", 150_KB},
                                                        {"q_maximum", 210_KB},
                                                        {"alpha", 0.075},
                                                        {"beta", 0.375},
                                                        {"rate_step", BitRate(1'000'000)}})};
  settings.hosts.congestion_control = choose("rocc", {{"rate_step", BitRate(1'000'000)}, {"recovery_interval", 2_ms}});
  return settings;
}

struct Shares {
  std::array<double, kReceiver> mbit{};
  double queue = 0;
};

Shares shares_under_rocc(const std::array<std::int64_t, kReceiver>& offered) {
  NicPath path(rocc_network());
  std::vector<Client> clients;
  for (std::size_t i = 0; i < kReceiver; ++i) clients.push_back({.number = i, .rate = BitRate(offered[i]), .next = {}});
  double sum = 0;
  std::uint64_t samples = 0;
  const Switch& node = path.fabric->switch_by(SwitchId(0));
  const Arrivals arrivals = offer_packets(path, clients, 1_s, 500_ms, 0x60, [&] {
    sum += static_cast<double>(node.port(PortId(kReceiver)).queued_bytes);
    ++samples;
  });
  EXPECT_TRUE(arrivals.in_order);
  for (int reason = 0; reason < kDropReasons; ++reason) EXPECT_EQ(node.drops(static_cast<DropReason>(reason)), 0u);
  Shares out;
  for (std::size_t i = 0; i < kReceiver; ++i) out.mbit[i] = static_cast<double>(arrivals.bytes[i]) * 8 / 0.5 / 1e6;
  out.queue = sum / static_cast<double>(samples);
  return out;
}

// Figure 13 of RoCC, in memory: the reaction point of the NIC gives the packets of hosts their fair share.
TEST(NicPath, RoccSharesAPortEvenlyBetweenHosts) {
  const Shares shares = shares_under_rocc({1'000'000'000, 1'000'000'000, 1'000'000'000});
  const double fair = 1'000.0 / 3 * 1'434 / 1'458;
  for (const double share : shares.mbit) EXPECT_NEAR(share, fair, 0.05 * fair);
  EXPECT_NEAR(shares.queue, 75'000, 0.15 * 75'000);
}

TEST(NicPath, RoccLeavesTheRestToTheHostThatOffersMore) {
  const Shares shares = shares_under_rocc({1'000'000'000, 300'000'000, 100'000'000});
  const double of_wire = 1'434.0 / 1'458;
  EXPECT_NEAR(shares.mbit[0], 600 * of_wire, 60);
  EXPECT_NEAR(shares.mbit[1], 300 * of_wire, 30);
  EXPECT_NEAR(shares.mbit[2], 100 * of_wire, 10);
  EXPECT_NEAR(shares.queue, 75'000, 0.15 * 75'000);
}

// Twice the rate of a port is offered without congestion control: the switch pauses the NICs and loses nothing; what
// does not fit is dropped by the queues of the NICs.
TEST(NicPath, PausesReachTheQueuesOfHosts) {
  Settings settings = network(BitRate(1'000'000'000));
  settings.switches.buffer = 400_KB;
  NicPath path(settings);
  std::vector<Client> clients;
  for (std::size_t i = 0; i < 2; ++i) clients.push_back({.number = i, .rate = 1_Gbps, .next = {}});
  const Arrivals arrivals = offer_packets(path, clients, 40_ms, 10_ms, 0x60);
  const Switch& node = path.fabric->switch_by(SwitchId(0));
  EXPECT_TRUE(arrivals.in_order);
  EXPECT_GT(node.pauses_sent(), 0u);
  EXPECT_EQ(node.drops(DropReason::buffer_full), 0u);
  EXPECT_GT(path.nic[0]->host_counters().queue_full, 500u);
  const double all = static_cast<double>(arrivals.bytes[0] + arrivals.bytes[1]) * 8 / 0.03 / 1e6;
  EXPECT_NEAR(all, 1'000 * 1'434.0 / 1'458, 20);
}

TEST(NicPath, MarksOfASwitchSlowHostsUnderDcqcn) {
  Settings settings = network(BitRate(1'000'000'000));
  settings.switches.congestion_point = {
      choose("red", {{"kmin", 20_KB}, {"kmax", 80_KB}, {"reference_rate", BitRate(1'000'000'000)}})};
  settings.hosts.congestion_control = choose("dcqcn");
  NicPath path(settings);
  std::vector<Client> clients;
  for (std::size_t i = 0; i < 2; ++i) clients.push_back({.number = i, .rate = 1_Gbps, .next = {}});
  double longest = 0;
  const Arrivals arrivals = offer_packets(path, clients, 60_ms, 30_ms, 0x62, [&] {
    const Switch& node = path.fabric->switch_by(SwitchId(0));
    longest = std::max(longest, static_cast<double>(node.port(PortId(kReceiver)).queued_bytes));
  });
  EXPECT_TRUE(arrivals.in_order);
  EXPECT_LT(longest, 400'000) << "without notifications the queue reaches the limit of PFC";
  EXPECT_GT(path.nic[kReceiver]->fabric_counters().sent_frames, 100u) << "notifications";
  EXPECT_GT(arrivals.bytes[0] + arrivals.bytes[1], 1'000'000u);
}

/// Messages between all hosts, opened by a connection manager in the process of the NICs.
class Messages {
 public:
  explicit Messages(const Settings& settings) {
    path = std::make_unique<NicPath>(settings, ForeignTraffic{.has_host = true});
    traffic = MergedTraffic(settings.traffic(1));
    connections = std::make_unique<Connections>(
        *path->fabric, settings, traffic,
        [this](const FlowSpec&, const FlowRecord& record, Time) { records.push_back(record); });
    path->settle = [this](Nic& nic) { connections->settle(nic); };
  }
  void run(Duration length) {
    for (const Time end = path->now + length; path->now < end;) {
      while (traffic.next_start() <= path->now) connections->start_next(path->now);
      path->poll();
      connections->end_flows();
    }
  }

  std::unique_ptr<NicPath> path;
  MergedTraffic traffic;
  std::unique_ptr<Connections> connections;
  std::vector<FlowRecord> records;
};

TEST(NicPath, MessagesOfNicsCompleteAsFastAsTheirPathAllows) {
  Settings settings = network(BitRate(1'000'000'000));
  offer(settings, {flow(0, 3, 1_MB), flow(1, 3, 500_KB, at(1_us)), flow(2, 0, 1_KB, at(2_us))});
  Messages messages(settings);
  messages.run(40_ms);
  ASSERT_EQ(messages.records.size(), 3u);
  for (const FlowRecord& record : messages.records) {
    EXPECT_TRUE(record.completed());
    EXPECT_EQ(record.retransmitted, 0u);
    EXPECT_GE(record.sender_completion, record.ideal_fct);
  }
  // 1.5 MB through one port at 1 Gbit/s, with 86 bytes of headers per 1000; polls are 1 us apart.
  const Duration last = messages.records.back().sender_completion;
  EXPECT_GE(last, 13_ms);
  EXPECT_LE(last, 13'600_us);
  EXPECT_EQ(messages.path->packets.in_use(), 0u);
}

TEST(NicPath, MessagesSurviveLoss) {
  Settings settings = network(BitRate(1'000'000'000));
  settings.switches.lossless = {};
  settings.switches.flow_control = {};
  settings.switches.buffer = 60_KB;
  offer(settings, {flow(0, 3, 300_KB), flow(1, 3, 300_KB), flow(2, 3, 300_KB)});
  Messages messages(settings);
  messages.run(400_ms);
  ASSERT_EQ(messages.records.size(), 3u);
  std::uint64_t again = 0;
  for (const FlowRecord& record : messages.records) {
    EXPECT_TRUE(record.completed());
    again += record.retransmitted;
  }
  EXPECT_GT(again, 0u);
  EXPECT_EQ(messages.path->packets.in_use(), 0u);
}

// Schemes whose headers are in the bytes between NIC and switch: telemetry, queue numbers, credits, and transports.
TEST(NicPath, MessagesOfEverySchemeCompleteOverBytes) {
  struct Case {
    std::string name;
    std::function<void(Settings&)> change;
  };
  const std::vector<Case> cases = {
      {"hpcc",
       [](Settings& s) {
         s.switches.congestion_point = {choose("hpcc")};
         s.hosts.congestion_control = choose("hpcc");
       }},
      {"timely", [](Settings& s) { s.hosts.congestion_control = choose("timely"); }},
      {"bfc",
       [](Settings& s) {
         s.switches.flow_control = {choose("bfc"), choose("pfc")};
       }},
      {"floodgate",
       [](Settings& s) {
         s.switches.flow_control = {choose("floodgate"), choose("pfc")};
       }},
      {"pyrrha", [](Settings& s) { s.switches.flow_control = {choose("pyrrha")}; }},
      {"irn", [](Settings& s) { s.hosts.loss_recovery = choose("irn"); }},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    Settings settings = network(BitRate(1'000'000'000));
    one.change(settings);
    offer(settings, {flow(0, 3, 300_KB), flow(1, 3, 300_KB, at(1_us)), flow(2, 3, 300_KB, at(2_us)), flow(3, 0, 5_KB)});
    Messages messages(settings);
    messages.run(60_ms);
    ASSERT_EQ(messages.records.size(), 4u);
    for (const FlowRecord& record : messages.records) EXPECT_TRUE(record.completed());
    for (const auto& nic : messages.path->nic) {
      EXPECT_EQ(nic->fabric_counters().refused_frames(), 0u);
      EXPECT_EQ(nic->fabric_counters().frames_not_sent(), 0u);
      EXPECT_EQ(nic->nic().strays(), 0u);
    }
  }
}

}  // namespace
}  // namespace weir::whole::nic_path_test
