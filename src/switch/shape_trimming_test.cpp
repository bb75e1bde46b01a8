// SPDX-License-Identifier: Apache-2.0
// Schemes that trim frames instead of dropping them, and return headers to the sender if these find no room either: a
// short data queue, a header queue that is served ten times as often, and a fair coin that selects the arriving frame
// or the last queued one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "switch/test_switch.h"

namespace weir::testing_switch::shape_trimming_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Priority kData = kLossy;
constexpr Priority kHeaders = 2;

/// A data queue and a header queue per port, each with a maximum number of frames; `tail` selects the frame to be
/// trimmed.
class Trimming final : public Classifier {
 public:
  Trimming(std::uint32_t data_frames, std::uint32_t header_frames, std::function<bool()> tail)
      : data_frames_(data_frames), header_frames_(header_frames), tail_(std::move(tail)) {}

  [[nodiscard]] Hooks hooks() const override { return {.depart = true, .drop = true, .rescue = true, .trim = true}; }
  void attach(SwitchContext& context) override {
    QueueContext& queues = queue_context(context);
    for (std::size_t port = 0; port < context.ports(); ++port) {
      headers_.push_back(
          queues.new_queue({.port = PortId(port), .priority = kHeaders, .weight = 10, .level = context.level(kData)}));
    }
    queues.set_discipline(kData, Discipline::weighted_round_robin);
  }
  [[nodiscard]] bool sees_admission() const override { return true; }
  [[nodiscard]] bool admit(const SwitchContext& context, const Frame& frame) const override {
    const QueueId queue = queue_of(context, frame);
    return context.queue(queue).frames < (frame.trimmed() ? header_frames_ : data_frames_);
  }
  QueueId classify(QueueContext& context, Frame& frame) override { return queue_of(context, frame); }
  Rescue rescue(SwitchContext& context, const Frame& frame, DropReason) override {
    if (!frame.trimmed()) {
      const bool tail = tail_();
      return {.kind = tail ? Rescue::Kind::trim_tail : Rescue::Kind::trim,
              .priority = kHeaders,
              .bytes = 64,
              .queue = context.default_queue(frame.egress, kData)};
    }
    return {.kind = frame.returned() ? Rescue::Kind::none : Rescue::Kind::to_sender, .priority = kHeaders};
  }
  void on_trim(SwitchContext&, QueueId queue, Frame& frame, std::int64_t was_charged) override {
    trims.emplace_back(frame.sequence, queue.exists(), was_charged);
  }
  void on_depart(SwitchContext&, QueueId, Frame& frame) override { ++ends[frame.sequence]; }
  void on_drop(SwitchContext&, QueueId, const Frame& frame, DropReason) override {
    ++ends[frame.sequence];
    dropped.push_back(frame.sequence);
  }

  std::vector<std::tuple<std::uint32_t, bool, std::int64_t>> trims;
  std::map<std::uint32_t, int> ends;  // departures and drops, by sequence
  std::vector<std::uint32_t> dropped;

 private:
  [[nodiscard]] QueueId queue_of(const SwitchContext& context, const Frame& frame) const {
    return frame.trimmed() ? headers_[frame.egress.index()] : context.default_queue(frame.egress, frame.priority);
  }
  std::uint32_t data_frames_;
  std::uint32_t header_frames_;
  std::function<bool()> tail_;
  std::vector<QueueId> headers_;
};

/// Records the calls to an observer.
class Trims final : public SwitchObserver {
 public:
  [[nodiscard]] bool watches_frames() const override { return true; }
  void on_admit(const SwitchContext&, const Frame& frame) override { held += frame.charged_bytes; }
  void on_depart(const SwitchContext&, QueueId, const Frame& frame) override { held -= frame.charged_bytes; }
  void on_drop(const SwitchContext&, const Frame& frame, DropReason) override { held -= frame.charged_bytes; }
  void on_trim(const SwitchContext&, QueueId, const Frame& frame, std::int64_t was_charged) override {
    held += frame.charged_bytes - was_charged;
    ++trims;
  }
  std::int64_t held = 0;
  int trims = 0;
};

