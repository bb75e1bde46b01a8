// SPDX-License-Identifier: Apache-2.0
// Link failures and restorations during a run.
#include <utility>

#include "sim/engine.h"

namespace weir {

void Engine::change_links() {
  const auto down = link_changes_.advance(now_, [this](LinkId link, bool up) { set_link(link, up); });
  if (down) {
    measurement_->end_window();  // gates changed so far under the old routes
    fabric_.reroute(*down);
  }
  hold_due();
  for (const NodeState& node : nodes_) {
    set_next(node.at != nullptr ? switches_ : hosts_, node.number, node.agenda.next());
  }
}

void Engine::set_link(LinkId id, bool up) {
  const Link& link = fabric_.topology().link(id);
  for (const auto& [node, port] : {std::pair(link.a, link.a_port), std::pair(link.b, link.b_port)}) {
    const std::uint32_t number = fabric_.channel(node, port);
    Channel& channel = channels_[number];
    channel.up = up;
    forget_events(channel);
    channel.waits = false;
    while (channel.head.exists()) {  // frames in flight are lost
      const FrameId frame = channel.head;
      channel.head = frames_[frame].next;
      pool_.release(frame);
      ++lost_[number];
    }
    channel.free_at = now_;
    if (Switch* at = nodes_[node.index()].at; at != nullptr) {
      at->link(now_, port, up);
    } else {
      nodes_[node.index()].nic->link(now_, up);
    }
    after(nodes_[node.index()]);
  }
}

void Engine::forget_events(const Channel& channel) {
  nodes_[channel.to_node].agenda.clear_arrival(channel.arrival_number);
  NodeState& from = nodes_[channel.from_node];
  from.agenda.clear_wire(from.wire_of[channel.from_port.index()]);
}

}  // namespace weir
