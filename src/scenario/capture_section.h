// SPDX-License-Identifier: Apache-2.0
// [capture]: links whose frames are captured.
#pragma once

#include "config/reader.h"
#include "fabric/settings.h"
#include "scenario/node_names.h"

namespace weir {

CaptureSettings read_capture_section(Reader section, const NodeNames& names);

}  // namespace weir
