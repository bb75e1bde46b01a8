// SPDX-License-Identifier: Apache-2.0
#include "schemes/pfc/pfc_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/testing/fake_switch.h"
#include "schemes/pfc/pfc.h"

namespace weir::pfc::pfc_switch_test {
namespace {

using namespace literals;
using testing::IsEmpty;
using testing::SizeIs;

using Values = std::vector<std::pair<std::string_view, ParameterValue>>;

constexpr PortId kIn(1);
constexpr PortId kOut(2);
constexpr Priority kLossless = 3;
constexpr Priority kLossy = 0;

Settings with(const Values& values) {
  Parameters parameters(scheme.parameters);
  for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
  return Settings(parameters);
}

/// A switch of four ports of 100 Gbit/s with xoff at 100,000 bytes and xon at 90,000, lossless at priorities 3 and 4.
struct Setting {
  explicit Setting(const Values& values = {}, std::size_t frames = 1024) : context(4, frames), policy(with(values)) {
    context.buffer_state().lossless[4] = true;
    policy.attach(context);
  }
  IngressState& ingress(Priority priority = kLossless) { return context.ingress_state(kIn, priority); }
  void hold(std::int64_t shared, std::int64_t headroom = 0, Priority priority = kLossless) {
    IngressState& state = ingress(priority);
    state.shared = shared;
    state.headroom = headroom;
    state.used = shared + headroom;
  }
  /// A frame from kIn has been admitted; the ingress now holds these bytes.
  void arrive(std::int64_t shared, std::int64_t headroom = 0, Priority priority = kLossless) {
    hold(shared, headroom, priority);
    Frame& frame = context.new_frame(kIn, kOut, priority);
    policy.on_enter(context, context.default_queue(kOut, priority), frame);
    context.frames().release(context.frames().id_of(frame));
  }
  /// A frame from kIn has left; the ingress now holds these bytes.
  void depart(std::int64_t shared, std::int64_t headroom = 0, Priority priority = kLossless) {
    hold(shared, headroom, priority);
    Frame& frame = context.new_frame(kIn, kOut, priority);
    policy.on_depart(context, context.default_queue(kOut, priority), frame);
    context.frames().release(context.frames().id_of(frame));
  }
  /// No timer is armed.
  [[nodiscard]] bool at_rest() const {
    for (std::size_t timer = 0; timer < context.timers(); ++timer) {
      if (context.deadline(TimerId(timer)) != Time::never()) return false;
    }
    return true;
  }
  /// The content of the PFC frame that was sent as number `index`.
  [[nodiscard]] PfcQuanta said(std::size_t index) const {
    return read_pfc(context.frames(), context.sent()[index].frame);
  }
  /// A PFC frame arrives at kOut.
  void receive(std::uint16_t quanta, Priority priority = kLossless) {
    PfcQuanta message;
    message.set(priority, quanta);
    receive(message);
  }
  void receive(const PfcQuanta& message) {
    const FrameId frame = make_pfc(context.frames(), message, context.framing());
    EXPECT_TRUE(policy.on_control(context, kOut, context.frames()[frame]));
    context.frames().release(frame);
  }
  [[nodiscard]] bool open(Priority priority = kLossless) const { return context.priority_gate_open(kOut, priority); }

