// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "results/test_files.h"
#include "results/test_records.h"
#include "store/database.h"
#include "store/schema.h"
#include "store/test_whole_record.h"

namespace weir::store_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StoreFile : public FilesTest {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return store_path(directory_); }
  [[nodiscard]] Store create() const { return Store::create(path(), "0.1.0"); }
  [[nodiscard]] std::string in_path(const std::string& text) const { return path().string() + ": " + text; }
};

/// The error of a call.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const StoreError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> variants_of(const std::vector<RunKey>& keys) {
  std::vector<std::string> out;
  for (const RunKey& key : keys) out.push_back(key.variant);
  return out;
}

TEST_F(StoreFile, GivesBackTheVeryRecord) {
  const RunRecord record = whole_record("a");
  std::int64_t id = 0;
  {
    Store store = create();
    id = store.add(record);
    EXPECT_EQ(difference(store.load(id), record), "");
  }
  EXPECT_EQ(difference(Store::open(path()).load(id), record), "");
  EXPECT_THAT(names(), ElementsAre("results.sqlite"));
}

TEST_F(StoreFile, GivesBackARecordWithNothingInIt) {
  Store store = create();
  EXPECT_EQ(difference(store.load(store.add(RunRecord())), RunRecord()), "");
}

TEST_F(StoreFile, KeepsWhatIsNotANumber) {
  RunRecord record;
  record.wall_seconds = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  record.series = {{"x", Duration(), {record.wall_seconds, infinity, -infinity}}};
  Store store = create();
  const RunRecord read = store.load(store.add(record));
  EXPECT_TRUE(std::isnan(read.wall_seconds));
  EXPECT_TRUE(std::isnan(read.series[0].values[0]));
  EXPECT_EQ(read.series[0].values[1], infinity);
  EXPECT_EQ(read.series[0].values[2], -infinity);
}

TEST_F(StoreFile, KeepsRunsApart) {
  Store store = create();
  const std::int64_t a = store.add(whole_record("a", 5));
  const std::int64_t b = store.add(record_of("b", 100, 3));
  EXPECT_EQ(difference(store.load(a), whole_record("a", 5)), "");
  EXPECT_EQ(difference(store.load(b), record_of("b", 100, 3)), "");
  EXPECT_EQ(error_of([&] { (void)store.load(b + 1); }), in_path("has no run 3"));
}

TEST_F(StoreFile, ListsRunsInTheOrderOfThePlan) {
  Store store = create();
  const RunRecord a = whole_record("a");
  const RunRecord b = whole_record("b");
  RunRecord c = whole_record("c");
  c.interrupted = true;
  store.plan({key_of(a), key_of(b), key_of(c)});
  store.plan({key_of(b)});
  EXPECT_THAT(variants_of(store.planned()), ElementsAre("a", "b", "c"));
  EXPECT_EQ(store.planned()[1], key_of(b));
  store.add({&c, &a});
  EXPECT_THAT(variants_of(store.missing()), ElementsAre("b", "c"));
  const std::vector<StoredRun> runs = store.runs();
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].key, key_of(a));
  EXPECT_EQ(runs[1].key, key_of(c));
  EXPECT_TRUE(runs[0].finished());
  EXPECT_FALSE(runs[1].finished());
  EXPECT_EQ(runs[0].version, a.version);
  EXPECT_EQ(runs[0].digest, a.digest);
  EXPECT_EQ(runs[0].failure, a.failure);
  EXPECT_EQ(runs[0].simulated, a.simulated);
  EXPECT_EQ(runs[0].wall_seconds, a.wall_seconds);
  EXPECT_EQ(runs[0].flows, 3U);
  store.add(whole_record("unplanned"));
  EXPECT_THAT(variants_of(store.planned()), ElementsAre("a", "b", "c", "unplanned"));
}

TEST_F(StoreFile, TellsRunsApartByAllOfTheirKey) {
  Store store = create();
  RunRecord record = record_of("a", 100, 0);
  store.add(record);
  record.seed = 2;
  store.add(record);
  record.effective_configuration = "x = 1\n";
  store.add(record);
  record.scenario = "another";
  store.add(record);
  EXPECT_THAT(store.runs(), SizeIs(4));
  EXPECT_EQ(error_of([&] { store.add(record); }),
            in_path("already contains the run another, variant a, with seed 2 and configuration " +
                    configuration_digest("x = 1\n")));
}

