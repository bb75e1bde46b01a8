// SPDX-License-Identifier: Apache-2.0
// A row, read from its file: a scenario, a claim of a paper, and the criteria of the claim.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/value.h"
#include "criteria/row_expression.h"
#include "expressions/evaluation.h"
#include "expressions/expression.h"
#include "pictures/picture.h"
#include "scenario/sweep.h"

namespace weir {

/// Quick: shorter or smaller, suitable for a test suite. Full: the paper's scale.
enum class RowForm : std::uint8_t { quick, full };
std::string_view name_of(RowForm form);

/// A value that the paper does not give.
struct Assumption {
  std::string value;   ///< the name of the value
  std::string choice;  ///< our choice
  std::string reason;
  std::optional<Value> alternative;  ///< the alternative, merged with the scenario
  std::string other;                 ///< the alternative in words; empty: none are given
  bool counts = true;                ///< a row whose criteria all hold with the alternative "holds with" it

  /// The alternative in words, or else as TOML if that is short. Requires an alternative.
  [[nodiscard]] std::string other_choice() const;
};

/// A criterion as it was before the row was amended: evaluated and shown, but the verdict does not depend on it.
struct FormerCriterion {
  RowExpression expression;  ///< has the name of the criterion that replaces it
  std::string reason;        ///< for the amendment
  bool replaced = false;     ///< by a criterion of this name; otherwise the row has no replacement
};

/// What one form of a row consists of.
struct RowSetup {
  bool exists = false;
  std::string differs;                ///< differences from the paper's setup, and why they preserve the claim; empty:
                                      ///< none
  Value scenario;                     ///< with its variants, without keys that do not belong to a scenario
  std::vector<std::string> variants;  ///< a single empty one if there are none
  std::vector<Sweep> sweeps;
  std::vector<std::uint64_t> seeds = {1};  ///< claim.seeds: a list, or N for 1 to N
  std::optional<Value> analysis;           ///< the [analysis] table of a row that is not a simulation

  [[nodiscard]] RunSpace space() const;
};

struct Row {
  std::string file;
  std::string text;    ///< text of the file
  std::string digest;  ///< of the evaluated parts and the files that they name, excluding descriptions, pictures and
                       ///< alternatives
  std::string id;      ///< "bfc/fig9"
  std::string title;
  std::string section;                  ///< section of the paper
  std::vector<std::string> ids;         ///< the row ids that it covers; at least `id`
  std::vector<std::string> needs;       ///< requirements other than schemes, by name: "the software switch"
  std::string cause;                    ///< why it does not hold, as shown by an experiment; empty: unknown
  std::vector<RowExpression> criteria;  ///< all must hold
  std::vector<FormerCriterion> formers;
  std::vector<RowExpression> figures;  ///< reported only
  std::vector<Picture> pictures;       ///< shown only
  std::vector<Assumption> assumed;
  RowSetup quick;  ///< exists if the file has a [quick] table
  RowSetup full;
  std::filesystem::path directory;  ///< base of relative paths in the scenario
  std::vector<std::string> errors;  ///< one line each; if there are any, nothing else is valid

  [[nodiscard]] bool ok() const { return errors.empty(); }
  [[nodiscard]] const RowSetup& setup(RowForm form) const { return form == RowForm::quick ? quick : full; }
};

/// Reads a file. `id` is the required id of the row.
Row load_row(const std::string& path, const std::string& id);
/// The same from text.
Row read_row(std::string_view text, const std::string& file, const std::filesystem::path& directory,
             const std::string& id);

/// Digests of the files that a scenario names, in its order.
std::string contents_of_files(const Value& scenario, const std::filesystem::path& directory);

/// The files of all rows below a folder as (id, path), sorted by id: "bfc/fig9" is bfc/fig9.toml.
std::vector<std::pair<std::string, std::string>> find_rows(const std::filesystem::path& folder);

}  // namespace weir
