// SPDX-License-Identifier: Apache-2.0
#include "reproduce/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "config/effective.h"
#include "config/overlay.h"
#include "config/reader.h"
#include "config/scalar.h"
#include "config/toml_file.h"
#include "results/digest.h"
#include "scenario/seeds.h"
#include "traffic/text_file.h"
#include "units/random.h"

namespace weir {
namespace {

/// A 64-bit hash of a text: a change of any byte changes it with probability 1 - 2^-64.
std::string text_digest(std::string_view text) {
  std::uint64_t hash = text.size();
  for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return format_digest(hash);
}

Value without(const Value& root, std::initializer_list<std::string_view> keys) {
  Value out = root;
  std::erase_if(*out.table(), [&](const Value::Member& member) {
    return std::find(keys.begin(), keys.end(), member.key) != keys.end();
  });
  return out;
}

/// The tables under a key: those of a list, or a single one.
std::vector<Value*> tables_under(Value& table, std::string_view key) {
  std::vector<Value*> out;
  Value::Member* member = table.find(key);
  if (member == nullptr) return out;
  if (member->value.table() != nullptr) out.push_back(&member->value);
  if (Value::List* list = member->value.list()) {
    for (Value& entry : *list) out.push_back(&entry);
  }
  return out;
}

/// A row without descriptions, pictures and alternatives: the subject of a verdict.
Value what_is_evaluated(const Value& root) {
  Value out = root;
  const auto leave_out = [](Value& table, std::initializer_list<std::string_view> keys) {
    if (table.table() != nullptr) table = without(table, keys);
  };
  if (Value::Member* claim = out.find("claim"); claim != nullptr && claim->value.table() != nullptr) {
    // The alternative of an assumption is merged with the row for separate verdicts, which contain it.
    leave_out(claim->value, {"title", "section", "cause", "picture", "assumed"});
    const auto leave_out_of_each = [&](Value& table, std::string_view key) {
      for (Value* entry : tables_under(table, key)) leave_out(*entry, {"paper", "quote", "reason"});
    };
    for (const std::string_view key : {"criterion", "figure", "former"}) leave_out_of_each(claim->value, key);
    for (Value* criterion : tables_under(claim->value, "criterion")) leave_out_of_each(*criterion, "former");
  }
  for (const std::string_view form : {"full", "quick"}) {
    if (Value::Member* laid = out.find(form); laid != nullptr) leave_out(laid->value, {"differs"});
  }
  return out;
}

/// Reads one file.
class RowReader {
 public:
  RowReader(Diagnostics& diagnostics, Row& row) : diagnostics_(diagnostics), row_(row) {}

  void read(const Value& root, const std::string& id) {
    read_claim(root, id);
    row_.full = read_form(root, "full", true);
    row_.quick = read_form(root, "quick", false);
  }

 private:
  void read_claim(const Value& root, const std::string& id) {
    EffectiveTable unwritten;
    Reader reader(diagnostics_, &root, root.origin, {}, unwritten);
    Reader claim = reader.table("claim", "claim of the paper");
    if (!claim.given()) {
      claim.refuse("is missing, expected a table [claim]");
      return;
    }
    if (claim.required("id", row_.id, "ID of the row: paper/figure") && row_.id != id) {
      claim.refuse(*claim.value()->find("id"), fmt::format("is \"{}\", but the file is that of {}", row_.id, id), id);
    }
    claim.required("title", row_.title, "of the row");
    claim.required("section", row_.section, "of the paper");
    claim.list("with", row_.ids, "other rows that this file covers");
    row_.ids.insert(row_.ids.begin(), row_.id);
    claim.list("needs", row_.needs, "required features other than schemes");
    claim.ignore("seeds");
    claim.optional("cause", row_.cause, "cause, shown by an experiment, for which the claim does not hold");
    for (Reader& entry : claim.tables("criterion", "a criterion that must hold")) read_criterion(entry);
    for (Reader& entry : claim.tables("former", "a former criterion without a replacement")) {
      read_former(entry, nullptr);
    }
    for (Reader& entry : claim.tables("figure", "a value that is reported"))
      read_expression(entry, "value", row_.figures);
    row_.pictures = read_pictures(claim, row_.text);
    if (row_.criteria.empty()) claim.refuse("has no criterion, expected [[claim.criterion]] tables");
    for (Reader& entry : claim.tables("assumed", "a value that the paper does not state")) read_assumption(entry);
    claim.finish();
  }

  /// Records and pages identify results by these names.
  static void refuse_taken(Reader& entry, const std::string& name, const std::vector<RowExpression>& others) {
    const bool taken =
        std::any_of(others.begin(), others.end(), [&](const RowExpression& other) { return other.name == name; });
    if (!taken || !entry.has("name")) return;
    entry.refuse(*entry.value()->find("name"),
                 fmt::format("\"{}\" is already used in this row, expected a unique name", name));
  }

