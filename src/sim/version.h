// The version that every result carries.
#pragma once

namespace weir {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace weir
