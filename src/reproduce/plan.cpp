// SPDX-License-Identifier: Apache-2.0
#include "reproduce/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "config/overlay.h"
#include "config/scalar.h"
#include "scenario/scheme_slot.h"

namespace weir {
namespace {

void give_seed(Value& root, std::uint64_t seed) {
  const Origin nowhere;
  Value run(Value::Table{{"seed", nowhere, Value(static_cast<std::int64_t>(seed), nowhere)}}, nowhere);
  Diagnostics unused("");
  lay_over(root, Value(Value::Table{{"run", nowhere, std::move(run)}}, nowhere), {}, unused);
}

/// The scenario of one run: base, variant, sweeps and seed, merged in this order.
Value lay_out(const RowSetup& setup, const RunPoint& key, Diagnostics& diagnostics) {
  Value root = setup.scenario;
  Value over;
  if (const Value::Member* variants = root.find("variants")) {
    if (const Value::Member* own = variants->value.find(setup.variants[key.variant])) over = own->value;
  }
  std::erase_if(*root.table(), [](const Value::Member& member) { return member.key == "variants"; });
  expand_scheme_slots(root);
  mark_variant(over, setup.variants[key.variant]);
  expand_scheme_slots(over);
  lay_over(root, over, {}, diagnostics);
  lay_sweeps(root, setup.sweeps, key.values, diagnostics);
  give_seed(root, setup.seeds[key.seed]);
  return root;
}

}  // namespace

std::string run_name(const RowSetup& setup, const RunPoint& key) {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  if (!setup.variants[key.variant].empty()) add(setup.variants[key.variant]);
  for (std::size_t i = 0; i < setup.sweeps.size(); ++i) {
    if (setup.sweeps[i].values.size() > 1) {
      add(fmt::format("{} {}", setup.sweeps[i].name, label_of(setup.sweeps[i].values[key.values[i]])));
    }
  }
  if (setup.seeds.size() > 1) add(fmt::format("seed {}", setup.seeds[key.seed]));
  return out;
}

std::vector<RunPoint> all_runs(const RowSetup& setup) {
  std::vector<RunPoint> out = {RunPoint{}};
  const auto widen = [&](std::size_t count, auto set) {
    std::vector<RunPoint> wider;
    for (const RunPoint& key : out) {
      for (std::size_t i = 0; i < count; ++i) {
        wider.push_back(key);
        set(wider.back(), i);
      }
    }
    out = std::move(wider);
  };
  widen(setup.variants.size(), [](RunPoint& key, std::size_t i) { key.variant = i; });
  for (const Sweep& sweep : setup.sweeps) {
    widen(sweep.values.size(), [](RunPoint& key, std::size_t i) { key.values.push_back(i); });
  }
  widen(setup.seeds.size(), [](RunPoint& key, std::size_t i) { key.seed = i; });
  return out;
}

PlannedRun plan_run(const Row& row, const RowSetup& setup, const RunPoint& key) {
  PlannedRun out;
  out.name = run_name(setup, key);
  Diagnostics diagnostics(row.file);
  Value root = lay_out(setup, key, diagnostics);
  out.missing = take_unknown_schemes(root);
  if (!diagnostics.empty()) {
    // Errors that follow from a failed merge are not reported.
    out.scenario.errors = diagnostics.lines();
    return out;
  }
  out.scenario = read_scenario(root, row.directory, diagnostics);
  out.files = contents_of_files(root, row.directory);
  for (ScenarioVariant& variant : out.scenario.variants) {
    variant.name = out.name;
    variant.settings.variant = out.name;
  }
  return out;
}

std::string configuration_of(const PlannedRun& run) {
  std::string out = run.files;
  for (const ScenarioVariant& variant : run.scenario.variants) out += to_toml(variant.effective, Annotation::none, {});
  return out;
}

std::vector<std::string> missing_schemes(const Row& row, const RowSetup& setup, const RunPoint& key) {
  Diagnostics diagnostics(row.file);
  Value root = lay_out(setup, key, diagnostics);
  return take_unknown_schemes(root);
}

std::string laid_out(const Row& row, const RowSetup& setup, const RunPoint& key) {
  Diagnostics unused(row.file);
  return written(lay_out(setup, key, unused));
}

namespace {

/// Replaces what sweeps set: `changes` has a table per sweep, with `set` or `at`.
void change_sweeps(std::vector<Sweep>& sweeps, const Value::Member& changes, Diagnostics& diagnostics) {
  if (changes.value.table() == nullptr) {
    return diagnostics.add(changes.origin, "sweep", "expected a table with the name of a sweep");
  }
  for (const Value::Member& change : *changes.value.table()) {
    const std::string path = "sweep." + change.key;
    const auto sweep = std::find_if(sweeps.begin(), sweeps.end(), [&](const Sweep& s) { return s.name == change.key; });
    if (sweep == sweeps.end()) {
      std::vector<std::string> names;
      for (const Sweep& known : sweeps) names.push_back(known.name);
      diagnostics.add(change.origin, path,
                      fmt::format("expected the name of one of the row's sweeps: {}", fmt::join(names, ", ")));
      continue;
    }
    const Value::Table* const table = change.value.table();
    const bool is_one = table != nullptr && table->size() == 1 && table->front().value.table() != nullptr;
    if (!is_one || (table->front().key != "set" && table->front().key != "at")) {
      diagnostics.add(change.origin, path,
                      "expected either a table set or a table at, which replaces that of the sweep");
      continue;
    }
    const bool is_set = table->front().key == "set";
    for (const Figure& value : sweep->values) {
      if (is_set || table->front().value.find(label_of(value)) != nullptr) continue;
      diagnostics.add(table->front().origin, path + ".at",
                      fmt::format("has no table for the value {}, expected one for each value", label_of(value)));
    }
    sweep->set = is_set ? std::optional(table->front().value) : std::nullopt;
    sweep->at = is_set ? std::nullopt : std::optional(table->front().value);
  }
}

}  // namespace

RowSetup with_assumption(const RowSetup& setup, const Value& alternative, Diagnostics& diagnostics) {
  RowSetup out = setup;
  Value over = alternative;
  if (const Value::Member* analysis = over.find("analysis"); analysis != nullptr && out.analysis) {
    lay_over(*out.analysis, analysis->value, "analysis", diagnostics);
  }
  if (const Value::Member* sweeps = over.find("sweep")) change_sweeps(out.sweeps, *sweeps, diagnostics);
  std::erase_if(*over.table(),
                [](const Value::Member& member) { return member.key == "analysis" || member.key == "sweep"; });
  expand_scheme_slots(out.scenario);
  expand_scheme_slots(over);
  lay_over(out.scenario, over, {}, diagnostics);
  return out;
}

}  // namespace weir
