// SPDX-License-Identifier: Apache-2.0
#include "schemes/spfc/spfc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/testing/fake_switch.h"
#include "schemes/test_parameters.h"

namespace weir::spfc::spfc_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Priority kLossless = 3;
constexpr PortId kIn(1);
constexpr PortId kOut(2);
constexpr std::int64_t kPool = 1'000'000;
constexpr std::int64_t kFree = 200'000;  // the rest of the pool is in use
constexpr std::int64_t kNormal = 2 * kFree;
// 100 us at 100 Gbit/s are 1,250,000 bytes, or 1,151 packets of 1,066 + 20 bytes; this is the first integer above a
// fifth of that.
constexpr int kNumber = 231;

/// A switch of four ports of 100 Gbit/s, port 0 of 400 Gbit/s, hosts 0 to 3 behind them, and the policy attached to it.
struct Setting {
  explicit Setting(const std::vector<std::pair<std::string_view, ParameterValue>>& values = {}) {
    Parameters parameters(scheme.parameters);
    for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
    policy = scheme.buffer(parameters);
    context.set_rate(PortId(0), 400_Gbps);
    context.buffer_state().lossless[4] = true;
    context.buffer_state().pools[0] = {.size = kPool, .used = kPool - kFree};
    policy->attach(context);
  }
  void depart(int frames, PortId ingress = kIn, Priority priority = kLossless, std::uint16_t bytes = 1066) {
    for (int i = 0; i < frames; ++i) {
      Frame& frame = context.new_frame(ingress, kOut, priority);
      frame.frame_bytes = bytes;
      policy->on_depart(context, context.default_queue(kOut, priority), frame);
      context.frames().release(context.frames().id_of(frame));
    }
  }
  void pause(bool paused, Priority priority = kLossless, PortId ingress = kIn) {
    policy->on_pause(context, ingress, priority, paused);
  }
  [[nodiscard]] std::int64_t xoff(PortId ingress = kIn) const { return policy->xoff(context, ingress, kLossless); }
  [[nodiscard]] std::int64_t xon(PortId ingress = kIn) const { return policy->xon(context, ingress, kLossless); }

  FakeSwitch context{4};
  std::unique_ptr<BufferPolicy> policy;
};

