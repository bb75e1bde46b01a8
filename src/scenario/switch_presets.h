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
  std::string_view name;  ///< as scenarios write it
  std::string_view chip;
  Bytes buffer;  ///< of all packets; published in MB, taken as 10^6 bytes
  int ports = 0;
  BitRate rate;             ///< of each of these ports; they split into slower ones
  std::string_view source;  ///< of buffer and ports

  [[nodiscard]] BitRate capacity() const { return rate * ports; }
};

/// All of them, by capacity.
std::span<const SwitchPreset> switch_presets();
/// The preset of this name, or nullptr.
const SwitchPreset* find_switch_preset(std::string_view name);
/// They as a page of Markdown.
std::string switch_presets_page();

}  // namespace weir
