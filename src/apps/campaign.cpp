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
#include "results/campaign_csv.h"
#include "sim/version.h"
#include "store/folder_lock.h"

namespace weir::apps {
namespace {

PlanEntry entry_of(const ChosenRun& run) {
  const Settings& settings = run.variant->settings;
  return {.key = {.scenario = settings.scenario,
                  .variant = settings.variant,
                  .seed = run.seed,
                  .configuration_digest = configuration_digest(configuration_of(*run.variant, run.seed))},
          .parameters = run.variant->parameters,
          .position = run.position};
}

std::vector<PlanEntry> entries_of(const std::vector<ChosenRun>& runs) {
  std::vector<PlanEntry> entries;
  for (const ChosenRun& run : runs) entries.push_back(entry_of(run));
  return entries;
}

std::string point_of(const PlanEntry& entry) {
  std::string out;
  for (const RunParameter& parameter : entry.parameters) out += fmt::format(", {} {}", parameter.name, parameter.value);
  return out;
}

std::string name_of(const PlanEntry& entry) {
  return fmt::format("{}{} seed {}", entry.key.variant.empty() ? "run" : entry.key.variant, point_of(entry),
                     entry.key.seed);
}

/// The contents of a folder cannot be used: "of another version", to complete a sentence about the folder.
class OutdatedError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// A folder must not contain runs that look identical but are not.
void check_alike(const std::vector<PlanEntry>& planned, const std::vector<PlanEntry>& entries) {
  using Look = std::tuple<std::string, std::string, std::string, std::uint64_t>;
  const auto look_of = [](const PlanEntry& entry) {
    return Look{entry.key.scenario, entry.key.variant, point_of(entry), entry.key.seed};
  };
  std::map<Look, std::string> digests;
  for (const PlanEntry& there : planned) digests[look_of(there)] = there.key.configuration_digest;
  for (const PlanEntry& entry : entries) {
    const auto there = digests.find(look_of(entry));
    if (there == digests.end() || there->second == entry.key.configuration_digest) continue;
    throw OutdatedError(fmt::format("{} with a different configuration", name_of(entry)));
  }
}

/// Throws OutdatedError if it cannot be continued.
Store resumed(const std::filesystem::path& folder, const std::vector<PlanEntry>& entries) {
  try {
    Store store = Store::open(store_path(folder), Store::Access::write);
    const std::string version = store.version();
    if (version != kVersion) throw OutdatedError(fmt::format("results of weir {}, this is {}", version, kVersion));
    check_alike(store.entries(), entries);
    return store;
  } catch (const OtherSchemaError&) {
    throw OutdatedError(fmt::format("results of another version than {}", kVersion));
  }
}

/// Renames a folder to the first free name and returns that.
std::filesystem::path set_aside(const std::filesystem::path& folder) {
  const FolderLock lock(folder);
  if (lock.refused()) throw StoreError(fmt::format("{}: another process is writing to it", folder.string()));
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

/// Without a trailing slash, which is not part of a name.
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

Store begun(const std::filesystem::path& folder, const WithOldResults& old, const std::vector<PlanEntry>& entries) {
  const bool made = make_folder(folder);
  if (!Store::exists(store_path(folder))) {
    if (const auto foreign = foreign_file(folder, entries)) {
      throw StoreError(
          fmt::format("{}: already exists, but {} contains no results store to which it could belong: name another "
                      "folder with --out, or move the file away",
                      foreign->string(), folder.string()));
    }
    return created(folder, made);
  }
  if (!old.resume) {
    const Store there = Store::open(store_path(folder));
    const std::size_t planned = there.planned().size();
    throw StoreError(
        fmt::format("{}: already contains results ({} of {} runs): add --continue to run the missing ones, or name "
                    "another folder with --out",
                    folder.string(), planned - there.missing().size(), planned));
  }
  try {
    return resumed(folder, entries);
  } catch (const OutdatedError& outdated) {
    if (!old.set_aside)
      throw StoreError(
          fmt::format("{}: contains {}: name another folder with --out", folder.string(), outdated.what()));
    const std::filesystem::path moved = set_aside(plain(folder));
    print_diagnostic(fmt::format("note: {}: contained {}, which have been moved to {}", folder.string(),
                                 outdated.what(), moved.string()));
  }
  return created(folder, make_folder(folder));
}

}  // namespace

Campaign::Campaign(std::filesystem::path folder, const WithOldResults& old, const Scenario& scenario,
                   const std::vector<ChosenRun>& runs)
    : folder_(std::move(folder)),
      store_(begun(folder_, old, entries_of(runs))),
      runs_(runs),
      has_replicates_(scenario.has_replicates()) {
  const std::vector<PlanEntry> entries = entries_of(runs);
  store_.plan(entries);
  const std::vector<PlanEntry> planned = store_.entries();
  const std::vector<std::filesystem::path> folders = run_folders(planned);
  std::map<RunKey, std::filesystem::path> folder_of;
  for (std::size_t i = 0; i < planned.size(); ++i) folder_of[planned[i].key] = folder_ / folders[i];
  std::map<RunKey, std::int64_t> finished;
  for (const StoredRun& run : store_.runs()) {
    if (run.finished()) finished[run.key] = run.id;
  }
  for (const PlanEntry& entry : entries) {
    keys_.push_back(entry.key);
    folders_.push_back(folder_of.at(entry.key));
    const auto run = finished.find(entry.key);
    finished_run_ids_.push_back(run == finished.end() ? std::nullopt : std::optional(run->second));
  }
}

std::optional<RunSummary> Campaign::kept(std::size_t run, const SeeRecord& see) {
  const std::optional<std::int64_t> id = finished_run_ids_[run];
  if (!id) return std::nullopt;
  const RunRecord record = store_.load(*id);
  std::error_code ignored;
  RunSummary summary = summarise(record);
  if (see) see(run, record);
  if (!has_replicates_ && !std::filesystem::exists(folders_[run] / kConfigurationFile, ignored)) {
    write_files(run, record, summary);
  }
  return summary;
}

void Campaign::write_tables(const std::vector<RunSummary>& runs) {
  if (!has_replicates_) return;
  for (const std::string& error : write_campaign_csv(runs, folder_)) {
    print_diagnostic(fmt::format("weir: {}", error));
    good_ = false;
  }
}

bool Campaign::keep(const std::vector<FinishedRun>& runs) {
  try {
    if (!store(runs)) return false;
    // If there are many runs, only results over all of them have files: see write_tables().
    if (has_replicates_) return true;
    for (const FinishedRun& run : runs) write_files(run.run, *run.record, *run.summary);
    return true;
  } catch (const std::exception& exception) {
    print_diagnostic(fmt::format("weir: {}", exception.what()));
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
    // One by one, to keep those that fit and to name those that do not.
  }
  bool all = true;
  for (const FinishedRun& run : runs) {
    try {
      store_.add(*run.record);
    } catch (const StoreError& error) {
      print_diagnostic(fmt::format("weir: {}: not stored: {}", name_of(entry_of(runs_[run.run])), error.what()));
      good_ = all = false;
    }
  }
  return all;
}

void Campaign::write_files(std::size_t run, const RunRecord& record, const RunSummary& summary) {
  RunForms forms;
  forms.pfc = !why_no_hpcc_pfc(record);
  const std::optional<std::string> error = write_run(record, summary, folders_[run], forms);
  if (!error) return;
  print_diagnostic(fmt::format("weir: {}", *error));
  good_ = false;
}

}  // namespace weir::apps
