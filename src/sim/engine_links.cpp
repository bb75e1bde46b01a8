// Links that fail and come back while a run goes on.
#include <algorithm>
#include <utility>
#include <vector>

#include "sim/engine.h"

namespace weir {

void Engine::schedule_changes() {
  failures_of_link_.resize(fabric_.topology().links().size());
  known_failures_of_link_.resize(fabric_.topology().links().size());
  for (const LinkFailure& failure : settings_.network.failures) {
    for (const auto& [at, up] : {std::pair(failure.down, false), std::pair(failure.up, true)}) {
      if (at == Time::never()) continue;
      changes_.push_back({at, failure.link, up, false});
      // A link that is down from the start was never there for the controller.
      changes_.push_back({at == Time() ? at : at + settings_.network.failure_detection, failure.link, up, true});
    }
  }
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  if (!changes_.empty()) change_at_ = changes_.front().at;
}

void Engine::change_links() {
  bool reroute = false;
  while (next_change_ < changes_.size() && changes_[next_change_].at <= now_) {
    const Change& change = changes_[next_change_++];
    auto& failures = change.detected ? known_failures_of_link_ : failures_of_link_;
    int& count = failures[change.link.index()];
    count += change.up ? -1 : 1;
    if (count != (change.up ? 0 : 1)) continue;  // another failure of this link goes on
    if (change.detected) {
      reroute = true;
    } else {
      set_link(change.link, change.up);
    }
  }
  if (reroute) {
    std::vector<LinkId> down;
    for (std::size_t link = 0; link < known_failures_of_link_.size(); ++link) {
      if (known_failures_of_link_[link] > 0) down.push_back(LinkId(link));
    }
    fabric_.reroute(down);
  }
  change_at_ = next_change_ < changes_.size() ? changes_[next_change_].at : Time::never();
  hold_due();
  for (const Machine& machine : machines_) {
    set_next(machine.at != nullptr ? switches_ : hosts_, machine.number, machine.agenda.next());
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
    while (channel.head.exists()) {  // what was in flight is lost
      const FrameId frame = channel.head;
      channel.head = frames_[frame].next;
      pool_.release(frame);
      ++lost_[number];
    }
    channel.free_at = now_;
    if (Switch* at = machines_[node.index()].at; at != nullptr) {
      at->link(now_, port, up);
    } else {
      Nic& nic = *machines_[node.index()].nic;
      nic.link(now_, up);
      measurement_->on_nic_gates(nic, now_);
    }
    after(machines_[node.index()]);
  }
}

void Engine::forget_events(const Channel& channel) {
  machines_[channel.to_node].agenda.clear_arrival(channel.arrival_number);
  Machine& from = machines_[channel.from_node];
  from.agenda.clear_wire(from.wire_of[channel.from_port.index()]);
}

}  // namespace weir
