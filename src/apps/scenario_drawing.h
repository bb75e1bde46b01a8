// SPDX-License-Identifier: Apache-2.0
// Draws the pictures that a scenario asks for.
#pragma once

#include <filesystem>

#include "pictures/scenario_pictures.h"

namespace weir::apps {

/// Writes the scenario's non-empty pictures into a folder of results. Returns false if one could not be written.
bool write_pictures(ScenarioPictures& pictures, const std::filesystem::path& folder);

}  // namespace weir::apps
