// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "results/digest.h"
#include "store/database.h"
#include "store/folder_lock.h"
#include "store/read_run.h"
#include "store/schema.h"
#include "store/write_run.h"

namespace weir {

/// The contents of a Store.
class StoreDatabase {
 public:
  StoreDatabase(const std::filesystem::path& path, Database::Mode mode)
      : lock_(mode == Database::Mode::read ? FolderLock() : FolderLock(path.parent_path())),
        database_(open(path, mode)) {
    if (mode == Database::Mode::read) return;
    // SQLite's defaults are set explicitly because they are chosen deliberately. A run consists mostly of new pages,
    // which a rollback journal does not touch and a write-ahead log would write twice; between runs the file is
    // complete by itself, and network file systems are supported. A commit waits for the disk: it occurs once per run,
    // or once for many short ones.
    database_.execute("PRAGMA journal_mode = DELETE");
    database_.execute("PRAGMA synchronous = FULL");
    // Most pages of a run stay in memory until it is complete: pages that do not fit would be written under a journal.
    database_.execute("PRAGMA cache_size = -65536");
  }

  [[nodiscard]] const Database& database() const { return database_; }
  /// Created on first use: readers prepare no statements.
  RunWriter& writer() {
    if (!writer_) writer_.emplace(database_);
    return *writer_;
  }

 private:
  Database open(const std::filesystem::path& path, Database::Mode mode) const {
    if (lock_.refused()) throw StoreError(fmt::format("{}: another process is writing to it", path.string()));
    return {path, mode};
  }