  void read_criterion(Reader& entry) {
    RowExpression read;
    entry.required("name", read.name, "subject");
    entry.optional("paper", read.paper, "value in the paper");
    entry.optional("quote", read.quote, "sentence of the paper");
    read.full_only = read_full_only(entry);
    const bool good = read_expression_at(entry, "holds", row_.text, read);
    refuse_taken(entry, read.name, row_.criteria);
    constexpr std::string_view kMeaning = "the criterion before it was changed";
    if (entry.has("former")) {
      if (read.quote.empty()) {
        entry.refuse(
            "has a former criterion but no quote, expected the sentence of the paper that the criterion follows now");
      }
      if (entry.value()->find("former")->value.table() != nullptr) {
        std::optional<Reader> former = entry.optional_table("former", kMeaning);
        read_former(*former, &read);
      } else {
        for (Reader& former : entry.tables("former", kMeaning)) read_former(former, &read);
      }
    }
    entry.finish();
    if (good) row_.criteria.push_back(std::move(read));
  }

  /// `now`: the criterion that replaces it, or nullptr.
  void read_former(Reader& entry, const RowExpression* now) {
    FormerCriterion read;
    read.replaced = now != nullptr;
    if (now != nullptr) {
      read.expression.name = now->name;
    } else {
      entry.required("name", read.expression.name, "subject");
      entry.optional("paper", read.expression.paper, "value in the paper");
      entry.optional("quote", read.expression.quote, "sentence of the paper");
    }
    entry.required("reason", read.reason, "for the change");
    read.expression.full_only = read_full_only(entry, now != nullptr && now->full_only);
    const bool good = read_expression_at(entry, "holds", row_.text, read.expression);
    entry.finish();
    if (good) row_.formers.push_back(std::move(read));
  }

  void read_expression(Reader& entry, std::string_view key, std::vector<RowExpression>& out) {
    RowExpression read;
    entry.required("name", read.name, "subject");
    entry.optional("paper", read.paper, "value in the paper");
    read.full_only = read_full_only(entry);
    const bool good = read_expression_at(entry, key, row_.text, read);
    refuse_taken(entry, read.name, out);
    entry.finish();
    if (!good) return;
    out.push_back(std::move(read));
  }

  void read_assumption(Reader& entry) {
    Assumption read;
    entry.required("value", read.value, "a value that the paper does not state");
    entry.required("choice", read.choice, "value that the row uses");
    entry.required("reason", read.reason, "reason for the change");
    if (const Value::Member* member = entry.custom("alternative", "a table", "alternative, merged into the row", "")) {
      if (member->value.table() == nullptr) {
        entry.refuse(*member, fmt::format("is {}, expected a table", description(member->value)));
      } else {
        read.alternative = member->value;
      }
    }
    entry.optional("other", read.other, "the alternative in words");
    entry.optional("counts", read.counts, "whether the row may hold with the alternative");
    for (const std::string_view key : {"other", "counts"}) {
      if (entry.has(key) && !entry.has("alternative")) {
        entry.refuse(*entry.value()->find(key), "refers to an alternative, expected the key alternative as well");
      }
    }
    entry.finish();
    row_.assumed.push_back(std::move(read));
  }

  /// `always`: the form exists even without a table of its own.
  RowSetup read_form(const Value& root, std::string_view form, bool always) {
    RowSetup setup;
    const Value::Member* own = root.find(form);
    if (own == nullptr && !always) return setup;
    setup.exists = true;
    Value laid = without(root, {"quick", "full"});
    if (own != nullptr) {
      if (own->value.table() == nullptr) {
        diagnostics_.add(own->origin, std::string(form),
                         fmt::format("is {}, expected a table", description(own->value)));
        return setup;
      }
      if (const std::string* differs = own->value.text_at("differs")) setup.differs = *differs;
      check_overlay(*own);
      lay_over(laid, without(own->value, {"differs"}), {}, diagnostics_);
    }
    if (form == "quick" && setup.differs.empty()) {
      diagnostics_.add(own->origin, "quick.differs",
                       "is missing, expected a string: what is smaller, and why that preserves the claim");
    }
    if (const Value::Member* picture = laid.find("picture")) {
      diagnostics_.add(picture->origin, "picture", "is outside the claim, expected [[claim.picture]] tables");
    }
    read_seeds(laid, setup);
    if (const Value::Member* sweep = laid.find("sweep")) read_sweeps(*sweep, setup);
    if (const Value::Member* analysis = laid.find("analysis")) setup.analysis = analysis->value;
    setup.scenario = without(laid, {"claim", "sweep", "analysis"});
    if (setup.analysis && setup.scenario.find("traffic") != nullptr) {
      diagnostics_.add(setup.scenario.find("traffic")->origin, "traffic",
                       "is given together with an analysis, expected only one of the two");
    }
    name_variants(setup);
    give_title(setup);
    return setup;
  }

