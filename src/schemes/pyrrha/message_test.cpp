// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/message.h"

#include <gtest/gtest.h>

namespace weir::pyrrha::message_test {
namespace {

constexpr Framing kFraming = Framing::rocev2();
constexpr Root kRoot = root_of(SwitchId(70'000), PortId(4'095));
constexpr Root kOther = root_of(SwitchId(3), PortId(65'535));

// [PYRRHA-ROOT-1] [PYRRHA-FRAME-1]
TEST(PyrrhaMessage, NamesARootBySwitchAndPort) {
  FramePool frames(4);
  for (const Kind kind : {Kind::pause, Kind::resume, Kind::deallocate}) {
    const FrameId id = make_message(frames, kFraming, {kind, kRoot, kOther});
    EXPECT_EQ(frames[id].frame_bytes, 64);  // 22 and 32 bytes, padded
    EXPECT_TRUE(frames[id].is_hop_control());
    EXPECT_EQ(read_message(frames[id]), (Message{kind, kRoot, 0}));
    frames.release(id);
  }
  EXPECT_EQ(switch_in(kRoot), 70'000u);
  EXPECT_EQ(port_in(kRoot), 4'095u);
  EXPECT_EQ(text_of(kRoot), "root 70000:4095");
}

TEST(PyrrhaMessage, OfAMergeNamesTheNewRootToo) {
  FramePool frames(4);
  const FrameId id = make_message(frames, kFraming, {Kind::merge, kRoot, kOther});
  EXPECT_EQ(read_message(frames[id]), (Message{Kind::merge, kRoot, kOther}));
}

TEST(PyrrhaMessage, IsRejectedIfNoSenderWritesIt) {
  FramePool frames(4);
  const auto rejects = [&](const Message& message, auto change) {
    const FrameId id = make_message(frames, kFraming, message);
    EXPECT_TRUE(read_message(frames[id]));
    change(frames[id]);
    const bool rejected = !read_message(frames[id]);
    frames.release(id);
    return rejected;
  };
  const Message pause{Kind::pause, kRoot, 0};
  const Message merge{Kind::merge, kRoot, kOther};
  EXPECT_TRUE(rejects(pause, [](Frame& frame) { frame.tag = 4; }));
  EXPECT_TRUE(rejects(pause, [](Frame& frame) { frame.sequence = 1; }));
  EXPECT_TRUE(rejects(pause, [](Frame& frame) { frame.tag_value |= kPorts; }));
  EXPECT_TRUE(rejects(pause, [](Frame& frame) { frame.queue_pair = QueuePairId::none(); }));
  EXPECT_TRUE(rejects(pause, [](Frame& frame) { frame.protocol = kProtocol + 1; }));
  EXPECT_TRUE(rejects(pause, [](Frame& frame) { frame.kind = FrameKind::host_control; }));
  EXPECT_TRUE(rejects(merge, [](Frame& frame) {
    frame.sequence = switch_in(kRoot);
    frame.tag_value = port_in(kRoot) << 16 | port_in(kRoot);
  })) << "a root cannot merge into itself";
  EXPECT_TRUE(rejects(merge, [](Frame& frame) {
    frame.sequence = SwitchId::none().value;
    frame.tag_value &= kPorts - 1;
  })) << "no switch, and no host";
}

// [PYRRHA-ROOT-4]
TEST(PyrrhaMessage, NamesAHostByItsNumber) {
  FramePool frames(4);
  const Root host = root_of(HostId(70'000));
  EXPECT_TRUE(is_host(host));
  EXPECT_FALSE(is_host(kRoot));
  EXPECT_EQ(host_in(host), HostId(70'000));
  EXPECT_EQ(text_of(host), "host 70000");
  EXPECT_NE(host, root_of(SwitchId(70'000), PortId(0)));
  const FrameId pause = make_message(frames, kFraming, {Kind::pause, host, 0});
  EXPECT_EQ(read_message(frames[pause]), (Message{Kind::pause, host, 0}));
  frames[pause].tag_value = 1;
  EXPECT_FALSE(read_message(frames[pause])) << "a host has one port";
  const FrameId into = make_message(frames, kFraming, {Kind::merge, kRoot, host});
  EXPECT_EQ(read_message(frames[into]), (Message{Kind::merge, kRoot, host}));
  frames[into].tag_value |= kPorts;
  EXPECT_FALSE(read_message(frames[into])) << "nor has a successor";
  const FrameId given_up = make_message(frames, kFraming, {Kind::merge, host, kRoot});
  EXPECT_FALSE(read_message(frames[given_up])) << "nothing is further downstream than a host";
}

TEST(PyrrhaMessage, IsNotMadeWithoutAFrame) {
  FramePool frames(1);
  const FrameId id = make_message(frames, kFraming, {Kind::pause, kRoot, 0});
  EXPECT_FALSE(make_message(frames, kFraming, {Kind::resume, kRoot, 0}).exists());
  frames.release(id);
}

}  // namespace
}  // namespace weir::pyrrha::message_test
