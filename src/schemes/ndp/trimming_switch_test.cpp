// SPDX-License-Identifier: Apache-2.0
#include "schemes/ndp/trimming_switch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "policy/testing/fake_switch.h"
#include "schemes/ndp/ndp.h"

namespace weir::ndp::trimming_switch_test {
namespace {

constexpr PortId kIn(0);
constexpr PortId kOut(1);
constexpr Priority kLossy = 1;
constexpr Priority kLossless = 3;

Time at(std::int64_t microseconds) {
  return Time::picoseconds(microseconds * 1'000'000);
}

/// A switch of two ports with queues of three frames, and its policy.
struct Setting {
  explicit Setting(std::int64_t header_queue = 0, bool returns = true) {
    Parameters parameters(scheme.parameters);
    parameters.set("queue", std::int64_t{3});
    parameters.set("header_queue", header_queue);
    parameters.set("return_to_sender", returns);
    policy = std::make_unique<TrimmingSwitch>(Settings(parameters));
    policy->attach(context);
  }
  Frame& frame(FrameKind kind = FrameKind::data, Priority priority = kLossy) {
    Frame& made = context.new_frame(kIn, kOut, priority);
    made.kind = kind;
    return made;
  }
  Frame& header() {
    Frame& made = frame();
    made.set_trimmed(true);
    made.frame_bytes = 64;
    made.payload_bytes = 0;
    return made;
  }
  /// A queue with this number of data frames.
  void fill(QueueId queue, std::uint32_t frames) {
    QueueState& state = context.queue_state(queue);
    state.frames = frames;
    state.head = state.tail = context.frames().allocate();
    context.frames()[state.tail].kind = FrameKind::data;
  }
  QueueId data_queue() { return context.default_queue(kOut, kLossy); }
  QueueId header_queue() { return policy->classify(context, header()); }

  FakeSwitch context{2};
  std::unique_ptr<TrimmingSwitch> policy;
};

TEST(NdpSwitch, DataWaitsInAShortQueueAndHeadersInTheirOwn) {
  Setting setting;
  EXPECT_EQ(setting.policy->classify(setting.context, setting.frame()), setting.data_queue());  // [NDP-SW-1]
  const QueueId headers = setting.header_queue();
  EXPECT_NE(headers, setting.data_queue());
  EXPECT_EQ(setting.context.queue(headers).port, kOut);
  EXPECT_EQ(setting.context.queue(headers).priority, kLossy) << "they share the level of their data";
  EXPECT_EQ(setting.context.discipline(kLossy), Discipline::rank);
  setting.fill(setting.data_queue(), 2);
  EXPECT_TRUE(setting.policy->admit(setting.context, setting.frame()));
  setting.fill(setting.data_queue(), 3);
  EXPECT_FALSE(setting.policy->admit(setting.context, setting.frame()));
  EXPECT_TRUE(setting.policy->admit(setting.context, setting.header()));
}

/// Serves both queues as a scheduler does: the head frame with the lower rank, of equals that with data.
class Service {
 public:
  explicit Service(Setting& setting) : setting_(setting) { setting.policy->classify(setting.context, header_); }
  void header_comes() {
    QueueState& queue = setting_.context.queue_state(setting_.header_queue());
    if (!queue.empty()) return;
    queue.head = FrameId(0);
    header_rank_ = setting_.policy->rank(setting_.context, header_);
  }
  void data_comes() { data_rank_ = setting_.policy->rank(setting_.context, data_); }
  /// Whether data is served. Both queues have another frame.
  bool serve() {
    const bool data = data_rank_ <= header_rank_;
    if (data) {
      data_comes();
    } else {
      header_rank_ = setting_.policy->rank(setting_.context, header_);
    }
    return data;
  }
  /// The only header is sent.
  void header_leaves() { setting_.context.queue_state(setting_.header_queue()).head = FrameId::none(); }
  [[nodiscard]] bool header_is_first() const { return header_rank_ < data_rank_; }

