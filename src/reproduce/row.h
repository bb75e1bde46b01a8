// SPDX-License-Identifier: Apache-2.0
// A row of the ledger as a file: a scenario, what a paper claims of it, and by which criterion that holds.
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

/// Quick: shorter or smaller, so that a test suite can hold it. Full: the paper's scale.
enum class RowForm : std::uint8_t { quick, full };
std::string_view name_of(RowForm form);

/// A value that the paper does not state.
struct Assumption {
  std::string value;   ///< of what
  std::string choice;  ///< ours
  std::string reason;
  std::optional<Value> alternative;  ///< another choice, laid over the scenario
  std::string other;                 ///< the other choice in words; empty: none are given
  bool counts = true;                ///< a row whose criteria all hold with the other choice "holds with" it

  /// The other choice in words, or else as TOML where that is short. There has to be one.
  [[nodiscard]] std::string other_choice() const;
};

/// A criterion as it stood before the row was amended: evaluated and shown, but the verdict does not depend on it.
struct FormerCriterion {
  RowExpression expression;  ///< named as the criterion that replaces it
  std::string reason;        ///< for the change
  bool replaced = false;     ///< by a criterion of this name; else the row has none in its place
};

/// What one form of a row consists of.
struct RowSetup {
  bool exists = false;
  std::string differs;                ///< from the paper's setup, and why that keeps the claim; empty: nothing
  Value scenario;                     ///< with its variants, without what is not a scenario's
  std::vector<std::string> variants;  ///< one that is empty when there are none
  std::vector<Sweep> sweeps;
  std::vector<std::uint64_t> seeds = {1};  ///< claim.seeds: a list, or N for 1 to N
  std::optional<Value> analysis;           ///< the [analysis] table of a row that is no simulation

  [[nodiscard]] RunSpace space() const;
};

struct Row {
  std::string file;
  std::string text;    ///< of the file
  std::string digest;  ///< of what is evaluated and the files that it names: not of words, pictures, other choices
  std::string id;      ///< "bfc/fig9"
  std::string title;
  std::string section;                  ///< of the paper
  std::vector<std::string> ids;         ///< rows of the ledger that it stands for; `id` at least
  std::vector<std::string> needs;       ///< what must exist beside schemes, by name: "the software switch"
  std::string cause;                    ///< why it does not hold, as an experiment showed; empty: not known
  std::vector<RowExpression> criteria;  ///< all must hold
  std::vector<FormerCriterion> formers;
  std::vector<RowExpression> figures;  ///< reported only
  std::vector<Picture> pictures;       ///< shown only
  std::vector<Assumption> assumed;
  RowSetup quick;  ///< exists when the file has a [quick] table
  RowSetup full;
  std::filesystem::path directory;  ///< that paths in the scenario start from
  std::vector<std::string> errors;  ///< one line each; nothing else is valid when there are any

  [[nodiscard]] bool ok() const { return errors.empty(); }
  [[nodiscard]] const RowSetup& setup(RowForm form) const { return form == RowForm::quick ? quick : full; }
};

/// Reads a file. `id` is what the row must be called.
Row load_row(const std::string& path, const std::string& id);
/// The same from text.
Row read_row(std::string_view text, const std::string& file, const std::filesystem::path& directory,
             const std::string& id);

/// Digests of the files that a scenario names, in its order.
std::string contents_of_files(const Value& scenario, const std::filesystem::path& directory);

/// The files of all rows below a folder as (id, path), by id: "bfc/fig9" is bfc/fig9.toml.
std::vector<std::pair<std::string, std::string>> find_rows(const std::filesystem::path& folder);

}  // namespace weir
