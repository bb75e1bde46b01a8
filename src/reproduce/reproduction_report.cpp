#include "reproduce/reproduction_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "reproduce/draw.h"
#include "reproduce/judge.h"
#include "reproduce/plan.h"
#include "reproduce/run_row.h"
#include "scenario/scalar.h"

namespace weir {
namespace {

/// In a table of Markdown.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string code(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const char next = c == '\n' ? ' ' : c;
    if (next == ' ' && (line.empty() || line.back() == ' ')) continue;
    line += next;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return fmt::format("`{}`", line);
}

/// The first findings of a criterion or of another choice, and how many more there are.
template <typename Findings>
std::string shown(const Findings& of) {
  const std::size_t named = std::min(kShownFindings, of.findings.size());
  std::string out;
  for (std::size_t i = 0; i < named; ++i) out += (out.empty() ? "" : "; ") + of.findings[i];
  const std::size_t more = of.findings.size() - named + of.left_out;
  if (more > 0) out += fmt::format("; and {} more", more);
  return out;
}

std::string paper_of(const std::string& id) {
  static const std::map<std::string, std::string> names = {
      {"bfc", "BFC"}, {"floodgate", "Floodgate"}, {"pyrrha", "Pyrrha"}, {"rocc", "RoCC"}, {"spfc", "SPFC"}};
  const std::string folder = id.substr(0, id.find('/'));
  const auto found = names.find(folder);
  return found == names.end() ? folder : found->second;
}

const CriterionVerdict* criterion_of(const RowVerdict* verdict, const std::string& name) {
  if (verdict == nullptr) return nullptr;
  for (const CriterionVerdict& criterion : verdict->criteria) {
    if (criterion.name == name) return &criterion;
  }
  return nullptr;
}

std::string criteria_table(const RowStanding& standing) {
  std::string out = "| criterion | the paper | measured | verdict |\n|---|---|---|---|\n";
  for (const RowExpression& expression : standing.row.criteria) {
    const CriterionVerdict* verdict = criterion_of(standing.verdict(), expression.name);
    const std::string measured = verdict == nullptr ? "" : verdict->reason.empty() ? shown(*verdict) : verdict->reason;
    out += fmt::format("| {}: {} | {} | {} | {} |\n", cell(expression.name), cell(code(expression.text)),
                       cell(expression.paper), cell(measured),
                       verdict == nullptr ? "" : fmt::format("**{}**", name_of(verdict->state)));
  }
  return out;
}

std::string figures_table(const RowStanding& standing) {
  if (standing.row.figures.empty() || standing.verdict() == nullptr) return {};
  std::string out = "\n| also measured | the paper | measured |\n|---|---|---|\n";
  for (const RowExpression& expression : standing.row.figures) {
    std::string measured;
    for (const ReportedFigure& figure : standing.verdict()->figures) {
      if (figure.name == expression.name) measured = figure.measured.empty() ? figure.reason : figure.measured;
    }
    out += fmt::format("| {}: {} | {} | {} |\n", cell(expression.name), cell(code(expression.text)),
                       cell(expression.paper), cell(measured));
  }
  return out;
}

/// What came of one form of a row with another choice: empty when none was tried.
std::string with_another(const Assumption& assumed, const RowVerdict& verdict) {
  const std::string otherwise = written(*assumed.otherwise);
  for (const AssumptionVerdict& tried : verdict.assumptions) {
    // What was tried may have been another choice than the row's of today.
    if (tried.value != assumed.value || tried.otherwise != otherwise) continue;
    std::string out =
        fmt::format("{}{}: {}", code(otherwise), verdict.form == RowForm::quick ? ", quick form" : "", tried.state);
    if (tried.moved.empty()) return out + ", nothing moves";
    return out + fmt::format("; {} ({})", fmt::join(tried.moved, "; "), shown(tried));
  }
  return {};
}

/// The same of the full form or else of the quick one, in which alone choices are often tried.
std::string with_another(const Assumption& assumed, const RowStanding& standing) {
  std::string out;
  if (!assumed.otherwise) return out;
  if (standing.full) out = with_another(assumed, *standing.full);
  if (out.empty() && standing.quick) out = with_another(assumed, *standing.quick);
  return out;
}

/// The pictures of a row that has a verdict, where their files are there.
std::string pictures_of(const RowStanding& standing, const std::filesystem::path& folder) {
  std::string out;
  if (folder.empty() || standing.verdict() == nullptr) return out;
  for (std::size_t i = 0; i < standing.row.pictures.size(); ++i) {
    const std::string path = picture_path(standing.row.id, i);
    std::error_code ignored;
    if (!std::filesystem::exists(folder / path, ignored)) continue;
    std::string name;
    for (const char c : standing.row.pictures[i].name) {
      if (c == '[' || c == ']' || c == '\\') name += '\\';
      name += c == '\n' ? ' ' : c;
    }
    out += fmt::format("![{}]({})\n\n", name, path);
  }
  return out;
}

std::string section_of(const RowStanding& standing, const std::filesystem::path& folder) {
  const Row& row = standing.row;
  std::string out = fmt::format("### {}: {}\n\n{}, section {}. **{}.**", fmt::join(row.ids, ", "), row.title,
                                paper_of(row.id), row.section, standing.state());
  if (standing.full && standing.quick) out += fmt::format(" In its quick form: {}.", name_of(standing.quick->state));
  out += "\n\n" + pictures_of(standing, folder) + criteria_table(standing) + figures_table(standing);
  if (!row.full.differs.empty()) out += fmt::format("\nThe full form: {}\n", row.full.differs);
  if (row.quick.exists) out += fmt::format("\nThe quick form: {}\n", row.quick.differs);
  if (!row.assumed.empty()) {
    out += "\n| not in the paper | our choice | why | with another |\n|---|---|---|---|\n";
    for (const Assumption& assumed : row.assumed) {
      out += fmt::format("| {} | {} | {} | {} |\n", cell(assumed.value), cell(assumed.choice), cell(assumed.reason),
                         cell(with_another(assumed, standing)));
    }
  }
  return out + "\n";
}

}  // namespace

