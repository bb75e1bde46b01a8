// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/credit_switch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "policy/testing/fake_switch.h"
#include "schemes/expresspass/expresspass.h"
#include "schemes/expresspass/message.h"
#include "schemes/test_parameters.h"

namespace weir::expresspass::credit_switch_test {
namespace {

using testing_scheme::Values;
using testing_scheme::with;

constexpr PortId kIn(0);
constexpr PortId kOut(1);

struct At {
  explicit At(const Values& values = {}) : policy(scheme.flow_control(with(scheme, values))) {
    policy->attach(context);
  }
  Classifier& classifier() { return *policy->classifier(); }
  Frame& control(Kind kind) {
    Frame& frame = context.new_frame(kIn, kOut, kCreditPriority);
    frame.kind = FrameKind::host_control;
    frame.protocol = kProtocol;
    write_control(frame, context.framing(), kind, 0, 0);
    return frame;
  }
  /// The queue of credits of this port.
  static QueueId credits(PortId port) { return QueueId(2 * kPriorities + port.index()); }

  FakeSwitch context{2};
  std::unique_ptr<FlowControl> policy;
};

TEST(CreditSwitch, GivesCreditsTheShareThatTheirDataLeave) {
  // [XPASS-Q-1] 1,460 bytes of payload and 78 of headers, as in the authors' simulator: 5.18 % of the link.
  EXPECT_EQ(credit_rate(BitRate(10'000'000'000), 1'538) / 8, BitRate(64'734'895)) << "its token rate in bytes";
  EXPECT_EQ(time_to_send(Bytes(kControlWire), credit_rate(BitRate(100'000'000'000), 1'538)),
            Duration::picoseconds(129'761));
  At at;
  for (const PortId port : {kIn, kOut}) {
    const QueueSpec& spec = at.context.requested(At::credits(port));
    EXPECT_EQ(spec.rate, credit_rate(BitRate(100'000'000'000), 1'066 + 20));
    EXPECT_EQ(spec.burst, 2 * kControlWire);  // [XPASS-Q-2]
    EXPECT_FALSE(spec.starts_full);
    EXPECT_EQ(spec.level, 0);
    EXPECT_EQ(spec.port, port);
  }
}

TEST(CreditSwitch, DropsCreditsBeyondItsQueue) {
  for (const std::int64_t size : {1, 8, 16}) {
    At at({{"credit_buffer", size}});
    const Frame& credit = at.control(Kind::credit);
    at.context.queue_state(At::credits(kOut)).frames = static_cast<std::uint32_t>(size) - 1;
    EXPECT_TRUE(at.classifier().admit(at.context, credit));  // [XPASS-Q-3]
    at.context.queue_state(At::credits(kOut)).frames = static_cast<std::uint32_t>(size);
    EXPECT_FALSE(at.classifier().admit(at.context, credit));
    EXPECT_TRUE(at.classifier().admit(at.context, at.control(Kind::request)));
    EXPECT_TRUE(at.classifier().admit(at.context, at.context.new_frame(kIn, kOut, 3)));
  }
}

TEST(CreditSwitch, QueuesOnlyCreditsApart) {
  At at;
  EXPECT_EQ(at.classifier().classify(at.context, at.control(Kind::credit)), At::credits(kOut));
  for (const Kind kind : {Kind::request, Kind::stop, Kind::nack}) {
    EXPECT_EQ(at.classifier().classify(at.context, at.control(kind)), at.context.default_queue(kOut, kCreditPriority));
  }
  Frame& data = at.context.new_frame(kIn, kOut, 3);
  data.tag = static_cast<std::uint16_t>(Kind::credit);  // the number of a credit
  EXPECT_EQ(at.classifier().classify(at.context, data), at.context.default_queue(kOut, 3));
  Frame& other = at.control(Kind::credit);
  other.protocol = kProtocol + 1;
  EXPECT_EQ(at.classifier().classify(at.context, other), at.context.default_queue(kOut, kCreditPriority));
}

TEST(CreditSwitch, CountsTheCreditsThatItDrops) {
  At at;
  at.policy->on_drop(at.context, QueueId::none(), at.control(Kind::credit), DropReason::policy);
  at.policy->on_drop(at.context, QueueId::none(), at.control(Kind::stop), DropReason::buffer_full);
  at.policy->on_drop(at.context, QueueId::none(), at.context.new_frame(kIn, kOut, 3), DropReason::buffer_full);
  Frame& lost = at.control(Kind::credit);
  lost.egress = PortId::none();
  at.policy->on_drop(at.context, QueueId::none(), lost, DropReason::corrupt);
  EXPECT_EQ(at.policy->statistic(0, kOut, 0).value, 1);
  EXPECT_EQ(at.policy->statistic(0, kIn, 0).value, 0);
}

}  // namespace
}  // namespace weir::expresspass::credit_switch_test
