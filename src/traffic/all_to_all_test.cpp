// SPDX-License-Identifier: Apache-2.0
#include "traffic/all_to_all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traffic/source_testing.h"
#include "units/time.h"

namespace weir::all_to_all_test {
namespace {

using namespace literals;
using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Two hot experts of sixteen have 41 % and 45 %, the others share the rest (simulator of Pyrrha's authors).
AllToAllSettings mixture_of_experts() {
  AllToAllSettings settings;
  settings.senders = HostSet::range(0, 16);
  settings.receivers = HostSet::range(0, 16).hosts();
  settings.weights.assign(16, 0.14 / 14);
  settings.weights[3] = 0.41;
  settings.weights[9] = 0.45;
  settings.bytes_per_sender = Bytes(8'000'000);
  settings.bursts = 100;
  settings.burst_interval = 5_us;
  settings.split = AllToAllSettings::Split::drawn;
  settings.step_interval = 2_ms;
  return settings;
}

AllToAllSettings even(std::size_t hosts) {
  AllToAllSettings settings;
  settings.senders = HostSet::range(0, hosts);
  settings.receivers = settings.senders.hosts();
  settings.bytes_per_sender = Bytes(1'000'001);
  settings.step_interval = 1_ms;
  return settings;
}

TEST(AllToAll, DividesEvenlyAndExactly) {
  AllToAllSource source(even(5), 1);
  const auto flows = take(source, 20);
  std::map<HostId, std::int64_t> sent;
  std::map<HostPair, int> count;
  for (const FlowSpec& flow : flows) {
    EXPECT_EQ(flow.start, Time());
    EXPECT_NEAR(static_cast<double>(flow.size.count()), 250'000, 1);
    sent[flow.source] += flow.size.count();
    ++count[{flow.source, flow.destination}];
  }
  EXPECT_EQ(count.size(), 20u);
  for (const auto& [host, bytes] : sent) EXPECT_EQ(bytes, 1'000'001) << host.index();
  EXPECT_EQ(source.next_start(), Time() + 1_ms);
}

TEST(AllToAll, HotExpertsGetTheirPart) {
  AllToAllSettings settings = mixture_of_experts();
  settings.keep_local = true;
  AllToAllSource source(settings, 1);
  const auto flows = take(source, 100'000);
  EXPECT_TRUE(in_order(flows));
  std::map<HostId, double> received;
  double bytes = 0.0;
  for (const FlowSpec& flow : flows) {
    EXPECT_NE(flow.source, flow.destination);
    EXPECT_EQ(flow.size, Bytes(80'000));
    received[flow.destination] += static_cast<double>(flow.size.count());
    bytes += static_cast<double>(flow.size.count());
  }
  // Each expert receives its part from fifteen of sixteen.
  EXPECT_NEAR(received[HostId(3)] / bytes, 0.41, 0.01);
  EXPECT_NEAR(received[HostId(9)] / bytes, 0.45, 0.01);
  EXPECT_NEAR(received[HostId(0)] / bytes, 0.01, 0.002);
}

TEST(AllToAll, BurstsAndStepsKeepTheirPhase) {
  AllToAllSettings settings = mixture_of_experts();
  settings.flows.start = Time() + 1_ms;
  settings.step_limit = 3;
  AllToAllSource source(settings, 1);
  const auto flows = take(source, 100'000);
  ASSERT_EQ(flows.size(), 3u * 100u * 16u);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i / 1600);
    const auto burst = static_cast<std::int64_t>(i % 1600 / 16);
    EXPECT_EQ(flows[i].start, Time() + 1_ms + 2_ms * step + 5_us * burst);
  }
}

TEST(AllToAll, ABarrierWaitsForTheLastFlow) {
  AllToAllSettings settings = even(4);
  settings.pace = AllToAllSettings::Pace::after_completion;
  settings.step_interval = 10_us;
  settings.step_limit = 2;
  AllToAllSource source(settings, 1);
  const auto flows = take(source, 100);
  ASSERT_EQ(flows.size(), 12u);
  for (std::size_t i = 0; i < 11; ++i) source.on_completed(flows[i], Time() + 50_us);
  EXPECT_EQ(source.next_start(), Time::never());
  source.on_completed(flows[11], Time() + 70_us);
  EXPECT_EQ(source.next_start(), Time() + 80_us);
  const auto second = take_completing(source, 100, 1_us);
  EXPECT_EQ(second.size(), 12u);
  EXPECT_THAT(offered(source), IsEmpty());
}

TEST(AllToAll, ABarrierWaitsForTheLastBurst) {
  AllToAllSettings settings = even(2);
  settings.pace = AllToAllSettings::Pace::after_completion;
  settings.bursts = 3;
  settings.burst_interval = 100_us;
  settings.step_interval = 10_us;
  AllToAllSource source(settings, 1);
  const auto flows = take_completing(source, 7, 1_us);
  EXPECT_EQ(flows[5].start, Time() + 200_us);
  EXPECT_EQ(flows[6].start, Time() + 211_us);
}

TEST(AllToAll, OfferedIsWhatIsRealised) {
  AllToAllSource source(mixture_of_experts(), 1);
  const auto rates = offered(source);
  EXPECT_NEAR(total(rates), 16 * 8e6 * 8 / 2e-3, 1e3);
  const auto flows = take(source, 1600 * 50 + 1);
  std::map<HostPair, double> bytes;
  for (std::size_t i = 0; i + 1 < flows.size(); ++i) {
    bytes[{flows[i].source, flows[i].destination}] += static_cast<double>(flows[i].size.count());
  }
  const double seconds = flows.back().start.seconds();
  const HostPair hot{HostId(0), HostId(9)};
  EXPECT_NEAR(bytes[hot] * 8 / seconds, rates.at(hot), 0.05 * rates.at(hot));
}

TEST(AllToAll, JitterAndLimits) {
  AllToAllSettings settings = even(4);
  settings.jitter = 3_ms;
  settings.flows.flow_limit = 100;
  AllToAllSource source(settings, 1);
  const auto flows = take(source, 1000);
  EXPECT_EQ(flows.size(), 100u);
  EXPECT_TRUE(in_order(flows));
  settings = even(4);
  settings.flows.stop = Time() + 2_ms;
  AllToAllSource stopped(settings, 1);
  EXPECT_EQ(take(stopped, 1000).size(), 24u);
}

TEST(AllToAll, StartsNothingWhenSendersHaveStopped) {
  AllToAllSettings settings = even(4);
  settings.jitter = 800_us;
  settings.flows.end_flows = Time() + 2'500_us;
  AllToAllSource source(settings, 1);
  const auto flows = take(source, 1000);
  ASSERT_FALSE(flows.empty());
  EXPECT_LT(flows.back().start, settings.flows.end_flows);

  settings.pace = AllToAllSettings::Pace::after_completion;
  settings.step_interval = Duration();
  settings.step_limit = 1'000'000;
  AllToAllSource paced(settings, 1);
  const auto steps = take_completing(paced, 100'000, 1_us);
  ASSERT_FALSE(steps.empty());
  for (const FlowSpec& flow : steps) EXPECT_LT(flow.start, settings.flows.end_flows);
  EXPECT_EQ(paced.next_start(), Time::never());
}

TEST(AllToAll, IsDeterministic) {
  AllToAllSource source(mixture_of_experts(), 1);
  EXPECT_EQ(digest(take(source, 1000)), std::uint64_t{0x1a9785d9e6b654f8});
  AllToAllSettings divided = mixture_of_experts();
  divided.split = AllToAllSettings::Split::divided;
  divided.jitter = 1_us;
  AllToAllSource other(divided, 1);
  EXPECT_EQ(digest(take(other, 1000)), std::uint64_t{0xca1e16f532913c26});
}

TEST(AllToAll, ProblemsAreFound) {
  EXPECT_THAT(problems(mixture_of_experts()), IsEmpty());
  AllToAllSettings settings = mixture_of_experts();
  settings.weights.pop_back();
  EXPECT_THAT(problems(settings), ElementsAre("15 weights for 16 receivers, expected one each"));
  settings = even(1);
  EXPECT_THAT(problems(settings), ElementsAre("host 0 has no receiver other than itself"));
  settings = mixture_of_experts();
  settings.step_interval = 100_us;
  EXPECT_THAT(problems(settings), ElementsAre("the bursts of a step last longer than the interval between steps"));
  settings = even(3);
  settings.step_interval = Duration();
  EXPECT_THAT(problems(settings),
              ElementsAre("endless steps without an interval, expected an interval or a limit of steps"));
}

}  // namespace
}  // namespace weir::all_to_all_test
