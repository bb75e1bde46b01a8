// SPDX-License-Identifier: Apache-2.0
// The texts used in a store's columns.
#pragma once

#include <string_view>

#include "results/run_record.h"
#include "results/summary.h"

namespace weir {

/// By FlowClass.
[[nodiscard]] inline std::string_view class_name(std::size_t flow_class) {
  return kFlowGroupNames[flow_class];
}

}  // namespace weir
