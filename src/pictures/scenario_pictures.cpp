// SPDX-License-Identifier: Apache-2.0
#include "pictures/scenario_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "criteria/selection.h"
#include "pictures/draw.h"

namespace weir {
namespace {

/// Answers from the results of runs.
class SeenRuns : public ResultSource {
 public:
  explicit SeenRuns(const std::map<RunPoint, std::map<std::string, Measured>>& measured) : measured_(measured) {}
  Figure of_run(const Signature& measure, const MeasureArguments& arguments, const RunPoint& run) override {
    const auto seen = measured_.find(run);
    if (seen == measured_.end()) throw Unavailable("was not run");
    const auto found = seen->second.find(question(measure, arguments));
    if (found == seen->second.end()) throw Unavailable("was not measured");
    if (!found->second.unavailable.empty()) throw Unavailable(found->second.unavailable);
    Figure figure = found->second.figure;
    figure.dimension = measure.dimension;
    return figure;
  }
  Figure of_analysis(const Signature&, const MeasureArguments&) override { throw Unavailable("is not an analysis"); }

 private:
  const std::map<RunPoint, std::map<std::string, Measured>>& measured_;
};

/// An additional measurement that expressions may require, by its key.
struct MeasureKey {
  bool MeasurementSettings::*member;
  const char* key;
};
constexpr MeasureKey kMeasureKeys[] = {{&MeasurementSettings::occupancy, "occupancy"},
                                       {&MeasurementSettings::throughput, "throughput"},
                                       {&MeasurementSettings::queueing, "queueing"},
                                       {&MeasurementSettings::innocent_pause, "innocent_pause"},
                                       {&MeasurementSettings::active, "active"},
                                       {&MeasurementSettings::sender_rates, "sender_rates"},
                                       {&MeasurementSettings::timeline, "timeline"},
                                       {&MeasurementSettings::egress_kinds, "egress_kinds"},
                                       {&MeasurementSettings::hops, "hops"},
                                       {&MeasurementSettings::policies, "policies"},
                                       {&MeasurementSettings::held_links, "held_links"}};

template <class T>
void add_once(const T& value, std::vector<T>& values) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

RunSpace space_of(const Scenario& scenario) {
  RunSpace out;
  out.seeds.clear();
  for (const ScenarioVariant& variant : scenario.variants) {
    add_once(variant.name, out.variants);
    for (const std::uint64_t seed : variant.seeds) add_once(seed, out.seeds);
  }
  for (const Sweep& sweep : scenario.sweeps) out.sweeps.push_back({sweep.name, sweep.values});
  return out;
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string_view measure_key(bool MeasurementSettings::*needed) {
  if (needed == nullptr) return {};
  const auto* const found = std::find_if(std::begin(kMeasureKeys), std::end(kMeasureKeys),
                                         [&](const MeasureKey& key) { return key.member == needed; });
  return found == std::end(kMeasureKeys) ? std::string_view() : found->key;
}

ScenarioPictures::ScenarioPictures(const Scenario& scenario) : scenario_(scenario) {
  if (scenario.pictures.empty()) return;
  space_ = space_of(scenario);
  vocabulary_.of_runs = run_signatures();
  make_dry_run(text_of(scenario.file));
  if (errors_.empty()) check_questions();
  if (!errors_.empty()) pictures_.clear();
}

void ScenarioPictures::make_dry_run(const std::string& text) {
  Diagnostics diagnostics(scenario_.file);
  const Value root(scenario_.pictures, {});
  EffectiveTable unwritten;
  Reader reader(diagnostics, &root, {}, {}, unwritten);
  pictures_ = read_pictures(reader, text);
  if (diagnostics.empty()) {
    Listener listener(asked_);
    for (const DrawnLine& drawn : drawn_lines(pictures_, space_)) {
      Evaluation evaluation(space_, vocabulary_, listener);
      check_line({pictures_, text, "picture"}, space_, drawn, evaluation, diagnostics);
    }
  }
  errors_ = diagnostics.lines();
}

/// Checks that the names in arguments exist, and that the results are measured. Measurements are part of a run's
/// configuration, so a picture does not enable them.
void ScenarioPictures::check_questions() {
  Diagnostics diagnostics(scenario_.file);
  const Origin origin = scenario_.pictures.front().value.origin;
  for (std::size_t i = 0; i < scenario_.variants.size(); ++i) {
    const auto asked = asked_.find(point_of(i, scenario_.variants[i].seeds.front()));
    if (asked == asked_.end()) continue;
    for (const auto& [name, wanted] : asked->second) {
      try {
        selection::check_names({RunRecord(), scenario_.variants[i].settings}, wanted.arguments);
      } catch (const Unavailable& wrong) {
        diagnostics.add(origin, "picture.line", fmt::format("{}: {}", name, wrong.what()));
      }
      bool MeasurementSettings::*const needed = needed_for(wanted);
      if (needed == nullptr || scenario_.variants[i].settings.measurement.*needed) continue;
      for (const MeasureKey& each : kMeasureKeys) {
        if (each.member != needed) continue;
        diagnostics.add(origin, "picture.line",
                        fmt::format("{} is not measured, expected measure.{} = true", wanted.measure->name, each.key));
      }
    }
  }
  errors_ = diagnostics.lines();
}

RunPoint ScenarioPictures::point_of(std::size_t variant, std::uint64_t seed) const {
  const ScenarioVariant& own = scenario_.variants[variant];
  const auto number_in = [](const auto& values, const auto& value) {
    return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
  };
  return {.variant = number_in(space_.variants, own.name), .values = own.point, .seed = number_in(space_.seeds, seed)};
}

void ScenarioPictures::see(std::size_t variant, std::uint64_t seed, const RunRecord& record) {
  // A failed or interrupted run does not give results of the whole run; a deadlock is a property of the network.
  if (record.interrupted || (!record.failure.empty() && !record.deadlock)) return;
  const RunPoint point = point_of(variant, seed);
  const auto asked = asked_.find(point);
  if (asked == asked_.end()) return;
  std::map<std::string, Measured> measured = measure_run(asked->second, {record, scenario_.variants[variant].settings});
  const std::lock_guard lock(mutex_);
  measured_[point] = std::move(measured);
}

std::vector<analysis::Chart> ScenarioPictures::draw(std::vector<std::string>& failures) {
  const std::lock_guard lock(mutex_);
  SeenRuns source(measured_);
  const DrawOptions options = {.intervals = true};
  std::vector<analysis::Chart> out = weir::draw(pictures_, space_, vocabulary_, source, options, failures);
  for (std::size_t i = 0; i < out.size(); ++i) out[i].name = i == 0 ? "picture" : fmt::format("picture-{}", i + 1);
  return out;
}

}  // namespace weir
