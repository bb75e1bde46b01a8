// SPDX-License-Identifier: Apache-2.0
#include "campaign/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "scenario/test_scenario.h"

namespace weir::runner_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;
using testing_scenario::changed;
using testing_scenario::read;

class TestRun : public RunToMake {
 public:
  explicit TestRun(std::string name, const std::string& stop = "10 us")
      : name_(std::move(name)),
        settings_(read(changed("stop = \"1 ms\"", "stop = \"" + stop + "\"")).variants.front().settings) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  const Settings& settings() override {
    if (!refusal.empty()) throw std::invalid_argument(refusal);
    return settings_;
  }
  void begin(Simulation& /*simulation*/) override { begun = true; }
  void end(RunRecord given) override { record = std::move(given); }

  std::string refusal;
  bool begun = false;
  std::optional<RunRecord> record;

 private:
  std::string name_;
  Settings settings_;
};

struct Runs {
  explicit Runs(std::size_t count, const std::string& stop = "10 us") {
    for (std::size_t i = 0; i < count; ++i) {
      own.push_back(std::make_unique<TestRun>("run " + std::to_string(i), stop));
      all.push_back(own.back().get());
    }
  }
  std::vector<std::unique_ptr<TestRun>> own;
  std::vector<RunToMake*> all;
};

TEST(Runner, GivesTheSameOnAnyNumberOfThreads) {
  std::string digest;
  for (const std::size_t threads : {0U, 1U, 3U, 9U}) {
    Runs runs(5);
    std::vector<std::size_t> kept;
    RunnerOptions options;
    options.threads = threads;
    options.keep = [&](const std::vector<std::size_t>& finished) {
      EXPECT_TRUE(std::is_sorted(finished.begin(), finished.end()));
      for (const std::size_t run : finished) EXPECT_TRUE(runs.own[run]->record) << "it is there before it is kept";
      kept.insert(kept.end(), finished.begin(), finished.end());
      return true;
    };
    const std::vector<RunEnd> ends = run_side_by_side(runs.all, options);
    EXPECT_THAT(ends, SizeIs(5));
    EXPECT_THAT(ends, Each(Field(&RunEnd::started, true)));
    EXPECT_THAT(kept, testing::UnorderedElementsAre(0, 1, 2, 3, 4));
    if (threads == 1) {
      EXPECT_THAT(kept, ElementsAre(0, 1, 2, 3, 4));
    }
    for (const auto& run : runs.own) {
      EXPECT_TRUE(run->begun);
      if (digest.empty()) digest = run->record->digest;
      EXPECT_EQ(run->record->digest, digest);
    }
  }
}

TEST(Runner, NamesTheErrorOfARunAndMakesTheOthers) {
  Runs runs(3);
  runs.own[1]->refusal = "the machine is too small";
  const std::vector<RunEnd> ends = run_side_by_side(runs.all, {});
  EXPECT_EQ(ends[0].error, "");
  EXPECT_TRUE(ends[1].started);
  EXPECT_EQ(ends[1].error, "the machine is too small");
  EXPECT_FALSE(runs.own[1]->record);
  EXPECT_TRUE(runs.own[2]->record);
}

TEST(Runner, KeepsWhatIsCompleteWhenItIsInterrupted) {
  // The first ends, the second would continue for minutes, the third never starts.
  Runs runs(1);
  TestRun endless("endless", "1000 s");
  TestRun never("never");
  runs.all.push_back(&endless);
  runs.all.push_back(&never);
  std::atomic<bool> stop{false};
  std::vector<std::size_t> kept;
  RunnerOptions options;
  options.keep = [&](const std::vector<std::size_t>& finished) {
    kept.insert(kept.end(), finished.begin(), finished.end());
    return true;
  };
  options.watch = [&](std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway) {
    EXPECT_EQ(total, 3U);
    if (done == 1 && !underway.empty() && underway[0].name == "endless") stop = true;
  };
  options.stop = [&] { return stop.load(); };
  const std::vector<RunEnd> ends = run_side_by_side(runs.all, options);
  EXPECT_FALSE(runs.own[0]->record->interrupted);
  ASSERT_TRUE(endless.record);
  EXPECT_TRUE(endless.record->interrupted);
  EXPECT_FALSE(ends[2].started);
  EXPECT_FALSE(never.record);
  EXPECT_THAT(kept, ElementsAre(0, 1, 2));
}

TEST(Runner, StopsWhereNothingMoreIsKept) {
  Runs runs(200);
  RunnerOptions options;
  std::size_t calls = 0;
  options.keep = [&](const std::vector<std::size_t>&) { return ++calls > 1; };
  const std::vector<RunEnd> ends = run_side_by_side(runs.all, options);
  EXPECT_TRUE(ends.front().started);
  // At most as many finish as may wait, besides those that were refused and the one in progress.
  EXPECT_FALSE(ends.back().started);
}

TEST(Runner, HasNothingToDoWithoutRuns) {
  EXPECT_THAT(run_side_by_side({}, {}), IsEmpty());
}

}  // namespace
}  // namespace weir::runner_test
