// The words that stand in a store's columns.
#pragma once

#include <array>
#include <string_view>

#include "results/run_record.h"
#include "results/summary.h"

namespace weir {

/// By FlowClass.
[[nodiscard]] inline std::string_view class_name(std::size_t flow_class) {
  return kFlowGroupNames[flow_class];
}

/// By FrameKind (wire/frame.h); never to change, as stores have them.
inline constexpr std::array<std::string_view, 9> kStoredFrameKinds{
    "data", "ack", "nack", "cnp", "pfc", "hop_control", "host_control", "mark", "datagram"};

}  // namespace weir
