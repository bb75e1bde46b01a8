// SPDX-License-Identifier: Apache-2.0
#include "check/receive_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "config/quantity.h"
#include "fabric/fabric.h"

namespace weir {
namespace {

/// What the flow controls of a switch do for the receive buffer of a host behind it.
struct Protection {
  bool pauses = false;    ///< the NIC pauses the switch when the buffer fills
  bool adapts = false;    ///< ... early enough for any buffer
  std::int64_t need = 0;  ///< otherwise: in bytes, beyond what can arrive while a pause takes effect
  std::string refusal;    ///< why a flow control cannot; empty: none says so
};

Protection protection_of(const SwitchSettings& edge, BitRate drain, const Link& link) {
  const bool any_lossless = std::find(edge.lossless.begin(), edge.lossless.end(), true) != edge.lossless.end();
  Protection out;
  for (const PolicyChoice& choice : edge.flow_control) {
    if (choice.scheme == nullptr || choice.scheme->nic_flow_control == nullptr) continue;
    const std::unique_ptr<NicFlowControl> policy = choice.scheme->nic_flow_control(choice.parameters);
    if (!policy->watches_receive_buffer()) {
      if (!policy->receive_refusal().empty()) {
        out.refusal = fmt::format("{}: {}", choice.scheme->name, policy->receive_refusal());
      }
      continue;
    }
    if (choice.scheme->traits.pfc && !any_lossless) continue;  // it pauses lossless priorities
    const std::int64_t need = policy->receive_need(drain, link.rate, link.delay);
    out.pauses = true;
    out.adapts = out.adapts || need == 0;
    out.need = std::max(out.need, need);
  }
  return out;
}

std::string flow_control_key(const Settings& settings, SwitchId edge) {
  const SwitchGroup* group = settings.group_of(edge);
  return group != nullptr && group->flow_control ? fmt::format("switch.group.{}.flow_control", group->name)
                                                 : "switch.flow_control";
}

}  // namespace

void check_receive_buffers(const Settings& settings, CheckedVariant& out) {
  const Topology& topology = settings.network.topology;
  const std::int64_t frame = maximum_frame_bytes(settings);
  std::set<std::string> refused;
  std::set<std::string> small;
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
    const SwitchId edge = topology.edge_of(host);
    const Link& link = topology.link_at(topology.node_of(host), PortId(0));
    const Protection protection = protection_of(settings.switches_of(edge), buffer.drain_rate, link);
    if (!protection.pauses && !protection.refusal.empty()) {
      const std::string flow_control = flow_control_key(settings, edge);
      if (refused.insert(flow_control).second) out.errors.push_back({flow_control, protection.refusal});
    } else if (!protection.pauses) {
      if (unprotected.empty()) unprotected = name;
    } else if (!protection.adapts) {
      const std::int64_t coming = headroom_bytes({}, link, settings.network.framing, frame, Duration());
      const std::int64_t wanted = protection.need + coming;
      if (buffer.size.count() < wanted && small.insert(key).second) {
        out.warnings.push_back(fmt::format(
            "{}: the receive buffer of {} may drop frames although the host pauses its switch, because up to {} are in "
            "it or arrive by then; expected at least {}, or \"pfc\" as well",
            key, name, to_text(Bytes(wanted)), to_text(Bytes(wanted))));
      }
    }
  }
  if (unprotected.empty()) return;
  out.warnings.push_back(
      fmt::format("host {} has a receive buffer, but no flow control of its switch lets it pause the switch, so frames "
                  "are dropped when the buffer is full; expected another switch.flow_control",
                  unprotected));
}

}  // namespace weir
