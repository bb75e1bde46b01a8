// SPDX-License-Identifier: Apache-2.0
#include "reproduce/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "config/overlay.h"
#include "config/scalar.h"
#include "scenario/scheme_slot.h"

namespace weir {
namespace {

/// Knows no results: for expressions in braces.
class NoResults : public ResultSource {
 public:
  Figure of_run(const Signature&, const MeasureArguments&, const RunPoint&) override { throw Unavailable("has none"); }
  Figure of_analysis(const Signature&, const MeasureArguments&) override { throw Unavailable("has none"); }
};

/// Fills {expressions} into the texts of a value.
class Filler {
 public:
  Filler(const RowSetup& setup, const RunPoint& key, Diagnostics& diagnostics)
      : evaluation_(kNoSpace, kNoVocabulary, source_), diagnostics_(diagnostics) {
    for (std::size_t i = 0; i < setup.sweeps.size(); ++i) {
      const RowSweep& sweep = setup.sweeps[i];
      evaluation_.bind(sweep.name, sweep.values[key.values[i]]);
      // A value that is only handed on keeps the form it was written in.
      as_written_.emplace_back(sweep.name, &sweep.written[key.values[i]]);
    }
  }

  void fill(Value& value) {
    if (auto* table = value.table()) {
      for (Value::Member& member : *table) fill(member.value);
    } else if (auto* list = value.list()) {
      for (Value& element : *list) fill(element);
    } else if (const std::string* text = value.text()) {
      fill_text(value, *text);
    }
  }

 private:
  void fill_text(Value& value, const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t open = std::min(text.find('{', at), text.size());
      out += text.substr(at, open - at);
      if (open == text.size()) break;
      const std::size_t close = text.find('}', open);
      if (close == std::string::npos) {
        diagnostics_.add(value.origin, "sweep.set",
                         fmt::format("is {}, which has a brace without its other", description(value)));
        return;
      }
      const std::string inner = text.substr(open + 1, close - open - 1);
      const std::optional<Value> filled = evaluated(value, inner);
      if (!filled) return;
      if (open == 0 && close + 1 == text.size()) {
        const Origin origin = value.origin;
        value = *filled;
        value.origin = origin;
        return;
      }
      out += part(*filled);
      at = close + 1;
    }
    value.data = std::move(out);
  }

  std::optional<Value> evaluated(const Value& value, const std::string& inner) {
    for (const auto& [name, written] : as_written_) {
      if (name == inner) return *written;
    }
    const auto parsed = parse_expression(inner);
    const auto* error = std::get_if<ExpressionError>(&parsed);
    ExpressionError wrong;
    if (error != nullptr) {
      wrong = *error;
    } else {
      try {
        if (auto out = value_of(evaluation_.evaluate(*std::get<ExpressionPointer>(parsed)))) return out;
        wrong.message = "is no number, size, duration, rate or text";
      } catch (const ExpressionError& thrown) {
        wrong = thrown;
      }
    }
    diagnostics_.add(value.origin, "sweep.set", fmt::format("in {{{}}}: {}", inner, wrong.message), wrong.suggestion);
    return std::nullopt;
  }

  static std::optional<Value> value_of(const Figure& figure) {
    if (const std::string* text = figure.as_text()) return Value(*text, {});
    const double* number = figure.as_number();
    if (number == nullptr) return std::nullopt;
    constexpr double kBitPerSecond = 8e12;
    const auto whole = [&](double scale) { return static_cast<std::int64_t>(std::llround(*number * scale)); };
    if (figure.dimension == kSize) return Value(fmt::format("{} B", whole(1)), {});
    if (figure.dimension == kTime) return Value(fmt::format("{} ps", whole(1)), {});
    if (figure.dimension == kRate) return Value(fmt::format("{} bit/s", whole(kBitPerSecond)), {});
    if (figure.dimension != kPlain) return std::nullopt;
    if (*number == std::floor(*number)) return Value(whole(1), {});
    return Value(*number, {});
  }

  static std::string part(const Value& value) {
    if (const std::string* text = value.text()) return *text;
    if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return fmt::format("{}", *integer);
    return fmt::format("{}", std::get<double>(value.data));
  }

  static const RunSpace kNoSpace;
  static const Vocabulary kNoVocabulary;

  NoResults source_;
  Evaluation evaluation_;
  Diagnostics& diagnostics_;
  std::vector<std::pair<std::string, const Value*>> as_written_;
};

const RunSpace Filler::kNoSpace = {};
const Vocabulary Filler::kNoVocabulary = {};

void give_seed(Value& root, std::uint64_t seed) {
  const Origin nowhere;
  Value run(Value::Table{{"seed", nowhere, Value(static_cast<std::int64_t>(seed), nowhere)}}, nowhere);
  Diagnostics unused("");
  lay_over(root, Value(Value::Table{{"run", nowhere, std::move(run)}}, nowhere), {}, unused);
}

/// The scenario of one run: base, variant, sweeps, seed, one over the other.
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
  Filler filler(setup, key, diagnostics);
  const auto lay = [&](Value changes) {
    filler.fill(changes);
    expand_scheme_slots(changes);
    lay_over(root, changes, {}, diagnostics);
  };
  for (std::size_t i = 0; i < setup.sweeps.size(); ++i) {
    const RowSweep& sweep = setup.sweeps[i];
    if (sweep.at) {
      if (const Value::Member* own = sweep.at->find(label_of(sweep.values[key.values[i]]))) lay(own->value);
    }
    if (sweep.set) lay(*sweep.set);
  }
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
  for (const RowSweep& sweep : setup.sweeps) {
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
    // What follows from what could not be laid out is no news.
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

RowSetup with_assumption(const RowSetup& setup, const Value& otherwise, Diagnostics& diagnostics) {
  RowSetup out = setup;
  Value over = otherwise;
  if (const Value::Member* analysis = over.find("analysis"); analysis != nullptr && out.analysis) {
    lay_over(*out.analysis, analysis->value, "analysis", diagnostics);
  }
  std::erase_if(*over.table(), [](const Value::Member& member) { return member.key == "analysis"; });
  expand_scheme_slots(out.scenario);
  expand_scheme_slots(over);
  lay_over(out.scenario, over, {}, diagnostics);
  return out;
}

}  // namespace weir
