// SPDX-License-Identifier: Apache-2.0
#include "scenario/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>

#include "config/overlay.h"
#include "config/reader.h"
#include "config/scalar.h"
#include "config/toml_file.h"
#include "expressions/evaluation.h"
#include "expressions/expression.h"
#include "scenario/scheme_slot.h"
#include "scenario/section_meanings.h"

namespace weir {
namespace {

// ---- values ----

/// Text with a unit becomes a number with a dimension; other text is unchanged.
std::optional<Figure> figure_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data))
    return Figure::number(static_cast<double>(*integer));
  if (const auto* number = std::get_if<double>(&value.data)) return Figure::number(*number);
  const std::string* text = value.text();
  if (text == nullptr) return std::nullopt;
  const auto parsed = parse_expression(*text);
  const auto* expression = std::get_if<ExpressionPointer>(&parsed);
  const bool literal = expression != nullptr && (*expression)->kind == Expression::Kind::literal;
  return literal && (*expression)->literal.as_number() != nullptr ? (*expression)->literal : Figure::text(*text);
}

/// A figure as a TOML value; nullopt unless it is a number, size, duration, rate or text.
std::optional<Value> value_of(const Figure& figure) {
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

/// Removes rounding errors of summation: 0.2 + 2 * 0.2 is 0.6.
double rounded(double value) {
  const std::string text = fmt::format("{:.12g}", value);
  double read = value;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read;
}

// ---- reading ----

class SweepReader {
 public:
  explicit SweepReader(Reader& entry) : entry_(entry) {}

  /// Returns nullopt if it has no values.
  std::optional<Sweep> read() {
    sweep_.origin = entry_.origin();
    entry_.optional("name", sweep_.name,
                    "name in expressions, in {braces} and as a column of the results; by default the last part of key");
    const Value::Member* key = entry_.custom(
        "key", "the path of a key", "key to which the values are assigned, such as \"traffic.background.load\"", "");
    read_values();
    read_range();
    sweep_.set = read_table(
        "set", "instead of key: a table merged into the scenario, with {expressions} in its strings evaluated");
    sweep_.at = read_table("at", "one table per value, merged into the scenario");
    entry_.finish();
    if (entry_.describing()) return std::nullopt;
    if (key != nullptr) read_key(*key);
    check();
    if (sweep_.values.empty()) return std::nullopt;
    return std::move(sweep_);
  }

 private:
  void read_values() {
    const Value::Member* values = entry_.custom("values", "a list of numbers or strings", "values of the sweep", "");
    if (values == nullptr) return;
    given_ = true;
    const Value::List* list = values->value.list();
    if (list == nullptr || list->empty()) {
      entry_.refuse(*values, fmt::format("is {}, expected a list of numbers or strings",
                                         list == nullptr ? description(values->value) : "empty"));
      return;
    }
    if (list->size() > kMostSweepValues) {
      entry_.refuse(*values, fmt::format("has {} values, expected at most {}", list->size(), kMostSweepValues));
      return;
    }
    for (const Value& value : *list) {
      const std::optional<Figure> figure = figure_of(value);
      if (!figure) {
        entry_.refuse(*values, fmt::format("contains {}, expected numbers or strings", description(value)));
        return;
      }
      add(*values, *figure, value);
    }
  }

  void add(const Value::Member& values, const Figure& figure, const Value& written) {
    if (std::find(sweep_.values.begin(), sweep_.values.end(), figure) != sweep_.values.end()) {
      entry_.refuse(values, fmt::format("contains {} twice", description(written)));
    }
    sweep_.values.push_back(figure);
    sweep_.written.push_back(written);
  }

  void read_range() {
    std::optional<Reader> range = entry_.optional_table("range", "instead of values: evenly spaced values");
    if (!range) return;
    const std::optional<Figure> from = read_bound(*range, "from", "first value");
    const std::optional<Figure> to = read_bound(*range, "to", "upper limit of the values");
    const std::optional<Figure> step = read_bound(*range, "step", "difference between consecutive values");
    std::optional<std::int64_t> count;
    range->optional("count", count, "instead of step: number of values, including from and to",
                    between<std::int64_t>(2, static_cast<std::int64_t>(kMostSweepValues)));
    enum class Scale : std::uint8_t { linear, logarithmic };
    static constexpr Named<Scale> kScales[] = {{"linear", Scale::linear}, {"logarithmic", Scale::logarithmic}};
    Scale scale = Scale::linear;
    range->choice<Scale>("scale", scale, kScales,
                         "with count: equal differences (linear) or equal ratios (logarithmic)");
    range->finish();
    if (entry_.describing()) return;
    const std::size_t before = entry_.diagnostics().size();
    if (given_) entry_.refuse("has both values and range, expected only one of the two");
    given_ = true;
    const bool logarithmic = scale == Scale::logarithmic;
    if (!from || !to) {
      range->refuse("lacks from or to, expected both");
    } else if (step.has_value() == count.has_value()) {
      range->refuse("expected exactly one of step and count");
    } else if (step && logarithmic) {
      range->refuse("is logarithmic, expected count instead of step");
    } else if (from->dimension != to->dimension || (step && step->dimension != from->dimension)) {
      range->refuse("mixes units, expected from, to and step of the same kind");
    } else if (!(*from->as_number() < *to->as_number())) {
      range->refuse(fmt::format("from is {} and to is {}, expected from below to", label_of(*from), label_of(*to)));
    } else if (step && !(*step->as_number() > 0)) {
      range->refuse(fmt::format("step is {}, expected above 0", label_of(*step)));
    } else if (logarithmic && !(*from->as_number() > 0)) {
      range->refuse(fmt::format("is logarithmic from {}, expected from above 0", label_of(*from)));
    }
    if (entry_.diagnostics().size() != before) return;
    fill_range(*range, *from, *to, step, count, logarithmic);
  }

  void fill_range(Reader& range, const Figure& from, const Figure& to, const std::optional<Figure>& step,
                  const std::optional<std::int64_t>& count, bool logarithmic) {
    const double first = *from.as_number();
    const double last = *to.as_number();
    constexpr double kSlack = 1e-9;  // a last step that rounding makes too short counts as a step
    const double number =
        count ? static_cast<double>(*count) : std::floor((last - first) / *step->as_number() + kSlack) + 1;
    if (number > static_cast<double>(kMostSweepValues)) {
      return range.refuse(fmt::format("has {:.0f} values, expected at most {}", number, kMostSweepValues));
    }
    const auto values = static_cast<std::size_t>(number);
    const Value::Member* member = entry_.value()->find("range");
    for (std::size_t i = 0; i < values; ++i) {
      const auto at = static_cast<double>(i);
      double value = 0;
      if (step) {
        value = first + at * *step->as_number();
      } else {
        const double part = at / (number - 1);
        value = logarithmic ? first * std::pow(last / first, part) : first + (last - first) * part;
      }
      const Figure figure = Figure::number(rounded(value), from.dimension);
      Value written = *value_of(figure);
      written.origin = member->origin;
      add(*member, figure, written);
    }
  }

  std::optional<Figure> read_bound(Reader& range, std::string_view key, std::string_view meaning) {
    const Value::Member* member = range.custom(key, "a number, or a string with a unit", meaning, "");
    if (member == nullptr) return std::nullopt;
    const std::optional<Figure> figure = figure_of(member->value);
    const bool simple = figure && figure->as_number() != nullptr && value_of(*figure);
    if (simple) return figure;
    range.refuse(*member, fmt::format("is {}, expected a number, size, duration or rate", description(member->value)));
    return std::nullopt;
  }

  std::optional<Value> read_table(std::string_view key, std::string_view meaning) {
    const Value::Member* member = entry_.custom(key, "a table", meaning, "");
    if (member == nullptr) return std::nullopt;
    if (member->value.table() != nullptr) return member->value;
    entry_.refuse(*member, fmt::format("is {}, expected a table", description(member->value)));
    return std::nullopt;
  }

  /// A key is an abbreviation of a table that sets it.
  void read_key(const Value::Member& key) {
    constexpr std::string_view kExpected = "the path of a key, such as \"traffic.background.load\"";
    const std::string* path = key.value.text();
    Diagnostics unheard("");
    std::optional<Value> nested;
    if (path != nullptr && path->find_first_of("=#\n[]{}") == std::string::npos) {
      nested = parse_toml(*path + " = 0", unheard);
    }
    if (!nested || !unheard.empty()) {
      return entry_.refuse(key, fmt::format("is {}, expected {}", description(key.value), kExpected));
    }
    const std::string& head = nested->table()->front().key;
    for (const std::string_view own : {"scenario", "variants", "sweep", "picture"}) {
      if (head == own) return entry_.refuse(key, fmt::format("is in [{}], which is not part of a run", own));
    }
    if (*path == "run.seed" || *path == "run.seeds") {
      return entry_.refuse(key, "is not a sweep: seeds are replicates, expected run.seeds");
    }
    if (sweep_.set) return entry_.refuse(key, "is given together with set, expected only one of the two");
    if (sweep_.name.empty()) sweep_.name = last_part(*nested);
    mark(*nested, key.value.origin);
    Value* innermost = &*nested;
    while (innermost->table() != nullptr) innermost = &innermost->table()->front().value;
    innermost->data = "{" + sweep_.name + "}";
    sweep_.set = std::move(nested);
  }

  static std::string last_part(const Value& nested) {
    const Value* at = &nested;
    std::string out;
    while (at->table() != nullptr) {
      out = at->table()->front().key;
      at = &at->table()->front().value;
    }
    return out;
  }

  static void mark(Value& value, const Origin& origin) {
    value.origin = origin;
    if (value.table() == nullptr) return;
    for (Value::Member& member : *value.table()) {
      member.origin = origin;
      mark(member.value, origin);
    }
  }

  void check() {
    if (!given_) entry_.refuse("has no values, expected values (a list) or range (a table)");
    if (sweep_.name.empty()) {
      // An invalid key has been reported already.
      if (!entry_.has("key")) entry_.refuse("has no name, expected name, or key (the path of a key)");
      sweep_.name = "?";
    } else if (!is_name(sweep_.name)) {
      entry_.refuse(
          fmt::format("is named \"{}\", expected a letter followed by letters, digits and underscores", sweep_.name));
    }
    // A sweep of run.seed is refused because of its key.
    const bool key_is_good = !entry_.has("key") || sweep_.set;
    if (key_is_good && (sweep_.name == "variant" || sweep_.name == "seed")) {
      entry_.refuse(fmt::format("cannot be named \"{}\"", sweep_.name));
    }
    if (!sweep_.set && !sweep_.at && !entry_.has("key")) entry_.refuse("changes nothing, expected key, set or at");
    if (!sweep_.at) return;
    for (const Value::Member& member : *sweep_.at->table()) {
      const bool known = std::any_of(sweep_.values.begin(), sweep_.values.end(),
                                     [&](const Figure& value) { return label_of(value) == member.key; });
      // If a form of a row omits a value, its table may be missing.
      if (!known && entry_.diagnostics().empty() && member.value.table() == nullptr) {
        entry_.refuse(member, fmt::format("is {}, expected a table", description(member.value)));
      }
    }
  }

  static bool is_name(const std::string& name) {
    const auto good = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    return std::isdigit(static_cast<unsigned char>(name.front())) == 0 && std::all_of(name.begin(), name.end(), good);
  }

  Reader& entry_;
  Sweep sweep_;
  bool given_ = false;  // values, or a range
};

// ---- laying over ----

/// Provides no results, for expressions in braces.
class NoResults : public ResultSource {
 public:
  Figure of_run(const Signature&, const MeasureArguments&, const RunPoint&) override { throw Unavailable("has none"); }
  Figure of_analysis(const Signature&, const MeasureArguments&) override { throw Unavailable("has none"); }
};

/// Replaces {expressions} in the texts of a value.
class Filler {
 public:
  Filler(const std::vector<Sweep>& sweeps, const std::vector<std::size_t>& values, Diagnostics& diagnostics)
      : evaluation_(kNoSpace, kNoVocabulary, source_), diagnostics_(diagnostics) {
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
      evaluation_.bind(sweeps[i].name, sweeps[i].values[values[i]]);
      // A value that is passed on unchanged keeps its original notation.
      as_written_.emplace_back(sweeps[i].name, &sweeps[i].written[values[i]]);
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
                         fmt::format("is {}, which has an unmatched brace", description(value)));
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
        wrong.message = "is not a number, size, duration, rate or string";
      } catch (const ExpressionError& thrown) {
        wrong = thrown;
      }
    }
    diagnostics_.add(value.origin, "sweep.set", fmt::format("in {{{}}}: {}", inner, wrong.message), wrong.suggestion);
    return std::nullopt;
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

