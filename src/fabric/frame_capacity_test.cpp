// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "fabric/fabric.h"
#include "wire/frame_pool.h"

namespace weir::frame_capacity_test {
namespace {

using namespace literals;

Settings star(std::size_t hosts, Bytes buffer) {
  Settings settings;
  const NodeId middle = settings.network.topology.add_switch("s", 1);
  for (std::size_t i = 0; i < hosts; ++i) {
    LinkSpec link;
    link.rate = 100_Gbps;
    link.delay = 1_us;
    settings.network.topology.connect(settings.network.topology.add_host("h" + std::to_string(i)), middle, link);
  }
  settings.switches.buffer = buffer;
  return settings;
}

TEST(FrameCapacity, IsInProportionToTheNetwork) {
  const std::size_t small = frame_capacity(star(8, 12_MB));
  EXPECT_EQ(frame_capacity(star(2, 1_KB)), std::size_t{1} << 18);
  EXPECT_GT(small, 12'000'000u / 84);
  EXPECT_LT(small, std::size_t{1} << 20);
  EXPECT_GT(frame_capacity(star(8, 24_MB)), 3 * small / 2);
  EXPECT_EQ(frame_capacity(star(8, Bytes::max())), RunSettings().frame_capacity);
  // Four parallel runs in four gigabytes of address space.
  const std::size_t bytes = small * (sizeof(Frame) + FramePool::kShortExtension + FramePool::kLongExtension / 8);
  EXPECT_LT(4 * bytes, 2'000'000'000u);
}

TEST(FrameCapacity, IsAsStatedWhereItIsStated) {
  Settings settings = star(8, 12_MB);
  for (const std::size_t stated : {std::size_t{1'024}, std::size_t{1} << 28}) {
    settings.run.frame_capacity = stated;
    EXPECT_EQ(frame_capacity(settings), stated);
  }
}

}  // namespace
}  // namespace weir::frame_capacity_test