namespace {

/// Whether some criterion of the full form has all that its runs need.
bool can_judge_anything(const Row& row) {
  if (!row.needs.empty()) return false;
  if (row.full.analysis) return missing_in(row, RowForm::full, row.full).empty();
  const Rehearsal rehearsal = rehearse(row, RowForm::full, row.full);
  for (std::size_t i = 0; i < row.criteria.size(); ++i) {
    const std::set<RunPoint>& points = rehearsal.by_expression[i];
    if (std::all_of(points.begin(), points.end(),
                    [&](const RunPoint& point) { return missing_schemes(row, row.full, point).empty(); })) {
      return true;
    }
  }
  return false;
}

}  // namespace

const RowVerdict* RowStanding::verdict() const {
  return full ? &*full : quick ? &*quick : nullptr;
}

std::string RowStanding::state() const {
  const RowVerdict* known = verdict();
  if (known == nullptr) return runnable ? "not run" : fmt::format("cannot be run: {}", fmt::join(missing, ", "));
  std::string out(name_of(known->state));
  if (!known->missing.empty()) out += fmt::format(" ({})", fmt::join(known->missing, ", "));
  if (!full) out += ", quick form";
  return out;
}

RowStanding standing_of(Row row, const std::filesystem::path& folder) {
  RowStanding out;
  if (row.ok()) {
    out.full = kept_verdict(folder, row, RowForm::full);
    out.quick = kept_verdict(folder, row, RowForm::quick);
    out.missing = missing_in(row, RowForm::full, row.full);
    out.runnable = can_judge_anything(row);
  }
  out.row = std::move(row);
  return out;
}

std::string reproduction_report(const std::vector<RowStanding>& rows, const std::filesystem::path& folder) {
  std::string out =
      "# Reproduction\n\n"
      "What the papers measured, and whether Weir shows it. Each row is a file under `reproduction/`: a scenario with "
      "the\n"
      "paper's setup, what is assumed where the paper is silent, and criteria that were laid down before the scheme "
      "was\n"
      "built. `weir reproduce ID` runs the quick form of a row, `weir reproduce --full ID` the paper's scale, and both "
      "write\n"
      "this page; nothing in it is written by hand. A row that does not hold is reported as it is.\n\n"
      "| row | what | verdict |\n|---|---|---|\n";
  for (const RowStanding& standing : rows) {
    out += fmt::format("| {} | {} | {} |\n", fmt::join(standing.row.ids, ", "), cell(standing.row.title),
                       cell(standing.state()));
  }
  std::string paper;
  for (const RowStanding& standing : rows) {
    if (paper_of(standing.row.id) != paper) {
      paper = paper_of(standing.row.id);
      out += fmt::format("\n## {}\n\n", paper);
    }
    out += section_of(standing, folder);
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string verdict_text(const Row& row, const RowVerdict& verdict) {
  std::string out = fmt::format("{} ({} form): {}\n", row.id, name_of(verdict.form), name_of(verdict.state));
  for (std::size_t i = 0; i < verdict.criteria.size(); ++i) {
    const CriterionVerdict& criterion = verdict.criteria[i];
    out += fmt::format("  {}: {}", criterion.name, name_of(criterion.state));
    if (!criterion.reason.empty()) out += fmt::format(": {}", criterion.reason);
    out += "\n";
    if (!row.criteria[i].paper.empty()) out += fmt::format("    the paper: {}\n", row.criteria[i].paper);
    if (!criterion.findings.empty()) out += fmt::format("    measured: {}\n", shown(criterion));
  }
  for (const ReportedFigure& figure : verdict.figures) {
    out += fmt::format("  {}: {}\n", figure.name, figure.measured.empty() ? figure.reason : figure.measured);
  }
  return out;
}

}  // namespace weir
