// SPDX-License-Identifier: Apache-2.0
// Draws measures as pictures.
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

/// One line as drawn: with one value for each name over which it varies.
struct DrawnLine {
  std::size_t picture = 0;  ///< index of its picture
  const PictureLine* line = nullptr;
  std::vector<std::pair<std::string, Figure>> bound;
  std::string label;
};

/// The lines of pictures, in the order of the file. `quick`: without those of a row's full form.
std::vector<DrawnLine> drawn_lines(const std::vector<Picture>& pictures, const RunSpace& space, bool quick = false);

/// The origin of pictures, for messages.
struct PictureText {
  const std::vector<Picture>& pictures;
  const std::string& text;  ///< text of the file
  std::string path;         ///< "claim.picture"
};

/// Reports errors in a line by evaluating it without results. Binds the line's names in `evaluation`.
void check_line(const PictureText& pictures, const RunSpace& space, const DrawnLine& drawn, Evaluation& evaluation,
                Diagnostics& diagnostics);

struct DrawOptions {
  bool quick = false;      ///< without the lines of a row's full form
  bool intervals = false;  ///< the mean over seeds with its 95 % confidence interval
  std::string note = {};   ///< prefix of the note below each picture
};

/// The pictures as charts. A picture without data has no curves. A line is reduced to some hundred points, the minimum
/// and maximum of each of its parts. Errors in lines go to `failures`.
std::vector<analysis::Chart> draw(const std::vector<Picture>& pictures, const RunSpace& space,
                                  const Vocabulary& vocabulary, ResultSource& source, const DrawOptions& options,
                                  std::vector<std::string>& failures);

}  // namespace weir
