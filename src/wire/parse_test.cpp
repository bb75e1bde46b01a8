// SPDX-License-Identifier: Apache-2.0
#include "wire/parse.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "wire/testing/hex.h"
#include "wire/testing/round_trip.h"

namespace weir::parse_test {
namespace {

using testing::ArbitraryFrames;
using testing::ByteSource;
using testing::FrameToSend;
using testing::from_hex;
using testing::Repair;
using testing::to_bytes;
using testing::to_hex;

// From host 0x010203 to host 7, tagged with priority 3: acknowledges packet 0x00ffff to queue pair 0x1234; MSN 5.
constexpr std::string_view kAcknowledgement =
    "02000a000007 02000a010203 8100 6000 0800"
    "45600030 0000 4000 4011 2453 0a010203 0a000007"
    "c000 12b7 001c 0000"
    "1100ffff 00001234 0000ffff"
    "1f000005"
    "8b74b11c"
    "23583132";

// From station 02:00:0a:00:00:01: priority 3 pauses for the maximum time, priority 4 resumes.
constexpr std::string_view kPfc =
    "0180c2000001 02000a000001 8808"
    "0101 0018 0000 0000 0000 ffff 0000 0000 0000 0000"
    "0000000000000000000000000000000000000000000000000000"
    "76dc2c42";

// A captured CNP of a ConnectX-4 Lx, without FCS (published with Scapy's tests of its RoCE layer).
constexpr std::string_view kCapturedCnp =
    "e41d2dab2bc2 7cfe90643b32 0800"
    "45c2003c 718c 4000 4011 9161 0a001101 0a001201"
    "0000 12b7 0028 0000"
    "8100ffff 40000118 00000000"
    "00000000000000000000000000000000"
    "82fd002a";

// From host 1 to host 2, untagged: SEND Only of "abcde" with a scheme's tag 0x0102, value 0x03040506 and extension.
constexpr std::string_view kSchemeData =
    "02000a000002 02000a000001 0800"
    "45620044 0000 4000 4011 2645 0a000001 0a000002"
    "c001 12b7 0030 0000"
    "c430ffff 00000042 80000009"
    "0100 8004 0102 0000 03040506 deadbeef"
    "6162636465000000"
    "768f0a74"
    "38c744a9";

class ParseTest : public ::testing::Test {
 protected:
  // The error for bytes that must be rejected.
  WireError error_of(std::vector<std::byte> bytes, Fcs fcs = Fcs::absent) {
    const auto parsed = parse(pool_, bytes, fcs);
    EXPECT_FALSE(parsed);
    EXPECT_EQ(pool_.in_use(), 0u);
    return parsed ? WireError::not_representable : parsed.error();
  }
  // The same with one byte changed and every checksum corrected.
  WireError error_with(std::string_view text, std::size_t at, unsigned value) {
    std::vector<std::byte> bytes = from_hex(text);
    bytes[at] = static_cast<std::byte>(value);
    Repair(bytes, Fcs::present, Repair::Zero::nothing);
    return error_of(bytes, Fcs::present);
  }

