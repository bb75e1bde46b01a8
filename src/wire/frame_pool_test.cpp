// SPDX-License-Identifier: Apache-2.0
#include "wire/frame_pool.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace weir::frame_pool_test {
namespace {

TEST(FramePool, HandsOutEachFrameOnce) {
  FramePool pool(3);
  std::set<FrameId> ids;
  for (int i = 0; i < 3; ++i) ids.insert(pool.allocate());
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_FALSE(ids.contains(FrameId::none()));
  EXPECT_EQ(pool.in_use(), 3u);
  EXPECT_FALSE(pool.allocate().exists());
  EXPECT_EQ(pool.in_use(), 3u);
}

TEST(FramePool, ClearsAFrameThatIsUsedAgain) {
  FramePool pool(1);
  const FrameId first = pool.allocate();
  pool[first].tag = 7;
  pool[first].own = 8;
  pool[first].source = HostId(9);
  pool.release(first);
  const FrameId again = pool.allocate();
  EXPECT_EQ(again, first);
  EXPECT_EQ(pool[again].tag, 0);
  EXPECT_EQ(pool[again].own, 0u);
  EXPECT_FALSE(pool[again].source.exists());
  EXPECT_FALSE(pool[again].next.exists());
  EXPECT_FALSE(pool[again].extension.exists());
}

TEST(FramePool, TouchesOnlyWhatWasInUseAtOnce) {
  FramePool pool(1'000'000);
  const FrameId a = pool.allocate();
  const FrameId b = pool.allocate();
  pool.release(a);
  pool.release(b);
  pool.allocate();
  EXPECT_EQ(pool.touched(), 2u);
  EXPECT_EQ(pool.capacity(), 1'000'000u);
}

TEST(FramePool, ListsReleasedFramesOnRequest) {
  FramePool pool(4);
  std::vector<FrameId> listed;
  const auto note = [&listed](FrameId id) { listed.push_back(id); };
  const FrameId before = pool.allocate();
  pool.release(before);
  pool.take_released(note);
  EXPECT_TRUE(listed.empty());
  pool.list_released();
  const FrameId plain = pool.allocate();
  const FrameId extended = pool.allocate();
  pool.extend(pool[extended], 8);
  pool.release(extended);
  pool.release(plain);
  EXPECT_EQ(pool.allocate(), plain);
  pool.release(plain);
  pool.take_released(note);
  EXPECT_EQ(listed, (std::vector<FrameId>{extended, plain, plain}));
  pool.take_released(note);
  EXPECT_EQ(listed.size(), 3u);
  EXPECT_EQ(pool.in_use(), 0u);
  // Of frames that are released unlisted, only the extension matters.
  const FrameId unlisted = pool.allocate();
  pool.extend(pool[unlisted], 8);
  pool.release_unlisted(unlisted);
  pool.take_released(note);
  EXPECT_EQ(listed.size(), 3u);
  EXPECT_EQ(pool.in_use(), 0u);
  // The extensions are free again, too.
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(pool.extend(pool[pool.allocate()], 8).empty());
}

TEST(FramePool, KnowsTheNumberOfAFrame) {
  FramePool pool(4);
  for (int i = 0; i < 4; ++i) {
    const FrameId id = pool.allocate();
    EXPECT_EQ(pool.id_of(pool[id]), id);
  }
}

TEST(FramePool, ExtensionIsZeroAndAsLongAsItsKind) {
  FramePool pool(2);
  Frame& frame = pool[pool.allocate()];
  EXPECT_TRUE(pool.extension(frame).empty());
  const auto block = pool.extend(frame, FramePool::kShortExtension);
  EXPECT_EQ(block.size(), FramePool::kShortExtension);
  EXPECT_TRUE(std::all_of(block.begin(), block.end(), [](std::byte byte) { return byte == std::byte{0}; }));
  Frame& other = pool[pool.allocate()];
  EXPECT_EQ(pool.extend(other, FramePool::kShortExtension + 1).size(), FramePool::kLongExtension);
}

TEST(FramePool, ExtensionIsKeptWhenAskedForAgain) {
  FramePool pool(1);
  Frame& frame = pool[pool.allocate()];
  pool.extend(frame, 16)[0] = std::byte{5};
  EXPECT_EQ(pool.extend(frame, 16)[0], std::byte{5});
  EXPECT_EQ(pool.extension(frame)[0], std::byte{5});
}

TEST(FramePool, ExtensionIsZeroAgainWhenUsedAgain) {
  FramePool pool(1);
  for (const std::size_t bytes : {FramePool::kShortExtension, FramePool::kLongExtension}) {
    for (int round = 0; round < 2; ++round) {
      const FrameId id = pool.allocate();
      const auto block = pool.extend(pool[id], bytes);
      ASSERT_EQ(block.size(), bytes);
      EXPECT_TRUE(std::all_of(block.begin(), block.end(), [](std::byte byte) { return byte == std::byte{0}; }));
      std::fill(block.begin(), block.end(), std::byte{0xff});
      pool.release(id);
    }
  }
}

TEST(FramePool, HasAsManyExtensionsOfEachKindAsFrames) {
  FramePool pool(2);
  Frame& a = pool[pool.allocate()];
  Frame& b = pool[pool.allocate()];
  EXPECT_FALSE(pool.extend(a, 1).empty());
  EXPECT_FALSE(pool.extend(b, 1).empty());
  Frame unpooled{};
  EXPECT_TRUE(pool.extend(unpooled, 1).empty());
  EXPECT_FALSE(unpooled.extension.exists());
  EXPECT_FALSE(pool.extend(unpooled, FramePool::kLongExtension).empty());
}

TEST(FramePool, MovesAndCopiesExtensions) {
  FramePool pool(3);
  Frame& from = pool[pool.allocate()];
  Frame& copy = pool[pool.allocate()];
  Frame& to = pool[pool.allocate()];
  pool.copy_extension(from, copy);
  EXPECT_FALSE(copy.extension.exists());
  pool.extend(from, 16)[3] = std::byte{9};
  pool.copy_extension(from, copy);
  EXPECT_EQ(pool.extension(copy)[3], std::byte{9});
  pool.extension(copy)[3] = std::byte{10};
  EXPECT_EQ(pool.extension(from)[3], std::byte{9});
  FramePool::move_extension(from, to);
  EXPECT_FALSE(from.extension.exists());
  EXPECT_EQ(pool.extension(to)[3], std::byte{9});
}

// For any sequence of allocations and releases, no two frames share memory and each keeps its content.
RC_GTEST_PROP(FramePool, KeepsFramesApart, (const std::vector<std::uint8_t>& steps)) {
  constexpr std::size_t kFrames = 8;
  FramePool pool(kFrames);
  std::map<FrameId, std::uint32_t> held;  // and their content
  std::uint32_t serial = 0;
  for (const std::uint8_t step : steps) {
    if (step % 3 == 0 && !held.empty()) {
      const auto victim = std::next(held.begin(), step / 3 % static_cast<int>(held.size()));
      pool.release(victim->first);
      held.erase(victim);
    } else {
      const FrameId id = pool.allocate();
      RC_ASSERT(id.exists() == (held.size() < kFrames));
      if (!id.exists()) continue;
      RC_ASSERT(!held.contains(id));
      held[id] = ++serial;
      pool[id].tag_value = serial;
      const auto block = pool.extend(pool[id], step % 2 == 0 ? FramePool::kShortExtension : FramePool::kLongExtension);
      std::fill(block.begin(), block.end(), static_cast<std::byte>(serial));
    }
    RC_ASSERT(pool.in_use() == held.size());
    for (const auto& [id, mark] : held) {
      RC_ASSERT(pool[id].tag_value == mark);
      const auto block = pool.extension(pool[id]);
      RC_ASSERT(!block.empty());
      RC_ASSERT(std::all_of(block.begin(), block.end(),
                            [mark = mark](std::byte byte) { return byte == static_cast<std::byte>(mark); }));
    }
  }
}

}  // namespace
}  // namespace weir::frame_pool_test
