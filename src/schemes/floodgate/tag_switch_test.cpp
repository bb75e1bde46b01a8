// SPDX-License-Identifier: Apache-2.0
// PFC with tags: who is paused for which destination, what waits for it, and what ends it.
#include "schemes/floodgate/tag_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "policy/testing/fake_switch.h"
#include "schemes/floodgate/floodgate.h"
#include "schemes/floodgate/message.h"

namespace weir::floodgate::tag_switch_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

using Values = std::vector<std::pair<std::string_view, ParameterValue>>;
constexpr Priority kPriority = 3;
constexpr std::int64_t kFrame = 1'066;

Duration us(std::int64_t count) {
  return Duration::picoseconds(count * 1'000'000);
}

Settings settings_with(const Values& values) {
  Parameters parameters(scheme.parameters);
  EXPECT_TRUE(parameters.set("variant", std::string("tag")));
  EXPECT_TRUE(parameters.set("tag_threshold", Bytes(3 * kFrame)));
  for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
  return Settings(parameters);
}

/// A switch with hosts behind ports 0 and 1 and switches behind ports 2 and 3, or with `tor` false switches everywhere.
struct Lab {
  explicit Lab(const Values& values = {}, bool tor = true) : context(4, 4096), policy(settings_with(values)) {
    context.set_hosts(64);
    for (std::size_t port = 0; port < 4; ++port) {
      Peer& peer = context.port_state(PortId(port)).peer;
      peer.announced = {{kProtocol, settings_with(values).announced()}};
      if (!tor || port >= 2) peer.host = HostId::none();
    }
    policy.attach(context);
  }
  Frame& receive(std::size_t in, std::size_t out, std::size_t to, FrameKind kind = FrameKind::data) {
    Frame& frame = context.new_frame(PortId(in), PortId(out), kPriority);
    frame.destination = HostId(to);
    frame.kind = kind;
    const QueueId id = policy.classify(context, frame);
    queues.push_back({id, &frame});
    QueueState& queue = context.queue_state(id);
    if (queue.empty()) queue.head = context.frames().id_of(frame);
    ++queue.frames;
    queue.bytes += kFrame;
    policy.on_enter(context, id, frame);
    return frame;
  }
  /// The first packet of the first queue of the port that may send: the FIFO, then VOQs. The destination; -1: none.
  int transmit(std::size_t out, bool lost = false) {
    const auto may = [&](const auto& at) {
      const QueueState& queue = context.queue(at.first);
      return queue.port == PortId(out) && queue.closed_by == 0;
    };
    const QueueId fifo = context.default_queue(PortId(out), kPriority);
    auto found = std::find_if(queues.begin(), queues.end(), [&](const auto& at) { return at.first == fifo; });
    if (found == queues.end()) found = std::find_if(queues.begin(), queues.end(), may);
    if (found == queues.end()) return -1;
    const auto [id, frame] = *found;
    queues.erase(found);
    QueueState& queue = context.queue_state(id);
    --queue.frames;
    queue.bytes -= kFrame;
    const QueueId of = id;
    const auto next = std::find_if(queues.begin(), queues.end(), [of](const auto& at) { return at.first == of; });
    queue.head = next == queues.end() ? FrameId::none() : context.frames().id_of(*next->second);
    if (lost) {
      policy.on_drop(context, id, *frame, DropReason::link_down);
    } else {
      policy.on_depart(context, id, *frame);
    }
    const int to = static_cast<int>(frame->destination.value);
    context.frames().release(context.frames().id_of(*frame));
    return to;
  }
  void hear(std::size_t port, Say say, std::uint32_t name) {
    const FrameId id = make_message(context.frames(), context.framing(), say, {name, 0, 0});
    EXPECT_TRUE(policy.on_control(context, PortId(port), context.frames()[id]));
    context.frames().release(id);
  }
  /// What was said since the last call: to which port, what, of which destination.
  std::vector<std::pair<std::size_t, std::pair<Say, std::uint32_t>>> said() {
    std::vector<std::pair<std::size_t, std::pair<Say, std::uint32_t>>> out;
    for (const FakeSwitch::Sent& sent : context.sent()) {
      const auto message = read_message(context.frames(), context.frames()[sent.id]);
      out.push_back({sent.port.index(), {message->say, message->credit.name}});
    }
    context.release_sent();
    return out;
  }
  [[nodiscard]] double voqs() const { return policy.statistic(0, PortId::none(), 0).value; }

  FakeSwitch context;
  TagSwitch policy;
  std::vector<std::pair<QueueId, Frame*>> queues;  // in the order of arrival
};

