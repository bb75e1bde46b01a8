// SPDX-License-Identifier: Apache-2.0
#include "reproduce/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace weir {

std::vector<DrawnLine> drawn_lines(const Row& row, RowForm form, const RowSetup& setup) {
  return drawn_lines(row.pictures, setup.space(), form == RowForm::quick);
}

void check_line(const Row& row, const RowSetup& setup, const DrawnLine& drawn, Evaluation& evaluation,
                Diagnostics& diagnostics) {
  check_line({row.pictures, row.text, "claim.picture"}, setup.space(), drawn, evaluation, diagnostics);
}

std::vector<analysis::Chart> draw(const Row& row, RowForm form, const RowSetup& setup,
                                  const std::map<RunPoint, PointOutcome>& runs, Analysis* analysis,
                                  const std::string& analysis_unavailable, std::vector<std::string>& failures) {
  const std::unique_ptr<ResultSource> source = answers(setup, runs, analysis, analysis_unavailable);
  const DrawOptions options = {.quick = form == RowForm::quick,
                               .note = fmt::format("{}, {} form.", row.id, name_of(form))};
  return draw(row.pictures, setup.space(), vocabulary_of(setup), *source, options, failures);
}

std::string picture_name(const std::string& id, std::size_t picture) {
  std::string name = id;
  std::replace(name.begin(), name.end(), '/', '-');
  return picture == 0 ? name + ".svg" : fmt::format("{}-{}.svg", name, picture + 1);
}

}  // namespace weir
