// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "policy/testing/fake_nic.h"
#include "schemes/ndp/message.h"
#include "schemes/ndp/ndp.h"
#include "schemes/ndp/ndp_transport.h"

namespace weir::ndp::receiver_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr Priority kPriority = 2;
/// 1,086 bytes at 100 Gbit/s.
constexpr Duration kPacketTime = Duration::picoseconds(86'880);

struct Answer {
  Message message;
  std::uint32_t number;
  HostId to;
  Time at;
};
using Told = std::vector<std::pair<Message, std::uint32_t>>;

struct Setting {
  explicit Setting(double pull_share = 1) {
    Parameters parameters(scheme.parameters);
    parameters.set("paths", std::int64_t{3});
    parameters.set("pull_share", pull_share);
    policy = std::make_unique<NdpTransport>(Settings(parameters));
    nic.set_transport(*policy);
    static_cast<NicPolicy&>(*policy).attach(nic);
  }
  ReceiveState& open(HostId from = HostId(1)) {
    ReceiveState& receiver = nic.open_receiver(from, kPriority);
    policy->open(nic, receiver);
    return receiver;
  }
  /// Data arrives; `last`: none follows.
  void arrive(ReceiveState& receiver, std::uint32_t sequence, bool last = false, bool trimmed = false) {
    Frame data{};
    data.kind = FrameKind::data;
    data.sequence = sequence;
    data.payload_bytes = trimmed ? 0 : 1'000;
    data.set_trimmed(trimmed);
    data.set_wants_ack(last);
    data.set_ends_message(last);
    policy->on_data(nic, receiver, data);
  }
  std::vector<Answer> answers() {
    std::vector<Answer> out;
    for (const FakeNic::Sent& sent : nic.sent()) {
      EXPECT_EQ(sent.frame.kind, FrameKind::host_control);
      EXPECT_EQ(sent.frame.protocol, kProtocol);
      EXPECT_EQ(sent.frame.priority, kPriority);
      out.push_back({static_cast<Message>(sent.frame.tag), sent.frame.tag_value, sent.frame.destination, sent.at});
    }
    return out;
  }
  /// And forgets them.
  Told told() {
    Told out;
    for (const Answer& answer : answers()) out.emplace_back(answer.message, answer.number);
    nic.release_sent();
    return out;
  }
  /// The times of pulls, in intervals of one packet.
  void wait(std::int64_t packets) { nic.run_until(nic.now() + packets * kPacketTime); }

  FakeNic nic;
  std::unique_ptr<NdpTransport> policy;
};

TEST(NdpReceiver, AnswersEachPacketAtOnceAndPullsAnother) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  setting.arrive(receiver, 0);
  EXPECT_EQ(setting.told(), (Told{{Message::ack, 0}, {Message::pull, 1}}));  // [NDP-RCV-1]
  setting.wait(1);
  setting.arrive(receiver, 2);
  EXPECT_EQ(setting.told(), (Told{{Message::ack, 2}, {Message::pull, 2}}));
  EXPECT_EQ(setting.nic.kept(receiver), 2'000);
}

TEST(NdpReceiver, ALateEndOfAnEarlierMessageDropsNoPulls) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  setting.arrive(receiver, 5, true);
  setting.arrive(receiver, 3, true);
  for (const std::uint32_t packet : {0u, 1u, 2u}) setting.arrive(receiver, packet);
  setting.wait(10);
  std::size_t pulls = 0;
  for (const auto& [message, number] : setting.told()) pulls += message == Message::pull ? 1 : 0;
  EXPECT_EQ(pulls, 5u) << "packet 4 is missing";  // [NDP-RCV-4]
}

TEST(NdpReceiver, AnswersAHeaderWithANackAndPullsAnother) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  setting.arrive(receiver, 0, false, true);
  EXPECT_EQ(setting.told(), (Told{{Message::nack, 0}, {Message::pull, 1}}));  // [NDP-RCV-2]
  EXPECT_EQ(setting.nic.kept(receiver), 0);
}

TEST(NdpReceiver, AHeaderOfAPacketThatHasArrivedIsAcknowledged) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  setting.arrive(receiver, 0);
  setting.told();
  setting.arrive(receiver, 0, false, true);
  EXPECT_THAT(setting.told(), ElementsAre(Pair(Message::ack, 0)));  // [NDP-RCV-2]
}

TEST(NdpReceiver, AcknowledgesADuplicateAndKeepsItOnce) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  for (int i = 0; i < 2; ++i) setting.arrive(receiver, 1);
  EXPECT_EQ(setting.nic.kept(receiver), 1'000);
  EXPECT_EQ(setting.told(), (Told{{Message::ack, 1}, {Message::pull, 1}, {Message::ack, 1}}));  // [NDP-RCV-1]
  setting.arrive(receiver, 1u << 20);
  EXPECT_THAT(setting.told(), IsEmpty()) << "too far ahead";
}

