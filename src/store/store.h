// SPDX-License-Identifier: Apache-2.0
// The results of a campaign in one SQLite file. docs/results_schema.md describes its tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "results/run_record.h"

namespace weir {

class StoreDatabase;

/// An error of a store: a sentence that begins with its path.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The store is valid, but this version cannot read its schema version.
class OtherSchemaError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// The values that identify a run.
struct RunKey {
  std::string scenario;
  std::string variant;
  std::uint64_t seed = 0;
  std::string configuration_digest;  ///< of the effective configuration: see configuration_digest()
  auto operator<=>(const RunKey&) const = default;
};

/// 16 hexadecimal digits of a hash over an effective configuration. Distinguishes configurations, but gives no
/// protection against deliberate collisions.
std::string configuration_digest(std::string_view effective_configuration);
RunKey key_of(const RunRecord& record);

/// A run that belongs to a campaign.
struct PlanEntry {
  RunKey key;
  std::vector<RunParameter> parameters;
  /// Its position in the whole campaign, from 1; this store may contain only a part. nullopt: after the others.
  std::optional<std::int64_t> position;
};

/// A run of a store, without its measurements.
struct StoredRun {
  std::int64_t id = 0;  ///< identifies the run in this store; the column run_id
  RunKey key;
  std::vector<RunParameter> parameters;
  std::string version;
  std::string digest;
  bool interrupted = false;
  std::string failure;
  Time simulated;
  double wall_seconds = 0;
  std::uint64_t flows = 0;

  /// Not interrupted. A failed run is finished: it would fail again.
  [[nodiscard]] bool finished() const { return !interrupted; }
};

/// The store's file in a folder of results.
[[nodiscard]] std::filesystem::path store_path(const std::filesystem::path& folder);

/// One campaign: its planned runs and the records of the existing ones. For use by one thread at a time. While one
/// process writes, others may read.
///
/// A run is in the file completely or not at all, whenever the process or the computer stops. Unless a write is in
/// progress, the store is a single file. All functions but the destructor throw StoreError.
class Store {
 public:
  /// Whether there is a store, or another file that create() would not overwrite. Throws StoreError if the file is not
  /// a database.
  static bool exists(const std::filesystem::path& path);
  /// Creates an empty store, written by weir `version`. The folder must exist. An empty file, left by a process that
  /// was killed before it wrote the store, is overwritten; any other file is an error.
  static Store create(const std::filesystem::path& path, std::string_view version);

  enum class Access : std::uint8_t { read, write };
  /// Opens an existing store. Only one writer is allowed: a second is refused.
  static Store open(const std::filesystem::path& path, Access access = Access::read);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// The version of weir that created the store.
  [[nodiscard]] std::string version() const;

  /// Appends the runs that are not in the plan, in this order.
  void plan(const std::vector<RunKey>& runs);
  /// The same with parameters. If a position is in use, the run is placed after the others.
  void plan(const std::vector<PlanEntry>& runs);
  [[nodiscard]] std::vector<RunKey> planned() const;
  [[nodiscard]] std::vector<PlanEntry> entries() const;
  /// Planned runs that are missing or interrupted, in the order of the plan.
  [[nodiscard]] std::vector<RunKey> missing() const;

  /// Adds a run, or several together, which is cheaper; also to the plan if necessary. Replaces an interrupted run with
  /// the same key; adding a finished run again is an error. After an error none of them is added, and the store remains
  /// usable. Returns their ids.
  std::int64_t add(const RunRecord& record);
  std::vector<std::int64_t> add(const std::vector<const RunRecord*>& records);

  /// In the order of the plan.
  [[nodiscard]] std::vector<StoredRun> runs() const;
  /// The record as it was added.
  [[nodiscard]] RunRecord load(std::int64_t run_id) const;

 private:
  explicit Store(std::unique_ptr<StoreDatabase> database);
  std::unique_ptr<StoreDatabase> database_;
};

}  // namespace weir
