// SPDX-License-Identifier: Apache-2.0
#include "apps/campaign.h"

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <map>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "apps/console.h"
#include "apps/output_folder.h"
#include "sim/version.h"
#include "store/folder_lock.h"

namespace weir::apps {
namespace {

RunKey key_of(const ScenarioVariant& variant) {
  const Settings& settings = variant.settings;
  return {.scenario = settings.scenario,
          .variant = settings.variant,
          .seed = settings.run.seed,
          .configuration_digest = configuration_digest(settings.effective_configuration)};
}

std::vector<RunKey> keys_of(const Scenario& scenario) {
  std::vector<RunKey> keys;
  for (const ScenarioVariant& variant : scenario.variants) keys.push_back(key_of(variant));
  return keys;
}

std::string name_of(const RunKey& key) {
  return fmt::format("{} seed {}", key.variant.empty() ? "run" : key.variant, key.seed);
}

/// What a folder holds is of no use here: "of another version", as a sentence about the folder.
class OutdatedError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// A folder must not hold runs that look alike and are not.
void check_alike(const std::vector<RunKey>& planned, const std::vector<RunKey>& keys) {
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::string> digests;
  for (const RunKey& there : planned) {
    digests[{there.scenario, there.variant, there.seed}] = there.configuration_digest;
  }
  for (const RunKey& key : keys) {
    const auto there = digests.find({key.scenario, key.variant, key.seed});
    if (there == digests.end() || there->second == key.configuration_digest) continue;
    throw OutdatedError(fmt::format("{} with another configuration than this scenario's", name_of(key)));
  }
}

/// Throws OutdatedError where it cannot be gone on with.
Store resumed(const std::filesystem::path& folder, const std::vector<RunKey>& keys) {
  try {
    Store store = Store::open(store_path(folder), Store::Access::write);
    const std::string version = store.version();
    if (version != kVersion) throw OutdatedError(fmt::format("results of weir {}, this is {}", version, kVersion));
    check_alike(store.planned(), keys);
    return store;
  } catch (const OtherSchemaError&) {
    throw OutdatedError(fmt::format("results of another weir than {}", kVersion));
  }
}

/// Moves a folder to a free place beside it, and gives that.
std::filesystem::path set_aside(const std::filesystem::path& folder) {
  const FolderLock lock(folder);
  if (lock.refused()) throw StoreError(fmt::format("{}: another process is writing it", folder.string()));
  for (std::size_t number = 1;; ++number) {
    const std::filesystem::path beside = fmt::format("{}.{}", folder.string(), number);
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(beside, error))) continue;
    std::filesystem::rename(folder, beside, error);
    if (error)
      throw StoreError(fmt::format("{}: cannot be moved to {}: {}", folder.string(), beside.string(), error.message()));
    return beside;
  }
}

/// Without a slash at its end, which is no part of a name.
std::filesystem::path plain(const std::filesystem::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

Store created(const std::filesystem::path& folder, bool folder_is_new) {
  try {
    return Store::create(store_path(folder), kVersion);
  } catch (const StoreError&) {
    std::error_code ignored;
    if (folder_is_new) std::filesystem::remove(folder, ignored);
    throw;
  }
}

bool make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(folder, error);
  if (error) throw StoreError(fmt::format("{}: {}", folder.string(), error.message()));
  return made;
}

Store begun(const std::filesystem::path& folder, const WithOldResults& old, const std::vector<RunKey>& keys) {
  const bool made = make_folder(folder);
  if (!Store::exists(store_path(folder))) {
    if (const auto foreign = foreign_file(folder, keys)) {
      throw StoreError(
          fmt::format("{}: is there already, and {} holds no results that it could be of: name another folder with "
                      "--out, or move the file away",
                      foreign->string(), folder.string()));
    }
    return created(folder, made);
  }
  if (!old.resume) {
    const Store there = Store::open(store_path(folder));
    const std::size_t planned = there.planned().size();
    throw StoreError(fmt::format(
        "{}: already holds results ({} of {} runs): add --continue to run what is missing, or name another folder with "
        "--out",
        folder.string(), planned - there.missing().size(), planned));
  }
  try {
    return resumed(folder, keys);
  } catch (const OutdatedError& outdated) {
    if (!old.set_aside)
      throw StoreError(fmt::format("{}: holds {}: name another folder with --out", folder.string(), outdated.what()));
    const std::filesystem::path moved = set_aside(plain(folder));
    complain(fmt::format("note: {}: held {}: they are in {} now", folder.string(), outdated.what(), moved.string()));
  }
  return created(folder, make_folder(folder));
}

}  // namespace

Campaign::Campaign(std::filesystem::path folder, const WithOldResults& old, const Scenario& scenario)
    : folder_(std::move(folder)), store_(begun(folder_, old, keys_of(scenario))), keys_(keys_of(scenario)) {
  store_.plan(keys_);
  const std::vector<RunKey> planned = store_.planned();
  const std::vector<std::filesystem::path> folders = run_folders(planned);
  std::map<RunKey, std::filesystem::path> folder_of;
  for (std::size_t i = 0; i < planned.size(); ++i) folder_of[planned[i]] = folder_ / folders[i];
  std::map<RunKey, std::int64_t> finished;
  for (const StoredRun& run : store_.runs()) {
    if (run.finished()) finished[run.key] = run.id;
  }
  for (const RunKey& key : keys_) {
    folders_.push_back(folder_of.at(key));
    const auto run = finished.find(key);
    finished_run_ids_.push_back(run == finished.end() ? std::nullopt : std::optional(run->second));
  }
}

std::optional<RunSummary> Campaign::kept(std::size_t variant) {
  const std::optional<std::int64_t> id = finished_run_ids_[variant];
  if (!id) return std::nullopt;
  const RunRecord record = store_.load(*id);
  std::error_code ignored;
  RunSummary summary = summarise(record);
  if (!std::filesystem::exists(folders_[variant] / kConfigurationFile, ignored)) write_files(variant, record, summary);
  return summary;
}

bool Campaign::keep(const std::vector<FinishedRun>& runs) {
  try {
    if (!store(runs)) return false;
    for (const FinishedRun& run : runs) write_files(run.variant, *run.record, *run.summary);
    return true;
  } catch (const std::exception& exception) {
    complain(fmt::format("weir: {}", exception.what()));
    good_ = false;
    return false;
  }
}

bool Campaign::store(const std::vector<FinishedRun>& runs) {
  std::vector<const RunRecord*> records;
  for (const FinishedRun& run : runs) records.push_back(run.record);
  try {
    store_.add(records);
    return true;
  } catch (const StoreError&) {
    // One by one, to keep what fits and to name what does not.
  }
  bool all = true;
  for (const FinishedRun& run : runs) {
    try {
      store_.add(*run.record);
    } catch (const StoreError& error) {
      complain(fmt::format("weir: {}: not kept: {}", name_of(keys_[run.variant]), error.what()));
      good_ = all = false;
    }
  }
  return all;
}

void Campaign::write_files(std::size_t variant, const RunRecord& record, const RunSummary& summary) {
  RunForms forms;
  forms.pfc = !why_no_hpcc_pfc(record);
  const std::optional<std::string> error = write_run(record, summary, folders_[variant], forms);
  if (!error) return;
  complain(fmt::format("weir: {}", *error));
  good_ = false;
}

}  // namespace weir::apps
