// SPDX-License-Identifier: Apache-2.0
// Common switch chips: their buffers and ports, as published.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "units/bit_rate.h"
#include "units/bytes.h"

namespace weir {

struct SwitchPreset {
  std::string_view name;  ///< as written in scenarios
  std::string_view chip;
  Bytes buffer;  ///< shared by all packets; published in MB, taken as 10^6 bytes
  int ports = 0;
  BitRate rate;             ///< of each of these ports, which can be split into slower ones
  std::string_view source;  ///< of buffer and ports

  [[nodiscard]] BitRate capacity() const { return rate * ports; }
};

/// All presets, by capacity.
std::span<const SwitchPreset> switch_presets();
/// The preset of this name, or nullptr.
const SwitchPreset* find_switch_preset(std::string_view name);
/// All presets as a Markdown page.
std::string switch_presets_page();

}  // namespace weir
