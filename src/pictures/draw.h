// SPDX-License-Identifier: Apache-2.0
// From measures to pictures.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "config/diagnostics.h"
#include "expressions/evaluation.h"
#include "pictures/picture.h"

namespace weir {

/// One line as it is drawn: with a value for each name that it is drawn for.
struct DrawnLine {
  std::size_t picture = 0;  ///< among the pictures
  const PictureLine* line = nullptr;
  std::vector<std::pair<std::string, Figure>> bound;
  std::string label;
};

/// The lines that pictures have, in the order of the file. `quick`: without those of a row's full form.
std::vector<DrawnLine> drawn_lines(const std::vector<Picture>& pictures, const RunSpace& space, bool quick = false);

/// Where pictures were read from, for messages.
struct PictureText {
  const std::vector<Picture>& pictures;
  const std::string& text;  ///< of the file
  std::string path;         ///< "claim.picture"
};

/// Says what makes no sense in a drawn line, by going through it without results. Binds the line's names in
/// `evaluation`.
void check_line(const PictureText& pictures, const RunSpace& space, const DrawnLine& drawn, Evaluation& evaluation,
                Diagnostics& diagnostics);

struct DrawOptions {
  bool quick = false;      ///< without the lines of a row's full form
  bool intervals = false;  ///< the mean over seeds with its 95 % confidence interval
  std::string note = {};   ///< what the line below each picture begins with
};

/// The pictures as charts. One that has nothing to show has no curves. A line is thinned to some hundred points, the
/// least and greatest of each part of it. What is wrong with lines goes to `failures`.
std::vector<analysis::Chart> draw(const std::vector<Picture>& pictures, const RunSpace& space,
                                  const Vocabulary& vocabulary, ResultSource& source, const DrawOptions& options,
                                  std::vector<std::string>& failures);

}  // namespace weir
