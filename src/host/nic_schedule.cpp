// SPDX-License-Identifier: Apache-2.0
// Which queue pair sends next: pacing, windows, gates, rings.
#include <algorithm>
#include <bit>
#include <utility>

#include "host/nic.h"

namespace weir {

void Nic::reconsider(Sender& sender) {
  if (!may_send(sender) && !must_ask(sender)) return stand(sender, Standing::idle);
  // The wire is busy until wire_free_, so a queue pair that may send by then need not wait separately.
  if (sender.next_send > now_ && sender.next_send > wire_free_) {
    stand(sender, Standing::waiting);
    pacing_.arm(index(sender), sender.next_send);
    return;
  }
  if (sender.standing == Standing::held) return;  // until the gate opens
  stand(sender, Standing::ready);
}

void Nic::stand(Sender& sender, Standing standing) {
  if (sender.standing == standing) return;
  if (waits_ != nullptr) note_wait(sender);
  switch (sender.standing) {
    case Standing::ready:
      ring_remove(sender);
      break;
    case Standing::waiting:
      pacing_.cancel(index(sender));
      break;
    case Standing::held:
      if (sender.held_by != kNone) {  // unlink from the gate's list
        Gate& gate = gates_[sender.held_by];
        if (sender.previous != kNone) senders_.at(sender.previous).following = sender.following;
        if (sender.following != kNone) senders_.at(sender.following).previous = sender.previous;
        if (gate.held == index(sender)) gate.held = sender.following;
        sender.held_by = kNone;
      }
      --held_senders_;
      break;
    case Standing::idle:
      break;
  }
  sender.standing = standing;
  if (standing == Standing::held) ++held_senders_;
  if (standing == Standing::ready) {
    sender.ready_at = now_;
    ring_insert(sender);
  }
}

void Nic::ring_append(std::uint32_t& ring, Sender& sender) {
  const std::uint32_t self = index(sender);
  if (ring == kNone) {
    ring = sender.previous = sender.following = self;
    return;
  }
  Sender& first = senders_.at(ring);
  sender.following = ring;
  sender.previous = first.previous;
  senders_.at(first.previous).following = self;
  first.previous = self;
}

void Nic::ring_unlink(std::uint32_t& ring, Sender& sender) {
  if (sender.following == index(sender)) {
    ring = kNone;
  } else {
    senders_.at(sender.previous).following = sender.following;
    senders_.at(sender.following).previous = sender.previous;
    if (ring == index(sender)) ring = sender.following;
  }
  sender.previous = sender.following = kNone;
}

void Nic::ring_replace(std::uint32_t& ring, Sender& sender, Sender& by) {
  const std::uint32_t self = index(by);
  const bool alone = sender.following == index(sender);
  by.previous = alone ? self : sender.previous;
  by.following = alone ? self : sender.following;
  senders_.at(by.previous).following = self;
  senders_.at(by.following).previous = self;
  if (ring == index(sender)) ring = self;
  sender.previous = sender.following = kNone;
}

void Nic::ring_insert(Sender& sender) {
  if (Gate* gate = turns_of(sender); gate != nullptr) {
    if (gate->in_turn != kNone) return ring_append(gate->waiting, sender);
    gate->in_turn = index(sender);
    gate->deficit = quantum();
  }
  std::uint32_t& ring = ring_[sender.priority];
  const bool was_empty = ring == kNone;
  ring_append(ring, sender);
  if (was_empty) update_level(sender.priority);
  if (priority_closed_by_[sender.priority] == 0) became_ready_ = true;
}

void Nic::ring_remove(Sender& sender) {
  std::uint32_t& ring = ring_[sender.priority];
  if (Gate* gate = turns_of(sender); gate != nullptr) {
    if (gate->in_turn != index(sender)) return ring_unlink(gate->waiting, sender);
    if (gate->waiting != kNone) return pass_turn(*gate, sender);
    gate->in_turn = kNone;
  }
  ring_unlink(ring, sender);
  if (ring == kNone) update_level(sender.priority);
}

/// The next sender that waits for `gate` takes the position of `sender` in the ring.
void Nic::pass_turn(Gate& gate, Sender& sender) {
  Sender& next = senders_.at(gate.waiting);
  ring_unlink(gate.waiting, next);
  ring_replace(ring_[sender.priority], sender, next);
  gate.in_turn = index(next);
}

void Nic::update_level(Priority priority) {
  const bool open = priority_closed_by_[priority] == 0;
  const bool ready = (ring_[priority] != kNone && open) ||
                     (responses_[priority].head.exists() && (open || config_.acknowledgements_ignore_pause));
  const unsigned bit = 1u << place_of_[priority];
  ready_places_ = static_cast<std::uint8_t>(ready ? ready_places_ | bit : ready_places_ & ~bit);
  if (ready) became_ready_ = true;
}

void Nic::take_turn(Priority priority, std::int64_t bytes) {
  std::size_t place = place_of_[priority];
  const bool ready = (ready_places_ >> place & 1u) != 0;
  std::int64_t& deficit = deficit_[priority];
  deficit -= bytes;
  if (ready && deficit > 0) return;
  deficit = ready ? deficit + quantum() : quantum();
  const std::uint8_t level = config_.level_of_priority[priority];
  for (; place + 1 < kPriorities && config_.level_of_priority[priority_at_[place + 1]] == level; ++place) {
    std::swap(priority_at_[place], priority_at_[place + 1]);
    place_of_[priority_at_[place]] = static_cast<std::uint8_t>(place);
    const unsigned others = ready_places_ & ~(3u << place);
    const unsigned swapped = (ready_places_ >> place & 1u) << 1 | (ready_places_ >> (place + 1) & 1u);
    ready_places_ = static_cast<std::uint8_t>(others | swapped << place);
  }
  place_of_[priority] = static_cast<std::uint8_t>(place);
}

std::uint32_t Nic::blocking_gate(const Sender& sender) const {
  for (const GateId gate : sender.gates) {
    if (gate.exists() && !gates_[gate.index()].open) return gate.value;
  }
  return kNone;
}

/// After a frame of `bytes`: the gate continues while its share lasts. pick() has put it behind the others.
void Nic::take_turn(Gate& gate, Priority priority, std::int64_t bytes) {
  gate.deficit -= bytes;
  if (gate.in_turn == kNone) return;  // it starts with a new share
  if (gate.deficit > 0) {
    ring_[priority] = gate.in_turn;
  } else {
    gate.deficit += quantum();
  }
}

Nic::Sender* Nic::pick(Priority priority) {
  while (ring_[priority] != kNone) {
    Sender* best = &senders_.at(ring_[priority]);
    if (config_.shortest_remaining_first) {
      for (std::uint32_t at = best->following; at != ring_[priority]; at = senders_.at(at).following) {
        Sender& other = senders_.at(at);
        if (other.remaining() < best->remaining()) best = &other;
      }
    } else {
      ring_[priority] = best->following;
    }
    const std::uint32_t gate = blocking_gate(*best);
    Gate* const shared = turns_of(*best);
    if (best->closed_by == 0 && gate == kNone) {
      if (shared != nullptr && shared->waiting != kNone) {
        pass_turn(*shared, *best);
        ring_append(shared->waiting, *best);
      }
      return best;
    }
    stand(*best, Standing::held);
    if (shared != nullptr && shared->in_turn != kNone) ring_[priority] = shared->in_turn;  // its turn continues
    if (best->closed_by == 0) {
      best->held_by = gate;
      best->previous = kNone;
      best->following = gates_[gate].held;
      if (best->following != kNone) senders_.at(best->following).previous = index(*best);
      gates_[gate].held = index(*best);
    }
  }
  return nullptr;
}

bool Nic::holds_back_behind_gates() const {
  if (ready_places_ != 0 || control_head_.exists()) return false;
  if (held_senders_ > 0) return true;
  if (transport_ != nullptr && holds_back_from_transport()) return true;
  if (!some_priority_closed()) return false;
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    if (priority_closed_by_[priority] != 0 && (ring_[priority] != kNone || responses_[priority].head.exists())) {
      return true;
    }
  }
  return false;
}