TEST(NdpReceiver, PacesPullsOfAllFlowsTogetherInTurn) {
  Setting setting;
  ReceiveState& first = setting.open(HostId(1));
  ReceiveState& second = setting.open(HostId(2));
  for (std::uint32_t packet = 0; packet < 3; ++packet) {
    setting.arrive(first, packet);
    setting.arrive(second, packet, false, true);
  }
  setting.wait(10);
  std::vector<std::pair<HostId, std::int64_t>> pulls;  // and their time
  for (const Answer& answer : setting.answers()) {
    if (answer.message != Message::pull) continue;
    pulls.emplace_back(answer.to, (answer.at - Time()).picoseconds());
  }
  const std::int64_t gap = kPacketTime.picoseconds();
  EXPECT_THAT(pulls,
              ElementsAre(Pair(HostId(1), 0), Pair(HostId(2), gap), Pair(HostId(1), 2 * gap), Pair(HostId(2), 3 * gap),
                          Pair(HostId(1), 4 * gap), Pair(HostId(2), 5 * gap)));  // [NDP-RCV-3]
}

TEST(NdpReceiver, PullsAtAShareOfTheLink) {
  Setting setting(0.5);
  ReceiveState& receiver = setting.open();
  for (std::uint32_t packet = 0; packet < 3; ++packet) setting.arrive(receiver, packet);
  setting.told();
  setting.wait(1);
  EXPECT_THAT(setting.told(), IsEmpty());
  setting.wait(1);
  EXPECT_THAT(setting.told(), ElementsAre(Pair(Message::pull, 2)));  // [NDP-RCV-3]
}

TEST(NdpReceiver, PullsFasterThanItsLinkOnRequest) {
  Setting setting(4);
  ReceiveState& receiver = setting.open();
  for (std::uint32_t packet = 0; packet < 9; ++packet) setting.arrive(receiver, packet);
  setting.told();
  setting.wait(1);
  EXPECT_EQ(setting.told(), (Told{{Message::pull, 2}, {Message::pull, 3}, {Message::pull, 4}, {Message::pull, 5}}));
}

/// A driver that calls late: the pulls of the time that has passed follow at once, and the pace is kept.
TEST(NdpReceiver, KeepsThePaceIfItsTimerIsLate) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  for (std::uint32_t packet = 0; packet < 9; ++packet) setting.arrive(receiver, packet);
  setting.told();
  setting.nic.set_now(Time() + 3 * kPacketTime + kPacketTime / 2);
  setting.wait(0);
  EXPECT_EQ(setting.told(), (Told{{Message::pull, 2}, {Message::pull, 3}, {Message::pull, 4}}));
  setting.nic.run_until(Time() + 4 * kPacketTime);
  EXPECT_EQ(setting.told(), (Told{{Message::pull, 5}}));
}

TEST(NdpReceiver, DropsThePullsOfACompleteTransfer) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  ReceiveState& other = setting.open(HostId(2));
  for (const std::uint32_t packet : {0u, 1u, 3u}) setting.arrive(receiver, packet, packet == 3);
  setting.arrive(other, 0);
  EXPECT_EQ(setting.nic.completed(receiver), 0u);
  setting.told();
  setting.arrive(receiver, 2);
  EXPECT_EQ(setting.nic.completed(receiver), 1u);
  EXPECT_THAT(setting.told(), ElementsAre(Pair(Message::ack, 2)));
  setting.wait(10);
  ASSERT_EQ(setting.answers().size(), 1u) << "of the other flow only";  // [NDP-RCV-4]
  EXPECT_EQ(setting.answers()[0].to, HostId(2));
}

TEST(NdpReceiver, ContinuesAfterAPacketBeyondTheLastOne) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  setting.arrive(receiver, 0, true);
  EXPECT_THAT(setting.told(), ElementsAre(Pair(Message::ack, 0)));
  setting.arrive(receiver, 1);
  EXPECT_EQ(setting.told(), (Told{{Message::ack, 1}, {Message::pull, 1}}));  // [NDP-END-1]
  // That none follows can be known from a header too, and of an earlier packet after a later one.
  setting.arrive(receiver, 3, true, true);
  setting.arrive(receiver, 2);
  setting.wait(1);
  setting.told();
  setting.arrive(receiver, 3, true);
  EXPECT_THAT(setting.told(), ElementsAre(Pair(Message::ack, 3)));
}

TEST(NdpReceiver, AClosedFlowIsNotPulled) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  for (std::uint32_t packet = 0; packet < 3; ++packet) setting.arrive(receiver, packet);
  setting.told();
  setting.policy->on_close(setting.nic, receiver);
  setting.nic.close_receiver(receiver);
  setting.wait(5);
  EXPECT_THAT(setting.told(), IsEmpty());
}

TEST(NdpReceiver, AnswersTakeRandomPaths) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  for (std::uint32_t packet = 0; packet < 30; ++packet) setting.arrive(receiver, packet);
  std::set<std::uint16_t> paths;
  for (const FakeNic::Sent& sent : setting.nic.sent()) paths.insert(sent.frame.entropy);
  EXPECT_EQ(paths, (std::set<std::uint16_t>{0, 1, 2}));  // [NDP-PATH-3]
}

TEST(NdpReceiver, SurvivesAnEmptyPool) {
  Setting setting;
  ReceiveState& receiver = setting.open();
  std::vector<FrameId> all;
  for (FrameId id = setting.nic.frames().allocate(); id.exists(); id = setting.nic.frames().allocate()) {
    all.push_back(id);
  }
  setting.arrive(receiver, 0);
  EXPECT_THAT(setting.nic.sent(), IsEmpty());
  setting.nic.frames().release(all.back());
  setting.wait(1);
  setting.arrive(receiver, 1);
  EXPECT_THAT(setting.told(), ElementsAre(Pair(Message::ack, 1)));
}

}  // namespace
}  // namespace weir::ndp::receiver_test
