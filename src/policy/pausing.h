// SPDX-License-Identifier: Apache-2.0
// Which flow controls pause.
#pragma once

#include "policy/scheme.h"

namespace weir {

/// Whether a switch with this flow control pauses neighbours that obey it. A flow control whose control frames are
/// those of hosts, such as credits of receivers, does not.
inline bool pauses(const Scheme& scheme) {
  if (scheme.flow_control == nullptr) return false;
  return scheme.traits.pfc || (scheme.traits.protocol != 0 && scheme.traits.to_hosts != ControlSource::hosts);
}

}  // namespace weir
