// SPDX-License-Identifier: Apache-2.0
// weir merge.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "results/campaign_csv.h"
#include "results/replicates.h"
#include "store/store.h"

namespace weir::apps {
namespace {

std::filesystem::path store_of(const std::filesystem::path& results) {
  std::error_code ignored;
  return std::filesystem::is_directory(results, ignored) ? store_path(results) : results;
}

/// A run planned by a store, and the location of its record.
struct Source {
  PlanEntry entry;
  std::size_t store = 0;
  std::string digest = {};
  std::int64_t run_id = 0;  // 0: no record
  bool interrupted = false;

  /// Of two copies of a run, the one with the higher rank is used.
  [[nodiscard]] int rank() const { return run_id == 0 ? 0 : interrupted ? 1 : 2; }
};

/// The contents of the stores, each run once, in the order of the campaign: by position, and if two stores give
/// different runs the same position, by what distinguishes runs. The order depends only on the runs, not on which store
/// contains them.
std::vector<Source> sources_of(const std::vector<Store>& stores, const std::vector<std::string>& names) {
  std::map<RunKey, Source> found;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    std::map<RunKey, StoredRun> there;
    for (const StoredRun& run : stores[i].runs()) there.emplace(run.key, run);
    for (PlanEntry& entry : stores[i].entries()) {
      Source source{.entry = entry, .store = i};
      if (const auto run = there.find(entry.key); run != there.end()) {
        source.digest = run->second.digest;
        source.run_id = run->second.id;
        source.interrupted = run->second.interrupted;
      }
      const auto [at, is_new] = found.try_emplace(entry.key, source);
      if (is_new) continue;
      Source& known = at->second;
      if (known.rank() == 2 && source.rank() == 2 && known.digest != source.digest) {
        throw StoreError(fmt::format("{} and {}: contain different results of the same run ({}, seed {})",
                                     names[known.store], names[i], entry.key.variant, entry.key.seed));
      }
      const auto position = std::min(known.entry.position, entry.position);
      if (source.rank() > known.rank()) known = source;
      known.entry.position = position;
    }
  }
  std::vector<Source> out;
  for (auto& [key, source] : found) out.push_back(std::move(source));
  std::stable_sort(out.begin(), out.end(),
                   [](const Source& a, const Source& b) { return a.entry.position < b.entry.position; });
  return out;
}

Store new_store(const std::filesystem::path& folder, const std::string& version) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw StoreError(fmt::format("{}: {}", folder.string(), error.message()));
  if (Store::exists(store_path(folder))) {
    throw StoreError(fmt::format("{}: already contains results: name another folder with --into", folder.string()));
  }
  return Store::create(store_path(folder), version);
}

void merge_into(const std::filesystem::path& folder, const std::vector<std::string>& names, bool& good) {
  std::vector<Store> stores;
  for (const std::string& name : names) stores.push_back(Store::open(store_of(name)));
  const std::string version = stores.front().version();
  for (std::size_t i = 1; i < stores.size(); ++i) {
    if (stores[i].version() == version) continue;
    throw StoreError(fmt::format("{}: contains results of weir {}, but {} of weir {}: expected results of one version",
                                 names[i], stores[i].version(), names.front(), version));
  }
  const std::vector<Source> sources = sources_of(stores, names);
  Store out = new_store(folder, version);
  std::vector<PlanEntry> plan;
  for (const Source& source : sources) plan.push_back(source.entry);
  // A position used twice would change the order.
  for (std::size_t i = 0; i + 1 < plan.size(); ++i) {
    if (plan[i].position != plan[i + 1].position) continue;
    for (PlanEntry& entry : plan) entry.position.reset();
    break;
  }
  out.plan(plan);
  std::vector<RunSummary> summaries;
  for (const Source& source : sources) {
    if (source.run_id == 0) continue;
    const RunRecord record = stores[source.store].load(source.run_id);
    out.add(record);
    summaries.push_back(summarise(record));
  }
  if (are_replicates(summaries)) {
    for (const std::string& error : write_campaign_csv(summaries, folder)) {
      print_diagnostic(fmt::format("weir: {}", error));
      good = false;
    }
  }
  const std::size_t missing = out.missing().size();
  good = print(fmt::format("{}: {} of {} runs\n", folder.string(), plan.size() - missing, plan.size())) && good;
  if (missing > 0)
    print_diagnostic(
        fmt::format("note: {} runs are missing: continue the shards that lack them with --continue", missing));
}

}  // namespace

int merge(const MergeCommand& command) {
  try {
    bool good = true;
    merge_into(command.into, command.results, good);
    return good ? kDone : kFailed;
  } catch (const StoreError& error) {
    print_diagnostic(fmt::format("weir: {}", error.what()));
    return kWrongInput;
  }
}

}  // namespace weir::apps