// ---- overlaps ----

/// The paths that a table sets, with their positions. A list is set as a whole.
void add_paths(const Value& value, const std::string& path, std::map<std::string, Origin>& out) {
  const Value::Table* table = value.table();
  if (table == nullptr) {
    out.emplace(path, value.origin);
    return;
  }
  for (const Value::Member& member : *table) {
    add_paths(member.value, path.empty() ? member.key : path + "." + member.key, out);
  }
}

/// The first path that both contain, or that is a prefix of one in the other.
std::optional<std::string> overlap(const std::map<std::string, Origin>& a, const std::map<std::string, Origin>& b) {
  const auto above = [](const std::string& upper, const std::string& lower) {
    return lower == upper || lower.starts_with(upper + ".");
  };
  for (const auto& [path, origin] : a) {
    for (const auto& [other, where] : b) {
      if (above(path, other) || above(other, path)) return path.size() < other.size() ? other : path;
    }
  }
  return std::nullopt;
}

std::map<std::string, Origin> paths_of(const std::optional<Value>& set) {
  std::map<std::string, Origin> out;
  if (!set) return out;
  Value written_out = *set;
  expand_scheme_slots(written_out);
  add_paths(written_out, {}, out);
  return out;
}

}  // namespace

std::vector<Sweep> read_sweeps(Reader& root) {
  std::vector<Sweep> out;
  for (Reader& entry : root.tables("sweep", kSweepMeaning)) {
    std::optional<Sweep> sweep = SweepReader(entry).read();
    if (!sweep) continue;
    for (const Sweep& other : out) {
      if (other.name == sweep->name) entry.refuse(fmt::format("another sweep is also named \"{}\"", sweep->name));
    }
    out.push_back(std::move(*sweep));
  }
  return out;
}

