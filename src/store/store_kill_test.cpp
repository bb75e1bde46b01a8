// SPDX-License-Identifier: Apache-2.0
// A store whose writer is killed, or whose disk is full, keeps every run that was added.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "results/test_files.h"
#include "store/database.h"
#include "store/store.h"
#include "store/test_file_size_limit.h"
#include "store/test_whole_record.h"
#include "units/random.h"

namespace weir::store_kill_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::size_t kFlows = 2'000;  // long enough that it can be killed during a write

class KilledStore : public FilesTest {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return store_path(directory_); }

  /// Creates or continues the store and adds runs forever; writes one byte to the pipe per added run.
  [[noreturn]] void write_without_end(int pipe) const {
    RunRecord record = whole_record("", kFlows);
    try {
      Store store = open();
      for (std::uint64_t run = store.runs().size();; ++run) {
        record.variant = std::to_string(run);
        store.add(record);
        if (::write(pipe, "+", 1) != 1) _exit(1);
      }
    } catch (const StoreError&) {
      _exit(2);
    }
  }

  /// Starts a writer, kills it after this number of microseconds, and returns the number of runs that it reported as
  /// added.
  [[nodiscard]] std::size_t write_and_kill(useconds_t after) const {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t writer = ::fork();
    if (writer == 0) {
      (void)::close(ends[0]);
      write_without_end(ends[1]);
    }
    (void)::close(ends[1]);
    (void)::usleep(after);
    EXPECT_EQ(::kill(writer, SIGKILL), 0);
    int status = 0;
    EXPECT_EQ(::waitpid(writer, &status, 0), writer);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself with status " << WEXITSTATUS(status);
    std::size_t added = 0;
    for (char c = 0; ::read(ends[0], &c, 1) == 1;) ++added;
    (void)::close(ends[0]);
    return added;
  }

  /// Opens it for writing; an incompletely created store is created again.
  [[nodiscard]] Store open() const {
    return Store::exists(path()) ? Store::open(path(), Store::Access::write) : Store::create(path(), "0.1.0");
  }
};

TEST_F(KilledStore, KeepsEveryRunThatWasAdded) {
  RandomStream random(1, 2, 3);
  std::size_t added = 0;
  std::size_t kills_while_writing = 0;
  // On a loaded computer writers make slower progress, and more of them must be killed to hit one during a write.
  std::uint64_t longest = 60'000;  // microseconds
  for (int round = 0; round < 40 || ((added == 0 || kills_while_writing == 0) && round < 400); ++round) {
    added += write_and_kill(static_cast<useconds_t>(random.below(longest)));
    if (added == 0) longest = std::min<std::uint64_t>(longest * 5 / 4, 2'000'000);
    kills_while_writing += std::filesystem::exists(path().string() + "-journal") ? 1 : 0;
    if (!Store::exists(path())) continue;  // killed before the store began
    const std::vector<StoredRun> runs = Store::open(path()).runs();
    // One run may have been added without its byte.
    EXPECT_GE(runs.size(), added);
    EXPECT_LE(runs.size(), added + 1);
    added = runs.size();
    if (runs.empty()) continue;
    EXPECT_EQ(Database(path(), Database::Mode::read)
                  .number("SELECT count(*) FROM pragma_integrity_check WHERE "
                          "integrity_check <> 'ok'"),
              0);
    EXPECT_EQ(Database(path(), Database::Mode::read).number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    const StoredRun& last = runs.back();
    EXPECT_EQ(difference(Store::open(path()).load(last.id), whole_record(last.key.variant, kFlows)), "");
  }
  EXPECT_GT(added, 0U);
  EXPECT_GT(kills_while_writing, 0U);
  // A single file, after a writer has finished.
  open().add(whole_record("last"));
  EXPECT_THAT(names(), ElementsAre("results.sqlite"));
}

class FullDisk : public KilledStore {};

TEST_F(FullDisk, LosesOnlyTheRunThatDoesNotFit) {
  Store store = Store::create(path(), "0.1.0");
  store.add(whole_record("a", kFlows));
  const RunRecord b = whole_record("b", kFlows);
  {
    const FileSizeLimit limit(std::filesystem::file_size(path()) + 4096);
    try {
      store.add(b);
      ADD_FAILURE() << "there was room";
    } catch (const StoreError& error) {
      EXPECT_EQ(error.what(), path().string() + ": File too large");
    }
    EXPECT_THAT(store.runs(), SizeIs(1));
  }
  // When space is available again, the store can be continued.
  EXPECT_EQ(difference(store.load(store.add(b)), b), "");
}

TEST_F(FullDisk, LeavesNothingWhereNotEvenAStoreFits) {
  const FileSizeLimit limit(4096);
  EXPECT_THROW((void)Store::create(path(), "0.1.0"), StoreError);
  EXPECT_THAT(names(), SizeIs(0));
}

}  // namespace
}  // namespace weir::store_kill_test
