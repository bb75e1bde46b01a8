// SPDX-License-Identifier: Apache-2.0
// Digests: of texts, and the notation of those of runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// 16 hexadecimal digits, lower case, leading zeros kept.
inline std::string format_digest(std::uint64_t digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (auto at = text.rbegin(); at != text.rend(); ++at, digest >>= 4) *at = kDigits[digest & 15];
  return text;
}

/// 16 hexadecimal digits of a hash over a text: 64-bit FNV-1a. Distinguishes texts, but gives no protection against
/// deliberate collisions.
inline std::string content_digest(std::string_view text) {
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return format_digest(digest);
}

}  // namespace weir
