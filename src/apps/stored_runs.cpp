// SPDX-License-Identifier: Apache-2.0
// weir runs, weir export.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/json_text.h"
#include "apps/output_folder.h"
#include "results/table.h"
#include "results/text.h"
#include "store/store.h"

namespace weir::apps {
namespace {

/// The store in a folder of results, or the store given directly.
std::filesystem::path store_of(const std::filesystem::path& results) {
  std::error_code ignored;
  return std::filesystem::is_directory(results, ignored) ? store_path(results) : results;
}

std::filesystem::path folder_of(const std::filesystem::path& results) {
  std::error_code ignored;
  return std::filesystem::is_directory(results, ignored) ? results : results.parent_path();
}

/// The runs of a store, indexed by what distinguishes them.
using Runs = std::map<RunKey, StoredRun>;

Runs runs_of(const Store& store) {
  Runs runs;
  for (StoredRun& run : store.runs()) {
    RunKey key = run.key;
    runs.emplace(std::move(key), std::move(run));
  }
  return runs;
}

const StoredRun* find(const Runs& runs, const RunKey& key) {
  const auto at = runs.find(key);
  return at == runs.end() ? nullptr : &at->second;
}

std::string state_of(const StoredRun& run) {
  if (!run.failure.empty()) return "failed";
  return run.interrupted ? "interrupted" : "done";
}

/// The names of the runs' parameters, in their order.
std::vector<std::string> parameters_of(const std::vector<PlanEntry>& planned) {
  std::vector<std::string> out;
  for (const PlanEntry& entry : planned) {
    for (const RunParameter& parameter : entry.parameters) {
      if (std::find(out.begin(), out.end(), parameter.name) == out.end()) out.push_back(parameter.name);
    }
  }
  return out;
}

std::vector<std::string> cells_of(const PlanEntry& entry, const std::vector<std::string>& parameters,
                                  const StoredRun* run) {
  const RunKey& key = entry.key;
  std::vector<std::string> cells{key.scenario, key.variant.empty() ? std::string(kNothing) : key.variant};
  for (const std::string& name : parameters) {
    cells.emplace_back(kNothing);
    for (const RunParameter& parameter : entry.parameters) {
      if (parameter.name == name) cells.back() = parameter.value;
    }
  }
  cells.push_back(fmt::format("{}", key.seed));
  if (run == nullptr) {
    cells.emplace_back("missing");
    cells.resize(8 + parameters.size(), std::string(kNothing));
    return cells;
  }
  constexpr double kMicrosecondsAMillisecond = 1'000;
  cells.insert(cells.end(), {state_of(*run), format_number(run->simulated.microseconds() / kMicrosecondsAMillisecond),
                             fmt::format("{}", run->flows), format_number(run->wall_seconds),
                             run->interrupted ? std::string(kNothing) : run->digest});
  return cells;
}

std::string listing_of(const std::filesystem::path& path, const Store& store) {
  using Align = Column::Align;
  const Runs runs = runs_of(store);
  const std::vector<PlanEntry> planned = store.entries();
  const std::vector<std::string> parameters = parameters_of(planned);
  std::vector<Column> columns{{"", "scenario", "", Align::left}, {"", "variant", "", Align::left}};
  for (const std::string& name : parameters) columns.push_back({"", name, ""});
  for (const Column& column :
       {Column{"", "seed", ""}, Column{"", "state", "", Align::left}, Column{"", "simulated", "ms"},
        Column{"", "flows", ""}, Column{"", "took", "s"}, Column{"", "digest", "", Align::left}}) {
    columns.push_back(column);
  }
  Table table(std::move(columns), 3 + parameters.size());
  std::string failures;
  for (const PlanEntry& entry : planned) {
    const StoredRun* run = find(runs, entry.key);
    table.add_row(cells_of(entry, parameters, run));
    if (run == nullptr || run->failure.empty()) continue;
    const std::string& variant = entry.key.variant;
    failures += fmt::format("\n{} failed: {}\n", variant.empty() ? "run" : variant, run->failure);
  }
  return fmt::format("{}: {} of {} runs, weir {}\n\n{}{}", path.string(), planned.size() - store.missing().size(),
                     planned.size(), store.version(), table.format(stdout_width()), failures);
}

/// The formats in which a run can be written; reports which of the requested ones cannot.
RunForms forms_of(const ExportCommand& command, const RunRecord& record, const std::filesystem::path& folder,
                  bool& good) {
  const bool any = command.csv || command.fct || command.pfc || command.perfetto;
  RunForms forms{.csv = command.csv || !any,
                 .fct = command.fct || !any,
                 .pfc = command.pfc || !any,
                 .perfetto = command.perfetto || !any};
  const auto drop = [&](bool& form, bool asked, const char* file, const std::optional<std::string>& why) {
    if (!form || !why) return;
    print_diagnostic(fmt::format("{}: {}: not written: {}", asked ? "weir" : "note", (folder / file).string(), *why));
    form = false;
    if (asked) good = false;
  };
  drop(forms.pfc, command.pfc, "pfc.txt", why_no_hpcc_pfc(record));
  drop(forms.perfetto, command.perfetto, "perfetto.json", why_no_perfetto(record));
  return forms;
}

/// The error in writing, if any. `good` becomes false then, and also if a requested format is not available.
std::optional<std::string> export_run(const ExportCommand& command, const RunRecord& record,
                                      const std::filesystem::path& folder, bool& good) {
  const RunForms forms = forms_of(command, record, folder, good);
  // An unavailable format leaves no files behind.
  if (!forms.csv && !forms.fct && !forms.pfc && !forms.perfetto) return std::nullopt;
  const RunSummary summary = forms.csv ? summarise(record) : RunSummary();
  return write_run(record, summary, folder, forms);
}

/// Writes the existing runs. Stops at the first failure, because a full disk stays full.
bool export_all(const ExportCommand& command, const Store& store, const std::filesystem::path& into) {
  const std::vector<PlanEntry> planned = store.entries();
  const std::vector<std::filesystem::path> folders = run_folders(planned);
  const Runs runs = runs_of(store);
  bool good = true;
  std::size_t written = 0;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const StoredRun* run = find(runs, planned[i].key);
    if (run == nullptr) continue;
    if (const auto error = export_run(command, store.load(run->id), into / folders[i], good)) {
      print_diagnostic(fmt::format("weir: {}\nweir: {} of {} runs were written; the others were not attempted", *error,
                                   written, runs.size()));
      return false;
    }
    ++written;
  }
  return good;
}

}  // namespace

int runs(const std::string& results, bool json) {
  try {
    const std::filesystem::path path = store_of(results);
    if (json) return print(json_text(json_of_store(Store::open(path)))) ? kDone : kFailed;
    return print(listing_of(path, Store::open(path))) ? kDone : kFailed;
  } catch (const StoreError& error) {
    print_diagnostic(fmt::format("weir: {}", error.what()));
    return kWrongInput;
  }
}

int export_runs(const ExportCommand& command) {
  try {
    const Store store = Store::open(store_of(command.results));
    const std::filesystem::path folder =
        command.into.empty() ? folder_of(command.results) : std::filesystem::path(command.into);
    std::error_code error;
    const bool there = std::filesystem::exists(folder, error);
    const bool good = export_all(command, store, folder);
    // Only if it is empty.
    if (!good && !there) std::filesystem::remove(folder, error);
    return good ? kDone : kFailed;
  } catch (const StoreError& error) {
    print_diagnostic(fmt::format("weir: {}", error.what()));
    return kWrongInput;
  }
}

}  // namespace weir::apps