TEST_F(StoreFile, ReplacesAnInterruptedRunWhole) {
  Store store = create();
  RunRecord record = whole_record("a", 50);
  record.interrupted = true;
  store.add(record);
  const RunRecord whole = whole_record("a", 2);
  EXPECT_EQ(difference(store.load(store.add(whole)), whole), "");
  EXPECT_THAT(store.runs(), SizeIs(1));
  EXPECT_THAT(store.missing(), IsEmpty());
  // Nothing of the first remains.
  const Database database(path(), Database::Mode::read);
  for (const char* table : {"flows", "switches", "links", "pauses", "timelines", "series", "series_values",
                            "histograms", "histogram_buckets", "drops", "frame_kinds", "pause_holds"}) {
    EXPECT_EQ(database.number(std::string("SELECT count(DISTINCT run_id) FROM ") + table), 1) << table;
  }
  EXPECT_EQ(database.number("SELECT count(*) FROM flows"), 2);
}

TEST_F(StoreFile, AddsAllOrNone) {
  Store store = create();
  const RunRecord a = whole_record("a");
  RunRecord damaged = whole_record("b");
  damaged.timeline.queued.pop_back();
  EXPECT_EQ(error_of([&] {
              store.add({&a, &damaged});
            }),
            in_path("a timeline of 15 and 14 numbers for 3 links and 5 intervals cannot be kept"));
  damaged = whole_record("b");
  damaged.timeline.pauses[1].link = 3;
  EXPECT_EQ(error_of([&] { store.add({&a, &damaged}); }), in_path("a pause of link 3 cannot be kept"));
  EXPECT_THAT(store.runs(), IsEmpty());
  EXPECT_THAT(store.planned(), IsEmpty());
  EXPECT_EQ(difference(store.load(store.add(a)), a), "");
}

TEST_F(StoreFile, IsReadWhileItIsWritten) {
  Store store = create();
  store.add(whole_record("a"));
  const Store reader = Store::open(path());
  EXPECT_THAT(reader.runs(), SizeIs(1));
  store.add(whole_record("b"));
  EXPECT_THAT(reader.runs(), SizeIs(2));
}

TEST_F(StoreFile, HasOneWriter) {
  {
    Store store = create();
    EXPECT_EQ(error_of([&] { (void)Store::open(path(), Store::Access::write); }),
              in_path("another process is writing to it"));
    Store moved = std::move(store);
    EXPECT_EQ(error_of([&] { (void)Store::open(path(), Store::Access::write); }),
              in_path("another process is writing to it"));
  }
  Store store = Store::open(path(), Store::Access::write);
  store.add(whole_record("a"));
  EXPECT_THAT(store.runs(), SizeIs(1));
}

TEST_F(StoreFile, CannotBeChangedByAReader) {
  (void)create();
  Store reader = Store::open(path());
  EXPECT_THAT(error_of([&] { reader.add(whole_record("a")); }), HasSubstr("readonly database"));
}

TEST_F(StoreFile, RefusesWhatIsNoStore) {
  EXPECT_EQ(error_of([&] { (void)Store::open(path()); }), in_path("No such file or directory"));
  EXPECT_EQ(error_of([&] { (void)Store::create(directory_ / "none" / "x", ""); }),
            (directory_ / "none" / "x").string() + ": No such file or directory");
  std::ofstream(path()) << "flow,class\n1,incast\n and so on until it is as long as the header of a database file, and "
                           "beyond that, so that it is not taken for one that was cut off";
  for (const auto& error : {error_of([&] { (void)Store::open(path()); }), error_of([&] { (void)create(); })}) {
    EXPECT_EQ(error, in_path("not a results store (not an SQLite file)"));
  }
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  EXPECT_THAT(error_of([&] { (void)create(); }), in_path("Is a directory"));
}

TEST_F(StoreFile, RefusesDatabasesOfOthersAndOtherVersions) {
  Database(path(), Database::Mode::create).execute("CREATE TABLE x (y)");
  EXPECT_EQ(error_of([&] { (void)Store::open(path()); }),
            in_path("not a results store (an SQLite file of another program)"));
  EXPECT_EQ(error_of([&] { (void)create(); }), in_path("already exists"));
  std::filesystem::remove(path());
  (void)create();
  EXPECT_EQ(error_of([&] { (void)create(); }), in_path("already exists"));
  Database(path(), Database::Mode::write).execute("PRAGMA user_version = 1");
  EXPECT_EQ(error_of([&] { (void)Store::open(path()); }), in_path("has schema version 1; this weir reads version 2"));
}

TEST_F(StoreFile, OpensOneFromBeforeFindingsWereKept) {
  RunRecord record = whole_record("a");
  const std::int64_t id = create().add(record);
  Database(path(), Database::Mode::write).execute("DROP TABLE finding_ports; DROP TABLE findings");
  record.findings.clear();
  EXPECT_EQ(difference(Store::open(path()).load(id), record), "");
}

