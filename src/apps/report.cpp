// SPDX-License-Identifier: Apache-2.0
// weir report.
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "results/output_file.h"
#include "results/summary.h"
#include "store/store.h"

namespace weir::apps {
namespace {

std::string name_of(const PlanEntry& entry) {
  std::string name = entry.key.variant.empty() ? entry.key.scenario : entry.key.variant;
  for (const RunParameter& parameter : entry.parameters)
    name += fmt::format(", {} {}", parameter.name, parameter.value);
  return fmt::format("{} (seed {})", name, entry.key.seed);
}

/// The planned runs without any record, complete or interrupted.
std::vector<std::string> missing_of(const Store& store, const std::vector<StoredRun>& runs) {
  std::vector<std::string> names;
  std::set<RunKey> there;
  for (const StoredRun& run : runs) there.insert(run.key);
  for (const PlanEntry& entry : store.entries()) {
    if (!there.contains(entry.key)) names.push_back(name_of(entry));
  }
  return names;
}

/// Identifies a point of the sweeps regardless of the seed.
using Point = std::tuple<std::string, std::string, std::string>;

Point point_of(const StoredRun& run) {
  std::string parameters;
  for (const RunParameter& parameter : run.parameters) {
    parameters += fmt::format("{} {}, ", parameter.name, parameter.value);
  }
  return {run.key.scenario, run.key.variant, parameters};
}

/// Whether there is a sweep, or several seeds of one configuration.
bool are_replicates(const std::vector<StoredRun>& runs) {
  std::set<Point> points;
  for (const StoredRun& run : runs) points.insert(point_of(run));
  return points.size() < runs.size() ||
         std::any_of(runs.begin(), runs.end(), [](const StoredRun& run) { return !run.parameters.empty(); });
}

/// The runs that a report shows individually, and the summaries of all replicates.
struct Shown {
  std::vector<RunRecord> records;
  std::vector<RunSummary> all;
};

Shown all_of(const Store& store, const std::vector<StoredRun>& runs) {
  Shown out;
  out.records.reserve(runs.size());
  for (const StoredRun& run : runs) out.records.push_back(store.load(run.id));
  return out;
}

/// One run per point, the first complete one, for as many points as can be distinguished visually. Records are read one
/// after the other, because all at once would not fit into memory.
Shown shown_of_many(const Store& store, const std::vector<StoredRun>& runs) {
  constexpr std::size_t kMostShown = 24;
  const auto is_whole = [](const StoredRun& run) { return !run.interrupted && run.failure.empty(); };
  std::map<Point, std::int64_t> standing;
  for (const bool whole : {true, false}) {
    for (const StoredRun& run : runs) {
      if (is_whole(run) == whole) standing.try_emplace(point_of(run), run.id);
    }
  }
  Shown out;
  for (const StoredRun& run : runs) {
    RunRecord record = store.load(run.id);
    out.all.push_back(summarise(record));
    const bool stands = standing.at(point_of(run)) == run.id;
    if (stands && out.records.size() < kMostShown) out.records.push_back(std::move(record));
  }
  return out;
}

/// picture.svg, picture-2.svg and so on beside the store, as campaigns write them.
std::vector<ReportPicture> pictures_of(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kLargest = 16'000'000;  // what campaigns write is a thousandth of it
  std::vector<ReportPicture> out;
  std::error_code ignored;
  for (std::size_t number = 1;; ++number) {
    const std::string name = number == 1 ? "picture.svg" : fmt::format("picture-{}.svg", number);
    const std::filesystem::path path = folder / name;
    if (!std::filesystem::is_regular_file(path, ignored)) return out;
    if (std::filesystem::file_size(path, ignored) > kLargest) continue;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (file && text.view().starts_with("<svg ")) out.push_back({name, std::move(text).str()});
  }
}

/// Whether a file is there that is not a report of any version of Weir.
bool is_foreign(const std::filesystem::path& page) {
  constexpr std::size_t kHead = 4096;  // a report has its title within it
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(page, ignored)) return false;
  std::ifstream file(page, std::ios::binary);
  std::string head(kHead, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head.find("<title>Weir report</title>") == std::string::npos;
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
    if (command.page.empty() && is_foreign(page)) {
      print_diagnostic(
          fmt::format("weir: {}: already exists, but is not a report of Weir: name another file with "
                      "--output, or move this one away",
                      page.string()));
      return kWrongInput;
    }
    const std::vector<StoredRun> runs = store.runs();
    const Shown shown = are_replicates(runs) ? shown_of_many(store, runs) : all_of(store, runs);
    if (const auto error = write_report(shown.records, missing_of(store, runs), page, shown.all, pictures_of(folder))) {
      print_diagnostic("weir: " + *error);
      return kFailed;
    }
  } catch (const StoreError& error) {
    print_diagnostic(std::string("weir: ") + error.what());
    return kWrongInput;
  }
  // If the page was written to a pipe, it has no path, and nothing may follow it there.
  if (names_open_file(page) || !std::filesystem::is_regular_file(page, ignored)) return kDone;
  return print(page.string() + "\n") ? kDone : kFailed;
}

}  // namespace weir::apps
