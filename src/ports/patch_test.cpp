// SPDX-License-Identifier: Apache-2.0
#include "ports/patch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ports/testing/packets.h"
#include "wire/emit.h"
#include "wire/parse.h"

namespace weir::patch_test {
namespace {

using testing::arp_request;
using testing::Bytes;
using testing::header_verifies;
using testing::ipv4_packet;
using testing::Ipv4Fields;
using testing::with_tag;

/// Number of bytes in which two frames of equal length differ.
std::size_t differences(const Bytes& one, const Bytes& other) {
  std::size_t out = one.size() == other.size() ? 0 : one.size() + other.size();
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) out += one[i] == other[i] ? 0 : 1;
  return out;
}

RC_GTEST_PROP(Patch, KeepsTheHeaderChecksumRight, ()) {
  Ipv4Fields fields{.ports = {1, 2}, .payload = 8};
  fields.type_of_service = *rc::gen::arbitrary<std::uint8_t>();
  fields.time_to_live = static_cast<std::uint8_t>(*rc::gen::inRange(2, 256));
  fields.source = *rc::gen::arbitrary<std::uint32_t>();
  fields.destination = *rc::gen::arbitrary<std::uint32_t>();
  const bool tagged = *rc::gen::arbitrary<bool>();
  const auto priority = static_cast<Priority>(*rc::gen::inRange(0, kPriorities));
  const Bytes before = tagged ? with_tag(ipv4_packet(fields), 1) : ipv4_packet(fields);
  const std::size_t ip = tagged ? 18 : 14;
  RC_ASSERT(header_verifies(before));

  Bytes frame = before;
  lower_time_to_live(frame);
  RC_ASSERT(header_verifies(frame));
  RC_ASSERT(std::to_integer<int>(frame[ip + 8]) == fields.time_to_live - 1);
  mark_congestion(frame);
  RC_ASSERT(header_verifies(frame));
  RC_ASSERT((frame[ip + 1] & std::byte{3}) == std::byte{3});
  set_priority(frame, priority);
  RC_ASSERT(header_verifies(frame));
  const std::byte field = tagged ? frame[14] : frame[ip + 1];
  RC_ASSERT((field >> 5) == static_cast<std::byte>(priority));
  RC_ASSERT(differences(before, frame) <= 5u);  // type of service, time to live, checksum, tag
}

TEST(Patch, LeavesOtherProtocolsAlone) {
  const Bytes before = arp_request(HostId(1), HostId(2));
  Bytes frame = before;
  lower_time_to_live(frame);
  mark_congestion(frame);
  set_priority(frame, 5);
  EXPECT_EQ(frame, before);
}

TEST(Patch, AForeignIcrcKeepsTheUdpChecksumRight) {
  FramePool pool(1);
  const FrameId id = pool.allocate();
  Frame& frame = pool[id];
  frame.kind = FrameKind::data;
  frame.source = HostId(1);
  frame.destination = HostId(2);
  frame.queue_pair = QueuePairId(3);
  frame.payload_bytes = 10;
  Envelope envelope = default_envelope(frame);
  envelope.udp_checksum = true;
  Bytes bytes(200);
  const auto length = emit(pool, frame, envelope, {}, Fcs::absent, bytes);
  pool.release(id);
  ASSERT_TRUE(length.ok());
  bytes.resize(*length);
  Bytes damaged = bytes;
  for (std::size_t i = 1; i <= 4; ++i) damaged[damaged.size() - i] ^= static_cast<std::byte>(0x5a + i);
  Bytes rebuilt = bytes;
  copy_icrc(damaged, rebuilt);
  EXPECT_TRUE(std::equal(rebuilt.end() - 4, rebuilt.end(), damaged.end() - 4));
  // parse() verifies the UDP checksum.
  const auto parsed = parse(pool, rebuilt, Fcs::absent, IcrcCheck::skip);
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  pool.release(parsed->id);
  EXPECT_EQ(parse(pool, rebuilt, Fcs::absent).error(), WireError::bad_icrc);
}

}  // namespace
}  // namespace weir::patch_test
