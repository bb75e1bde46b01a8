// SPDX-License-Identifier: Apache-2.0
// docs/results_schema.md describes everything in a store, and its queries work.
#include "store/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "results/counters.h"
#include "results/summary.h"
#include "results/test_files.h"
#include "store/database.h"
#include "store/store.h"
#include "store/test_whole_record.h"

namespace weir::schema_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string page() {
  std::ifstream stream("docs/results_schema.md", std::ios::binary);
  EXPECT_TRUE(stream) << "to be run in the project's folder";
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The texts between two marks.
std::vector<std::string> between(const std::string& text, const std::string& begin, const std::string& end) {
  std::vector<std::string> out;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    const std::size_t stop = std::min(text.find(end, at), text.size());
    out.push_back(text.substr(at, stop - at));
    at = stop;
  }
  return out;
}

std::set<std::string> strings(const Database& database, const std::string& sql) {
  Statement row(database, sql);
  std::set<std::string> out;
  while (row.next()) out.insert(std::string(row.text(0)));
  return out;
}

class Schema : public FilesTest {
 protected:
  Schema() {
    Store store = Store::create(path(), "0.1.0");
    RunRecord interrupted = whole_record("b");
    interrupted.interrupted = true;
    RunRecord record = whole_record("a");
    record.switches[0].name = "tor0";
    store.add({&record, &interrupted});
  }
  [[nodiscard]] std::filesystem::path path() const { return store_path(directory_); }
  [[nodiscard]] Database database() const { return {path(), Database::Mode::read}; }
};

TEST_F(Schema, HasAPageWithEveryTableAndColumn) {
  const Database database = this->database();
  std::set<std::string> described;
  for (const std::string& section : between(page(), "\n### ", "\n#")) {
    const std::string table = section.substr(0, section.find('\n'));
    described.insert(table);
    const std::set<std::string> columns = strings(database, "SELECT name FROM pragma_table_xinfo('" + table + "')");
    // The first cell of each row contains column names.
    std::set<std::string> named;
    for (const std::string& cell : between(section.substr(0, section.find("column of")), "\n| `", " |")) {
      const std::string names = "`" + cell;
      const std::regex name("`([a-z0-9_]+)`");
      for (std::sregex_iterator at(names.begin(), names.end(), name), end; at != end; ++at) named.insert((*at)[1]);
    }
    EXPECT_THAT(named, ElementsAreArray(columns)) << table;
  }
  EXPECT_THAT(described,
              ElementsAreArray(strings(
                  database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")));
}

/// Counters are described in the words of their table, results/counter_list.h.
TEST_F(Schema, HasAPageWithEveryCounterInItsWords) {
  const std::string text = page();
  const auto look = [&](const std::string& table, const auto& counters) {
    const std::size_t at = text.find("\n### " + table + "\n");
    ASSERT_NE(at, std::string::npos) << table;
    const std::string section = text.substr(at, text.find("\n#", at + 1) - at);
    for (const auto& counter : counters) {
      EXPECT_THAT(section,
                  HasSubstr("\n| `" + std::string(counter.column) + "` | " + std::string(counter.meaning) + " |\n"));
    }
  };
  look("runs", kRunCounters);
  look("flows", kFlowCounters);
  look("switches", kSwitchCounters);
  look("links", kLinkCounters);
}

/// Fields of statistics are described in the words of results/statistics.h.
TEST_F(Schema, HasAPageWithEveryStatisticInItsWords) {
  const std::string text = page();
  const Statistics none;
  for_each_statistic(none, [&](const auto& rows) {
    using Row = StatisticRow<decltype(rows)>;
    const std::size_t at = text.find("\n### " + std::string(StatisticTable<Row>::kName) + "\n");
    ASSERT_NE(at, std::string::npos) << StatisticTable<Row>::kName;
    const std::string section = text.substr(at, text.find("\n#", at + 1) - at);
    for (const StatisticField<Row>& field : StatisticTable<Row>::kFields) {
      EXPECT_THAT(section, HasSubstr("| " + std::string(field.meaning) + " |\n")) << field.column;
    }
  });
}

TEST_F(Schema, AnswersTheQueriesOfThePage) {
  const Database database = this->database();
  std::size_t queries = 0;
  for (const std::string& block : between(page(), "```sql\n", "```")) {
    for (const std::string& sql : between(";\n" + block, ";\n", ";")) {
      if (sql.empty()) continue;  // after the last
      ++queries;
      Statement statement(database, sql);
      EXPECT_TRUE(statement.next()) << "no row from" << sql;
    }
  }
  EXPECT_EQ(queries, 14U);
}

TEST_F(Schema, ShowsTimelinesAsRows) {
  const RunRecord record = whole_record("a");
  const Database database = this->database();
  Statement row(database,
                "SELECT link_index, interval_index, begin_ps, carried_bytes, queued_bytes FROM link_loads "
                "WHERE run_id = 1 ORDER BY link_index, interval_index");
  for (std::size_t i = 0; i < record.timeline.carried.size(); ++i) {
    ASSERT_TRUE(row.next());
    EXPECT_EQ(row.count(0), i / record.timeline.intervals);
    EXPECT_EQ(row.count(1), i % record.timeline.intervals);
    EXPECT_EQ(row.integer(2), row.integer(1) * record.timeline.interval.picoseconds());
    EXPECT_EQ(row.count(3), record.timeline.carried[i]);
    EXPECT_EQ(row.count(4), record.timeline.queued[i]);
  }
  EXPECT_FALSE(row.next());
}

TEST_F(Schema, ComputesSlowdownsAsTheTablesDo) {
  const Database database = this->database();
  Statement row(database, "SELECT slowdown FROM flows WHERE run_id = 1 ORDER BY flow_index");
  for (const FlowRecord& flow : whole_record("a").flows) {
    ASSERT_TRUE(row.next());
    EXPECT_EQ(row.null(0), !flow.completed());
    if (!flow.completed()) continue;
    EXPECT_EQ(row.real(0), slowdown_of(flow));
  }
}

TEST_F(Schema, IsMarkedAsWeirs) {
  EXPECT_EQ(database().number("PRAGMA application_id"), kStoreApplicationId);
  EXPECT_EQ(database().number("PRAGMA user_version"), kStoreSchemaVersion);
}

}  // namespace
}  // namespace weir::schema_test
