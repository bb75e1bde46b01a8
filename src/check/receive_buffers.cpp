// SPDX-License-Identifier: Apache-2.0
#include "check/receive_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "config/quantity.h"
#include "fabric/fabric.h"

namespace weir {
namespace {

/// Whether the NIC of a host behind a switch with these settings pauses the switch when its receive buffer fills.
bool is_protected(const SwitchSettings& edge) {
  return std::any_of(edge.flow_control.begin(), edge.flow_control.end(), [](const PolicyChoice& choice) {
    return choice.scheme != nullptr && choice.scheme->nic_flow_control != nullptr &&
           choice.scheme->nic_flow_control(choice.parameters)->watches_receive_buffer();
  });
}

}  // namespace

void check_receive_buffers(const Settings& settings, CheckedVariant& out) {
  const Topology& topology = settings.network.topology;
  const std::int64_t frame = maximum_frame_bytes(settings);
  std::set<std::string> refused;
  std::string unprotected;
  for (std::size_t i = 0; i < topology.hosts(); ++i) {
    const HostId host(i);
    const ReceiveBuffer buffer = settings.receive_buffer_of(host);
    if (buffer.size == Bytes()) continue;
    const HostSettingsGroup* group = settings.group_of(host);
    const bool own = group != nullptr && group->receive_buffer;
    const std::string key = own ? fmt::format("host.group.{}.receive_buffer", group->name) : "host.receive_buffer";
    const std::string& name = topology.node(topology.node_of(host)).name;
    const std::int64_t headroom = receive_headroom(settings, host);
    const std::int64_t least = least_receive_buffer(headroom, frame);
    if (buffer.size.count() < least && refused.insert(key).second) {
      const std::string why = headroom == 0 ? std::string("the largest frame")
                                            : fmt::format("its headroom of {} and 3 frames of {}",
                                                          to_text(Bytes(headroom)), to_text(Bytes(frame)));
      out.errors.push_back({key, fmt::format("{}: is {}, expected at least {}, {}", name, to_text(buffer.size),
                                             to_text(Bytes(least)), why)});
    }
    if (unprotected.empty() && !is_protected(settings.switches_of(topology.edge_of(host)))) unprotected = name;
  }
  if (unprotected.empty()) return;
  out.warnings.push_back(
      fmt::format("host {} has a receive buffer, but no flow control of its switch lets it pause the switch, so frames "
                  "are dropped when the buffer is full; expected another switch.flow_control",
                  unprotected));
}

}  // namespace weir
