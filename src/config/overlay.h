// SPDX-License-Identifier: Apache-2.0
// Laying one configuration over another: variants over the base, the command line over both.
#pragma once

#include <string>

#include "config/diagnostics.h"
#include "config/value.h"

namespace weir {

/// Lays `over` over `base`:
/// - tables merge, key by key; anything else replaces what was there;
/// - two tables that differ in `scheme` or `kind` do not merge: the upper replaces the lower, for the parameters of one
///   scheme mean nothing to another;
/// - a table over a list of tables changes the elements its keys name: by their `name` or `scheme`, or by their number
///   from 0.
/// `path` names `base` in messages.
void lay_over(Value& base, const Value& over, const std::string& path, Diagnostics& diagnostics);

/// Notes of every value below that it stands in this variant's table.
void mark_variant(Value& value, const std::string& variant);

}  // namespace weir