// ---- gates ----

void Nic::set_gate(GateId id, bool open) {
  Gate& gate = gates_[id.index()];
  if (gate.open == open) return;
  gate.open = open;
  closed_ += open ? -1 : 1;
  if (observer_ != nullptr) observer_->on_gate(*this, id, open);
  while (open && gate.held != kNone) {
    Sender& sender = senders_.at(gate.held);
    stand(sender, Standing::idle);
    reconsider(sender);
  }
  if (transport_ != nullptr) transport_->on_gates(*this);
}

GateId Nic::take_gate() {
  std::vector<GateId>& spare = rare().spare_gates;
  if (spare.empty()) return GateId::none();
  const GateId gate = spare.back();
  spare.pop_back();
  return gate;
}

void Nic::return_gate(const NicFlowControl& policy, GateId gate) {
  set_gate(gate, true);
  if (gates_[gate.index()].members != 0) {
    senders_.for_each([&](Sender& sender) {
      if (std::find(sender.gates.begin(), sender.gates.end(), gate) != sender.gates.end()) {
        move_to_gate(sender, policy, GateId::none());
      }
    });
  }
  rare().spare_gates.push_back(gate);
}

void Nic::move_to_gate(SendState& state, const NicFlowControl& policy, GateId gate) {
  auto& sender = static_cast<Sender&>(state);
  std::size_t which = 0;
  while (policies_.flow_control[which].get() != &policy) ++which;
  const GateId before = sender.gates[which];
  if (before.exists()) --gates_[before.index()].members;
  if (gate.exists()) ++gates_[gate.index()].members;
  if (which == turns_by_ && sender.standing == Standing::ready) {
    ring_remove(sender);
    sender.gates[which] = gate;
    return ring_insert(sender);
  }
  sender.gates[which] = gate;
  if (before.exists() &&
      sender.held_by == before.value) {  // otherwise it is blocked, if at all, by another flow control
    stand(sender, Standing::idle);
    reconsider(sender);
  }
  if (transport_ != nullptr) transport_->on_gates(*this);
}

