// SPDX-License-Identifier: Apache-2.0
// The viewer that CMake builds from report/.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace weir {

/// The page with kDataPlace where the data go; empty when this program was built without it.
[[nodiscard]] std::string_view report_viewer();

/// Stands once in the page.
inline constexpr std::string_view kDataPlace = "{{weir report data}}";

/// `viewer` with `data` in their place, inside a script element. Throws std::logic_error when there is no place for
/// them.
std::string fill_viewer(std::string_view viewer, const nlohmann::json& data);

}  // namespace weir