 private:
  Setting& setting_;
  Frame& header_ = setting_.header();
  Frame& data_ = setting_.frame();
  std::uint64_t header_rank_ = 0;
  std::uint64_t data_rank_ = 0;
};

TEST(NdpSwitch, TenHeadersAreSentForEachDataFrame) {
  for (const bool header_first : {false, true}) {
    Setting setting;
    Service service(setting);
    if (header_first) service.header_comes();
    service.data_comes();
    service.header_comes();
    std::vector<int> between;  // headers before each data frame
    for (int headers = 0; between.size() < 4;) {
      if (service.serve()) {
        between.push_back(std::exchange(headers, 0));
      } else {
        ++headers;
      }
    }
    EXPECT_EQ(between, (std::vector<int>{10, 10, 10, 10})) << header_first;  // [NDP-SW-4]
  }
}

TEST(NdpSwitch, AHeaderOvertakesTheDataThatWaits) {
  Setting setting;
  Service service(setting);
  for (int i = 0; i < 30; ++i) {
    service.data_comes();
    service.header_comes();
    EXPECT_TRUE(service.header_is_first());  // [NDP-SW-4]
    service.header_leaves();
  }
}

TEST(NdpSwitch, ControlFramesShareTheQueueOfHeaders) {
  Setting setting;
  for (const FrameKind kind : {FrameKind::host_control, FrameKind::ack, FrameKind::nack, FrameKind::cnp}) {
    EXPECT_EQ(setting.policy->classify(setting.context, setting.frame(kind)), setting.header_queue());  // [NDP-SW-5]
  }
  EXPECT_EQ(setting.policy->classify(setting.context, setting.frame(FrameKind::datagram)), setting.data_queue());
}

TEST(NdpSwitch, AFairCoinSelectsTheArrivingPacketOrTheLastOneInTheQueue) {
  Setting setting;
  setting.fill(setting.data_queue(), 3);
  int tails = 0;
  constexpr int kDraws = 10'000;
  const Frame& arriving = setting.frame();
  for (int i = 0; i < kDraws; ++i) {
    const Rescue rescue = setting.policy->rescue(setting.context, arriving, DropReason::policy);  // [NDP-SW-2]
    EXPECT_EQ(rescue.priority, kLossy);                                                           // [NDP-SW-3]
    EXPECT_EQ(rescue.bytes, 0) << "the headers remain";
    if (rescue.kind == Rescue::Kind::trim_tail) {
      EXPECT_EQ(rescue.queue, setting.data_queue());
      ++tails;
    } else {
      EXPECT_EQ(rescue.kind, Rescue::Kind::trim);
    }
  }
  EXPECT_NEAR(tails, kDraws / 2, 200);
}

TEST(NdpSwitch, TrimsTheArrivingPacketIfTheLastOneCannotBe) {
  Setting setting;
  const auto always_itself = [&] {
    for (int i = 0; i < 100; ++i) {
      if (setting.policy->rescue(setting.context, setting.context.frames()[FrameId(0)], DropReason::buffer_full).kind !=
          Rescue::Kind::trim) {
        return false;
      }
    }
    return true;
  };
  setting.frame();
  EXPECT_TRUE(always_itself()) << "the buffer is full, but not this queue";
  setting.fill(setting.data_queue(), 3);
  EXPECT_FALSE(always_itself());
  setting.context.frames()[setting.context.queue(setting.data_queue()).tail].kind = FrameKind::datagram;
  EXPECT_TRUE(always_itself());
}

TEST(NdpSwitch, AHeaderWithoutRoomReturnsOnce) {
  Setting setting(5);
  const QueueId headers = setting.header_queue();
  setting.fill(headers, 4);
  EXPECT_TRUE(setting.policy->admit(setting.context, setting.header()));
  setting.fill(headers, 5);
  Frame& header = setting.header();
  EXPECT_FALSE(setting.policy->admit(setting.context, header));  // [NDP-SW-6]
  EXPECT_FALSE(setting.policy->admit(setting.context, setting.frame(FrameKind::host_control)));
  const Rescue rescue = setting.policy->rescue(setting.context, header, DropReason::policy);
  EXPECT_EQ(rescue.kind, Rescue::Kind::to_sender);
  EXPECT_EQ(rescue.priority, kLossy);
  header.set_returned();
  EXPECT_EQ(setting.policy->rescue(setting.context, header, DropReason::policy).kind, Rescue::Kind::none);
  EXPECT_EQ(setting.policy->statistic(1, kOut, 0).value, 1);
}

TEST(NdpSwitch, ReturnsNothingIfSwitchedOff) {
  Setting setting(5, false);
  EXPECT_EQ(setting.policy->rescue(setting.context, setting.header(), DropReason::policy).kind, Rescue::Kind::none);
  EXPECT_EQ(setting.policy->statistic(1, kOut, 0).value, 0);
}

TEST(NdpSwitch, TheQueueOfHeadersHasAsManyBytesByDefault) {
  Setting setting;
  const QueueId headers = setting.header_queue();
  setting.fill(headers, 3 * 1'066 / 66 - 1);
  EXPECT_TRUE(setting.policy->admit(setting.context, setting.header()));  // [NDP-SW-6]
  setting.fill(headers, 3 * 1'066 / 66);
  EXPECT_FALSE(setting.policy->admit(setting.context, setting.header()));
}

TEST(NdpSwitch, LeavesLosslessPrioritiesAlone) {
  Setting setting;
  setting.fill(setting.context.default_queue(kOut, kLossless), 1'000);
  const Frame& frame = setting.frame(FrameKind::data, kLossless);
  EXPECT_TRUE(setting.policy->admit(setting.context, frame));  // [NDP-SW-1]
  EXPECT_EQ(setting.policy->rescue(setting.context, frame, DropReason::buffer_full).kind, Rescue::Kind::none);
  Frame& ack = setting.frame(FrameKind::ack, kLossless);
  EXPECT_EQ(setting.policy->classify(setting.context, ack), setting.context.default_queue(kOut, kLossless));
}

TEST(NdpSwitch, CountsWhatItTrims) {
  Setting setting;
  setting.policy->on_trim(setting.context, QueueId::none(), setting.header(), 0);
  setting.policy->on_trim(setting.context, setting.data_queue(), setting.header(), 1'066);
  EXPECT_EQ(setting.policy->statistic(0, kOut, 0).value, 2);
  EXPECT_EQ(setting.policy->statistic(0, kIn, 0).value, 0);
}

TEST(NdpSwitch, MeasuresTheShareOfTrimmedHeaders) {
  Setting setting;
  setting.context.run_until(at(3));
  const auto departs = [&](Frame& frame) { setting.policy->on_depart(setting.context, QueueId(0), frame); };
  Frame& header = setting.header();
  // 100 Gbit/s carry 125,000 bytes in 10 us; a header takes 84 on the wire.
  for (int i = 0; i < 150; ++i) departs(header);
  departs(setting.frame(FrameKind::host_control));
  EXPECT_EQ(setting.policy->gauge(0, kOut), 0) << "the interval has not ended";
  setting.context.run_until(at(10));
  EXPECT_DOUBLE_EQ(setting.policy->gauge(0, kOut), 150 * 84 / 125'000.0);
  EXPECT_EQ(setting.policy->gauge(0, kIn), 0);
  departs(header);
  setting.context.run_until(at(20));
  EXPECT_DOUBLE_EQ(setting.policy->gauge(0, kOut), 84 / 125'000.0);
  setting.context.run_until(at(40));
  EXPECT_EQ(setting.policy->gauge(0, kOut), 0);
}

}  // namespace
}  // namespace weir::ndp::trimming_switch_test