  FakeSwitch context;
  PfcSwitch policy;
};

PfcQuanta saying(std::uint16_t quanta, Priority priority = kLossless) {
  PfcQuanta message;
  message.set(priority, quanta);
  return message;
}

Time at(Duration since_start) {
  return Time() + since_start;
}

// ---- pauses to the neighbour ----

TEST(PfcSwitch, PausesWhenTheSharedBytesReachXoff) {
  Setting setting;
  setting.arrive(99'999);
  EXPECT_THAT(setting.context.sent(), IsEmpty());
  setting.arrive(100'000);  // [PFC-S-1]
  ASSERT_THAT(setting.context.sent(), SizeIs(1));
  const FakeSwitch::Sent& sent = setting.context.sent().front();
  EXPECT_EQ(sent.port, kIn);
  EXPECT_EQ(sent.frame.kind, FrameKind::pfc);
  EXPECT_EQ(sent.frame.frame_bytes, setting.context.framing().pfc);
  EXPECT_EQ(setting.said(0), saying(0xffff));
  EXPECT_TRUE(setting.ingress().paused);
  setting.arrive(101'000);
  EXPECT_THAT(setting.context.sent(), SizeIs(1));  // one is enough
}

TEST(PfcSwitch, PausesWhenHeadroomIsUsed) {
  Setting setting;
  setting.arrive(0, 1'066);  // [PFC-S-1]
  EXPECT_TRUE(setting.ingress().paused);
}

TEST(PfcSwitch, LeavesAnIngressWithinItsReserveAlone) {
  Setting setting;
  setting.context.set_thresholds(0, 0);
  setting.arrive(0);
  EXPECT_FALSE(setting.ingress().paused);  // [PFC-S-1]
  setting.arrive(1);
  EXPECT_TRUE(setting.ingress().paused);
}

TEST(PfcSwitch, LooksAtAnIngressWhenItsFrameArrives) {
  Setting setting;
  Frame& frame = setting.context.new_frame(kIn, kOut, kLossless);
  setting.context.set_now(at(1_us));
  setting.hold(200'000);
  setting.policy.on_enter(setting.context, setting.context.default_queue(kOut, kLossless), frame);
  EXPECT_FALSE(setting.ingress().paused);  // it only moved on to another queue

  Frame& own = setting.context.new_frame(PortId::none(), kOut, kLossless);  // made by this switch
  setting.policy.on_enter(setting.context, setting.context.default_queue(kOut, kLossless), own);
  setting.policy.on_depart(setting.context, setting.context.default_queue(kOut, kLossless), own);
  setting.policy.on_drop(setting.context, setting.context.default_queue(kOut, kLossless), own, DropReason::link_down);
  EXPECT_THAT(setting.context.sent(), IsEmpty());
}

TEST(PfcSwitch, PausesForAFrameThatFoundNoRoom) {
  Setting setting;
  Frame& frame = setting.context.new_frame(kIn, kOut, kLossless);
  frame.charged_bytes = 0;
  setting.policy.on_drop(setting.context, QueueId::none(), frame, DropReason::buffer_full);
  EXPECT_FALSE(setting.ingress().paused);  // no frame is queued, so none would end the pause
  setting.hold(99'000);
  setting.policy.on_drop(setting.context, QueueId::none(), frame, DropReason::corrupt);
  EXPECT_FALSE(setting.ingress().paused);
  setting.policy.on_drop(setting.context, QueueId::none(), frame, DropReason::buffer_full);
  EXPECT_TRUE(setting.ingress().paused);  // [PFC-S-2]
  EXPECT_EQ(setting.said(0), saying(0xffff));
  setting.policy.on_drop(setting.context, QueueId::none(), frame, DropReason::buffer_full);
  EXPECT_THAT(setting.context.sent(), SizeIs(1));
}

TEST(PfcSwitch, ResumesAtXonOnceHeadroomIsEmpty) {
  Setting setting;
  setting.arrive(100'000, 2'000);
  setting.depart(90'000, 1'000);
  setting.depart(90'001, 0);
  EXPECT_TRUE(setting.ingress().paused);
  setting.depart(90'000, 0);  // [PFC-S-3]
  EXPECT_FALSE(setting.ingress().paused);
  ASSERT_THAT(setting.context.sent(), SizeIs(2));
  EXPECT_EQ(setting.said(1), saying(0));
  EXPECT_EQ(setting.context.sent()[1].port, kIn);
  setting.depart(80'000);
  EXPECT_THAT(setting.context.sent(), SizeIs(2));
}

TEST(PfcSwitch, ResumesWithNothingSharedWhateverXonSays) {
  Setting setting;
  setting.arrive(100'000);
  setting.context.set_thresholds(-5, -5);
  setting.depart(1);
  EXPECT_TRUE(setting.ingress().paused);
  setting.depart(0);  // [PFC-S-3]
  EXPECT_FALSE(setting.ingress().paused);
}

TEST(PfcSwitch, ResumesWhenAnAdmittedFrameIsLost) {
  Setting setting;
  setting.arrive(100'000);
  setting.hold(50'000);
  const Frame& frame = setting.context.new_frame(kIn, kOut, kLossless);
  setting.policy.on_drop(setting.context, setting.context.default_queue(kOut, kLossless), frame, DropReason::link_down);
  EXPECT_FALSE(setting.ingress().paused);  // [PFC-S-3]
}

TEST(PfcSwitch, RepeatsAPauseAtHalfItsTime) {
  Setting setting;
  setting.arrive(100'000);
  const Duration pause = pause_of(0xffff, 100_Gbps);
  setting.context.run_until(at(pause / 2 - 1_ps));
  EXPECT_THAT(setting.context.sent(), SizeIs(1));
  setting.context.run_until(at(pause * 5 + 1_us));
  ASSERT_THAT(setting.context.sent(), SizeIs(11));  // [PFC-S-4]
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(setting.context.sent()[i].at, at(pause / 2 * static_cast<std::int64_t>(i)));
    EXPECT_EQ(setting.said(i), saying(0xffff));
  }
  EXPECT_FALSE(setting.at_rest());
  setting.depart(0);
  EXPECT_TRUE(setting.at_rest());
  setting.context.run_until(at(pause * 10));
  EXPECT_THAT(setting.context.sent(), SizeIs(12));  // the RESUME only
  EXPECT_THAT(setting.context.pauses(), SizeIs(2));
}

TEST(PfcSwitch, RestatesAllPausesOfThePort) {
  Setting setting({{"quanta", std::int64_t{1'000}}});
  const Duration interval = pause_of(1'000, 100_Gbps) / 2;
  setting.arrive(100'000);
  setting.context.run_until(at(interval - 1_ns));
  setting.arrive(100'000, 0, 4);
  PfcQuanta both = saying(1'000);
  both.set(4, 1'000);
  ASSERT_THAT(setting.context.sent(), SizeIs(2));
  EXPECT_EQ(setting.said(1), both);  // [PFC-S-5]
  setting.context.run_until(at(2 * interval - 1_ns));
  ASSERT_THAT(setting.context.sent(), SizeIs(3));
  EXPECT_EQ(setting.said(2), both);
  setting.depart(0);
  EXPECT_EQ(setting.said(3), saying(0));
  setting.context.run_until(at(3 * interval - 1_ns));
  ASSERT_THAT(setting.context.sent(), SizeIs(5));
  EXPECT_EQ(setting.said(4), saying(1'000, 4));
}

// A departure of another ingress may have raised the threshold meanwhile.
TEST(PfcSwitch, ResumesInsteadOfRepeating) {
  Setting setting;
  setting.arrive(100'000);
  setting.context.set_thresholds(200'000, 190'000);
  setting.context.run_until(at(pause_of(0xffff, 100_Gbps) / 2 - 1_ps));
  EXPECT_TRUE(setting.ingress().paused);
  setting.context.run_until(at(pause_of(0xffff, 100_Gbps)));
  EXPECT_FALSE(setting.ingress().paused);  // [PFC-S-6]
  ASSERT_THAT(setting.context.sent(), SizeIs(2));
  EXPECT_EQ(setting.said(1), saying(0));
}

TEST(PfcSwitch, ChangesAFrameThatWaits) {
  Setting setting;
  setting.arrive(100'000);
  ASSERT_THAT(setting.context.sent(), SizeIs(1));
  const FrameId waiting = setting.context.sent().front().id;
  setting.context.port_state(kIn).control_head = waiting;
  const auto says = [&] { return read_pfc(setting.context.frames(), setting.context.frames()[waiting]); };
  setting.depart(0);
  setting.arrive(100'000, 0, 4);
  PfcQuanta message = saying(0);
  message.set(4, 0xffff);
  EXPECT_EQ(says(), message);  // [PFC-S-8]
  setting.arrive(100'000);
  message.set(kLossless, 0xffff);
  EXPECT_EQ(says(), message);
  EXPECT_THAT(setting.context.sent(), SizeIs(1));
  setting.context.port_state(kIn).control_head = FrameId::none();
  setting.depart(0);
  EXPECT_THAT(setting.context.sent(), SizeIs(2));  // the first one has left
}

TEST(PfcSwitch, LeavesLossyPrioritiesAlone) {
  Setting setting;
  setting.arrive(900'000, 900'000, kLossy);
  EXPECT_THAT(setting.context.sent(), IsEmpty());  // [PFC-S-7]
  Frame& frame = setting.context.new_frame(kIn, kOut, kLossy);
  frame.charged_bytes = 0;
  setting.policy.on_drop(setting.context, QueueId::none(), frame, DropReason::buffer_full);
  EXPECT_THAT(setting.context.sent(), IsEmpty());
}

TEST(PfcSwitch, PausesNoNeighbourWithoutPfc) {
  Setting setting;
  setting.context.port_state(kIn).peer.protocols.pfc = false;
  setting.arrive(100'000);
  setting.arrive(100'000, 1'000);
  EXPECT_THAT(setting.context.sent(), IsEmpty());  // [PFC-S-9]
  EXPECT_THAT(setting.context.pauses(), IsEmpty());
  EXPECT_TRUE(setting.at_rest());
  setting.depart(0);
  EXPECT_THAT(setting.context.sent(), IsEmpty());
}

TEST(PfcSwitch, TriesAgainWhenThePoolIsEmpty) {
  for (const bool binary : {false, true}) {
    Setting setting({{"binary", binary}}, 2);
    FramePool& pool = setting.context.frames();
    Frame& arriving = setting.context.new_frame(kIn, kOut, kLossless);
    const QueueId queue = setting.context.default_queue(kOut, kLossless);
    FrameId other = pool.allocate();
    setting.hold(100'000);
    setting.policy.on_enter(setting.context, queue, arriving);
    EXPECT_FALSE(setting.ingress().paused);
    pool.release(other);
    setting.policy.on_enter(setting.context, queue, arriving);
    EXPECT_TRUE(setting.ingress().paused);

    setting.hold(0);
    setting.policy.on_depart(setting.context, queue, arriving);  // the PAUSE has used the last frame of the pool
    EXPECT_TRUE(setting.ingress().paused);
    setting.context.release_sent();
    setting.context.run_until(at(1_us));
    EXPECT_FALSE(setting.ingress().paused);
    ASSERT_THAT(setting.context.sent(), SizeIs(1));
    EXPECT_EQ(setting.said(0), saying(0));
  }
}

TEST(PfcSwitch, RepeatsNoOtherPauseWhenItTriesAgainAndIsBinary) {
  Setting setting({{"binary", true}}, 3);
  setting.arrive(100'000);
  setting.arrive(100'000, 0, 4);
  setting.depart(0);  // no frame is available: two are sent, and one departs
  EXPECT_TRUE(setting.ingress().paused);
  setting.context.release_sent();
  setting.context.run_until(at(1_us));
  ASSERT_THAT(setting.context.sent(), SizeIs(1));  // [PFC-B-1]
  EXPECT_EQ(setting.said(0), saying(0));
  EXPECT_TRUE(setting.ingress(4).paused);
  EXPECT_TRUE(setting.at_rest());
}

// ---- pauses by the neighbour ----

TEST(PfcSwitch, HoldsAPriorityForTheQuanta) {
  Setting setting;
  setting.context.set_now(at(1_us));
  setting.receive(1'000);
  EXPECT_FALSE(setting.open());
  EXPECT_TRUE(setting.open(4));
  EXPECT_TRUE(setting.context.priority_gate_open(kIn, kLossless));
  setting.context.run_until(at(1_us + 5'120_ns - 1_ps));  // 1,000 quanta of 512 bits at 100 Gbit/s
  EXPECT_FALSE(setting.open());
  setting.context.run_until(at(1_us + 5'120_ns));
  EXPECT_TRUE(setting.open());  // [PFC-R-1]
}

TEST(PfcSwitch, LetsALaterFrameReplaceTheTime) {
  Setting setting;
  setting.receive(1'000);
  setting.context.run_until(at(2'560_ns));
  setting.receive(1'000);
  setting.context.run_until(at(7'679_ns));
  EXPECT_FALSE(setting.open());
  setting.context.run_until(at(7'680_ns));
  EXPECT_TRUE(setting.open());  // [PFC-R-1]
  setting.receive(1'000);
  setting.receive(10);  // a shorter one too
  setting.context.run_until(at(7'680_ns + 52_ns));
  EXPECT_TRUE(setting.open());
}

TEST(PfcSwitch, OpensAtZeroQuanta) {
  Setting setting;
  setting.receive(0xffff);
  setting.receive(0xffff, 4);
  setting.receive(0);
  EXPECT_TRUE(setting.open());  // [PFC-R-2]
  EXPECT_FALSE(setting.open(4));
}

TEST(PfcSwitch, ObeysWhatAFrameNames) {
  Setting setting;
  PfcQuanta message;
  message.set(4, 100);
  message.quanta[kLossless] = 100;  // not enabled
  setting.receive(message);
  EXPECT_TRUE(setting.open());  // [PFC-R-3]
  EXPECT_FALSE(setting.open(4));
  setting.receive(100, kLossy);
  EXPECT_TRUE(setting.open(kLossy));
}

// [PFC-R-5]
TEST(PfcSwitch, AcceptsPausesOfLosslessPrioritiesOnly) {
  Setting setting;
  const auto verdict = [&](std::initializer_list<Priority> priorities) {
    PfcQuanta message;
    for (const Priority priority : priorities) message.set(priority, 100);
    const FrameId id = make_pfc(setting.context.frames(), message, Framing::rocev2());
    const auto out = setting.policy.judge(setting.context, kOut, setting.context.frames()[id]);
    setting.context.frames().release(id);
    return out;
  };
  EXPECT_EQ(verdict({kLossless}), ControlVerdict::accepted);
  EXPECT_EQ(verdict({kLossy, kLossless}), ControlVerdict::accepted);
  EXPECT_EQ(verdict({kLossy}), ControlVerdict::no_target);
  EXPECT_EQ(verdict({}), ControlVerdict::no_target);
  setting.context.port_state(kOut).peer.protocols.pfc = false;
  EXPECT_EQ(verdict({kLossless}), ControlVerdict::not_spoken);
  Frame& other = setting.context.new_frame(kOut, PortId::none(), kLossless);
  other.kind = FrameKind::hop_control;
  EXPECT_EQ(setting.policy.judge(setting.context, kOut, other), std::nullopt);
}

TEST(PfcSwitch, TakesNoOtherFrame) {
  Setting setting;
  for (const FrameKind kind : {FrameKind::data, FrameKind::hop_control}) {
    Frame& frame = setting.context.new_frame(kOut, PortId::none(), kLossless);
    frame.kind = kind;
    EXPECT_FALSE(setting.policy.on_control(setting.context, kOut, frame));
  }
}

TEST(PfcSwitch, RespondsAfterItsTime) {
  Setting setting({{"response", 500_ns}});
  setting.receive(1'000);
  setting.context.run_until(at(100_ns));
  setting.receive(0);
  setting.context.run_until(at(200_ns));
  setting.receive(1'000);
  EXPECT_TRUE(setting.open());
  setting.context.run_until(at(499_ns));
  EXPECT_TRUE(setting.open());
  setting.context.run_until(at(500_ns));
  EXPECT_FALSE(setting.open());  // [PFC-R-4]
  setting.context.run_until(at(600_ns));
  EXPECT_TRUE(setting.open());
  setting.context.run_until(at(700_ns));
  EXPECT_FALSE(setting.open());
  setting.context.run_until(at(700_ns + 5'119_ns));
  EXPECT_FALSE(setting.open());
  setting.context.run_until(at(700_ns + 5'120_ns));
  EXPECT_TRUE(setting.open());
}

TEST(PfcSwitch, TakesMoreFramesThanALinkCouldBring) {
  Setting setting({{"response", 500_ns}});
  for (int i = 0; i < 1'000; ++i) setting.receive(1'000, i % 2 == 0 ? kLossless : Priority{4});
  EXPECT_FALSE(setting.open());  // the oldest took effect early: the delay line was full
  EXPECT_FALSE(setting.open(4));
  setting.receive(0);
  setting.receive(0, 4);
  setting.context.run_until(at(500_ns));
  EXPECT_TRUE(setting.open());  // and no pause was lost
  EXPECT_TRUE(setting.open(4));
}

// ---- the binary variant ----

TEST(PfcSwitch, HoldsUntilTheResumeWhenBinary) {
  Setting setting({{"binary", true}});
  setting.receive(1);
  setting.context.run_until(at(1_s));
  EXPECT_FALSE(setting.open());  // [PFC-B-1]
  setting.receive(0);
  EXPECT_TRUE(setting.open());
}

TEST(PfcSwitch, RepeatsNothingWhenBinary) {
  Setting setting({{"binary", true}});
  setting.arrive(100'000);
  setting.arrive(100'000, 0, 4);
  setting.context.run_until(at(1_s));
  ASSERT_THAT(setting.context.sent(), SizeIs(2));  // [PFC-B-1]
  EXPECT_EQ(setting.said(0), saying(0xffff));
  EXPECT_EQ(setting.said(1), saying(0xffff, 4));
}

// ---- links ----

TEST(PfcSwitch, ForgetsWithTheLink) {
  Setting setting({{"response", 500_ns}});
  setting.arrive(100'000);
  setting.receive(1'000);
  for (const PortId port : {kIn, kOut}) {
    setting.context.note_pause(port, kLossless, false);  // as the core does
    setting.policy.on_link(setting.context, port, false);
  }
  EXPECT_TRUE(setting.at_rest());
  setting.context.run_until(at(1_s));
  EXPECT_THAT(setting.context.sent(), SizeIs(1));  // [PFC-L-1] no repeat
  EXPECT_TRUE(setting.open());                     // and no effect
  setting.policy.on_link(setting.context, kIn, true);
  setting.arrive(100'000);
  EXPECT_TRUE(setting.ingress().paused);
  setting.receive(1'000, 4);
  setting.context.run_until(setting.context.now() + 500_ns);
  EXPECT_FALSE(setting.open(4));
  EXPECT_TRUE(setting.open());  // pauses received before the failure stay forgotten
}

// ---- both ends of a link ----

/// A link of 1 us between an upstream switch and one with a slow egress. Time advances in steps; in each step the
/// upstream switch sends a frame if its gate is open.
class TwoSwitches {
 public:
  static constexpr std::int64_t kFrame = 1'000;
  static constexpr Duration kDelay = Duration::picoseconds(1'000'000);
  static constexpr Duration kStep = Duration::picoseconds(100'000);

  explicit TwoSwitches(const Values& values) : upstream_(values), downstream_(values) {
    downstream_.context.set_thresholds(50'000, 40'000);
  }

  /// `departs`: a frame leaves the downstream switch in this step, if there is one. `loses`: PFC frames sent in this
  /// step are lost.
  void step(bool sends, bool departs, bool loses) {
    now_ += kStep;
    upstream_.context.run_until(now_);
    downstream_.context.run_until(now_);
    while (!messages_.empty() && messages_.front().first <= now_) {
      upstream_.receive(messages_.front().second);
      messages_.pop_front();
    }
    if (sends && gate_open()) data_.push_back(now_ + kDelay);
    if (!data_.empty() && data_.front() <= now_) {
      data_.pop_front();
      const bool room = shared_ + kFrame <= 50'000 && headroom_ == 0;
      (room ? shared_ : headroom_) += kFrame;
      highest_headroom_ = std::max(highest_headroom_, headroom_);
      downstream_.arrive(shared_, headroom_);
    }
    if (departs && shared_ + headroom_ > 0) {
      (headroom_ > 0 ? headroom_ : shared_) -= kFrame;
      downstream_.depart(shared_, headroom_);
    }
    for (std::size_t i = 0; i < downstream_.context.sent().size(); ++i) {
      if (!loses) messages_.emplace_back(now_ + kDelay, downstream_.said(i));
    }
    downstream_.context.release_sent();
  }

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] bool gate_open() const { return upstream_.open(); }
  [[nodiscard]] bool says_pause() { return downstream_.ingress().paused; }
  [[nodiscard]] bool is_empty() const { return data_.empty() && shared_ + headroom_ == 0; }
  [[nodiscard]] std::int64_t highest_headroom() const { return highest_headroom_; }

 private:
  Setting upstream_;
  Setting downstream_;
  Time now_;
  std::deque<Time> data_;
  std::deque<std::pair<Time, PfcQuanta>> messages_;
  std::int64_t shared_ = 0;
  std::int64_t headroom_ = 0;
  std::int64_t highest_headroom_ = 0;
};

Values generated_values() {
  const bool binary = *rc::gen::arbitrary<bool>();
  const auto quanta = *rc::gen::inRange<std::int64_t>(600, 3'000);
  return {{"binary", binary}, {"quanta", quanta}};
}

RC_GTEST_PROP(PfcSwitch, EveryPauseHoldsAndEnds, ()) {
  TwoSwitches link(generated_values());
  const auto drain = *rc::gen::inRange<std::uint64_t>(0, 100);
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), 0, 0);
  Time told;  // since when the downstream switch has requested its current state
  bool said = false;
  for (int i = 0; i < 2'000; ++i) {
    link.step(true, random.below(100) < drain, false);
    if (link.says_pause() != said) {
      said = !said;
      told = link.now();
    }
    // A request takes effect after the link delay: no pause lapses while it is needed, and no gate stays closed longer.
    if (link.now() > told + TwoSwitches::kDelay + TwoSwitches::kStep) RC_ASSERT(link.gate_open() != said);
  }
  // [PFC-S-1] Arrivals until a pause takes effect: the round trip, plus one step at each end.
  RC_ASSERT(link.highest_headroom() <= 23 * TwoSwitches::kFrame);
  for (int i = 0; i < 2'000; ++i) link.step(false, true, false);
  RC_ASSERT(link.is_empty());
  RC_ASSERT(!link.says_pause());  // [PFC-S-3]
  RC_ASSERT(link.gate_open());
}

RC_GTEST_PROP(PfcSwitch, LostFramesHeal, ()) {
  const auto quanta = *rc::gen::inRange<std::int64_t>(600, 3'000);
  TwoSwitches link({{"quanta", quanta}});
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), 0, 0);
  for (int i = 0; i < 1'000; ++i) link.step(true, random.below(100) < 50, random.below(4) == 0);
  // No frame leaves and all PFC frames are lost, then none: the PAUSE arrives in the end.
  for (int i = 0; i < 100; ++i) link.step(true, false, true);
  for (int i = 0; i < 400; ++i) link.step(true, false, false);
  RC_ASSERT(link.says_pause() && !link.gate_open());  // [PFC-S-4]
  // The RESUME is lost: the pause expires.
  for (int i = 0; i < 1'000; ++i) link.step(false, true, true);
  RC_ASSERT(!link.says_pause() && link.gate_open());  // [PFC-R-1]
}

}  // namespace
}  // namespace weir::pfc::pfc_switch_test
