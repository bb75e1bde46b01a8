// SPDX-License-Identifier: Apache-2.0
// Encoding of bytes as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

/// Base64 with padding (RFC 4648, section 4).
std::string base64(const std::vector<std::uint8_t>& bytes);

}  // namespace weir
