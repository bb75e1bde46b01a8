// SPDX-License-Identifier: Apache-2.0
// Merging of configurations: variants into the base, and the command line into both.
#pragma once

#include <string>

#include "config/diagnostics.h"
#include "config/value.h"

namespace weir {

/// Merges `over` into `base`:
/// - tables are merged key by key; any other value replaces the existing one;
/// - two tables that differ in `scheme` or `kind` are not merged: `over` replaces `base`, because the parameters of one
///   scheme mean nothing to another;
/// - a table over a list of tables changes the elements that its keys identify: by `name` or `scheme`, or by index from
///   0.
/// `path` names `base` in messages.
void lay_over(Value& base, const Value& over, const std::string& path, Diagnostics& diagnostics);

/// Marks every value below as belonging to this variant's table.
void mark_variant(Value& value, const std::string& variant);

}  // namespace weir
