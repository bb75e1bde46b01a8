// SPDX-License-Identifier: Apache-2.0
#include "apps/core_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace weir::apps::core_threads_test {
namespace {

using ::testing::ElementsAre;

TEST(CoreThreads, EachHasACoreWhereThereAreEnough) {
  const std::vector<int> cores = allowed_cores();
  ASSERT_FALSE(cores.empty());
  std::vector<std::vector<int>> seen(cores.size());
  run_on_cores(
      cores.size(), cores, [&](std::size_t number) { seen[number] = allowed_cores(); }, [] {});
  for (std::size_t i = 0; i < cores.size(); ++i) EXPECT_THAT(seen[i], ElementsAre(cores[i]));
  EXPECT_EQ(allowed_cores(), cores) << "the calling thread may run everywhere again";
}

TEST(CoreThreads, ShareTheCoresOtherwise) {
  const std::vector<int> cores = allowed_cores();
  std::atomic<std::size_t> same = 0;
  run_on_cores(
      cores.size() + 1, cores, [&](std::size_t) { same += allowed_cores() == cores ? 1u : 0u; }, [] {});
  EXPECT_EQ(same, cores.size() + 1);
}

TEST(CoreThreads, AnExceptionStopsTheOthers) {
  std::atomic<bool> stopped = false;
  const auto work = [&](std::size_t number) {
    if (number == 1) throw std::runtime_error("one failed");
    while (!stopped) std::this_thread::yield();
  };
  try {
    run_on_cores(3, allowed_cores(), work, [&] { stopped = true; });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "one failed");
  }
}

}  // namespace
}  // namespace weir::apps::core_threads_test
