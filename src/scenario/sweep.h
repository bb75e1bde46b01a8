// SPDX-License-Identifier: Apache-2.0
// [[sweep]]: a value of a scenario that is varied, and the runs that follow. Scenarios and rows of the ledger have
// them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/value.h"
#include "expressions/figure.h"

namespace weir {

class Reader;

/// One [[sweep]] table.
struct Sweep {
  std::string name;
  Origin origin;
  std::vector<Figure> values;
  std::vector<Value> written;  ///< the values as they stand in the file; of a range as TOML would have them
  std::optional<Value> set;    ///< laid over the scenario, {expressions} in its texts filled in
  std::optional<Value> at;     ///< a table for each value by its label, laid over the scenario
};

/// A range has at most so many values, and so has a list.
inline constexpr std::size_t kMostSweepValues = 10'000;

/// Gives sweeps that have only a key its last part as their name, by which the command line may then change them.
void name_sweeps(Value& campaign);

/// Reads the [[sweep]] tables of `root`. What is wrong goes to its diagnostics; a sweep without values is left out.
std::vector<Sweep> read_sweeps(Reader& root);

/// A value of a sweep for names and columns: as it was written, without quotes.
std::string value_text(const Sweep& sweep, std::size_t value);

/// Lays the values with these numbers, one per sweep, over a scenario whose scheme slots are written out.
void lay_sweeps(Value& root, const std::vector<Sweep>& sweeps, const std::vector<std::size_t>& values,
                Diagnostics& diagnostics);

/// Refuses sweeps that would undo each other or a variant: two that set the same key, one that sets a key of a variant
/// (`variants`: the table of them, or nullptr), and names that columns of results have.
void check_sweeps_apart(const std::vector<Sweep>& sweeps, const Value* variants, Diagnostics& diagnostics);

}  // namespace weir
