// SPDX-License-Identifier: Apache-2.0
// weir report.
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "results/output_file.h"
#include "store/store.h"

namespace weir::apps {
namespace {

std::string name_of(const RunKey& key) {
  return key.variant.empty() ? fmt::format("{} (seed {})", key.scenario, key.seed)
                             : fmt::format("{} (seed {})", key.variant, key.seed);
}

/// The planned runs of which there is not even an interrupted one.
std::vector<std::string> missing_of(const Store& store, const std::vector<StoredRun>& runs) {
  std::vector<std::string> names;
  for (const RunKey& key : store.missing()) {
    const auto is_it = [&key](const StoredRun& run) { return run.key == key; };
    if (std::none_of(runs.begin(), runs.end(), is_it)) names.push_back(name_of(key));
  }
  return names;
}

}  // namespace

int report(const ReportCommand& command) {
  std::error_code ignored;
  const std::filesystem::path results = command.results;
  const bool is_folder = std::filesystem::is_directory(results, ignored);
  const std::filesystem::path folder = is_folder ? results : results.parent_path();
  const std::filesystem::path page =
      command.page.empty() ? folder / "report.html" : std::filesystem::path(command.page);
  try {
    const Store store = Store::open(is_folder ? store_path(results) : results);
    const std::vector<StoredRun> runs = store.runs();
    std::vector<RunRecord> records;
    records.reserve(runs.size());
    for (const StoredRun& run : runs) records.push_back(store.load(run.id));
    if (const auto error = write_report(records, missing_of(store, runs), page)) {
      complain("weir: " + *error);
      return kFailed;
    }
  } catch (const StoreError& error) {
    complain(std::string("weir: ") + error.what());
    return kWrongInput;
  }
  // A page that went down a pipe is nowhere, and nothing may follow it there.
  if (names_open_file(page) || !std::filesystem::is_regular_file(page, ignored)) return kDone;
  return print(page.string() + "\n") ? kDone : kFailed;
}

}  // namespace weir::apps
