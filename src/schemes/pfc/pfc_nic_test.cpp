// SPDX-License-Identifier: Apache-2.0
#include "schemes/pfc/pfc_nic.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/testing/fake_nic.h"
#include "schemes/pfc/pfc.h"

namespace weir::pfc::pfc_nic_test {
namespace {

using namespace literals;

constexpr Priority kPriority = 3;

/// A NIC of 100 Gbit/s.
struct Setting {
  explicit Setting(const std::vector<std::pair<std::string_view, ParameterValue>>& values = {})
      : policy([&values] {
          Parameters parameters(scheme.parameters);
          for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
          return Settings(parameters);
        }()) {
    policy.attach(nic);
  }
  void receive(std::uint16_t quanta, Priority priority = kPriority) {
    PfcQuanta message;
    message.set(priority, quanta);
    const FrameId frame = make_pfc(nic.frames(), message, nic.framing());
    EXPECT_TRUE(policy.on_control(nic, nic.frames()[frame]));
    nic.frames().release(frame);
  }
  [[nodiscard]] bool open(Priority priority = kPriority) const { return nic.priority_gate_open(priority); }

  FakeNic nic;
  PfcNic policy;
};

Time at(Duration since_start) {
  return Time() + since_start;
}

TEST(PfcNic, HoldsAPriorityForTheQuanta) {
  Setting setting;
  setting.nic.set_now(at(1_us));
  setting.receive(1'000);
  EXPECT_TRUE(setting.open(4));  // [PFC-R-3]
  setting.nic.run_until(at(1_us + 5'120_ns - 1_ps));
  EXPECT_FALSE(setting.open());
  setting.nic.run_until(at(1_us + 5'120_ns));
  EXPECT_TRUE(setting.open());  // [PFC-R-1]
}

TEST(PfcNic, OpensAtZeroQuanta) {
  Setting setting;
  setting.receive(0xffff);
  EXPECT_FALSE(setting.open());
  setting.receive(0);
  EXPECT_TRUE(setting.open());  // [PFC-R-2]
}

TEST(PfcNic, HoldsUntilTheResumeWhenBinary) {
  Setting setting({{"binary", true}});
  setting.receive(1);
  setting.nic.run_until(at(1_s));
  EXPECT_FALSE(setting.open());  // [PFC-B-1]
  setting.receive(0);
  EXPECT_TRUE(setting.open());
}

TEST(PfcNic, RespondsAfterItsTime) {
  Setting setting({{"response", 500_ns}, {"binary", true}});
  setting.receive(1);
  setting.nic.run_until(at(100_ns));
  setting.receive(0);
  setting.nic.run_until(at(499_ns));
  EXPECT_TRUE(setting.open());
  setting.nic.run_until(at(500_ns));
  EXPECT_FALSE(setting.open());  // [PFC-R-4]
  setting.nic.run_until(at(599_ns));
  EXPECT_FALSE(setting.open());
  setting.nic.run_until(at(600_ns));
  EXPECT_TRUE(setting.open());
}

TEST(PfcNic, ForgetsWithTheLink) {
  Setting setting({{"response", 500_ns}});
  setting.receive(1'000);
  setting.policy.on_link(setting.nic, false);
  setting.nic.run_until(at(1_us));
  EXPECT_TRUE(setting.open());  // [PFC-L-1]
}

/// A NIC whose receive buffer has 100 KB, of which 30 KB are headroom. The largest frame has 1,066 bytes.
struct SlowHost {
  explicit SlowHost(bool binary = false)
      : policy([binary] {
          Parameters parameters(scheme.parameters);
          EXPECT_TRUE(parameters.set("binary", binary));
          return Settings(parameters);
        }()) {
    buffer.size = 100'000;
    buffer.headroom = 30'000;
    buffer.lossless[3] = buffer.lossless[5] = true;
    nic.set_receive_buffer(&buffer);
    policy.attach(nic);
  }
  /// The quanta of priority 3 in each frame sent since the last call.
  std::vector<int> use(std::int64_t bytes) {
    buffer.used = bytes;
    policy.on_receive_buffer(nic, kPriority);
    return sent();
  }
  std::vector<int> sent() {
    std::vector<int> out;
    for (const FakeNic::Sent& sent : nic.sent()) {
      const PfcQuanta said = read_pfc(nic.frames(), nic.frames()[sent.id]);
      EXPECT_TRUE(said.names(3) && said.names(5) && !said.names(4));
      EXPECT_EQ(said.quanta[3], said.quanta[5]);
      out.push_back(said.quanta[3]);
    }
    nic.release_sent();
    return out;
  }
  ReceiveBufferState buffer;
  FakeNic nic;
  PfcNic policy;
};

using Quanta = std::vector<int>;

TEST(PfcNic, PausesAllLosslessPrioritiesWhenItsReceiveBufferReachesXoff) {
  SlowHost host;
  EXPECT_EQ(host.use(69'999), Quanta{});
  EXPECT_EQ(host.use(70'000), Quanta{0xffff});  // [PFC-H-1]
  EXPECT_EQ(host.use(80'000), Quanta{}) << "once";
}

TEST(PfcNic, ResumesTwoFramesBelow) {
  SlowHost host;
  host.use(70'000);
  EXPECT_EQ(host.use(70'000 - 2 * 1066 + 1), Quanta{});
  EXPECT_EQ(host.use(70'000 - 2 * 1066), Quanta{0});  // [PFC-H-2]
  EXPECT_EQ(host.use(0), Quanta{}) << "once";
  host.nic.run_until(at(1_ms));
  EXPECT_EQ(host.sent(), Quanta{}) << "and repeats no pause";
}

TEST(PfcNic, RepeatsThePauseOfItsSwitchAtHalfItsTime) {
  SlowHost host;
  host.use(70'000);
  const Duration half = pause_of(0xffff, host.nic.rate()) / 2;
  host.nic.run_until(at(half - 1_ps));
  EXPECT_EQ(host.sent(), Quanta{});
  host.nic.run_until(at(2 * half));
  EXPECT_EQ(host.sent(), (Quanta{0xffff, 0xffff}));  // [PFC-H-3]
  SlowHost binary(true);
  binary.use(70'000);
  binary.nic.run_until(at(1_ms));
  EXPECT_EQ(binary.sent(), Quanta{});
}

TEST(PfcNic, ForgetsItsPauseWithTheLink) {
  SlowHost host;
  host.use(70'000);
  EXPECT_EQ(host.nic.noted(), (std::vector<FakeNic::Noted>{{3, true}, {5, true}}));
  host.policy.on_link(host.nic, false);
  EXPECT_EQ(host.nic.noted(), (std::vector<FakeNic::Noted>{{3, true}, {5, true}, {3, false}, {5, false}}));
  host.nic.run_until(at(1_ms));
  EXPECT_EQ(host.sent(), Quanta{});
  EXPECT_EQ(host.use(70'000), Quanta{0xffff}) << "the switch has forgotten it, too";
}

TEST(PfcNic, TakesNoOtherFrame) {
  Setting setting;
  Frame frame{};
  frame.kind = FrameKind::hop_control;
  EXPECT_FALSE(setting.policy.on_control(setting.nic, frame));
}

}  // namespace
}  // namespace weir::pfc::pfc_nic_test
