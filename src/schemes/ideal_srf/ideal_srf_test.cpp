// SPDX-License-Identifier: Apache-2.0
#include "schemes/ideal_srf/ideal_srf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "policy/testing/fake_nic.h"
#include "policy/testing/fake_switch.h"

namespace weir::ideal_srf::ideal_srf_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Setting {
  Setting() { policy->attach(context); }
  Frame& frame_of(std::size_t flow, std::uint32_t remaining = 0) {
    Frame& frame = context.new_frame(PortId(0), PortId(1), 3);
    frame.kind = FrameKind::data;
    frame.source = HostId(1);
    frame.destination = HostId(2);
    frame.queue_pair = QueuePairId(flow);
    remaining_.write(frame, remaining);
    return frame;
  }
  std::uint64_t rank(const Frame& frame) { return policy->classifier()->rank(context, frame); }
  FakeSwitch context{2, 64};
  std::unique_ptr<FlowControl> policy = scheme.flow_control(Parameters(scheme.parameters));
  InlineField<std::uint32_t> remaining_ = context.headers().place<std::uint32_t>(kRemaining);
};

TEST(IdealSrf, HasAQueueForEachFlowServedByRank) {
  Setting setting;
  EXPECT_TRUE(scheme.traits.ideal);
  const QueueId first = setting.policy->classifier()->classify(setting.context, setting.frame_of(5));
  EXPECT_EQ(setting.policy->classifier()->classify(setting.context, setting.frame_of(5)), first);
  EXPECT_NE(setting.policy->classifier()->classify(setting.context, setting.frame_of(6)), first);  // [ISRF-1]
  for (int priority = 0; priority < kPriorities; ++priority) {
    EXPECT_EQ(setting.context.discipline(static_cast<Priority>(priority)), Discipline::rank);  // [ISRF-1]
  }
}

TEST(IdealSrf, RanksControlFramesFirstAndDataWithoutASizeLast) {
  Setting setting;
  const Frame& least = setting.frame_of(1, 1);
  const Frame& most = setting.frame_of(2, 0xffff'ffff);
  const Frame& none = setting.frame_of(3);
  Frame& later = setting.frame_of(4);
  later.arrival = none.arrival + Duration::picoseconds(1);
  Frame& acknowledgement = setting.frame_of(5, 7);
  acknowledgement.kind = FrameKind::ack;
  EXPECT_LT(setting.rank(acknowledgement), setting.rank(least));  // [ISRF-3]
  EXPECT_LT(setting.rank(least), setting.rank(most));             // [ISRF-1]
  EXPECT_LT(setting.rank(most), setting.rank(none));              // [ISRF-4]
  EXPECT_LT(setting.rank(none), setting.rank(later));             // [ISRF-4]
}

TEST(IdealSrf, WritesTheRemainingBytes) {
  FakeNic nic;
  const auto policy = scheme.nic_flow_control(Parameters(scheme.parameters));
  policy->attach(nic);
  ASSERT_TRUE(policy->marks_sent());
  const auto field = nic.headers().place<std::uint32_t>(kRemaining);
  SendState& sender = nic.open_sender(HostId(1), 3);
  const auto written = [&](std::int64_t posted, std::int64_t acknowledged) {
    sender.posted_bytes = posted;
    sender.acknowledged_bytes = acknowledged;
    Frame frame{};
    frame.kind = FrameKind::data;
    policy->on_sent(nic, sender, GateId::none(), frame);
    return field.read(frame);
  };
  EXPECT_EQ(written(10'000, 4'000), 6'000u);  // [ISRF-2]
  EXPECT_EQ(written(10'000, 10'000), 1u) << "zero would mean that there is no size";
  EXPECT_EQ(written(std::int64_t{1} << 40, 0), 0xffff'ffffu);
}

TEST(IdealSrf, WarnsIfHostsTakeTurns) {
  SchemeSurroundings around;
  EXPECT_THAT(scheme.warnings(Parameters(), around), ElementsAre(HasSubstr("host.shortest_remaining_first")));
  around.hosts.shortest_remaining_first = true;
  EXPECT_THAT(scheme.warnings(Parameters(), around), IsEmpty());  // [ISRF-5]
}

}  // namespace
}  // namespace weir::ideal_srf::ideal_srf_test