struct Lab {
  explicit Lab(
      std::uint32_t data_frames = 2, std::uint32_t header_frames = 100,
      std::function<bool()> tail = [] { return false; })
      : policy(new Trimming(data_frames, header_frames, std::move(tail))), at(config_of(), policies()) {
    at.node->observe(&observer);
  }
  SwitchPolicies policies() {
    SwitchPolicies out;
    out.buffer = std::make_unique<Thresholds>();
    out.flow_control.emplace_back(policy);
    return out;
  }
  void receive(std::size_t from, std::size_t to, std::uint32_t sequence) {
    const FrameId id = at.make(to, kData, 1066, sequence);
    at.pool[id].payload_bytes = 1000;
    at.pool[id].source = HostId(from);
    at.receive(from, id);
    EXPECT_EQ(observer.held, at.node->buffer().used);
  }
  Trimming* policy;
  Trims observer;
  TestSwitch at;
};

TEST(ShapeTrimming, AFrameThatFindsItsQueueFullLosesItsPayload) {
  Lab lab;
  for (std::uint32_t i = 0; i < 3; ++i) lab.receive(0, 1, i);
  EXPECT_THAT(lab.policy->trims, ElementsAre(std::tuple(2u, false, 0)));
  EXPECT_EQ(lab.at.node->buffer().used, 2 * 1066 + 64);
  EXPECT_EQ(lab.at.node->egress_bytes(PortId(1), kHeaders), 64);
  const Frame first = *lab.at.transmit(1);
  EXPECT_FALSE(first.trimmed());
  const Frame header = *lab.at.transmit(1);
  EXPECT_TRUE(header.trimmed());
  EXPECT_FALSE(header.returned());
  EXPECT_EQ(header.sequence, 2u);
  EXPECT_EQ(header.frame_bytes, 64);
  EXPECT_EQ(header.payload_bytes, 0);
  EXPECT_EQ(header.priority, kHeaders);
  EXPECT_EQ(lab.at.node->frames_trimmed(), 1u);
  EXPECT_EQ(lab.observer.trims, 1);
  EXPECT_EQ(lab.at.next(1), 1);
  EXPECT_THAT(lab.policy->dropped, IsEmpty());
  lab.at.expect_empty();
}

TEST(ShapeTrimming, TheTailThatIsQueuedLosesItsPayloadInstead) {
  Lab lab(2, 100, [] { return true; });
  for (std::uint32_t i = 0; i < 4; ++i) lab.receive(0, 1, i);
  EXPECT_THAT(lab.policy->trims, ElementsAre(std::tuple(1u, true, 1066), std::tuple(2u, true, 1066)));
  EXPECT_EQ(lab.at.node->buffer().used, 2 * 1066 + 2 * 64);
  EXPECT_EQ(lab.at.node->egress_bytes(PortId(1), kData), 2 * 1066);
  EXPECT_THAT(lab.at.drain(1),
              ElementsAre(0, 1, 2, 3));  // one frame of the data queue, at most ten headers, then the data queue again
  for (const auto& [sequence, times] : lab.policy->ends) EXPECT_EQ(times, 1) << sequence;
  lab.at.expect_empty();
}

TEST(ShapeTrimming, TenHeadersGoForEachDataFrame) {
  Lab lab(4);
  for (std::uint32_t i = 0; i < 28; ++i) lab.receive(0, 1, i);
  std::string order;
  while (const auto frame = lab.at.transmit(1)) order += frame->trimmed() ? 'h' : 'D';
  EXPECT_EQ(order, "DhhhhhhhhhhDhhhhhhhhhhDhhhhD");
  lab.at.expect_empty();
}

TEST(ShapeTrimming, AHeaderThatFindsNoRoomGoesBackToItsSender) {
  Lab lab(1, 1);
  for (std::uint32_t i = 0; i < 3; ++i) lab.receive(3, 1, i);
  EXPECT_EQ(lab.at.node->frames_trimmed(), 2u);
  EXPECT_EQ(lab.at.node->frames_returned(), 1u);
  const Frame back = *lab.at.transmit(3);
  EXPECT_EQ(back.sequence, 2u);
  EXPECT_TRUE(back.returned());
  EXPECT_EQ(back.source, HostId(1));
  EXPECT_EQ(back.destination, HostId(3));
  EXPECT_THAT(lab.at.drain(1), ElementsAre(0, 1));
  lab.at.expect_empty();
}

