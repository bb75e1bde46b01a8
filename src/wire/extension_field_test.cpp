// SPDX-License-Identifier: Apache-2.0
#include "wire/extension_field.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weir::extension_field_test {
namespace {

TEST(ExtensionField, IsZeroForNone) {
  EXPECT_EQ(describe_extension({}, 0), ExtensionField{});
  EXPECT_EQ(describe_extension({}, 16), ExtensionField{});
  EXPECT_EQ(ExtensionField{}.encode(), 0);
}

TEST(ExtensionField, EndsWithTheLastWordThatIsNotZero) {
  std::vector<std::byte> block(FramePool::kShortExtension);
  EXPECT_EQ(describe_extension(block, 0).bytes, 0);
  block[0] = std::byte{1};
  EXPECT_EQ(describe_extension(block, 0).bytes, 4);
  block[4] = std::byte{1};
  EXPECT_EQ(describe_extension(block, 0).bytes, 8);
  block.back() = std::byte{1};
  EXPECT_EQ(describe_extension(block, 0).bytes, FramePool::kShortExtension);
}

TEST(ExtensionField, IsNoShorterThanAskedForNorLongerThanTheBlock) {
  const std::vector<std::byte> block(FramePool::kShortExtension);
  EXPECT_EQ(describe_extension(block, 13).bytes, 16);
  EXPECT_EQ(describe_extension(block, 65'535).bytes, FramePool::kShortExtension);
}

TEST(ExtensionField, TellsLongBlocks) {
  EXPECT_FALSE(describe_extension(std::vector<std::byte>(FramePool::kShortExtension), 0).is_long);
  EXPECT_TRUE(describe_extension(std::vector<std::byte>(FramePool::kLongExtension), 0).is_long);
}

TEST(ExtensionField, EveryNumberDecodesToItselfOrIsRefused) {
  int accepted = 0;
  for (std::uint32_t number = 0; number <= 0xffff; ++number) {
    const auto field = ExtensionField::decode(static_cast<std::uint16_t>(number));
    if (!field) continue;
    ++accepted;
    EXPECT_EQ(field->encode(), number);
  }
  EXPECT_EQ(accepted, 1 + 33 + 385);  // none; short blocks of 0..128 bytes; long ones of 0..1536, in words
}

TEST(ExtensionField, RestoreSaysWhenThePoolHasNoBlock) {
  FramePool pool(1);
  Frame first{};
  Frame second{};
  const ExtensionField field{true, false, 0};
  EXPECT_TRUE(restore_extension(pool, first, field, {}));
  EXPECT_FALSE(restore_extension(pool, second, field, {}));
  EXPECT_TRUE(restore_extension(pool, second, {}, {}));
  EXPECT_FALSE(second.extension.exists());
}

RC_GTEST_PROP(ExtensionField, RestoresTheBlockItDescribes, (bool is_long, const std::vector<std::uint8_t>& octets)) {
  FramePool pool(2);
  Frame& sent = pool[pool.allocate()];
  const auto block = pool.extend(sent, is_long ? FramePool::kLongExtension : FramePool::kShortExtension);
  for (std::size_t i = 0; i < std::min(octets.size(), block.size()); ++i) block[i] = std::byte{octets[i]};
  const ExtensionField field = describe_extension(block, 0);
  Frame& received = pool[pool.allocate()];
  RC_ASSERT(restore_extension(pool, received, field, block.first(field.bytes)));
  const auto restored = pool.extension(received);
  RC_ASSERT(std::equal(block.begin(), block.end(), restored.begin(), restored.end()));
}

}  // namespace
}  // namespace weir::extension_field_test
