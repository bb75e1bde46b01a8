// SPDX-License-Identifier: Apache-2.0
#include "wire/emit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "wire/framing.h"
#include "wire/testing/hex.h"
#include "wire/testing/round_trip.h"

namespace weir::emit_test {
namespace {

using testing::ArbitraryFrames;
using testing::ByteSource;
using testing::FrameToSend;
using testing::to_hex;

class EmitTest : public ::testing::Test {
 protected:
  Frame& frame_of(FrameKind kind) {
    Frame& frame = pool_[pool_.allocate()];
    frame.kind = kind;
    frame.priority = 3;
    if (frame.is_hop_control()) return frame;
    frame.source = HostId(1);
    frame.destination = HostId(2);
    frame.queue_pair = QueuePairId(0x42);
    return frame;
  }
  // The bytes of a frame in its default envelope.
  std::vector<std::byte> bytes_of(const Frame& frame, Fcs fcs = Fcs::present) {
    std::vector<std::byte> bytes(testing::kLargestFrame);
    const auto length = emit(pool_, frame, default_envelope(frame), {}, fcs, bytes);
    EXPECT_TRUE(length);
    bytes.resize(length ? *length : 0);
    return bytes;
  }
  // The error for a frame of this kind after `change` of the frame and its default envelope.
  WireError error_after(FrameKind kind, const std::function<void(Frame&, Envelope&)>& change, Fcs fcs = Fcs::present) {
    Frame& frame = frame_of(kind);
    Envelope envelope = default_envelope(frame);
    std::vector<std::byte> bytes(testing::kLargestFrame);
    EXPECT_TRUE(emit(pool_, frame, envelope, {}, fcs, bytes));
    change(frame, envelope);
    const auto length = emit(pool_, frame, envelope, {}, fcs, bytes);
    EXPECT_FALSE(length);
    return length ? WireError::truncated : length.error();
  }