void Nic::set_gate(SendState& state, GateOwner owner, bool open) {
  auto& sender = static_cast<Sender&>(state);
  const unsigned bit = 1u << owner;
  const bool was_open = sender.closed_by == 0;
  sender.closed_by = static_cast<std::uint8_t>(open ? sender.closed_by & ~bit : sender.closed_by | bit);
  if (was_open != (sender.closed_by == 0)) {
    closed_ += was_open ? 1 : -1;
    if (observer_ != nullptr) observer_->on_sender_gate(*this, sender, !was_open);
  }
  if (sender.closed_by == 0 && sender.standing == Standing::held && sender.held_by == kNone) {
    stand(sender, Standing::idle);
    reconsider(sender);
  }
  if (transport_ != nullptr) transport_->on_gates(*this);
}

void Nic::set_priority_gate(Priority priority, GateOwner owner, bool open) {
  if (timer_slots_[priority].owner == owner) timers_.cancel(priority);
  const unsigned bit = 1u << owner;
  std::uint8_t& closed_by = priority_closed_by_[priority];
  const bool was_open = closed_by == 0;
  if (open && closed_by == bit) opened_at_[priority] = now_;
  const unsigned closed_by_now = open ? closed_by & ~bit : closed_by | bit;
  if (waits_ != nullptr) note_priority(priority, closed_by_now);
  closed_by = static_cast<std::uint8_t>(closed_by_now);
  update_level(priority);
  if (observer_ != nullptr && was_open != (closed_by == 0)) observer_->on_priority_gate(*this, priority, !was_open);
  if (transport_ != nullptr) transport_->on_gates(*this);
}

void Nic::close_priority_gate_until(Priority priority, GateOwner owner, Time until) {
  timer_slots_[priority].owner = owner;
  set_priority_gate(priority, owner, false);
  timers_.arm(priority, until);
}

}  // namespace weir