TEST(Spfc, GivesANormalPortTheDynamicThreshold) {
  Setting setting;
  EXPECT_EQ(setting.xoff(), kNormal);        // [SPFC-N-1]
  EXPECT_EQ(setting.xon(), kNormal - 3072);  // [SPFC-N-2]
  setting.context.buffer_state().pools[0].used = kPool + 1;
  EXPECT_EQ(setting.xoff(), 0);
  EXPECT_EQ(setting.xon(), 0);
  Setting half({{"alpha", 0.5}, {"resume_offset", Bytes(10'000)}});
  EXPECT_EQ(half.xoff(), kFree / 2);
  EXPECT_EQ(half.xon(), kFree / 2 - 10'000);
}

TEST(Spfc, GivesAVictimPortTheWholePool) {
  Setting setting;
  setting.depart(kNumber);
  EXPECT_EQ(setting.xoff(), kPool);  // [SPFC-V-1]
  EXPECT_EQ(setting.xon(), kPool - 3072);
  EXPECT_EQ(setting.xoff(kOut), kNormal) << "each port has a state of its own";
  setting.context.buffer_state().pools[0].used = kPool;
  EXPECT_EQ(setting.xoff(), kPool);
}

TEST(Spfc, GivesAVictimPortThePoolOfItsPriority) {
  Setting setting;
  setting.context.buffer_state().pool_of_priority[4] = 1;
  setting.context.buffer_state().pools[1] = {.size = 3 * kPool, .used = 0};
  setting.policy = scheme.buffer(Parameters(scheme.parameters));
  setting.policy->attach(setting.context);
  setting.depart(kNumber);
  EXPECT_EQ(setting.policy->xoff(setting.context, kIn, kLossless), kPool);  // [SPFC-V-1]
  EXPECT_EQ(setting.policy->xoff(setting.context, kIn, 4), 3 * kPool);
}

TEST(Spfc, LimitsALossyEgressAsTheDynamicThresholdDoes) {
  Setting setting({{"egress_alpha", 0.5}});
  EXPECT_EQ(setting.policy->egress_limit(setting.context, kOut, 0), kFree / 2);  // [SPFC-N-3]
}

TEST(Spfc, CountsPacketsOfTheLineRateDividedByK) {
  Setting setting;
  setting.depart(kNumber - 1);
  EXPECT_EQ(setting.xoff(), kNormal);
  setting.depart(1, kIn, kLossless, 64);  // of any size
  EXPECT_EQ(setting.xoff(), kPool);       // [SPFC-IRC-3]

  setting.depart(920, PortId(0));
  EXPECT_EQ(setting.xoff(PortId(0)), kNormal) << "400 Gbit/s: 920.8 packets";
  setting.depart(1, PortId(0));
  EXPECT_EQ(setting.xoff(PortId(0)), kPool);

  Setting ninth({{"k", std::int64_t{9}}, {"interval", Duration(50_us)}});
  ninth.depart(63);
  EXPECT_EQ(ninth.xoff(), kNormal);
  ninth.depart(1);  // 575.5 / 9 = 63.9
  EXPECT_EQ(ninth.xoff(), kPool);

  Setting never_zero({{"k", std::int64_t{1'000'000}}});
  EXPECT_EQ(never_zero.xoff(), kNormal);
  never_zero.depart(1);
  EXPECT_EQ(never_zero.xoff(), kPool);
}

// "When R_depart > C/K_spfc ... the port is the victim port" (IV.B): at exactly that rate it is not.
TEST(Spfc, IsNormalAtAKthOfItsRate) {
  Setting setting({{"count", std::string("bytes")}});  // a fifth of 1,250,000 bytes are 250 frames of 1,000
  setting.depart(250, kIn, kLossless, 980);
  EXPECT_EQ(setting.xoff(), kNormal);  // [SPFC-IRC-3]
  setting.depart(1, kIn, kLossless, 64);
  EXPECT_EQ(setting.xoff(), kPool);
}

TEST(Spfc, CountsBytesOnTheWireWhenAsked) {
  Setting setting({{"count", std::string("bytes")}});
  setting.depart(1'000, kIn, kLossless, 70);  // 90,000 of 250,000 bytes
  EXPECT_EQ(setting.xoff(), kNormal);         // [SPFC-IRC-3]
  setting.depart(147);                        // 159,642
  EXPECT_EQ(setting.xoff(), kNormal);
  setting.depart(1);
  EXPECT_EQ(setting.xoff(), kPool);
}

TEST(Spfc, CountsWhatCameInLosslessAndNothingElse) {
  Setting setting;
  setting.depart(2 * kNumber, kIn, 0);
  setting.depart(2 * kNumber, PortId::none());  // made by the switch
  EXPECT_EQ(setting.xoff(), kNormal);           // [SPFC-IRC-2]
  setting.depart(kNumber / 2, kIn, 3);
  setting.depart(kNumber / 2 + 1, kIn, 4);  // all queues of a port are counted together
  EXPECT_EQ(setting.xoff(), kPool);
}

TEST(Spfc, EndsAnIntervalAtEveryTickOfTheClock) {
  Setting setting;
  setting.context.run_until(Time() + 99_us);
  setting.depart(kNumber - 1);
  setting.context.run_until(Time() + 100_us);  // [SPFC-TC-1]
  setting.depart(1);
  EXPECT_EQ(setting.xoff(), kNormal);
  setting.depart(kNumber - 1);
  EXPECT_EQ(setting.xoff(), kPool);
  setting.context.run_until(Time() + 299_us);  // held through the next interval, in which no frame left
  EXPECT_EQ(setting.xoff(), kPool);            // [SPFC-SH-1]
  setting.context.run_until(Time() + 300_us);
  EXPECT_EQ(setting.xoff(), kNormal);
}

TEST(Spfc, IsNormalFromItsPauseToItsResume) {
  Setting setting;
  setting.depart(kNumber);
  setting.pause(true);
  EXPECT_EQ(setting.xoff(), kNormal);  // [SPFC-SH-2]
  EXPECT_EQ(setting.xon(), kNormal - 3072);
  setting.depart(kNumber);
  setting.context.run_until(Time() + 100_us);
  setting.depart(kNumber);
  EXPECT_EQ(setting.xoff(), kNormal);
  setting.pause(false);
  EXPECT_EQ(setting.xoff(), kPool);  // [SPFC-SH-3]
}

TEST(Spfc, ForgetsWithTheLink) {
  for (const bool up : {false, true}) {
    Setting setting;
    setting.depart(kNumber);
    setting.policy->on_link(setting.context, kIn, up);
    EXPECT_EQ(setting.xoff(), kNormal) << up;  // [SPFC-LINK-1]
    setting.depart(kNumber);
    EXPECT_EQ(setting.xoff(), kPool);
  }
}

TEST(Spfc, KeepsThePortOfAHostInTheVictimState) {
  Setting setting({{"always_victim", std::int64_t{1}}});
  EXPECT_EQ(setting.xoff(), kPool);  // [SPFC-V-2]
  setting.pause(true);
  setting.context.run_until(Time() + 1_ms);
  EXPECT_EQ(setting.xoff(), kPool);
  EXPECT_EQ(setting.xoff(kOut), kNormal);
  Setting none;
  for (std::size_t port = 0; port < 4; ++port) EXPECT_EQ(none.xoff(PortId(port)), kNormal);
}

/// The switch applies rules by itself: it must be notified of every change, and of nothing else.
TEST(Spfc, TellsTheSwitchWhenARuleChanges) {
  Setting setting;
  EXPECT_THAT(setting.context.threshold_notes(), IsEmpty());
  setting.depart(3 * kNumber);
  EXPECT_THAT(setting.context.threshold_notes(), ElementsAre(kIn));
  setting.context.run_until(Time() + 100_us);
  EXPECT_THAT(setting.context.threshold_notes(), SizeIs(1)) << "still a victim";
  setting.pause(true);
  setting.pause(true, 4);
  setting.pause(false, 4);
  EXPECT_THAT(setting.context.threshold_notes(), SizeIs(2));
  for (const bool victim : {false, true}) {
    if (victim) {
      setting.pause(false);
      setting.depart(kNumber);
    }
    const auto rule = setting.policy->linear_xoff(kIn, kLossless);
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->base + static_cast<std::int64_t>(rule->share * static_cast<double>(kFree)), setting.xoff());
  }
}

/// A network with PFC in which this is the longest round trip.
SchemeSurroundings lossless_network(Duration longest_round_trip) {
  static const Scheme pauses = {
      .name = "pauses", .summary = "sends PFC frames", .traits = {.pfc = true}, .parameters = {}};
  SwitchView at;
  at.lossless[3] = true;
  at.flow_control = {{&pauses, nullptr}};
  return {.network = {.links = {{100_Gbps}}, .longest_round_trip = longest_round_trip}, .at_switch = at};
}

TEST(Spfc, SaysWhenTheIntervalIsTooShortForTheNetwork) {
  const Parameters parameters(scheme.parameters);
  EXPECT_THAT(scheme.warnings(parameters, lossless_network(25_us)), IsEmpty());
  EXPECT_THAT(scheme.warnings(parameters, lossless_network(25_us + 1_ns)), SizeIs(1));  // [SPFC-TC-3]
}

TEST(Spfc, SaysWhenNothingObeysItsThresholds) {
  const Parameters parameters(scheme.parameters);
  SchemeSurroundings around = lossless_network(25_us);
  around.at_switch->flow_control.clear();
  EXPECT_THAT(scheme.warnings(parameters, around), ElementsAre(HasSubstr("no flow control")));  // [SPFC-IN-2]
  around.at_switch->lossless = {};
  EXPECT_THAT(scheme.warnings(parameters, around), ElementsAre(HasSubstr("no priority is lossless")));
}

TEST(Spfc, IsRefusedForAVictimThatThereIsNot) {
  const auto refusals = [](std::int64_t host) {
    Parameters parameters(scheme.parameters);
    EXPECT_TRUE(parameters.set("always_victim", host));
    return testing_scheme::texts_of(
        scheme.refusals(parameters, {.ports = {100_Gbps}, .hosts = 4, .plugged_in = {HostId(2), HostId(3)}}));
  };
  EXPECT_THAT(refusals(-1), IsEmpty());
  EXPECT_THAT(refusals(3), IsEmpty());
  EXPECT_THAT(refusals(1), ElementsAre(HasSubstr("not connected to a switch with this scheme")));
  EXPECT_THAT(refusals(4), ElementsAre(HasSubstr("expected 0 to 3")));  // [SPFC-IN-1]
  EXPECT_THAT(refusals(9999), SizeIs(1));
}

}  // namespace
}  // namespace weir::spfc::spfc_test