std::string value_text(const Sweep& sweep, std::size_t value) {
  const std::string* text = sweep.written[value].text();
  return text == nullptr || sweep.values[value].as_text() != nullptr ? label_of(sweep.values[value]) : *text;
}

void name_sweeps(Value& campaign) {
  Value::Member* sweeps = campaign.find("sweep");
  if (sweeps == nullptr || sweeps->value.list() == nullptr) return;
  for (Value& sweep : *sweeps->value.list()) {
    const std::string* key = sweep.text_at("key");
    if (key == nullptr || sweep.find("name") != nullptr) continue;
    const Origin origin = sweep.find("key")->value.origin;
    sweep.table()->push_back({"name", origin, Value(key->substr(key->rfind('.') + 1), origin)});
  }
}

void lay_sweeps(Value& root, const std::vector<Sweep>& sweeps, const std::vector<std::size_t>& values,
                Diagnostics& diagnostics) {
  Filler filler(sweeps, values, diagnostics);
  const auto lay = [&](Value changes) {
    filler.fill(changes);
    expand_scheme_slots(changes);
    lay_over(root, changes, {}, diagnostics);
  };
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const Sweep& sweep = sweeps[i];
    if (sweep.at) {
      if (const Value::Member* own = sweep.at->find(label_of(sweep.values[values[i]]))) lay(own->value);
    }
    if (sweep.set) lay(*sweep.set);
  }
}

