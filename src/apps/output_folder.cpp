// SPDX-License-Identifier: Apache-2.0
#include "apps/output_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "results/csv.h"
#include "results/output_file.h"

namespace weir::apps {

std::vector<std::string> folder_names(const std::vector<std::string>& variants) {
  std::vector<std::string> out;
  // Names used in the folder itself: the store, files that SQLite creates for it, and the report.
  std::set<std::string> taken = {
      "results.sqlite", "results.sqlite-journal", "results.sqlite-shm", "results.sqlite-wal", "report.html", "runs.csv",
      "means.csv"};
  for (const std::string& variant : variants) {
    std::string safe;  // a name that begins with "-" would be taken for an option
    for (const char c : variant) {
      const bool good =
          std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || ((c == '.' || c == '-') && !safe.empty());
      safe += good ? c : '_';
    }
    if (safe.empty()) safe = "run";
    constexpr std::size_t kLongest = 200;  // file systems allow 255, and a number may be appended
    safe.resize(std::min(safe.size(), kLongest));
    std::string name = safe;
    for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{}-{}", safe, number);
    out.push_back(name);
  }
  return out;
}

std::vector<std::filesystem::path> run_folders(const std::vector<PlanEntry>& planned) {
  if (planned.size() == 1 && planned[0].key.variant.empty()) return {std::filesystem::path()};
  const auto differ = [&planned](const auto& field) {
    return std::any_of(planned.begin(), planned.end(),
                       [&](const PlanEntry& run) { return field(run.key) != field(planned[0].key); });
  };
  const bool scenarios = differ([](const RunKey& run) { return run.scenario; });
  const bool seeds = differ([](const RunKey& run) { return run.seed; });
  std::vector<std::string> names;
  for (const auto& [run, parameters, position] : planned) {
    std::string name = run.variant.empty() ? "run" : run.variant;
    if (scenarios) name = fmt::format("{}-{}", run.scenario, name);
    for (const RunParameter& parameter : parameters) name += fmt::format("-{}-{}", parameter.name, parameter.value);
    if (seeds) name += fmt::format("-seed-{}", run.seed);
    names.push_back(std::move(name));
  }
  const std::vector<std::string> folders = folder_names(names);
  return {folders.begin(), folders.end()};
}

std::optional<std::filesystem::path> foreign_file(const std::filesystem::path& folder,
                                                  const std::vector<PlanEntry>& planned) {
  const auto is_there = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
  };
  for (const char* name : {"runs.csv", "means.csv"}) {
    if (is_there(folder / name)) return folder / name;
  }
  std::vector<std::string> names = csv_files();
  names.insert(names.end(), {"fct.txt", "pfc.txt", "perfetto.json", kCaptureFile, kConfigurationFile});
  for (const std::filesystem::path& run : run_folders(planned)) {
    for (const std::string& name : names) {
      const std::filesystem::path path = folder / run / name;
      if (is_there(path)) return path;
    }
  }
  return std::nullopt;
}

namespace {

std::optional<std::string> write_files(const RunRecord& record, const RunSummary& summary,
                                       const std::filesystem::path& folder, const RunForms& forms) {
  if (forms.csv) {
    const std::vector<std::string> errors = write_csv(record, summary, folder);
    if (!errors.empty()) return errors.front();
  }
  std::optional<std::string> error;
  if (forms.fct) error = write_hpcc_fct(record, folder / "fct.txt");
  if (!error && forms.pfc) error = write_hpcc_pfc(record, folder / "pfc.txt");
  if (!error && forms.perfetto) error = write_perfetto(record, folder / "perfetto.json");
  if (error) return error;
  OutputFile configuration(folder / kConfigurationFile);
  configuration.write(record.effective_configuration);
  return configuration.commit();
}

}  // namespace

std::optional<std::string> write_run(const RunRecord& record, const RunSummary& summary,
                                     const std::filesystem::path& folder, const RunForms& forms) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(folder, error);
  if (error) return fmt::format("{}: {}", folder.string(), error.message());
  std::optional<std::string> failed = write_files(record, summary, folder, forms);
  // A partially written run is removed; what existed before is kept.
  if (failed && made) std::filesystem::remove_all(folder, error);
  return failed;
}

}  // namespace weir::apps