TEST_F(StoreFile, KeepsNoFindingOfALinkThatIsNotThere) {
  RunRecord record = whole_record("a");
  record.findings.back().ports.front().link = record.links.size();
  Store store = create();
  EXPECT_EQ(error_of([&] { (void)store.add(record); }), in_path("a finding of link 3 cannot be kept"));
}

TEST_F(StoreFile, BeginsInAFileOfNoBytes) {
  std::ofstream(path()).close();
  EXPECT_EQ(error_of([&] { (void)Store::open(path()); }), in_path("is empty: expected a results store"));
  EXPECT_FALSE(Store::exists(path()));
  Store store = create();
  EXPECT_TRUE(Store::exists(path()));
  EXPECT_EQ(store.version(), "0.1.0");
}

TEST_F(StoreFile, SaysWhichRunIsDamaged) {
  const std::int64_t id = create().add(whole_record("a"));
  const auto error_after = [&](const std::string& sql) {
    std::filesystem::copy_file(path(), directory_ / "copy", std::filesystem::copy_options::overwrite_existing);
    Database(directory_ / "copy", Database::Mode::write).execute("PRAGMA foreign_keys = OFF; " + sql);
    std::string error = error_of([&] { (void)Store::open(directory_ / "copy").load(id); });
    const std::string begin = (directory_ / "copy").string() + ": run 1 is damaged: ";
    EXPECT_THAT(error, ::testing::StartsWith(begin)) << sql;
    return error.substr(std::min(error.size(), begin.size()));
  };
  EXPECT_EQ(error_after("UPDATE flows SET class = 'x'"), "\"x\" is unknown");
  EXPECT_EQ(error_after("UPDATE pauses SET link_index = 3"), "no link 3");
  EXPECT_EQ(error_after("UPDATE timelines SET queued_bytes = x'00'"), "a timeline is too short or too long");
  EXPECT_EQ(error_after("DELETE FROM timelines WHERE link_index = 1"), "the timeline of a link is missing");
  EXPECT_EQ(error_after("DELETE FROM timelines WHERE link_index = 2"), "the timeline of a link is missing");
  EXPECT_EQ(error_after("UPDATE histograms SET quantity = 'x'"), "a histogram of \"x\" is unknown");
  EXPECT_EQ(error_after("UPDATE histograms SET switch_index = 9 WHERE quantity = 'occupancy'"), "no switch 9");
  EXPECT_EQ(error_after("UPDATE histograms SET tier = 8 WHERE quantity = 'queueing'"),
            "a histogram of \"queueing\" is unknown");
  EXPECT_EQ(error_after("UPDATE histograms SET exact_sum = '1e9'"), "\"1e9\" is not a sum");
  EXPECT_THAT(error_after("UPDATE histogram_buckets SET bucket = bucket + 100000000"),
              HasSubstr("a histogram has no bucket 1000"));
  EXPECT_EQ(error_after("DELETE FROM series"), "no series 0");
  EXPECT_EQ(error_after("UPDATE findings SET kind = 'x'"), "\"x\" is unknown");
  EXPECT_EQ(error_after("DELETE FROM findings WHERE finding_index = 3"), "no finding 3");
  EXPECT_EQ(error_after("UPDATE finding_ports SET link_index = 3"), "no link 3");
}

TEST(ConfigurationDigest, TellsTextsApart) {
  EXPECT_EQ(configuration_digest(""), "cbf29ce484222325");   // published test vectors
  EXPECT_EQ(configuration_digest("a"), "af63dc4c8601ec8c");  // of FNV-1a
  EXPECT_EQ(configuration_digest("foobar"), "85944171f73967e8");
}

PlanEntry entry_of(const std::string& variant, std::vector<RunParameter> parameters, std::int64_t position) {
  return {{"s", variant, 1, "0123456789abcdef"}, std::move(parameters), position};
}

TEST_F(StoreFile, KeepsThePlacesOfAPartOfACampaign) {
  Store store = create();
  store.plan({entry_of("c", {{"load", "0.8", 0.8}}, 6), entry_of("a", {{"load", "0.2", 0.2}}, 2)});
  // The position of another run is not reused.
  store.plan({entry_of("b", {}, 6)});
  const std::vector<PlanEntry> entries = Store::open(path()).entries();
  ASSERT_THAT(entries, SizeIs(3));
  EXPECT_EQ(entries[0].key.variant, "a");
  EXPECT_EQ(entries[0].position, 2);
  EXPECT_THAT(entries[0].parameters, ElementsAre(RunParameter{"load", "0.2", 0.2}));
  EXPECT_EQ(entries[1].key.variant, "c");
  EXPECT_EQ(entries[2].key.variant, "b");
  EXPECT_EQ(entries[2].position, 7);
}

}  // namespace
}  // namespace weir::store_test
