// SPDX-License-Identifier: Apache-2.0
#include "policy/header_fields.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "policy/first_round_trip.h"

namespace weir::header_fields_test {
namespace {

constexpr FrameKinds kData(FrameKind::data);
constexpr FrameKinds kNacks(FrameKind::nack);
constexpr FrameKinds kAll(FrameKind::data, FrameKind::ack, FrameKind::nack, FrameKind::cnp);

constexpr HeaderField kQueue{"queue", 2, kAll, HeaderField::Reach::hop};
constexpr HeaderField kSize{"size", 4, kData, HeaderField::Reach::end_to_end};
constexpr HeaderField kHole{"hole", 4, kNacks, HeaderField::Reach::end_to_end};
constexpr HeaderField kClass{"class", 2, kNacks, HeaderField::Reach::end_to_end};
constexpr HeaderField kStamp{"stamp", 8, kAll, HeaderField::Reach::end_to_end};
constexpr HeaderField kPath{"path", 120, kData, HeaderField::Reach::end_to_end};

HeaderLayout::Owner owner(std::string_view name, const std::vector<const HeaderField*>& fields) {
  return {name, fields};
}

TEST(FrameKinds, AreASet) {
  EXPECT_TRUE(kAll.has(FrameKind::cnp));
  EXPECT_FALSE(kAll.has(FrameKind::pfc));
  EXPECT_FALSE(FrameKinds().has(FrameKind::data));
  EXPECT_TRUE(kAll.meets(kNacks));
  EXPECT_FALSE(kData.meets(kNacks));
}

TEST(HeaderLayout, GivesAFieldThatSeveralListOnePlace) {
  const std::vector<const HeaderField*> writer = {&kQueue, &kFirstRoundTrip};
  const std::vector<const HeaderField*> reader = {&kFirstRoundTrip, &kStamp};
  const HeaderField other{"other", 2, kData, HeaderField::Reach::hop};
  const std::vector<const HeaderField*> third = {&other};
  const std::vector<HeaderLayout::Owner> owners = {owner("a", writer), owner("b", reader), owner("c", third)};
  const HeaderLayout layout(owners);
  ASSERT_FALSE(layout.conflict()) << "three fields of two bytes fit";
  const FirstRoundTrip mark(layout);
  Frame frame{};
  EXPECT_FALSE(mark.marks(frame));
  mark.mark(frame, true);
  layout.place<std::uint16_t>(kQueue).write(frame, 0);
  layout.place<std::uint16_t>(other).write(frame, 0);
  EXPECT_TRUE(mark.marks(frame));
  frame.kind = FrameKind::ack;
  EXPECT_FALSE(mark.marks(frame)) << "the bytes are another's there";
}

TEST(HeaderLayout, GivesFieldsOfOtherFramesTheSamePlace) {
  const std::vector<const HeaderField*> bfc = {&kQueue, &kSize};
  const std::vector<const HeaderField*> irn = {&kHole};
  const std::vector<HeaderLayout::Owner> owners = {owner("bfc", bfc), owner("irn", irn)};
  const HeaderLayout layout(owners);
  EXPECT_FALSE(layout.conflict());
  Frame data{};
  data.kind = FrameKind::data;
  layout.place<std::uint16_t>(kQueue).write(data, 7);
  layout.place<std::uint32_t>(kSize).write(data, 100'000);
  EXPECT_EQ(data.tag, 7);
  EXPECT_EQ(data.tag_value, 100'000u);
  EXPECT_EQ(layout.place<std::uint16_t>(kQueue).read(data), 7);
  EXPECT_EQ(layout.place<std::uint32_t>(kSize).read(data), 100'000u);
  Frame nack{};
  nack.kind = FrameKind::nack;
  layout.place<std::uint32_t>(kHole).write(nack, 5);
  EXPECT_EQ(nack.tag_value, 5u);
  EXPECT_FALSE(layout.is_free(FrameKind::nack, offsetof(Frame, tag_value)));
  EXPECT_TRUE(layout.is_free(FrameKind::ack, offsetof(Frame, tag_value)));
  EXPECT_FALSE(layout.is_free(FrameKind::ack, offsetof(Frame, tag)));
  EXPECT_TRUE(layout.is_free(FrameKind::pfc, offsetof(Frame, tag)));
}

TEST(HeaderLayout, NamesTheFieldsThatDoNotFit) {
  const std::vector<const HeaderField*> a = {&kQueue, &kHole};
  const std::vector<const HeaderField*> b = {&kClass};
  const std::vector<HeaderLayout::Owner> owners = {owner("a", a), owner("b", b)};
  const HeaderLayout layout(owners);
  ASSERT_TRUE(layout.conflict());
  EXPECT_EQ(layout.conflict()->owner, "b");
  EXPECT_EQ(layout.conflict()->field, &kClass);
  EXPECT_EQ(layout.conflict()->other_owner, "a");
  EXPECT_EQ(layout.conflict()->other_field, &kHole);
}

TEST(HeaderLayout, PutsLongFieldsBehindShortOnesIntoTheExtension) {
  const std::vector<const HeaderField*> hpcc = {&kPath};
  const std::vector<const HeaderField*> timely = {&kStamp};
  const std::vector<HeaderLayout::Owner> owners = {owner("hpcc", hpcc), owner("timely", timely)};
  const HeaderLayout layout(owners);
  EXPECT_FALSE(layout.conflict());
  EXPECT_EQ(layout.extension_bytes(), 128u);
  FramePool frames(2);
  Frame& frame = frames[frames.allocate()];
  EXPECT_TRUE(layout.extension_place(kPath).of(frames, frame).empty()) << "it has no extension";
  const auto stamp = layout.extension_place(kStamp).add(frames, frame);
  const auto path = layout.extension_place(kPath).of(frames, frame);
  ASSERT_EQ(stamp.size(), 8u);
  ASSERT_EQ(path.size(), 120u);
  EXPECT_EQ(stamp.data(), frames.extension(frame).data());
  EXPECT_EQ(path.data(), stamp.data() + 8);
  EXPECT_FALSE(layout.is_free_in_extension(FrameKind::data, 8));
  EXPECT_TRUE(layout.is_free_in_extension(FrameKind::ack, 8));
  constexpr HeaderField kMore{"more", 4 + 4, kData, HeaderField::Reach::hop};
  const std::vector<const HeaderField*> too_much = {&kPath, &kMore};
  const std::vector<HeaderLayout::Owner> three = {owner("hpcc", too_much), owner("timely", timely)};
  EXPECT_TRUE(HeaderLayout(three).conflict());
}

TEST(HeaderLayout, RefusesAFieldThatNobodyLists) {
  const std::vector<const HeaderField*> fields = {&kQueue};
  const HeaderLayout layout(owner("a", fields));
  EXPECT_TRUE(layout.has(kQueue));
  EXPECT_FALSE(layout.has(kSize));
  EXPECT_THROW((void)layout.place<std::uint32_t>(kSize), std::logic_error);
  EXPECT_THROW((void)layout.extension_place(kPath), std::logic_error);
  EXPECT_NO_THROW((void)HeaderLayout().place<std::uint32_t>(kSize)) << "where it stands alone";
}

// For any declarations, no two fields share a byte of a frame that carries both, and no field exceeds its space.
RC_GTEST_PROP(HeaderLayout, KeepsFieldsApart, ()) {
  std::deque<HeaderField> fields;
  std::vector<std::vector<const HeaderField*>> lists(*rc::gen::inRange<std::size_t>(1, 5));
  for (auto& list : lists) {
    const auto count = *rc::gen::inRange(0, 3);
    for (int i = 0; i < count; ++i) {
      FrameKinds kinds(FrameKind::cnp);
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          kinds = kData;
          break;
        case 1:
          kinds = kNacks;
          break;
        case 2:
          kinds = kAll;
          break;
        default:
          break;
      }
      const auto bytes = *rc::gen::element<std::uint16_t>(2, 4, 8, 12, 60);
      fields.push_back({"field", bytes, kinds, HeaderField::Reach::end_to_end});
      list.push_back(&fields.back());
    }
  }
  std::vector<HeaderLayout::Owner> owners;
  for (const auto& list : lists) owners.push_back(owner("owner", list));
  const HeaderLayout layout(owners);
  RC_PRE(!layout.conflict());
  FramePool frames(1);
  for (const FrameKind kind : {FrameKind::data, FrameKind::ack, FrameKind::nack, FrameKind::cnp}) {
    Frame& frame = frames[frames.allocate()];
    frame.kind = kind;
    const Frame empty = frame;
    std::uint32_t next = 0;
    const auto carried = [&](auto&& visit) {
      next = 1;
      for (const HeaderField& field : fields) {
        if (field.kinds.has(kind)) visit(field, next++);
      }
    };
    carried([&](const HeaderField& field, std::uint32_t value) {
      if (field.bytes == 2) layout.place<std::uint16_t>(field).write(frame, static_cast<std::uint16_t>(value));
      if (field.bytes == 4) layout.place<std::uint32_t>(field).write(frame, value);
      if (field.bytes < 8) return;
      for (std::byte& byte : layout.extension_place(field).add(frames, frame)) byte = static_cast<std::byte>(value);
    });
    carried([&](const HeaderField& field, std::uint32_t value) {
      if (field.bytes == 2) RC_ASSERT(layout.place<std::uint16_t>(field).read(frame) == value);
      if (field.bytes == 4) RC_ASSERT(layout.place<std::uint32_t>(field).read(frame) == value);
      if (field.bytes < 8) return;
      const auto content = layout.extension_place(field).of(frames, frame);
      RC_ASSERT(content.size() == field.bytes);
      for (const std::byte byte : content) RC_ASSERT(byte == static_cast<std::byte>(value));
    });
    RC_ASSERT(frame.entropy == empty.entropy);
    RC_ASSERT(frame.sequence == empty.sequence);
    frames.release(frames.id_of(frame));
  }
}

}  // namespace
}  // namespace weir::header_fields_test