void check_sweeps_apart(const std::vector<Sweep>& sweeps, const Value* variants, Diagnostics& diagnostics) {
  constexpr std::array<std::string_view, 14> kColumns = {"scenario", "seeds",       "run_id",  "digest", "of",
                                                         "size",     "quantity",    "unit",    "mean",   "low",
                                                         "high",     "interrupted", "failure", "value"};
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const Sweep& sweep = sweeps[i];
    const std::string path = fmt::format("sweep.{}", sweep.name);
    if (std::find(kColumns.begin(), kColumns.end(), sweep.name) != kColumns.end()) {
      diagnostics.add(sweep.origin, path,
                      fmt::format("\"{}\" is the name of a result column, expected another name", sweep.name));
    }
    const auto own = paths_of(sweep.set);
    for (std::size_t j = 0; j < i; ++j) {
      if (const auto both = overlap(own, paths_of(sweeps[j].set))) {
        diagnostics.add(sweep.origin, path, fmt::format("sets {}, which sweep {} also sets", *both, sweeps[j].name));
      }
    }
    if (variants == nullptr || variants->table() == nullptr) continue;
    for (const Value::Member& variant : *variants->table()) {
      if (const auto both = overlap(own, paths_of(variant.value))) {
        diagnostics.add(sweep.origin, path,
                        fmt::format("sets {}, which variant {} also sets: the variant would have no effect", *both,
                                    written_key(variant.key)));
      }
    }
  }
}

}  // namespace weir
