// SPDX-License-Identifier: Apache-2.0
#include "reproduce/row_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>

#include "config/scalar.h"
#include "reproduce/draw.h"
#include "reproduce/markdown_text.h"

namespace weir {
namespace {

/// The first findings of a criterion or of an alternative, and the number of the others.
template <typename Findings>
std::string shown(const Findings& of) {
  const std::size_t named = std::min(kShownFindings, of.findings.size());
  std::string out;
  for (std::size_t i = 0; i < named; ++i) out += (out.empty() ? "" : "; ") + of.findings[i];
  const std::size_t more = of.findings.size() - named + of.left_out;
  if (more > 0) out += fmt::format("; and {} more", more);
  return out;
}

const CriterionVerdict* criterion_of(const RowVerdict* verdict, const std::string& name) {
  if (verdict == nullptr) return nullptr;
  for (const CriterionVerdict& criterion : verdict->criteria) {
    if (criterion.name == name) return &criterion;
  }
  return nullptr;
}

/// The paper's figure and sentence.
std::string paper_words(const RowExpression& expression) {
  if (expression.quote.empty()) return expression.paper;
  return fmt::format("{}{}\"{}\"", expression.paper, expression.paper.empty() ? "" : ": ", expression.quote);
}

/// One line of the table of criteria. `verdict`: nullptr if there is none.
std::string criterion_line(const std::string& name, const RowExpression& expression, const std::string& paper,
                           const CriterionVerdict* verdict, bool decides) {
  const std::string measured = verdict == nullptr ? "" : verdict->reason.empty() ? shown(*verdict) : verdict->reason;
  const std::string_view mark = decides ? "**" : "";
  return fmt::format("| {}: {} | {} | {} | {} |\n", markdown_cell(name), markdown_cell(markdown_code(expression.text)),
                     markdown_cell(paper), markdown_cell(measured),
                     verdict == nullptr ? "" : fmt::format("{}{}{}", mark, name_of(verdict->state), mark));
}

/// Former criteria follow those that replace them; those without replacement come last.
std::string criteria_table(const RowStatus& status) {
  std::string out = "| criterion | the paper | measured | verdict |\n|---|---|---|---|\n";
  const Row& row = status.row;
  const RowVerdict* known = status.verdict();
  const auto add_formers = [&](const std::string* replaced_by) {
    for (std::size_t i = 0; i < row.formers.size(); ++i) {
      const FormerCriterion& former = row.formers[i];
      if (former.replaced != (replaced_by != nullptr)) continue;
      if (replaced_by != nullptr && former.expression.name != *replaced_by) continue;
      const bool evaluated = known != nullptr && i < known->formers.size();
      std::string paper = paper_words(former.expression);
      paper += fmt::format("{}Changed: {}", paper.empty() ? "" : " ", former.reason);
      out += criterion_line(
          fmt::format("*{}: {}*", former.replaced ? "before" : "no longer evaluated", former.expression.name),
          former.expression, paper, evaluated ? &known->formers[i] : nullptr, false);
    }
  };
  for (const RowExpression& expression : row.criteria) {
    out += criterion_line(expression.name, expression, paper_words(expression), criterion_of(known, expression.name),
                          true);
    add_formers(&expression.name);
  }
  add_formers(nullptr);
  return out;
}

std::string figures_table(const RowStatus& status) {
  if (status.row.figures.empty() || status.verdict() == nullptr) return {};
  std::string out = "\n| also measured | the paper | measured |\n|---|---|---|\n";
  for (const RowExpression& expression : status.row.figures) {
    std::string measured;
    for (const ReportedFigure& figure : status.verdict()->figures) {
      if (figure.name == expression.name) measured = figure.measured.empty() ? figure.reason : figure.measured;
    }
    out += fmt::format("| {}: {} | {} | {} |\n", markdown_cell(expression.name),
                       markdown_cell(markdown_code(expression.text)), markdown_cell(expression.paper),
                       markdown_cell(measured));
  }
  return out;
}

/// The result of one form of a row with an alternative; empty if it was not evaluated.
std::string with_another(const Assumption& assumed, const RowVerdict& verdict) {
  const AssumptionVerdict* tried = tried_choice(verdict, assumed);
  if (tried == nullptr) return {};
  const std::string form = verdict.form == RowForm::quick ? ", quick form" : "";
  if (tried->moved.empty()) return fmt::format("{}{}, no criterion changes", tried->state, form);
  return fmt::format("{}{}; {} ({})", tried->state, form, fmt::join(tried->moved, "; "), shown(*tried));
}

/// An alternative with its result in the full form, or else in the quick one, the only form in which alternatives are
/// often evaluated.
std::string with_another(const Assumption& assumed, const RowStatus& status) {
  if (!assumed.alternative) return {};
  std::string result;
  if (status.full) result = with_another(assumed, *status.full);
  if (result.empty() && status.quick) result = with_another(assumed, *status.quick);
  std::string out = assumed.other.empty() ? markdown_code(written(*assumed.alternative)) : assumed.other;
  if (!assumed.counts) out += " (does not count for the verdict)";
  return fmt::format("{}: {}", out, result.empty() ? "not tried" : result);
}

std::string assumptions_table(const RowStatus& status) {
  if (status.row.assumed.empty()) return {};
  std::string out =
      "\n| not in the paper | our choice | why | another choice, and the result with it |\n|---|---|---|---|\n";
  for (const Assumption& assumed : status.row.assumed) {
    out += fmt::format("| {} | {} | {} | {} |\n", markdown_cell(assumed.value), markdown_cell(assumed.choice),
                       markdown_cell(assumed.reason), markdown_cell(with_another(assumed, status)));
  }
  return out;
}

/// The verdict as a paragraph.
std::string verdict_paragraph(const RowStatus& status) {
  std::string out = fmt::format("Section {} of the paper. Verdict: **{}**", status.row.section, status.short_state());
  const std::string why = status.why();
  out += why.empty() ? "." : fmt::format(": {}{}", why, why.ends_with('.') ? "" : ".");
  if (status.full && status.quick) {
    out += fmt::format(" The quick form {}", name_of(status.quick->state));
    if (!status.quick->with.empty()) out += fmt::format(": {}", fmt::join(status.quick->with, "; or "));
    out += ".";
  }
  return out;
}

}  // namespace

std::string shown_findings(const CriterionVerdict& verdict) {
  return shown(verdict);
}

std::string anchor_of(const std::string& row_id) {
  return row_id.substr(row_id.find('/') + 1);
}

std::string picture_of(const RowStatus& status, std::size_t picture, const PicturePlace& pictures) {
  if (pictures.folder.empty() || status.verdict() == nullptr || picture >= status.row.pictures.size()) return {};
  const std::string name = picture_name(status.row.id, picture);
  std::error_code ignored;
  if (!std::filesystem::exists(pictures.folder / name, ignored)) return {};
  return fmt::format("![{}]({}/{})\n", markdown_label(status.row.pictures[picture].name), pictures.address, name);
}

std::string row_section(const RowStatus& status, const PicturePlace& pictures) {
  const Row& row = status.row;
  std::string out;
  for (const std::string& id : row.ids) out += fmt::format("<a id=\"{}\"></a>\n", anchor_of(id));
  out += fmt::format("\n## {}: {}\n\n{}\n\n", fmt::join(row.ids, ", "), row.title, verdict_paragraph(status));
  for (std::size_t i = 0; i < row.pictures.size(); ++i) {
    const std::string picture = picture_of(status, i, pictures);
    if (!picture.empty()) out += picture + "\n";
  }
  out += criteria_table(status) + figures_table(status);
  if (!row.full.differs.empty()) out += fmt::format("\nThe full form: {}\n", row.full.differs);
  if (row.quick.exists) out += fmt::format("\nThe quick form: {}\n", row.quick.differs);
  return out + assumptions_table(status) + "\n";
}

}  // namespace weir