  FolderLock lock_;
  Database database_;
  std::optional<RunWriter> writer_;
};

namespace {

/// Checks an existing file.
void check_format(const Database& database) {
  const auto application = static_cast<std::int32_t>(database.number("PRAGMA application_id"));
  if (application != kStoreApplicationId) {
    if (database.number("PRAGMA page_count") == 0) database.fail("is empty: expected a results store");
    database.fail("not a results store (an SQLite file of another program)");
  }
  const std::int64_t schema = database.number("PRAGMA user_version");
  if (schema != kStoreSchemaVersion) {
    throw OtherSchemaError(fmt::format("{}: has schema version {}; this weir reads version {}",
                                       database.path().string(), schema, kStoreSchemaVersion));
  }
}

void lay_out(const Database& database, std::string_view version) {
  Transaction transaction(database);
  database.execute(store_schema());
  database.execute(fmt::format("PRAGMA application_id = {}", kStoreApplicationId));
  database.execute(fmt::format("PRAGMA user_version = {}", kStoreSchemaVersion));
  Statement campaign(database,
                     "INSERT INTO campaign (weir_version, created_utc) "
                     "VALUES (?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))");
  campaign.run(version);
  transaction.commit();
}

std::string described(const RunKey& key) {
  return fmt::format("the run {}{} with seed {} and configuration {}", key.scenario,
                     key.variant.empty() ? "" : fmt::format(", variant {},", key.variant), key.seed,
                     key.configuration_digest);
}

RunKey read_key(const Statement& row, int first) {
  return {.scenario = std::string(row.text(first)),
          .variant = std::string(row.text(first + 1)),
          .seed = row.count(first + 2),
          .configuration_digest = std::string(row.text(first + 3))};
}

std::vector<RunKey> read_keys(const Database& database, std::string_view table) {
  Statement row(database,
                fmt::format("SELECT scenario, variant, seed, configuration_digest FROM {} ORDER BY position", table));
  std::vector<RunKey> keys;
  while (row.next()) keys.push_back(read_key(row, 0));
  return keys;
}

bool has_table(const Database& database, const char* name) {
  return database.number(fmt::format("SELECT count(*) FROM sqlite_master WHERE name = '{}'", name)) != 0;
}

/// By position. Stores of earlier versions have none.
std::map<std::int64_t, std::vector<RunParameter>> read_parameters(const Database& database) {
  std::map<std::int64_t, std::vector<RunParameter>> out;
  if (!has_table(database, "planned_parameters")) return out;
  Statement row(database,
                "SELECT position, name, value, number FROM planned_parameters ORDER BY position, parameter_index");
  while (row.next()) {
    out[row.integer(0)].push_back(
        {std::string(row.text(1)), std::string(row.text(2)), row.null(3) ? std::nullopt : std::optional(row.real(3))});
  }
  return out;
}

/// Must be called inside a transaction. Recreates the views if they lack a parameter.
void write_plan(const Database& database, const std::vector<PlanEntry>& runs) {
  Statement insert(database,
                   "INSERT OR IGNORE INTO planned_runs (position, scenario, variant, seed, configuration_digest) "
                   "VALUES (?, ?, ?, ?, ?)");
  Statement taken(database, "SELECT count(*) FROM planned_runs WHERE position = ?");
  Statement parameter(database,
                      "INSERT INTO planned_parameters (position, parameter_index, name, value, number) "
                      "VALUES (?, ?, ?, ?, ?)");
  bool any_parameter = false;
  for (const PlanEntry& run : runs) {
    std::int64_t position = run.position.value_or(0);
    if (position != 0) {
      taken.start(position);
      if (taken.next() && taken.integer(0) != 0) position = 0;
    }
    if (position == 0) position = database.number("SELECT coalesce(max(position), 0) + 1 FROM planned_runs");
    const RunKey& key = run.key;
    insert.run(position, key.scenario, key.variant, key.seed, key.configuration_digest);
    if (sqlite3_changes(database.handle()) == 0) continue;
    std::int64_t index = 0;
    for (const RunParameter& each : run.parameters)
      parameter.run(position, index++, each.name, each.value, each.number);
    any_parameter = any_parameter || !run.parameters.empty();
  }
  if (!any_parameter) return;
  std::vector<std::string> names;
  Statement name(database,
                 "SELECT name FROM planned_parameters GROUP BY name ORDER BY min(parameter_index), min(position)");
  while (name.next()) names.emplace_back(name.text(0));
  database.execute(store_views(names));
}

std::vector<PlanEntry> without_parameters(const std::vector<RunKey>& keys) {
  std::vector<PlanEntry> out;
  for (const RunKey& key : keys) out.push_back({key, {}, std::nullopt});
  return out;
}

/// Must be called inside a transaction. Removes an interrupted run with this key.
void remove_interrupted(const Database& database, const RunKey& key) {
  Statement there(database,
                  "SELECT run_id, interrupted FROM runs "
                  "WHERE scenario = ? AND variant = ? AND seed = ? AND configuration_digest = ?");
  there.start(key.scenario, key.variant, key.seed, key.configuration_digest);
  if (!there.next()) return;
  if (there.integer(1) == 0) database.fail(fmt::format("already contains {}", described(key)));
  Statement(database, "DELETE FROM runs WHERE run_id = ?").run(there.integer(0));
}

}  // namespace

std::string configuration_digest(std::string_view effective_configuration) {
  return content_digest(effective_configuration);
}

RunKey key_of(const RunRecord& record) {
  return {.scenario = record.scenario,
          .variant = record.variant,
          .seed = record.seed,
          .configuration_digest = configuration_digest(record.effective_configuration)};
}

std::filesystem::path store_path(const std::filesystem::path& folder) {
  return folder / "results.sqlite";
}

Store::Store(std::unique_ptr<StoreDatabase> database) : database_(std::move(database)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

bool Store::exists(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return false;
  // A page exists if anything was ever committed.
  return Database(path, Database::Mode::read).number("PRAGMA page_count") != 0;
}

Store Store::create(const std::filesystem::path& path, std::string_view version) {
  auto database = std::make_unique<StoreDatabase>(path, Database::Mode::create);
  if (database->database().number("PRAGMA page_count") != 0) database->database().fail("already exists");
  try {
    lay_out(database->database(), version);
  } catch (const StoreError&) {
    database.reset();
    std::error_code ignored;
    if (std::filesystem::file_size(path, ignored) == 0) std::filesystem::remove(path, ignored);
    throw;
  }
  return Store(std::move(database));
}

Store Store::open(const std::filesystem::path& path, Access access) {
  auto database =
      std::make_unique<StoreDatabase>(path, access == Access::read ? Database::Mode::read : Database::Mode::write);
  check_format(database->database());
  return Store(std::move(database));
}

std::string Store::version() const {
  Statement row(database_->database(), "SELECT weir_version FROM campaign");
  return row.next() ? std::string(row.text(0)) : std::string();
}

void Store::plan(const std::vector<RunKey>& runs) {
  plan(without_parameters(runs));
}

void Store::plan(const std::vector<PlanEntry>& runs) {
  Transaction transaction(database_->database());
  write_plan(database_->database(), runs);
  transaction.commit();
}

std::vector<RunKey> Store::planned() const {
  return read_keys(database_->database(), "planned_runs");
}

std::vector<PlanEntry> Store::entries() const {
  const std::map<std::int64_t, std::vector<RunParameter>> parameters = read_parameters(database_->database());
  Statement row(database_->database(),
                "SELECT scenario, variant, seed, configuration_digest, position FROM planned_runs ORDER BY position");
  std::vector<PlanEntry> out;
  while (row.next()) {
    const std::int64_t position = row.integer(4);
    const auto own = parameters.find(position);
    out.push_back({read_key(row, 0), own == parameters.end() ? std::vector<RunParameter>() : own->second, position});
  }
  return out;
}

std::vector<RunKey> Store::missing() const {
  return read_keys(database_->database(), "missing_runs");
}

std::int64_t Store::add(const RunRecord& record) {
  return add(std::vector{&record}).front();
}

std::vector<std::int64_t> Store::add(const std::vector<const RunRecord*>& records) {
  const Database& database = database_->database();
  std::vector<std::int64_t> ids;
  Transaction transaction(database);
  for (const RunRecord* record : records) {
    const RunKey key = key_of(*record);
    write_plan(database, {{key, record->parameters, std::nullopt}});
    remove_interrupted(database, key);
    ids.push_back(database_->writer().write(*record, key));
  }
  transaction.commit();
  return ids;
}

std::vector<StoredRun> Store::runs() const {
  const std::map<std::int64_t, std::vector<RunParameter>> parameters = read_parameters(database_->database());
  Statement row(database_->database(),
                "SELECT r.scenario, r.variant, r.seed, r.configuration_digest, r.run_id, r.weir_version, r.digest, "
                "r.interrupted, r.failure, r.simulated_ps, r.wall_seconds, "
                "(SELECT count(*) FROM flows AS f WHERE f.run_id = r.run_id), p.position "
                "FROM runs AS r JOIN planned_runs AS p USING (scenario, variant, seed, configuration_digest) "
                "ORDER BY p.position");
  std::vector<StoredRun> runs;
  while (row.next()) {
    const auto own = parameters.find(row.integer(12));
    runs.push_back({.id = row.integer(4),
                    .key = read_key(row, 0),
                    .parameters = own == parameters.end() ? std::vector<RunParameter>() : own->second,
                    .version = std::string(row.text(5)),
                    .digest = std::string(row.text(6)),
                    .interrupted = row.integer(7) != 0,
                    .failure = std::string(row.text(8)),
                    .simulated = Time::picoseconds(row.integer(9)),
                    .wall_seconds = row.real(10),
                    .flows = row.count(11)});
  }
  return runs;
}

RunRecord Store::load(std::int64_t run_id) const {
  // One transaction, so that a run that is being replaced is read consistently.
  Transaction transaction(database_->database(), Transaction::Kind::read);
  return read_run(database_->database(), run_id);
}

}  // namespace weir
