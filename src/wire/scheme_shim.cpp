// SPDX-License-Identifier: Apache-2.0
#include "wire/scheme_shim.h"

#include <algorithm>

#include "wire/byte_order.h"

namespace weir {
namespace {

constexpr std::uint8_t kShimVersion = 1;
constexpr std::uint8_t kTrimmed = 1;

}  // namespace

WireResult<ParsedShim> parse_shim(std::span<const std::byte> bytes) {
  if (bytes.size() < kShimBytes) return WireError::truncated;
  const auto fixed = bytes.first<kShimBytes>();
  if (load_8<0>(fixed) != kShimVersion || (load_8<6>(fixed) & ~kTrimmed) != 0 || load_8<7>(fixed) != 0)
    return WireError::bad_shim;
  const std::optional<ExtensionField> extension = ExtensionField::decode(load_be16<2>(fixed));
  if (!extension) return WireError::bad_shim;
  const std::span<const std::byte> rest = bytes.subspan(kShimBytes);
  if (rest.size() < extension->bytes) return WireError::truncated;
  const bool trimmed = (load_8<6>(fixed) & kTrimmed) != 0;
  return ParsedShim{{load_8<1>(fixed), load_be16<4>(fixed), load_be32<8>(fixed), *extension, trimmed},
                    rest.first(extension->bytes)};
}

void emit_shim(const SchemeShim& shim, std::span<const std::byte> block, std::span<std::byte> out) {
  const auto fixed = out.first<kShimBytes>();
  store_8<0>(fixed, kShimVersion);
  store_8<1>(fixed, shim.protocol);
  store_be16<2>(fixed, shim.extension.encode());
  store_be16<4>(fixed, shim.tag);
  store_8<6>(fixed, shim.trimmed ? kTrimmed : std::uint8_t{0});
  store_8<7>(fixed, 0);
  store_be32<8>(fixed, shim.tag_value);
  std::copy_n(block.begin(), shim.extension.bytes, out.begin() + kShimBytes);
}

}  // namespace weir