  /// A form may change the scenario, but not the claim.
  void check_overlay(const Value::Member& own) {
    const Value::Member* claim = own.value.find("claim");
    if (claim == nullptr || claim->value.table() == nullptr) return;
    for (const Value::Member& member : *claim->value.table()) {
      if (member.key == "seeds") continue;
      diagnostics_.add(member.origin, fmt::format("{}.claim.{}", own.key, member.key),
                       "cannot change with the form, expected seeds only");
    }
  }

  void read_seeds(const Value& laid, RowSetup& setup) {
    const Value::Member* claim = laid.find("claim");
    const Value::Member* seeds = claim == nullptr ? nullptr : claim->value.find("seeds");
    if (seeds == nullptr) return;
    if (auto read = seeds_of(seeds->value)) {
      setup.seeds = std::move(*read);
      return;
    }
    diagnostics_.add(seeds->value.origin, "claim.seeds",
                     fmt::format("is {}, expected {}", description(seeds->value), kSeedsExpected));
  }

  void read_sweeps(const Value::Member& sweeps, RowSetup& setup) {
    EffectiveTable unwritten;
    Value holder(Value::Table{sweeps}, sweeps.origin);
    Reader reader(diagnostics_, &holder, sweeps.origin, {}, unwritten);
    setup.sweeps = weir::read_sweeps(reader);
  }

  static void name_variants(RowSetup& setup) {
    const Value::Member* variants = setup.scenario.find("variants");
    if (variants != nullptr && variants->value.table() != nullptr) {
      for (const Value::Member& member : *variants->value.table()) setup.variants.push_back(member.key);
    }
    if (setup.variants.empty()) setup.variants.emplace_back();
  }

  /// The scenario's title is the title of the claim.
  void give_title(RowSetup& setup) const {
    if (setup.scenario.find("scenario") != nullptr) return;
    const Origin nowhere;
    Value about(Value::Table{{"title", nowhere, Value(row_.title, nowhere)}}, nowhere);
    setup.scenario.table()->push_back({"scenario", nowhere, std::move(about)});
  }

  Diagnostics& diagnostics_;
  Row& row_;
};

}  // namespace

std::string contents_of_files(const Value& scenario, const std::filesystem::path& directory) {
  std::string out;
  if (const Value::List* list = scenario.list()) {
    for (const Value& element : *list) out += contents_of_files(element, directory);
  } else if (const Value::Table* table = scenario.table()) {
    for (const Value::Member& member : *table) {
      const std::string* name = member.key == "path" || member.key == "file" ? member.value.text() : nullptr;
      if (name == nullptr) {
        out += contents_of_files(member.value, directory);
      } else if (const ReadResult<std::string> read = read_text_file((directory / *name).string()); read.value) {
        out += content_digest(*read.value);
      }
    }
  }
  return out;
}

std::string Assumption::other_choice() const {
  if (!other.empty()) return other;
  constexpr std::size_t kReadable = 80;
  const std::string toml = written(*alternative);
  return toml.size() <= kReadable ? toml : fmt::format("another choice for {}", value);
}

std::string_view name_of(RowForm form) {
  return form == RowForm::quick ? "quick" : "full";
}

RunSpace RowSetup::space() const {
  RunSpace out;
  out.variants = variants;
  for (const Sweep& sweep : sweeps) out.sweeps.push_back({sweep.name, sweep.values});
  out.seeds = seeds;
  return out;
}

Row read_row(std::string_view text, const std::string& file, const std::filesystem::path& directory,
             const std::string& id) {
  Row row;
  row.file = file;
  row.text = text;
  row.directory = directory;
  Diagnostics diagnostics(file);
  const auto root = parse_toml(text, diagnostics);
  if (root) RowReader(diagnostics, row).read(*root, id);
  if (root) {
    const Value evaluated = what_is_evaluated(*root);
    row.digest = text_digest(written(evaluated) + contents_of_files(evaluated, directory));
  } else {
    row.digest = text_digest(row.text);
  }
  row.errors = diagnostics.lines();
  return row;
}

Row load_row(const std::string& path, const std::string& id) {
  Diagnostics diagnostics(path);
  // For the scenario language's message about invalid files.
  if (!load_toml(path, diagnostics)) {
    Row row;
    row.file = path;
    row.id = id;
    row.errors = diagnostics.lines();
    return row;
  }
  std::ifstream stream(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  return read_row(text, path, std::filesystem::path(path).parent_path(), id);
}

std::vector<std::pair<std::string, std::string>> find_rows(const std::filesystem::path& folder) {
  std::vector<std::pair<std::string, std::string>> out;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".toml") continue;
    const std::filesystem::path relative = std::filesystem::relative(it->path(), folder, error);
    // Rows are one folder below, in that of their paper.
    if (std::distance(relative.begin(), relative.end()) != 2) continue;
    out.emplace_back((relative.parent_path() / relative.stem()).generic_string(), it->path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace weir
