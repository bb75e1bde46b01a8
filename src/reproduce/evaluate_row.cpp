// SPDX-License-Identifier: Apache-2.0
#include "reproduce/evaluate_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/nearest_name.h"
#include "criteria/measures.h"
#include "expressions/text_position.h"
#include "reproduce/draw.h"
#include "reproduce/plan.h"
#include "sim/version.h"

namespace weir {
namespace {

/// The kind of analysis of a setup, or nullptr.
const AnalysisKind* kind_of_analysis(const RowSetup& setup) {
  const std::string* name = setup.analysis ? setup.analysis->text_at("kind") : nullptr;
  for (const AnalysisKind& kind : analysis_kinds()) {
    if (name != nullptr && kind.name == *name) return &kind;
  }
  return nullptr;
}

/// Answers from existing results.
class Answers : public ResultSource {
 public:
  Answers(const RowSetup& setup, const std::map<RunPoint, PointOutcome>& runs, Analysis* analysis,
          std::string unavailable)
      : setup_(setup), runs_(runs), analysis_(analysis), unavailable_(std::move(unavailable)) {}

  Figure of_run(const Signature& measure, const MeasureArguments& arguments, const RunPoint& key) override {
    const auto run = runs_.find(key);
    if (run == runs_.end()) throw Unavailable(named(key, "was not run"));
    if (!run->second.unavailable.empty()) throw Unavailable(named(key, run->second.unavailable));
    const auto found = run->second.measures.find(question(measure, arguments));
    if (found == run->second.measures.end()) throw Unavailable(named(key, "was not measured"));
    if (!found->second.unavailable.empty()) throw Unavailable(named(key, found->second.unavailable));
    Figure figure = found->second.figure;
    figure.dimension = measure.dimension;
    return figure;
  }
  Figure of_analysis(const Signature& measure, const MeasureArguments& arguments) override {
    if (analysis_ == nullptr) throw Unavailable(unavailable_);
    Figure figure = analysis_->compute(measure.name, arguments);
    figure.dimension = measure.dimension;
    return figure;
  }

 private:
  [[nodiscard]] std::string named(const RunPoint& key, const std::string& what) const {
    const std::string name = run_name(setup_, key);
    return name.empty() ? what : fmt::format("{}: {}", name, what);
  }

  const RowSetup& setup_;
  const std::map<RunPoint, PointOutcome>& runs_;
  Analysis* analysis_;
  std::string unavailable_;
};

/// Findings that do not hold come first.
std::vector<std::string> told(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const bool holding : {false, true}) {
    for (const Finding& finding : findings) {
      if (finding.holds != holding) continue;
      const std::string where = finding.where.empty() ? "" : fmt::format(" [{}]", finding.where);
      out.push_back(fmt::format("{}{}{}", finding.text, where, holding ? "" : ": not so"));
    }
  }
  return out;
}

}  // namespace

Vocabulary vocabulary_of(const RowSetup& setup) {
  Vocabulary out;
  if (!setup.analysis) {
    out.of_runs = run_signatures();
    return out;
  }
  if (const AnalysisKind* kind = kind_of_analysis(setup)) {
    for (const Signature& signature : kind->measures) out.of_analysis.push_back(&signature);
  }
  return out;
}

std::unique_ptr<ResultSource> answers(const RowSetup& setup, const std::map<RunPoint, PointOutcome>& runs,
                                      Analysis* analysis, const std::string& analysis_unavailable) {
  return std::make_unique<Answers>(setup, runs, analysis, analysis_unavailable);
}

std::vector<const std::set<RunPoint>*> DryRun::all() const {
  std::vector<const std::set<RunPoint>*> out;
  for (const auto* part : {&criteria, &formers, &figures, &lines}) {
    for (const std::set<RunPoint>& points : *part) out.push_back(&points);
  }
  return out;
}

DryRun make_dry_run(const Row& row, RowForm form, const RowSetup& setup, RowScope scope) {
  DryRun out;
  Diagnostics diagnostics(row.file);
  if (setup.analysis && kind_of_analysis(setup) == nullptr) {
    const std::string* name = setup.analysis->text_at("kind");
    std::vector<std::string_view> names;
    for (const AnalysisKind& kind : analysis_kinds()) names.push_back(kind.name);
    diagnostics.add(setup.analysis->origin, "analysis.kind",
                    name == nullptr ? "is missing" : fmt::format("is \"{}\", which is not a kind of analysis", *name),
                    name == nullptr ? "" : nearest_name(*name, names));
    out.errors = diagnostics.lines();
    return out;
  }
  const RunSpace space = setup.space();
  const Vocabulary vocabulary = vocabulary_of(setup);
  Listener listener(out.asked);
  Evaluation evaluation(space, vocabulary, listener);
  const auto go_through = [&](const RowExpression& expression, std::string_view key, bool truth,
                              std::vector<std::set<RunPoint>>& runs) {
    runs.emplace_back();
    if (expression.full_only && form == RowForm::quick) return;
    listener.listen(runs.back());
    try {
      const Figure figure = evaluation.evaluate(*expression.expression);
      if (truth && figure.as_truth() == nullptr) {
        diagnostics.add(expression.origin, std::string(key),
                        fmt::format("is {}, expected a comparison", kind_of(figure)));
      }
    } catch (const ExpressionError& error) {
      diagnostics.add(position_in(row.text, expression.origin, expression.text, error.offset), std::string(key),
                      error.message, error.suggestion);
    }
  };
  for (const RowExpression& criterion : row.criteria) {
    go_through(criterion, "claim.criterion.holds", true, out.criteria);
  }
  out.errors = diagnostics.lines();
  if (scope == RowScope::criteria) return out;
  for (const FormerCriterion& former : row.formers) {
    const std::string_view key = former.replaced ? "claim.criterion.former.holds" : "claim.former.holds";
    go_through(former.expression, key, true, out.formers);
  }
  for (const RowExpression& figure : row.figures) go_through(figure, "claim.figure.value", false, out.figures);
  for (const DrawnLine& drawn : drawn_lines(row, form, setup)) {
    out.lines.emplace_back();
    listener.listen(out.lines.back());
    Evaluation of_line(space, vocabulary, listener);
    check_line(row, setup, drawn, of_line, diagnostics);
  }
  out.errors = diagnostics.lines();
  return out;
}

