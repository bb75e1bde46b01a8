// SPDX-License-Identifier: Apache-2.0
// The objects printed by --json, which docs/campaigns.md describes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/verdict.h"
#include "results/summary.h"
#include "scenario/scenario.h"
#include "store/store.h"

namespace weir::apps {

/// Keys keep the order in which they were added.
using Json = nlohmann::ordered_json;

/// With a trailing line break. Invalid UTF-8 is replaced.
std::string json_text(const Json& value);

/// {"load": 0.8}: numbers if possible, otherwise texts.
Json json_of(const std::vector<RunParameter>& parameters);

/// For weir run and weir compare.
Json json_of_runs(const Scenario& scenario, const std::vector<RunSummary>& runs);
/// For weir runs.
Json json_of_store(const Store& store);
/// Of weir check: `checked` has what was found of each configuration, `recommended` the variant to paste. `links`: the
/// load of each link direction, and not only the highest from one tier to another.
Json json_of_check(const Scenario& scenario, const std::vector<CheckedVariant>& checked,
                   const std::vector<std::string>& errors, const Verdict& verdict, const std::string& recommended,
                   bool links);
/// Of weir list; of one scheme, of tables or of the presets when `name` is not empty, null when nothing has that name.
Json json_of_language(const std::string& name);

}  // namespace weir::apps
