// SPDX-License-Identifier: Apache-2.0
#include "schemes/hpcc/hpcc.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "policy/testing/fake_nic.h"
#include "policy/testing/fake_switch.h"
#include "schemes/hpcc/telemetry.h"

namespace weir::hpcc::hpcc_test {
namespace {

using namespace literals;

constexpr PortId kIn(0);
constexpr PortId kOut(1);
constexpr Priority kPriority = 3;

// ---- the switch ----

class TelemetryPointTest : public testing::Test {
 protected:
  TelemetryPointTest() { make(Parameters(scheme.parameters)); }

  void make(const Parameters& parameters) {
    point = scheme.congestion_point(parameters);
    point->attach(context);
  }
  /// Transmits a data frame whose sender has or has not requested telemetry.
  Frame& depart(bool asks, FrameKind kind = FrameKind::data) {
    Frame& frame = context.new_frame(kIn, kOut, kPriority);
    frame.kind = kind;
    if (asks) context.frames().extend(frame, Telemetry::kBytes);
    point->on_depart(context, queue, frame);
    return frame;
  }
  Telemetry of(const Frame& frame) { return Telemetry(context.frames().extension(frame)); }

  FakeSwitch context{4};
  QueueId queue = context.default_queue(kOut, kPriority);
  std::unique_ptr<CongestionPoint> point;
};

TEST_F(TelemetryPointTest, StampsWhenAFrameLeaves) {  // [HPCC-INT-1]
  EXPECT_TRUE(point->hooks().depart);
  EXPECT_FALSE(point->hooks().enter || point->hooks().arrival);
  context.set_now(Time() + 7_us);
  PortState& port = context.port_state(kOut);
  port.queued_bytes = 44'000;
  port.bytes_sent = 1'000'000;
  port.frames_sent = 1'000;
  context.queue_state(queue).bytes = 4'000;  // the rest is in other queues of the port
  const Frame& frame = depart(true);
  ASSERT_EQ(of(frame).links(), 1u);
  EXPECT_EQ(of(frame).link(0), LinkRecord::of(Time() + 7_us, 100_Gbps, 44'000, 1'000'000 + 1'000 * 20));
  EXPECT_EQ(frame.frame_bytes, 1066);  // the space was reserved at the source
}

TEST_F(TelemetryPointTest, CountsAnIsolatedFramesQueue) {  // [HPCC-INT-1]
  context.port_state(kOut).queued_bytes = 10'000;
  context.queue_state(queue).bytes = 10'000;
  context.set_signalled_length([](QueueId, const Frame&) { return std::int64_t{90'000}; });
  EXPECT_EQ(of(depart(true)).link(0).queue, 90'000u);
  // What others would signal does not matter: the length is written into the frame.
  context.set_carried_length([](QueueId, const Frame&) { return std::int64_t{12'000}; });
  EXPECT_EQ(of(depart(true)).link(0).queue, 12'000u);
}

TEST_F(TelemetryPointTest, CutsOffWhatIsLessThanAUnit) {  // [HPCC-INT-5]
  Parameters parameters(scheme.parameters);
  parameters.set("telemetry_units", std::int64_t{4});
  make(parameters);
  context.set_now(Time() + Duration::picoseconds(7'001'999));
  PortState& port = context.port_state(kOut);
  port.queued_bytes = 44'000;  // 137.5 units of 320 bytes
  context.queue_state(queue).bytes = 44'000;
  port.bytes_sent = 1'000'000;
  port.frames_sent = 1'000;  // 1,020,000 bytes: 1,992.2 units of 512
  EXPECT_EQ(of(depart(true)).link(0), LinkRecord::of(Time() + 7'001_ns, 100_Gbps, 137 * 320, 1'992 * 512));
}

TEST_F(TelemetryPointTest, LeavesOtherFramesAlone) {  // [HPCC-INT-2]
  EXPECT_FALSE(depart(false).extension.exists());
  EXPECT_EQ(of(depart(true, FrameKind::ack)).links(), 0u);
}

// ---- the host ----

class HpccTest : public testing::Test {
 protected:
  HpccTest() { make(Parameters(scheme.parameters)); }

  void make(const Parameters& parameters) {
    policy = scheme.congestion_control(parameters);
    policy->attach(nic);
    sender.base_round_trip = 8_us;
    policy->open(nic, sender);
  }
  Frame& new_frame(FrameKind kind) {
    Frame& frame = nic.frames()[nic.frames().allocate()];
    frame.kind = kind;
    frame.frame_bytes = kind == FrameKind::data ? 1066 : nic.framing().acknowledge();
    return frame;
  }
  /// An acknowledgement with telemetry of one link, at `time`.
  void ack(Duration time, std::int64_t sent, std::int64_t queue) {
    Frame& frame = new_frame(FrameKind::ack);
    Telemetry telemetry(nic.frames().extend(frame, Telemetry::kBytes));
    telemetry.add(SwitchId(0), LinkRecord::of(Time() + time, 100_Gbps, queue, sent));
    sender.acknowledged_bytes += 1'000;
    sender.next_bytes = 100'000;
    policy->on_ack(nic, sender, {frame, 1'000});
    nic.frames().release(nic.frames().id_of(frame));
  }

  FakeNic nic;
  SendState& sender = nic.open_sender(HostId(7), kPriority);
  ReceiveState& receiver = nic.open_receiver(HostId(7), kPriority);
  std::unique_ptr<CongestionControl> policy;
};

TEST_F(HpccTest, StartsAtLineRateWithOneBandwidthDelayProduct) {  // [HPCC-W-1]
  EXPECT_EQ(sender.rate, 100_Gbps);
  EXPECT_EQ(sender.window, 100'000);
}

TEST_F(HpccTest, ARoundTripMayBeGivenForAll) {  // [HPCC-W-1]
  Parameters parameters(scheme.parameters);
  parameters.set("round_trip", 13_us);
  make(parameters);
  EXPECT_EQ(sender.window, 162'500);
}

TEST_F(HpccTest, DataHasRoomAndTheAcknowledgementTakesItBack) {  // [HPCC-INT-2]
  Frame& data = new_frame(FrameKind::data);
  policy->on_sent(nic, sender, data);
  Telemetry(nic.frames().extension(data)).add(SwitchId(3), LinkRecord::of(Time() + 1_us, 100_Gbps, 5, 6));
  Frame& reply = new_frame(FrameKind::ack);
  policy->on_data(nic, receiver, data, &reply);
  EXPECT_FALSE(data.extension.exists());
  EXPECT_EQ(Telemetry(nic.frames().extension(reply)).link(0), LinkRecord::of(Time() + 1_us, 100_Gbps, 5, 6));
}

TEST_F(HpccTest, RoomAndEchoAreParameters) {  // [HPCC-INT-2]
  Parameters parameters(scheme.parameters);
  parameters.set("telemetry", 80_B);
  parameters.set("telemetry_echoed", false);
  make(parameters);
  Frame& data = new_frame(FrameKind::data);
  policy->on_sent(nic, sender, data);
  Frame& reply = new_frame(FrameKind::ack);
  policy->on_data(nic, receiver, data, &reply);
  EXPECT_TRUE(reply.extension.exists());
  EXPECT_EQ(scheme.header_bytes(parameters).at_source, 80);
  EXPECT_FALSE(scheme.header_bytes(parameters).echoed);
  EXPECT_EQ(scheme.header_bytes(Parameters(scheme.parameters)).at_source, 42);
}

TEST_F(HpccTest, DataThatIsNotAnsweredKeepsItsTelemetry) {  // [HPCC-INT-2]
  Frame& data = new_frame(FrameKind::data);
  policy->on_sent(nic, sender, data);
  policy->on_data(nic, receiver, data, nullptr);
  EXPECT_TRUE(data.extension.exists());
}

TEST_F(HpccTest, WindowAndRateGoTogether) {  // [HPCC-W-1] [HPCC-W-2]
  ack(0_us, 0, 90'000);
  EXPECT_EQ(sender.window, 100'000);
  ack(8_us, 100'000, 90'000);
  EXPECT_EQ(sender.window, 50'050);
  EXPECT_EQ(sender.rate, 50'050_Mbps);
}

TEST_F(HpccTest, MayLimitTheRateOnly) {  // [HPCC-W-7]
  ack(10_us, 0, 0);
  ack(18_us, 200'000, 0);
  const BitRate limited = sender.rate;
  ASSERT_LT(limited, 100_Gbps);
  ASSERT_LT(sender.window, 100'000);

  Parameters parameters(scheme.parameters);
  EXPECT_TRUE(scheme.sets_window(parameters));
  parameters.set("window", false);
  EXPECT_FALSE(scheme.sets_window(parameters));
  sender.window = kUnlimited;
  sender.acknowledged_bytes = 0;
  make(parameters);
  EXPECT_EQ(sender.rate, 100_Gbps);
  ack(10_us, 0, 0);
  ack(18_us, 200'000, 0);
  EXPECT_EQ(sender.rate, limited);
  EXPECT_EQ(sender.window, kUnlimited);
}

TEST_F(HpccTest, AnAcknowledgementWithoutTelemetryChangesNothing) {  // [HPCC-INT-4]
  const Frame& frame = new_frame(FrameKind::ack);
  policy->on_ack(nic, sender, {frame, 1'000});
  EXPECT_EQ(sender.window, 100'000);
}

TEST_F(HpccTest, WithoutExtensionsLeftFramesStillGo) {  // [HPCC-INT-2]
  FakeNic small(4);
  std::vector<FrameId> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(small.frames().allocate());
  for (const FrameId id : taken) policy->on_sent(small, sender, small.frames()[id]);
  Frame extra{};
  policy->on_sent(small, sender, extra);
  EXPECT_FALSE(extra.extension.exists());
}

TEST(HpccParameters, WarnOfAHeadroomOfNothing) {  // [HPCC-W-6]
  Parameters parameters(scheme.parameters);
  parameters.set("eta", 1.0);
  EXPECT_TRUE(scheme.warnings(parameters, {}).empty());
  parameters.set("concurrent_flows", std::int64_t{8});
  EXPECT_EQ(scheme.warnings(parameters, {}).size(), 1u);
  parameters.set("eta", 0.95);
  EXPECT_TRUE(scheme.warnings(parameters, {}).empty());
}

}  // namespace
}  // namespace weir::hpcc::hpcc_test