// [FLOODGATE-TAG-1]
TEST(FloodgateTags, PauseThoseWhoFillTheQueueOfTheLastHop) {
  Lab lab;
  for (int i = 0; i < 3; ++i) lab.receive(2, 0, 0);
  EXPECT_THAT(lab.said(), IsEmpty());
  lab.receive(2, 0, 0);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(2, Pair(Say::pause, 0))));
  lab.receive(3, 0, 0);
  lab.receive(3, 1, 1);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(3, Pair(Say::pause, 0))));
  for (int i = 0; i < 3; ++i) lab.transmit(0);
  EXPECT_THAT(lab.said(), IsEmpty());  // two are left: more than half of the threshold
  lab.transmit(0);
  EXPECT_THAT(lab.said(), testing::UnorderedElementsAre(Pair(2, Pair(Say::resume, 0)), Pair(3, Pair(Say::resume, 0))));
}

// [FLOODGATE-TAG-1] Acknowledgements are in the egress queue too, and may be the last to leave it.
TEST(FloodgateTags, ResumeWhenAcknowledgementsLeaveTheQueue) {
  Lab lab;
  for (int i = 0; i < 4; ++i) lab.receive(2, 0, 0);
  for (int i = 0; i < 4; ++i) lab.receive(3, 0, 0, FrameKind::ack);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(2, Pair(Say::pause, 0))));
  for (int i = 0; i < 6; ++i) lab.transmit(0);
  EXPECT_THAT(lab.said(), IsEmpty());
  lab.transmit(0);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(2, Pair(Say::resume, 0))));
  for (int i = 0; i < 4; ++i) lab.receive(2, 0, 0);
  for (int i = 0; i < 3; ++i) lab.receive(3, 0, 0, FrameKind::ack);
  for (int i = 0; i < 5; ++i) lab.transmit(0);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(2, Pair(Say::pause, 0))));
  for (int i = 0; i < 3; ++i) lab.transmit(0, true);  // lost
  EXPECT_THAT(lab.said(), ElementsAre(Pair(2, Pair(Say::resume, 0))));
}

TEST(FloodgateTags, PauseHostsOnRequestOnly) {
  for (const bool pauses : {false, true}) {
    Lab lab({{"pause_destinations", pauses}});
    for (int i = 0; i < 5; ++i) lab.receive(1, 0, 0);
    EXPECT_THAT(lab.said(), SizeIs(pauses ? 1 : 0));
  }
}

// [FLOODGATE-TAG-2]
TEST(FloodgateTags, KeepPacketsOfAPausedDestinationInAVoq) {
  Lab lab;
  lab.hear(2, Say::pause, 40);
  lab.receive(0, 2, 40);
  lab.receive(0, 2, 41);
  lab.receive(0, 3, 40);  // by another port: not paused
  lab.receive(0, 2, 40);
  EXPECT_EQ(lab.voqs(), 1);
  EXPECT_EQ(lab.transmit(2), 41);
  EXPECT_EQ(lab.transmit(2), -1);
  EXPECT_EQ(lab.transmit(3), 40);
  lab.hear(2, Say::resume, 40);
  lab.receive(0, 2, 40);  // behind those that wait
  EXPECT_EQ(lab.queues.back().first, lab.queues.front().first);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(lab.transmit(2), 40);
  EXPECT_EQ(lab.voqs(), 0);
  lab.receive(0, 2, 40);
  EXPECT_EQ(lab.queues.back().first, lab.context.default_queue(PortId(2), kPriority));
}

// [FLOODGATE-TAG-3]
TEST(FloodgateTags, PauseFurtherUpstreamWhenTheVoqIsLong) {
  Lab lab({{"tag_queue_threshold", Bytes(2 * kFrame)}, {"tag_resume", 1.0}}, false);
  lab.hear(2, Say::pause, 40);
  for (int i = 0; i < 2; ++i) lab.receive(0, 2, 40);
  EXPECT_THAT(lab.said(), IsEmpty());
  lab.receive(0, 2, 40);
  lab.receive(1, 2, 40);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(0, Pair(Say::pause, 40)), Pair(1, Pair(Say::pause, 40))));
  const QueueId voq = lab.queues.front().first;
  std::vector<HopPause> kept;
  lab.policy.keeps(lab.context, voq, *lab.queues.front().second, kept);
  EXPECT_THAT(kept, SizeIs(2));
  std::vector<HeldBy> held;
  lab.policy.held_by(lab.context, voq, held);
  EXPECT_THAT(held, ElementsAre(HeldBy{PortId(2), 40, QueueId::none()}));
  lab.hear(2, Say::resume, 40);
  for (int i = 0; i < 3; ++i) lab.transmit(2);
  EXPECT_THAT(lab.said(), SizeIs(2));
  EXPECT_EQ(lab.transmit(2), 40);
  EXPECT_EQ(lab.voqs(), 0);
}