  FramePool pool_{4};
};

TEST_F(ParseTest, ReadsAnAcknowledgement) {
  const auto parsed = parse(pool_, from_hex(kAcknowledgement), Fcs::present);
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  const Frame& frame = pool_[parsed->id];
  EXPECT_EQ(frame.kind, FrameKind::ack);
  EXPECT_EQ(frame.frame_bytes, 70);
  EXPECT_EQ(frame.priority, 3);
  EXPECT_EQ(frame.source, HostId(0x010203));
  EXPECT_EQ(frame.destination, HostId(7));
  EXPECT_EQ(frame.queue_pair, QueuePairId(0x1234));
  EXPECT_EQ(frame.sequence, 0x010000u);  // the packet after the one acknowledged
  EXPECT_EQ(frame.entropy, 0xc000);
  EXPECT_EQ(frame.ecn(), Ecn::not_capable);
  EXPECT_FALSE(frame.extension.exists());
  EXPECT_EQ(parsed->envelope.message_sequence_number, 5u);
  EXPECT_EQ(parsed->envelope.credit_count, Aeth::kNoCredits);
  EXPECT_EQ(parsed->envelope.dscp, 24);
  EXPECT_EQ(testing::check_received(pool_, from_hex(kAcknowledgement), Fcs::present), "");
}

TEST_F(ParseTest, ReadsPfc) {
  const auto parsed = parse(pool_, from_hex(kPfc), Fcs::present);
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  const Frame& frame = pool_[parsed->id];
  EXPECT_EQ(frame.kind, FrameKind::pfc);
  EXPECT_EQ(frame.frame_bytes, 64);
  PfcQuanta expected;
  expected.set(3, kMaximumPauseQuanta);
  expected.set(4, 0);
  EXPECT_EQ(read_pfc(pool_, frame), expected);
  EXPECT_EQ(testing::check_received(pool_, from_hex(kPfc), Fcs::present), "");
}

TEST_F(ParseTest, ReadsACapturedCnp) {
  const auto parsed = parse(pool_, from_hex(kCapturedCnp), Fcs::absent);
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  const Frame& frame = pool_[parsed->id];
  EXPECT_EQ(frame.kind, FrameKind::cnp);
  EXPECT_EQ(frame.frame_bytes, 78);
  EXPECT_EQ(frame.priority, 6);  // by its DSCP, 48
  EXPECT_EQ(frame.source, HostId(0x001101));
  EXPECT_EQ(frame.destination, HostId(0x001201));
  EXPECT_EQ(frame.queue_pair, QueuePairId(0x118));
  EXPECT_EQ(frame.ecn(), Ecn::capable);
  EXPECT_EQ(parsed->envelope.identification, 0x718c);
  EXPECT_EQ(testing::check_received(pool_, from_hex(kCapturedCnp), Fcs::absent), "");
}

TEST_F(ParseTest, ReadsDataWithASchemesHeader) {
  const auto bytes = from_hex(kSchemeData);
  const auto parsed = parse(pool_, bytes, Fcs::present);
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  const Frame& frame = pool_[parsed->id];
  EXPECT_EQ(frame.kind, FrameKind::data);
  EXPECT_EQ(frame.payload_bytes, 5);
  EXPECT_EQ(to_hex(parsed->payload), "6162636465");
  EXPECT_EQ(frame.sequence, 9u);
  EXPECT_TRUE(frame.ends_message());
  EXPECT_TRUE(parsed->envelope.starts_message);
  EXPECT_TRUE(frame.wants_ack());
  EXPECT_EQ(frame.tag, 0x0102);
  EXPECT_EQ(frame.tag_value, 0x0304'0506u);
  EXPECT_EQ(to_hex(pool_.extension(frame).first(8)), "deadbeef00000000");
  EXPECT_EQ(testing::check_received(pool_, bytes, Fcs::present), "");
}

TEST_F(ParseTest, LeavesTheMetaDataEmpty) {
  const auto parsed = parse(pool_, from_hex(kAcknowledgement), Fcs::present);
  ASSERT_TRUE(parsed);
  const Frame& frame = pool_[parsed->id];
  EXPECT_FALSE(frame.ingress.exists());
  EXPECT_FALSE(frame.egress.exists());
  EXPECT_FALSE(frame.next.exists());
  EXPECT_EQ(frame.arrival, Time());
  EXPECT_EQ(frame.charged_bytes, 0);
  EXPECT_EQ(frame.own, 0u);
}

TEST_F(ParseTest, ReadsASequenceErrorAsTheNumberExpected) {
  auto bytes = from_hex(kAcknowledgement);
  bytes[58] = std::byte{0x60};
  Repair(bytes, Fcs::present, Repair::Zero::nothing);
  const auto parsed = parse(pool_, bytes, Fcs::present);
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  EXPECT_EQ(pool_[parsed->id].kind, FrameKind::nack);
  EXPECT_EQ(pool_[parsed->id].sequence, 0x00ffffu);
}

TEST_F(ParseTest, RefusesDamageOnTheLinkAndBetweenTheHosts) {
  auto bytes = from_hex(kSchemeData);
  bytes[70] ^= std::byte{1};  // payload
  EXPECT_EQ(error_of(bytes, Fcs::present), WireError::bad_fcs);
  bytes.resize(bytes.size() - kFcsBytes);
  EXPECT_EQ(error_of(bytes), WireError::bad_icrc);
  EXPECT_TRUE(parse(pool_, bytes, Fcs::absent, IcrcCheck::skip));
}

TEST_F(ParseTest, RefusesPlainPause) {
  EXPECT_EQ(error_with(kPfc, 14, 0x00), WireError::plain_pause);
}

TEST_F(ParseTest, RefusesMacControlElsewhereOrTagged) {
  EXPECT_EQ(error_with(kPfc, 5, 0x02), WireError::bad_mac_control_address);
  EXPECT_EQ(error_with(kPfc, 14, 0x02), WireError::unknown_mac_control);
  auto tagged = from_hex("0180c2000001 02000a000001 8100 6000 8808 0101 0018");
  tagged.resize(kMinimumEthernetBytes);
  EXPECT_EQ(error_of(tagged), WireError::bad_vlan_tag);
}

TEST_F(ParseTest, RefusesWhatNoNodeHandles) {
  EXPECT_EQ(error_with(kAcknowledgement, 17, 0x06), WireError::unknown_ether_type);  // ARP
  EXPECT_EQ(error_with(kAcknowledgement, 27, 6), WireError::unknown_protocol);       // TCP
  EXPECT_EQ(error_with(kAcknowledgement, 41, 0xb8), WireError::unknown_udp_port);
  EXPECT_EQ(error_with(kAcknowledgement, 46, 0x0a), WireError::unknown_opcode);  // RDMA WRITE Only
  EXPECT_EQ(error_with(kAcknowledgement, 47, 0x01), WireError::bad_transport_version);
  EXPECT_EQ(error_with(kAcknowledgement, 58, 0x20), WireError::refused_syndrome);  // receiver not ready
  EXPECT_EQ(error_with(kAcknowledgement, 58, 0x61), WireError::refused_syndrome);  // NAK: invalid request
  EXPECT_EQ(error_with(kAcknowledgement, 26, 0), WireError::expired);
}

TEST_F(ParseTest, RefusesAddressesOfNoHost) {
  EXPECT_EQ(error_with(kAcknowledgement, 30, 11), WireError::foreign_host);
  EXPECT_EQ(error_with(kAcknowledgement, 34, 11), WireError::foreign_host);
}

TEST_F(ParseTest, TakesAPacketOfNoHostFromTheDummyAddress) {
  auto bytes = from_hex(kAcknowledgement);
  const auto dummy = from_hex("c0000008");
  std::copy(dummy.begin(), dummy.end(), bytes.begin() + 30);
  Repair(bytes, Fcs::present, Repair::Zero::nothing);
  const auto parsed = parse(pool_, bytes, Fcs::present);
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  EXPECT_FALSE(pool_[parsed->id].source.exists());
}

TEST_F(ParseTest, RefusesLengthsThatDisagree) {
  EXPECT_EQ(error_with(kAcknowledgement, 21, 0x2f), WireError::bad_length);     // one byte after IPv4
  EXPECT_EQ(error_with(kAcknowledgement, 43, 0x1b), WireError::bad_length);     // UDP shorter than IPv4
  EXPECT_EQ(error_with(kAcknowledgement, 46, 0x81), WireError::bad_length);     // a CNP needs 16 bytes
  EXPECT_EQ(error_with(kAcknowledgement, 47, 0x10), WireError::bad_pad_count);  // padding without payload
  auto longer = from_hex(kCapturedCnp);
  longer.push_back(std::byte{0});  // padding where none is needed
  EXPECT_EQ(error_of(longer), WireError::bad_length);
}

TEST_F(ParseTest, RefusesAPadCountBeyondThePayload) {
  // SEND Only without payload that claims three pad bytes.
  auto bytes = from_hex(
      "02000a000002 02000a000001 0800 4562002c 0000 4000 4011 0000 0a000001 0a000002 c001 12b7 0018 0000"
      "0430ffff 00000042 80000009 00000000 00000000");
  bytes.resize(kMinimumEthernetBytes);
  bytes[17] = std::byte{0x2c};
  Repair(bytes, Fcs::absent, Repair::Zero::nothing);
  EXPECT_EQ(error_of(bytes), WireError::bad_pad_count);
}

TEST_F(ParseTest, RefusesAClearBecnOnACnp) {
  auto bytes = from_hex(kCapturedCnp);
  bytes[46] = std::byte{0};
  EXPECT_EQ(error_of(bytes), WireError::bad_congestion_notification);  // the ICRC does not cover it
}

TEST_F(ParseTest, RefusesEveryBeginningOfAFrame) {
  const auto whole = from_hex(kSchemeData);
  for (std::size_t length = 0; length < whole.size() - kFcsBytes; ++length) {
    EXPECT_FALSE(parse(pool_, std::span(whole).first(length), Fcs::absent)) << length;
  }
  EXPECT_EQ(pool_.in_use(), 0u);
}

TEST_F(ParseTest, RefusesWhatNoFrameCanCount) {
  EXPECT_EQ(error_of(std::vector<std::byte>(65'532)), WireError::too_long);
  EXPECT_EQ(error_of(std::vector<std::byte>(65'536), Fcs::present), WireError::too_long);
  EXPECT_EQ(error_of(std::vector<std::byte>(65'531)), WireError::unknown_ether_type);
}

TEST_F(ParseTest, TakesTheFourBytesOfPaddingThatATagLeaves) {
  // A host control frame of 58 bytes, padded to 60 before a bridge added the tag.
  Frame& frame = pool_[pool_.allocate()];
  frame.kind = FrameKind::host_control;
  frame.source = HostId(1);
  frame.destination = HostId(2);
  frame.protocol = 5;
  std::vector<std::byte> bytes(100);
  const auto length = emit(pool_, frame, default_envelope(frame), {}, Fcs::absent, bytes);
  ASSERT_TRUE(length);
  ASSERT_EQ(*length, 62u);
  bytes.resize(64);
  const auto parsed = parse(pool_, bytes, Fcs::absent);
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  EXPECT_EQ(pool_[parsed->id].frame_bytes, 68);
  bytes.resize(65);
  EXPECT_EQ(parse(pool_, bytes, Fcs::absent).error(), WireError::bad_length);
}

TEST_F(ParseTest, SaysWhenThePoolIsEmpty) {
  FramePool one(1);
  const auto first = parse(one, from_hex(kPfc), Fcs::present);
  ASSERT_TRUE(first);
  EXPECT_EQ(parse(one, from_hex(kPfc), Fcs::present).error(), WireError::pool_empty);
  one.release(first->id);
  EXPECT_TRUE(parse(one, from_hex(kPfc), Fcs::present));
}

TEST_F(ParseTest, RefusesAControlFrameInTheOtherCarriage) {
  Frame& frame = pool_[pool_.allocate()];
  frame.kind = FrameKind::host_control;
  frame.source = HostId(1);
  frame.destination = HostId(2);
  frame.protocol = 128;
  std::vector<std::byte> bytes(100);
  const auto length = emit(pool_, frame, default_envelope(frame), {}, Fcs::absent, bytes);
  ASSERT_TRUE(length);
  bytes.resize(*length);
  EXPECT_EQ(bytes[27], std::byte{ip_protocol::kIcmp});
  constexpr std::size_t kProtocolAt = 38 + 8 + 1;
  bytes[kProtocolAt] = std::byte{127};
  Repair(bytes, Fcs::absent, Repair::Zero::nothing);
  EXPECT_EQ(parse(pool_, bytes, Fcs::absent).error(), WireError::bad_control_header);
}

RC_GTEST_PROP(Parse, TakesAnyBytesWithoutHarm, (const std::vector<std::uint8_t>& octets, bool with_fcs)) {
  FramePool pool(2);
  auto bytes = to_bytes(octets);
  const Fcs fcs = with_fcs ? Fcs::present : Fcs::absent;
  RC_ASSERT(testing::check_received(pool, bytes, fcs) == "");
  bytes.resize(bytes.size() + kMinimumEthernetBytes + kFcsBytes);
  Repair(bytes, fcs, Repair::Zero::nothing);
  RC_ASSERT(testing::check_received(pool, bytes, fcs) == "");
}

// A frame with a few bytes changed and its checksums corrected, so that wrong bytes reach the last checks.
RC_GTEST_PROP(Parse, AcceptsOfMutatedFramesOnlyWhatIsSentAgainAsTheSameBytes,
              (const std::vector<std::uint8_t>& octets, bool with_fcs)) {
  FramePool pool(4);
  const Fcs fcs = with_fcs ? Fcs::present : Fcs::absent;
  auto seed = octets;
  const auto more = *rc::gen::container<std::vector<std::uint8_t>>(150, rc::gen::arbitrary<std::uint8_t>());
  seed.insert(seed.end(), more.begin(), more.end());
  ByteSource source(seed);
  const FrameToSend sent = ArbitraryFrames(pool, source).make();
  std::vector<std::byte> bytes(testing::kLargestFrame);
  const auto length = emit(pool, pool[sent.id], sent.envelope, sent.payload, fcs, bytes);
  RC_ASSERT(length.ok());
  bytes.resize(*length);
  const int changes = *rc::gen::inRange(0, 4);
  for (int i = 0; i < changes; ++i) {
    const std::size_t headers = std::min<std::size_t>(bytes.size(), 110);
    bytes[*rc::gen::inRange<std::size_t>(0, headers)] ^= std::byte{1} << *rc::gen::inRange(0, 8);
  }
  if (*rc::gen::arbitrary<bool>()) bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  Repair(bytes, fcs, Repair::Zero::nothing);
  const auto parsed = parse(pool, bytes, fcs);
  if (parsed) pool.release(parsed->id);
  RC_CLASSIFY(parsed.ok(), "accepted");
  RC_ASSERT(testing::check_received(pool, bytes, fcs) == "");
}

}  // namespace
}  // namespace weir::parse_test