std::unique_ptr<Analysis> make_analysis(const Row& row, const RowSetup& setup, std::vector<std::string>& errors,
                                        std::string& unavailable) {
  const AnalysisKind* kind = kind_of_analysis(setup);
  if (kind == nullptr) return nullptr;
  if (kind->make == nullptr) {
    unavailable = fmt::format("no analysis \"{}\"", kind->name);
    return nullptr;
  }
  Diagnostics diagnostics(row.file);
  EffectiveTable unwritten;
  Reader table(diagnostics, &*setup.analysis, setup.analysis->origin, "analysis", unwritten);
  table.ignore("kind");
  std::unique_ptr<Analysis> analysis = kind->make(table);
  table.finish();
  for (std::string& error : diagnostics.lines()) errors.push_back(std::move(error));
  return analysis;
}

std::string missing_for(const RowSetup& setup, const std::set<RunPoint>& points,
                        const std::map<RunPoint, PointOutcome>& runs) {
  for (const RunPoint& point : points) {
    const auto run = runs.find(point);
    if (run == runs.end() || !run->second.missing) continue;
    const std::string name = run_name(setup, point);
    return fmt::format("{}{}{}", name, name.empty() ? "" : ": ", run->second.unavailable);
  }
  return {};
}

RowVerdict evaluate(const Row& row, RowForm form, const RowSetup& setup, const std::map<RunPoint, PointOutcome>& runs,
                    Analysis* analysis, const std::string& analysis_unavailable, RowScope scope) {
  RowVerdict out;
  out.id = row.id;
  out.form = form;
  out.row_digest = row.digest;
  out.version = kVersion;
  const RunSpace space = setup.space();
  const Vocabulary vocabulary = vocabulary_of(setup);
  const std::unique_ptr<ResultSource> source = answers(setup, runs, analysis, analysis_unavailable);
  Evaluation evaluation(space, vocabulary, *source);
  const DryRun dry_run = make_dry_run(row, form, setup, scope);
  const auto evaluated = [&](const RowExpression& expression, const std::set<RunPoint>& points) {
    CriterionVerdict verdict;
    verdict.name = expression.name;
    verdict.reason = missing_for(setup, points, runs);
    if (expression.full_only && form == RowForm::quick) {
      verdict.reason = "it speaks of the full form only";
    } else if (verdict.reason.empty()) {
      try {
        const Figure figure = evaluation.evaluate(*expression.expression);
        const bool* truth = figure.as_truth();
        verdict.state =
            truth != nullptr && *truth ? CriterionVerdict::State::holds : CriterionVerdict::State::does_not_hold;
        verdict.findings = told(evaluation.findings());
      } catch (const Unavailable& unavailable) {
        verdict.reason = unavailable.what();
      } catch (const ExpressionError& error) {
        verdict.reason = error.message;
      }
    }
    return verdict;
  };
  for (std::size_t i = 0; i < row.criteria.size(); ++i) {
    out.criteria.push_back(evaluated(row.criteria[i], dry_run.criteria[i]));
  }
  out.state = state_of(out.criteria);
  if (scope == RowScope::criteria) return out;
  for (std::size_t i = 0; i < row.formers.size(); ++i) {
    out.formers.push_back(evaluated(row.formers[i].expression, dry_run.formers[i]));
  }
  for (std::size_t i = 0; i < row.figures.size(); ++i) {
    const RowExpression& expression = row.figures[i];
    ReportedFigure figure;
    figure.name = expression.name;
    figure.reason = missing_for(setup, dry_run.figures[i], runs);
    if (expression.full_only && form == RowForm::quick) continue;
    try {
      if (figure.reason.empty()) figure.measured = to_text(evaluation.evaluate(*expression.expression));
    } catch (const Unavailable& unavailable) {
      figure.reason = unavailable.what();
    } catch (const ExpressionError& error) {
      figure.reason = error.message;
    }
    out.figures.push_back(std::move(figure));
  }
  for (const auto& [key, run] : runs) out.runs.push_back({run_name(setup, key), run.digest, run.unavailable});
  return out;
}

}  // namespace weir
