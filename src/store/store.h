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

/// What went wrong with a store: a sentence that begins with its path.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The store is whole, and of a schema version that this weir does not read.
class OtherSchemaError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// What tells runs apart.
struct RunKey {
  std::string scenario;
  std::string variant;
  std::uint64_t seed = 0;
  std::string configuration_digest;  ///< of the effective configuration: see configuration_digest()
  auto operator<=>(const RunKey&) const = default;
};

/// 16 hexadecimal digits over the text of an effective configuration. Tells configurations apart; no protection against
/// those who want two to look the same.
std::string configuration_digest(std::string_view effective_configuration);
RunKey key_of(const RunRecord& record);

/// A run that a campaign is to hold.
struct PlanEntry {
  RunKey key;
  std::vector<RunParameter> parameters;
  /// Its place in the whole campaign, from 1, of which this store may be to hold a part. None: behind the others.
  std::optional<std::int64_t> position;
};

/// A run of a store, without what it measured.
struct StoredRun {
  std::int64_t id = 0;  ///< names the run in this store; the column run_id
  RunKey key;
  std::vector<RunParameter> parameters;
  std::string version;
  std::string digest;
  bool interrupted = false;
  std::string failure;
  Time simulated;
  double wall_seconds = 0;
  std::uint64_t flows = 0;

  /// Ended by itself. A failed run has ended: it would fail again.
  [[nodiscard]] bool finished() const { return !interrupted; }
};

/// The store's file in a folder of results.
[[nodiscard]] std::filesystem::path store_path(const std::filesystem::path& folder);

/// One campaign: the runs that it plans and the records of those that there are. For one thread at a time. While one
/// process writes others may read.
///
/// A run is in the file as a whole or not at all, whenever the process or the machine stops; the file is one file
/// whenever nobody is in the middle of writing. All but the destructor throw StoreError.
class Store {
 public:
  /// Whether there is a store, or any other file that create() would not take over. Throws StoreError when the file is
  /// no database.
  static bool exists(const std::filesystem::path& path);
  /// A new, empty store, written by weir `version`. The folder must be there. A file of no bytes, left by one who was
  /// killed before the store began, is taken over; any other file is an error.
  static Store create(const std::filesystem::path& path, std::string_view version);

  enum class Access : std::uint8_t { read, write };
  /// A store that is there. Whoever has one to write is the only one: a second is refused.
  static Store open(const std::filesystem::path& path, Access access = Access::read);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// The weir that created the store.
  [[nodiscard]] std::string version() const;

  /// Adds to the plan, in this order, the runs that it does not have.
  void plan(const std::vector<RunKey>& runs);
  /// The same with parameters. A position that another run has is not taken.
  void plan(const std::vector<PlanEntry>& runs);
  [[nodiscard]] std::vector<RunKey> planned() const;
  [[nodiscard]] std::vector<PlanEntry> entries() const;
  /// Planned, but not there or interrupted; in the order of the plan.
  [[nodiscard]] std::vector<RunKey> missing() const;

  /// Adds a run, or several in one go, which costs less; to the plan as well if it is not there. Takes the place of an
  /// interrupted run of the same key; to add a finished run again is an error. After an error none of them was added,
  /// and the store can be used as before. Gives their ids.
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