TEST(ShapeTrimming, OneThatCannotGoBackIsDropped) {
  Lab lab(1, 1);
  for (std::uint32_t i = 0; i < 4; ++i)
    lab.receive(3, 1, i);  // the fourth finds the header queue of port 3 full as well
  EXPECT_THAT(lab.policy->dropped, ElementsAre(3));
  EXPECT_EQ(lab.at.node->drops(DropReason::policy), 1u);
  EXPECT_EQ(lab.at.node->frames_returned(), 1u) << "the third";
  lab.at.drain(1);
  lab.at.drain(3);
  lab.at.expect_empty();
}

TEST(ShapeTrimming, ATailThatFindsNoRoomIsDroppedWithWhatItIsCharged) {
  Lab lab(1, 1, [] { return true; });
  for (std::uint32_t i = 0; i < 4; ++i) lab.receive(3, 1, i);
  EXPECT_THAT(lab.policy->dropped, ElementsAre(2));
  EXPECT_THAT(lab.at.drain(1), ElementsAre(0, 3));
  EXPECT_THAT(lab.at.drain(3), ElementsAre(1));
  for (const auto& [sequence, times] : lab.policy->ends) EXPECT_EQ(times, 1) << sequence;
  EXPECT_EQ(lab.observer.held, 0);
  lab.at.expect_empty();
}

TEST(ShapeTrimming, AFullPoolTrimsToo) {
  SwitchConfig config = config_of();
  config.pools[0] = 3 * 1066;
  auto* policy = new Trimming(100, 100, [] { return false; });
  SwitchPolicies policies;
  policies.buffer = std::make_unique<Thresholds>();
  policies.flow_control.emplace_back(policy);
  TestSwitch at(config, std::move(policies));
  for (std::uint32_t i = 0; i < 2; ++i) at.receive(0, at.make(1, kData, 1066, i));
  at.receive(0, at.make(1, kData, 1000, 2));
  at.receive(0, at.make(1, kData, 1066, 3));  // 66 bytes are left
  EXPECT_EQ(at.node->frames_trimmed(), 1u);
  at.receive(0, at.make(1, kData, 1066, 4));  // and then 2
  EXPECT_THAT(policy->dropped, ElementsAre(4));
  EXPECT_EQ(at.node->drops(DropReason::buffer_full), 1u);
  at.drain(1);
  at.expect_empty();
}

TEST(ShapeTrimming, ManyFramesByAFairCoinLeaveTheAccountsExact) {
  RandomStream coin(1, 2, 3);
  Lab lab(8, 12, [&coin] { return coin.below(2) == 0; });
  RandomStream random(4, 5, 6);
  for (std::uint32_t i = 0; i < 3'000; ++i) {
    const auto from = static_cast<std::size_t>(random.below(4));
    lab.receive(from, (from + 1 + random.below(3)) % 4, i);
    if (random.below(3) == 0) lab.at.transmit(random.below(4));
  }
  for (std::size_t port = 0; port < 4; ++port) lab.at.drain(port);
  EXPECT_EQ(lab.policy->ends.size(), 3'000u);
  for (const auto& [sequence, times] : lab.policy->ends) EXPECT_EQ(times, 1) << sequence;
  EXPECT_GT(lab.at.node->frames_trimmed(), 1'000u);
  EXPECT_GT(lab.at.node->frames_returned(), 0u);
  EXPECT_EQ(lab.observer.held, 0);
  lab.at.expect_empty();
}

TEST(ShapeTrimming, AFrameThatComesToAnIdlePortPassesAsItIs) {
  Lab lab;
  const FrameId id = lab.at.make(1, kData, 1066, 7);
  lab.at.node->occupy(PortId(1), lab.at.now);
  EXPECT_EQ(lab.at.node->pass(lab.at.now, PortId(0), id), id);
  EXPECT_FALSE(lab.at.pool[id].trimmed());
  lab.at.pool.release(id);
  lab.at.expect_empty();
}

}  // namespace
}  // namespace weir::testing_switch::shape_trimming_test
