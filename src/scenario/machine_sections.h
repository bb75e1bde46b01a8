// [switch] and [host]: how the machines are configured, and which schemes they run.
#pragma once

#include "fabric/settings.h"
#include "scenario/reader.h"
#include "wire/framing.h"

namespace weir {

SwitchSettings read_switch_section(Reader section);
HostSettings read_host_section(Reader section, Framing& framing);

/// Refuses what the schemes of one scenario cannot do together: two flow controls that classify, two schemes that claim
/// the same header bytes or the same notes of a frame. Names the slots in messages.
void check_combination(const SwitchSettings& switches, const HostSettings& hosts, Reader& root);

}  // namespace weir
