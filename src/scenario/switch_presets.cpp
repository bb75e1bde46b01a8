// SPDX-License-Identifier: Apache-2.0
#include "scenario/switch_presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/quantity.h"

namespace weir {
namespace {

using namespace weir::literals;

constexpr std::array kPresets = {
    SwitchPreset{"trident_plus", "Broadcom Trident+ (BCM56840)", 9_MB, 64, 10_Gbps,
                 "J. Warner, Packet Buffers, people.ucsc.edu/~warner/Bufs/trident"},
    SwitchPreset{"trident2", "Broadcom Trident II", 12_MB, 32, 40_Gbps,
                 "Zhu et al., SIGCOMM 2015 (DCQCN), section 4: 12 MB, 32 ports of 40 Gbit/s"},
    SwitchPreset{"tomahawk", "Broadcom Tomahawk; four cores, each with a fourth of the buffer", 16_MB, 32, 100_Gbps,
                 "J. Warner, Packet Buffers, people.ucsc.edu/~warner/Bufs/mellanox-spectrum"},
    SwitchPreset{"spectrum", "NVIDIA Spectrum (SN2700)", 16_MB, 32, 100_Gbps,
                 "J. Warner, Packet Buffers, people.ucsc.edu/~warner/Bufs/mellanox-spectrum"},
    SwitchPreset{"trident3", "Broadcom Trident 3 X7", 32_MB, 32, 100_Gbps,
                 "J. Warner, Packet Buffers, people.ucsc.edu/~warner/Bufs/trident3.html"},
    SwitchPreset{"tomahawk2", "Broadcom Tomahawk 2 (BCM56970)", 42_MB, 64, 100_Gbps,
                 "Packet Buffer Reference, port-buffers.forwardingplane.net/concepts/broadcom-tomahawk2"},
    SwitchPreset{"spectrum2", "NVIDIA Spectrum-2 (SN3700)", 42_MB, 32, 200_Gbps,
                 "Linley Newsletter, 31 July 2017 (ports); NVIDIA SN3000 data sheet: 42 MB"},
    SwitchPreset{"spectrum3", "NVIDIA Spectrum-3 (SN4700)", 64_MB, 32, 400_Gbps,
                 "Microwaves & RF, 24 March 2020 (ports); NVIDIA SN4000 data sheet: 64 MB"},
    SwitchPreset{"trident4", "Broadcom Trident 4 X11 (BCM56880)", 132_MB, 32, 400_Gbps,
                 "J. Warner, Packet Buffers, people.ucsc.edu/~warner/Bufs/Trident-4.html; Juniper QFX5130 data sheet"},
};

}  // namespace

std::span<const SwitchPreset> switch_presets() {
  return kPresets;
}

const SwitchPreset* find_switch_preset(std::string_view name) {
  const auto found = std::find_if(kPresets.begin(), kPresets.end(), [&](const auto& p) { return p.name == name; });
  return found == kPresets.end() ? nullptr : &*found;
}

std::string switch_presets_page() {
  std::string out =
      "\n## Presets of switches\n\n"
      "`preset = \"<name>\"` in `[switch]` or `[[switch.group]]` sets the buffer to that of a switch chip, unless "
      "`buffer` is "
      "given as well. A switch whose ports have a higher total rate than the chip is an error. Vendors rarely publish "
      "buffer "
      "sizes in data sheets; the last column names the source of each value.\n\n"
      "| preset | chip | buffer | ports | source |\n|---|---|---|---|---|\n";
  for (const SwitchPreset& preset : kPresets) {
    out += fmt::format("| `{}` | {} | {} | {} x {} | {} |\n", preset.name, preset.chip, to_text(preset.buffer),
                       preset.ports, to_text(preset.rate), preset.source);
  }
  return out;
}

}  // namespace weir