// [FLOODGATE-TAG-4]
TEST(FloodgateTags, EndByThemselvesAfterATime) {
  Lab lab;
  lab.hear(2, Say::pause, 40);
  lab.receive(0, 2, 40);
  lab.context.run_until(Time() + us(600));
  lab.hear(2, Say::pause, 41);
  lab.receive(0, 2, 41);
  lab.context.run_until(Time() + us(999));
  EXPECT_EQ(lab.transmit(2), -1);
  lab.context.run_until(Time() + us(1'000));
  EXPECT_EQ(lab.transmit(2), 40);
  EXPECT_EQ(lab.transmit(2), -1);
  lab.context.run_until(Time() + us(1'600));
  EXPECT_EQ(lab.transmit(2), 41);
  EXPECT_EQ(lab.policy.statistic(7, PortId::none(), 0).value, 2);
}

TEST(FloodgateTags, EndWithTheirLink) {
  Lab lab;
  lab.hear(2, Say::pause, 40);
  for (int i = 0; i < 2; ++i) lab.receive(0, 2, 40);
  for (int i = 0; i < 5; ++i) lab.receive(3, 0, 0);
  EXPECT_THAT(lab.said(), SizeIs(1));
  for (int i = 0; i < 2; ++i) {
    lab.context.queue_state(lab.queues.front().first).closed_by = 0;  // the switch core empties closed queues too
    EXPECT_EQ(lab.transmit(2, true), 40);
  }
  EXPECT_EQ(lab.voqs(), 0);
  lab.policy.on_link(lab.context, PortId(2), false);
  lab.receive(0, 2, 40);
  EXPECT_EQ(lab.transmit(2), 40);
  lab.policy.on_link(lab.context, PortId(3), false);
  for (int i = 0; i < 5; ++i) lab.transmit(0);
  EXPECT_THAT(lab.said(), IsEmpty());
}

TEST(FloodgateTags, HeedNothingFromHostsOrOfNobody) {
  Lab lab;
  lab.hear(0, Say::pause, 40);
  lab.hear(2, Say::pause, 64);
  lab.hear(2, Say::resume, 40);
  lab.hear(2, Say::credit, 40);
  lab.receive(1, 2, 40);
  EXPECT_EQ(lab.transmit(2), 40);
}

// [FLOODGATE-C-10]
TEST(FloodgateTags, AcceptPausesOfDestinationsThatExist) {
  Lab lab;
  FramePool& frames = lab.context.frames();
  const auto verdict = [&](std::size_t port, Say say, std::uint32_t name) {
    const FrameId id = make_message(frames, lab.context.framing(), say, {name, 0, 0});
    const auto out = lab.policy.judge(lab.context, PortId(port), frames[id]);
    frames.release(id);
    return out;
  };
  EXPECT_EQ(verdict(2, Say::pause, 63), ControlVerdict::accepted);
  EXPECT_EQ(verdict(2, Say::resume, 63), ControlVerdict::accepted);
  EXPECT_EQ(verdict(2, Say::pause, 64), ControlVerdict::no_target);
  EXPECT_EQ(verdict(2, Say::credit, 1), ControlVerdict::not_spoken) << "it has no windows";
  EXPECT_EQ(verdict(0, Say::pause, 1), ControlVerdict::wrong_neighbour) << "a host";
}

// All VOQs are taken: destinations at a port share.
TEST(FloodgateTags, ShareVoqsWhenAllAreTaken) {
  Lab lab({{"queues", std::int64_t{2}}});
  for (std::uint32_t to = 40; to < 43; ++to) {
    lab.hear(2, Say::pause, to);
    lab.receive(0, 2, to);
  }
  EXPECT_EQ(lab.voqs(), 1);  // the second is kept for port 3
  lab.hear(2, Say::resume, 41);
  EXPECT_EQ(lab.transmit(2), -1);
  lab.hear(2, Say::resume, 40);
  EXPECT_EQ(lab.transmit(2), 40);
  EXPECT_EQ(lab.transmit(2), 41);
  EXPECT_EQ(lab.transmit(2), -1);
}

}  // namespace
}  // namespace weir::floodgate::tag_switch_test