  FramePool pool_{64};
};

TEST_F(EmitTest, PadsThePayloadAsTheRoceFramingDoes) {
  for (std::uint16_t payload = 1; payload <= 9; ++payload) {
    Frame& frame = frame_of(FrameKind::data);
    frame.payload_bytes = payload;
    EXPECT_EQ(bytes_of(frame).size(), Framing::rocev2().data(payload)) << payload;
  }
}

TEST_F(EmitTest, HasTheLengthsOfTheRoceFraming) {
  const Framing framing = Framing::rocev2();
  EXPECT_EQ(bytes_of(frame_of(FrameKind::ack)).size(), framing.ack);
  EXPECT_EQ(bytes_of(frame_of(FrameKind::nack)).size(), framing.ack);
  EXPECT_EQ(bytes_of(frame_of(FrameKind::cnp)).size(), framing.cnp);
  EXPECT_EQ(bytes_of(frame_of(FrameKind::pfc)).size(), framing.pfc);
  for (const int payload : {0, 4, 1000, 1024, 1452, 4096}) {
    Frame& frame = frame_of(FrameKind::data);
    frame.payload_bytes = static_cast<std::uint16_t>(payload);
    EXPECT_EQ(bytes_of(frame).size(), framing.data(frame.payload_bytes));
    EXPECT_EQ(bytes_of(frame, Fcs::absent).size(), framing.data(frame.payload_bytes) - kFcsBytes);
  }
}

TEST_F(EmitTest, PadsThePayloadToWords) {
  Frame& frame = frame_of(FrameKind::data);
  frame.payload_bytes = 5;
  EXPECT_EQ(bytes_of(frame).size(), Framing::rocev2().data(8));
}

TEST_F(EmitTest, SendsOpcodesOfTheMessagesPart) {
  constexpr std::size_t kOpcodeAt = 18 + 20 + 8;
  Frame& frame = frame_of(FrameKind::data);
  Envelope envelope = default_envelope(frame);
  std::vector<std::byte> bytes(200);
  const auto opcode = [&](bool starts, bool ends) {
    envelope.starts_message = starts;
    frame.set_ends_message(ends);
    EXPECT_TRUE(emit(pool_, frame, envelope, {}, Fcs::present, bytes));
    return std::to_integer<int>(bytes[kOpcodeAt]);
  };
  EXPECT_EQ(opcode(true, false), 0x00);
  EXPECT_EQ(opcode(false, false), 0x01);
  EXPECT_EQ(opcode(false, true), 0x02);
  EXPECT_EQ(opcode(true, true), 0x04);
}

TEST_F(EmitTest, SendsTheLow24BitsOfASequenceNumber) {
  Frame& frame = frame_of(FrameKind::data);
  frame.sequence = 0xab12'3456;
  const auto data = bytes_of(frame, Fcs::absent);
  const auto parsed = parse(pool_, data, Fcs::absent);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(pool_[parsed->id].sequence, 0x12'3456u);
}

TEST_F(EmitTest, AcknowledgesThePacketBeforeTheOneExpected) {
  constexpr std::size_t kSequenceAt = 18 + 20 + 8 + 9;
  Frame& frame = frame_of(FrameKind::ack);
  frame.sequence = 0x0100'0000;
  EXPECT_EQ(to_hex(std::span<const std::byte>(bytes_of(frame)).subspan(kSequenceAt, 3)), "ffffff");
}

TEST_F(EmitTest, SendsASchemesHeaderOnlyWhereThereIsSomethingToSay) {
  Frame& frame = frame_of(FrameKind::data);
  const std::size_t plain = bytes_of(frame).size();
  frame.tag = 1;
  EXPECT_EQ(bytes_of(frame).size(), plain + 12);
  frame.tag = 0;
  ASSERT_FALSE(pool_.extend(frame, 16).empty());
  EXPECT_EQ(bytes_of(frame).size(), plain + 12);
  pool_.extension(frame)[9] = std::byte{1};
  EXPECT_EQ(bytes_of(frame).size(), plain + 24);
}

TEST_F(EmitTest, SendsATrimmedFrameAndOneThatGoesBack) {
  Frame& frame = frame_of(FrameKind::data);
  for (const bool goes_back : {false, true}) {
    frame.set_trimmed(true);
    if (goes_back) frame.set_returned();
    const auto bytes = bytes_of(frame);
    const auto parsed = parse(pool_, bytes, Fcs::present);
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(pool_[parsed->id].trimmed());
    EXPECT_EQ(pool_[parsed->id].returned(), goes_back);
    EXPECT_EQ(pool_[parsed->id].flags, frame.flags);
  }
  EXPECT_EQ(error_after(FrameKind::data,
                        [](Frame& data, Envelope&) {
                          data.set_trimmed(true);
                          data.payload_bytes = 4;
                        }),
            WireError::not_representable);
  EXPECT_EQ(error_after(FrameKind::ack, [](Frame& ack, Envelope&) { ack.set_trimmed(true); }),
            WireError::not_representable);
}

TEST_F(EmitTest, GivesACorruptFrameAWrongFcs) {
  Frame& frame = frame_of(FrameKind::cnp);
  frame.set_corrupt(true);
  EXPECT_EQ(parse(pool_, bytes_of(frame), Fcs::present).error(), WireError::bad_fcs);
}

TEST_F(EmitTest, TakesZerosForThePayloadThatIsNotGiven) {
  Frame& frame = frame_of(FrameKind::data);
  frame.payload_bytes = 8;
  const auto bytes = bytes_of(frame, Fcs::absent);
  const auto parsed = parse(pool_, bytes, Fcs::absent);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(to_hex(parsed->payload), "0000000000000000");
  std::vector<std::byte> out(200);
  EXPECT_EQ(emit(pool_, frame, default_envelope(frame), std::vector<std::byte>(7), Fcs::absent, out).error(),
            WireError::bad_length);
}

TEST_F(EmitTest, SaysWhenTheBufferIsTooSmall) {
  Frame& frame = frame_of(FrameKind::pfc);
  std::vector<std::byte> out(63);
  EXPECT_EQ(emit(pool_, frame, default_envelope(frame), {}, Fcs::present, out).error(), WireError::buffer_too_small);
  EXPECT_TRUE(emit(pool_, frame, default_envelope(frame), {}, Fcs::absent, out));
}

TEST_F(EmitTest, RefusesWhatNoFrameCanCount) {
  const auto error = error_after(FrameKind::data, [](Frame& frame, Envelope&) { frame.payload_bytes = 65'500; });
  EXPECT_EQ(error, WireError::too_long);
}

TEST_F(EmitTest, RefusesValuesThatHaveNoBits) {
  using Change = std::function<void(Frame&, Envelope&)>;
  const std::vector<std::pair<FrameKind, Change>> changes = {
      {FrameKind::data, [](Frame& f, Envelope&) { f.kind = FrameKind::marker; }},
      {FrameKind::data, [](Frame& f, Envelope&) { f.priority = 8; }},
      {FrameKind::data, [](Frame& f, Envelope&) { f.source = HostId(kAddressableHosts); }},
      {FrameKind::data, [](Frame& f, Envelope&) { f.destination = HostId::none(); }},
      {FrameKind::data, [](Frame& f, Envelope&) { f.queue_pair = QueuePairId::none(); }},
      {FrameKind::data, [](Frame&, Envelope& e) { e.vlan = 0xfff; }},
      {FrameKind::data, [](Frame&, Envelope& e) { e.dscp = 64; }},
      {FrameKind::data, [](Frame&, Envelope& e) { e.time_to_live = 0; }},
      {FrameKind::data, [](Frame&, Envelope& e) { e.options.bytes = 3; }},
      {FrameKind::ack, [](Frame&, Envelope& e) { e.credit_count = 32; }},
      {FrameKind::ack, [](Frame&, Envelope& e) { e.message_sequence_number = 1u << 24; }},
      {FrameKind::ack, [](Frame& f, Envelope&) { f.set_ends_message(true); }},
      {FrameKind::ack, [](Frame& f, Envelope&) { f.payload_bytes = 1; }},
      {FrameKind::cnp, [](Frame& f, Envelope&) { f.set_echoes_congestion(true); }},
      {FrameKind::host_control, [](Frame& f, Envelope&) { f.destination = HostId::none(); }},
      {FrameKind::hop_control, [](Frame& f, Envelope&) { f.set_ecn(Ecn::capable); }},
      {FrameKind::hop_control, [](Frame&, Envelope& e) { e.tagged = false; }},
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(error_after(changes[i].first, changes[i].second), WireError::not_representable) << "change " << i;
  }
  const auto corrupt = [](Frame& frame, Envelope&) { frame.set_corrupt(true); };
  EXPECT_EQ(error_after(FrameKind::data, corrupt, Fcs::absent), WireError::not_representable);
}

TEST(DefaultEnvelope, NamesTheHostsOrTheNeighbour) {
  Frame frame{};
  frame.priority = 5;
  frame.destination = HostId(2);
  EXPECT_EQ(default_envelope(frame).destination_mac, mac_address_of(HostId(2)));
  EXPECT_EQ(default_envelope(frame).source_mac, kUnnamedMacAddress);
  EXPECT_EQ(default_envelope(frame).dscp, 40);
  frame.source = HostId(1);
  EXPECT_EQ(default_envelope(frame).source_mac, mac_address_of(HostId(1)));
  frame.kind = FrameKind::hop_control;
  EXPECT_EQ(default_envelope(frame).destination_mac, kNearestBridgeAddress);
  frame.kind = FrameKind::pfc;
  EXPECT_EQ(default_envelope(frame).destination_mac, kMacControlAddress);
  EXPECT_FALSE(default_envelope(frame).tagged);
}

RC_GTEST_PROP(Emit, IsUndoneByParse, (bool with_fcs)) {
  FramePool pool(2);
  // Some frames use all bytes of the string, others also the zeros beyond its end.
  const auto octets = *rc::gen::container<std::vector<std::uint8_t>>(*rc::gen::inRange<std::size_t>(0, 400),
                                                                     rc::gen::arbitrary<std::uint8_t>());
  ByteSource source(octets);
  const FrameToSend sent = ArbitraryFrames(pool, source).make();
  RC_TAG(static_cast<int>(pool[sent.id].kind));
  RC_ASSERT(testing::check_sent(pool, sent, with_fcs ? Fcs::present : Fcs::absent) == "");
}

}  // namespace
}  // namespace weir::emit_test
