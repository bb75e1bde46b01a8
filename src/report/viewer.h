// SPDX-License-Identifier: Apache-2.0
// The viewer that CMake builds from report/.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace weir {

/// The page with kDataPlace as a placeholder for the data; empty if the program was built without the viewer.
[[nodiscard]] std::string_view report_viewer();

/// Occurs once in the page.
inline constexpr std::string_view kDataPlace = "{{weir report data}}";

/// `viewer` with the placeholder replaced by `data`, in a script element. Throws std::logic_error if there is no
/// placeholder.
std::string fill_viewer(std::string_view viewer, const nlohmann::json& data);

}  // namespace weir
