// SPDX-License-Identifier: Apache-2.0
#include "reproduce/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <system_error>

#include "config/scalar.h"
#include "config/toml_file.h"
#include "results/output_file.h"

namespace weir {
namespace {

constexpr std::array<std::string_view, 6> kRowStates = {"holds",         "does not hold", "holds in part",
                                                        "cannot be run", "holds with",    "holds in part with"};
constexpr std::array<std::string_view, 3> kCriterionStates = {"holds", "does not hold", "not evaluated"};

template <std::size_t n>
std::optional<std::size_t> index_of(const std::array<std::string_view, n>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + written(text);
  return "[" + out + "]";
}

void write_key(std::string& out, std::string_view key, const std::string& text) {
  if (!text.empty()) out += fmt::format("{} = {}\n", key, written(text));
}

std::string text_at(const Value& table, std::string_view key) {
  const std::string* text = table.text_at(key);
  return text == nullptr ? std::string() : *text;
}

std::vector<std::string> texts_at(const Value& table, std::string_view key) {
  std::vector<std::string> out;
  const Value::Member* member = table.find(key);
  const Value::List* list = member == nullptr ? nullptr : member->value.list();
  if (list == nullptr) return out;
  for (const Value& value : *list) {
    if (const std::string* text = value.text()) out.push_back(*text);
  }
  return out;
}

/// nullopt if there is no such file.
std::optional<std::string> text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// 0 if there is no valid number.
std::size_t count_at(const Value& table, std::string_view key) {
  const Value::Member* member = table.find(key);
  const auto* count = member == nullptr ? nullptr : std::get_if<std::int64_t>(&member->value.data);
  return count == nullptr || *count < 0 ? 0 : static_cast<std::size_t>(*count);
}

/// Removes all findings that are not shown.
template <typename Findings>
void shorten(Findings& of) {
  if (of.findings.size() <= kShownFindings) return;
  of.left_out += of.findings.size() - kShownFindings;
  of.findings.resize(kShownFindings);
}

template <typename Findings>
void write_findings(std::string& out, const Findings& of) {
  if (!of.findings.empty()) out += fmt::format("findings = {}\n", quoted_list(of.findings));
  if (of.left_out > 0) out += fmt::format("left_out = {}\n", of.left_out);
}

const Value::List& tables_at(const Value& table, std::string_view key) {
  static const Value::List kNone;
  const Value::Member* member = table.find(key);
  const Value::List* list = member == nullptr ? nullptr : member->value.list();
  return list == nullptr ? kNone : *list;
}

}  // namespace

std::string_view name_of(RowVerdict::State state) {
  return kRowStates[static_cast<std::size_t>(state)];
}
std::string_view name_of(CriterionVerdict::State state) {
  return kCriterionStates[static_cast<std::size_t>(state)];
}

RowVerdict::State state_of(const std::vector<CriterionVerdict>& criteria) {
  using C = CriterionVerdict::State;
  const auto count = [&](C state) {
    return std::count_if(criteria.begin(), criteria.end(), [&](const CriterionVerdict& c) { return c.state == state; });
  };
  if (count(C::does_not_hold) > 0) return RowVerdict::State::does_not_hold;
  if (count(C::holds) == 0) return RowVerdict::State::cannot_be_run;
  return count(C::not_evaluated) > 0 ? RowVerdict::State::partly : RowVerdict::State::holds;
}

const AssumptionVerdict* tried_choice(const RowVerdict& verdict, const Assumption& assumption) {
  if (!assumption.alternative) return nullptr;
  const std::string alternative = written(*assumption.alternative);
  for (const AssumptionVerdict& tried : verdict.assumptions) {
    if (tried.value == assumption.value && tried.alternative == alternative) return &tried;
  }
  return nullptr;
}

void settle(RowVerdict& verdict, const Row& row) {
  using State = RowVerdict::State;
  verdict.state = state_of(verdict.criteria);
  verdict.with.clear();
  if (verdict.state != State::does_not_hold) return;
  // A criterion that could be evaluated, but cannot be with the alternative, is not decided by it.
  const auto leaves_open = [](const AssumptionVerdict& tried) {
    const std::string end = fmt::format(": {}", name_of(CriterionVerdict::State::not_evaluated));
    return std::any_of(tried.moved.begin(), tried.moved.end(), [&](const std::string& m) { return m.ends_with(end); });
  };
  for (const auto& [state, with] :
       {std::pair{State::holds, State::holds_with}, std::pair{State::partly, State::partly_with}}) {
    for (const Assumption& assumption : row.assumed) {
      const AssumptionVerdict* tried = tried_choice(verdict, assumption);
      if (tried == nullptr || !assumption.counts || tried->state != name_of(state) || leaves_open(*tried)) continue;
      verdict.with.push_back(assumption.other_choice());
    }
    if (verdict.with.empty()) continue;
    verdict.state = with;
    return;
  }
}

RowVerdict in_brief(RowVerdict verdict) {
  for (CriterionVerdict& criterion : verdict.criteria) shorten(criterion);
  for (CriterionVerdict& former : verdict.formers) shorten(former);
  for (AssumptionVerdict& assumption : verdict.assumptions) shorten(assumption);
  verdict.runs.clear();
  return verdict;
}

void keep_tried_choices(RowVerdict& now, const RowVerdict& before, const Row& row) {
  const auto same = [](const CriterionVerdict& a, const CriterionVerdict& b) {
    return a.name == b.name && a.state == b.state;
  };
  if (std::equal(now.criteria.begin(), now.criteria.end(), before.criteria.begin(), before.criteria.end(), same)) {
    for (const Assumption& assumption : row.assumed) {
      const AssumptionVerdict* then = tried_choice(before, assumption);
      if (then != nullptr && tried_choice(now, assumption) == nullptr) now.assumptions.push_back(*then);
    }
  }
  settle(now, row);
}

std::filesystem::path verdict_path(const std::filesystem::path& folder, const std::string& id, RowForm form) {
  return folder / fmt::format("{}.{}.toml", id, name_of(form));
}

std::string to_toml(const RowVerdict& verdict) {
  std::string out = "# Written by weir reproduce.\n";
  write_key(out, "id", verdict.id);
  write_key(out, "form", std::string(name_of(verdict.form)));
  write_key(out, "row", verdict.row_digest);
  write_key(out, "version", verdict.version);
  write_key(out, "verdict", std::string(name_of(verdict.state)));
  if (!verdict.with.empty()) out += fmt::format("with = {}\n", quoted_list(verdict.with));
  if (!verdict.missing.empty()) out += fmt::format("missing = {}\n", quoted_list(verdict.missing));
  for (const auto& [key, criteria] :
       {std::pair{"criterion", &verdict.criteria}, std::pair{"former", &verdict.formers}}) {
    for (const CriterionVerdict& criterion : *criteria) {
      out += fmt::format("\n[[{}]]\n", key);
      write_key(out, "name", criterion.name);
      write_key(out, "verdict", std::string(name_of(criterion.state)));
      write_key(out, "reason", criterion.reason);
      write_findings(out, criterion);
    }
  }
  for (const ReportedFigure& figure : verdict.figures) {
    out += "\n[[figure]]\n";
    write_key(out, "name", figure.name);
    write_key(out, "measured", figure.measured);
    write_key(out, "reason", figure.reason);
  }
  for (const AssumptionVerdict& assumption : verdict.assumptions) {
    out += "\n[[assumption]]\n";
    write_key(out, "value", assumption.value);
    write_key(out, "alternative", assumption.alternative);
    write_key(out, "version", assumption.version);
    write_key(out, "verdict", assumption.state);
    if (!assumption.moved.empty()) out += fmt::format("moved = {}\n", quoted_list(assumption.moved));
    write_findings(out, assumption);
  }
  for (const VerdictRun& run : verdict.runs) {
    out += "\n[[run]]\n";
    write_key(out, "name", run.name);
    write_key(out, "digest", run.digest);
    write_key(out, "reason", run.reason);
  }
  return out;
}

std::optional<RowVerdict> read_verdict(std::string_view toml) {
  Diagnostics diagnostics("");
  const auto root = parse_toml(toml, diagnostics);
  if (!root) return std::nullopt;
  RowVerdict out;
  out.id = text_at(*root, "id");
  out.row_digest = text_at(*root, "row");
  out.version = text_at(*root, "version");
  out.with = texts_at(*root, "with");
  out.missing = texts_at(*root, "missing");
  const std::string form = text_at(*root, "form");
  const auto state = index_of(kRowStates, text_at(*root, "verdict"));
  if (out.id.empty() || !state || (form != "quick" && form != "full")) return std::nullopt;
  out.form = form == "quick" ? RowForm::quick : RowForm::full;
  out.state = static_cast<RowVerdict::State>(*state);
  for (const auto& [key, criteria] : {std::pair{"criterion", &out.criteria}, std::pair{"former", &out.formers}}) {
    for (const Value& table : tables_at(*root, key)) {
      const auto of_criterion = index_of(kCriterionStates, text_at(table, "verdict"));
      if (!of_criterion) return std::nullopt;
      criteria->push_back({static_cast<CriterionVerdict::State>(*of_criterion), text_at(table, "name"),
                           text_at(table, "reason"), texts_at(table, "findings"), count_at(table, "left_out")});
    }
  }
  for (const Value& table : tables_at(*root, "figure")) {
    out.figures.push_back({text_at(table, "name"), text_at(table, "measured"), text_at(table, "reason")});
  }
  for (const Value& table : tables_at(*root, "assumption")) {
    out.assumptions.push_back({text_at(table, "value"), text_at(table, "alternative"), text_at(table, "version"),
                               text_at(table, "verdict"), texts_at(table, "moved"), texts_at(table, "findings"),
                               count_at(table, "left_out")});
  }
  for (const Value& table : tables_at(*root, "run")) {
    out.runs.push_back({text_at(table, "name"), text_at(table, "digest"), text_at(table, "reason")});
  }
  return out;
}

std::optional<RowVerdict> kept_verdict(const std::filesystem::path& folder, const Row& row, RowForm form) {
  const std::optional<std::string> text = text_of(verdict_path(folder, row.id, form));
  std::optional<RowVerdict> verdict = text ? read_verdict(*text) : std::nullopt;
  if (!verdict || verdict->id != row.id || verdict->row_digest != row.digest) return std::nullopt;
  settle(*verdict, row);
  return verdict;
}

bool is_damaged(const std::filesystem::path& folder, const std::string& id, RowForm form) {
  const std::optional<std::string> text = text_of(verdict_path(folder, id, form));
  return text && !read_verdict(*text);
}

std::optional<std::string> keep_verdict(const std::filesystem::path& folder, const RowVerdict& verdict) {
  const std::filesystem::path path = verdict_path(folder, verdict.id, verdict.form);
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return fmt::format("{}: {}", path.parent_path().string(), error.message());
  OutputFile file(path);
  file.write(to_toml(verdict));
  return file.commit();
}

}  // namespace weir
