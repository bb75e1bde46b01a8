// How a run's digest is written.
#pragma once

#include <cstdint>
#include <string>

namespace weir {

/// 16 hexadecimal digits, lower case, leading zeros kept.
inline std::string format_digest(std::uint64_t digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (auto at = text.rbegin(); at != text.rend(); ++at, digest >>= 4) *at = kDigits[digest & 15];
  return text;
}

}  // namespace weir
