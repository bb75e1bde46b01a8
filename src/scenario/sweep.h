// SPDX-License-Identifier: Apache-2.0
// [[sweep]]: a value of a scenario that is varied, and the resulting runs. Used by scenarios and by the rows of
// reproduction/.
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
  std::vector<Value> written;  ///< the values as written in the file; for a range, in TOML notation
  std::optional<Value> set;    ///< merged with the scenario after {expressions} in its texts are replaced
  std::optional<Value> at;     ///< one table per value, by its label, merged with the scenario
};

/// Maximum number of values of a range or list.
inline constexpr std::size_t kMostSweepValues = 10'000;

/// Gives sweeps that have only a key the last part of it as their name, so that the command line can change them.
void name_sweeps(Value& campaign);

/// Reads the [[sweep]] tables of `root`. Errors go to its diagnostics; a sweep without values is omitted.
std::vector<Sweep> read_sweeps(Reader& root);

/// A value of a sweep for names and columns: as written, without quotes.
std::string value_text(const Sweep& sweep, std::size_t value);

/// Merges the values with these indices, one per sweep, into a scenario whose scheme slots are expanded.
void lay_sweeps(Value& root, const std::vector<Sweep>& sweeps, const std::vector<std::size_t>& values,
                Diagnostics& diagnostics);

/// Refuses sweeps that conflict with each other or with a variant: two that set the same key, one that sets a key of a
/// variant (`variants`: the table of them, or nullptr), and names of columns of the results.
void check_sweeps_apart(const std::vector<Sweep>& sweeps, const Value* variants, Diagnostics& diagnostics);

}  // namespace weir
