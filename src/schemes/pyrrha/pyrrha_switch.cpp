// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/pyrrha_switch.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weir::pyrrha {

void PyrrhaSwitch::attach(SwitchContext& context) {
  const std::size_t ports = context.ports();
  known_.resize(ports);
  may_be_root_.resize(ports);
  pausable_.resize(ports);
  pause_above_.resize(ports * ports);
  resume_below_.resize(ports * ports);
  std::vector<std::uint8_t> levels;
  for (std::size_t egress = 0; egress < ports; ++egress) {
    const PortState& out = context.port(PortId(egress));
    may_be_root_[egress] = !settings_.last_hop_only || out.peer.is_host();
    pausable_[egress] = out.peer.protocols.has(kProtocol) && (!out.peer.is_host() || settings_.pauses_hosts);
    levels.push_back(static_cast<std::uint8_t>(longest_path(context, PortId(egress), settings_.last_hop_only)));
    for (std::size_t ingress = 0; ingress < ports; ++ingress) {
      const auto product = static_cast<double>(hop_product(out, context.port(PortId(ingress))));
      pause_above_[egress * ports + ingress] = static_cast<std::int64_t>(settings_.pause_factor * product);
      resume_below_[egress * ports + ingress] = static_cast<std::int64_t>(settings_.resume_factor * product);
    }
  }
  table_ = ActiveTable<Record>(settings_.roots);
  queues_.attach(queue_context(context), std::move(levels));
  first_user_.assign(queues_.size(), kNone);
  order_ = FlowOrder(settings_.flows);
  upstream_.attach(ports, ports + settings_.roots);
}

// ---- packets ----

// [PYRRHA-IQ-3] From near to far: of the roots on the packet's path, the one whose level comes first. [PYRRHA-MERGE-4]
// A root in soft merging counts, too, until its queue is empty, so packets stay behind their predecessors.
std::uint32_t PyrrhaSwitch::next_queue(QueueContext& context, const Frame& frame, std::size_t level) {
  if (known_[frame.egress.index()] == 0) return kNone;
  OnwardPath hops;
  const std::size_t count = find_path(context, frame, settings_.last_hop_only, hops);
  std::uint32_t nearest = kNone;
  for (std::size_t hop = 0; hop < count; ++hop) {
    const std::uint32_t number = table_.find({frame.egress, root_of(hops[hop])});
    if (number == kNone) continue;
    if (table_[number].queue == kNone) assign_queue(context, number, hop);
    const std::uint32_t queue = table_[number].queue;
    if (queues_[queue].level < level) continue;
    if (nearest == kNone || queues_[queue].level < queues_[nearest].level) nearest = queue;
  }
  // [PYRRHA-ORDER-1] Not past its predecessors, if routes have changed since these came.
  const std::uint32_t ahead = order_.ahead(frame, level);
  if (ahead == kNone) return nearest;
  return nearest != kNone && queues_[nearest].level < queues_[ahead].level ? nearest : ahead;
}

QueueId PyrrhaSwitch::join(const SwitchContext& context, Frame& frame, std::uint32_t queue) {
  if (queue == kNone) return context.default_queue(frame.egress, frame.priority);
  order_.enter(frame, queue, queues_[queue].level);
  return queues_[queue].queue;
}

QueueId PyrrhaSwitch::arrive(QueueContext& context, Frame& frame) {
  order_.leave(frame);  // if it was trimmed in a queue
  frame.own = 0;
  return join(context, frame, next_queue(context, frame, 0));
}

void PyrrhaSwitch::assign_queue(QueueContext& context, std::uint32_t number, std::size_t level) {
  Record& record = table_[number];
  record.queue = queues_.assign(context, record.key.port, record.key.root, level);
  record.next = std::exchange(first_user_[record.queue], number);
  if (record.state == State::paused) queues_.set_paused(context, record.queue, true);
}

QueueId PyrrhaSwitch::on_leave(QueueContext& context, QueueId queue, Frame& frame) {
  ++isolated_;
  const std::uint32_t number = queues_.number_of(queue);
  const std::size_t level = queues_[number].level;
  order_.leave(frame);
  shrank(context, number);
  return join(context, frame, next_queue(context, frame, level + 1));
}

void PyrrhaSwitch::on_enter(SwitchContext& context, QueueId queue, Frame& frame) {
  if (!settings_.manages(frame) || !frame.ingress.exists()) return;
  const PortId egress = frame.egress;
  if (context.queue(queue).bytes <= pause_above(egress, frame.ingress)) return;
  const std::uint32_t number = queues_.number_of(queue);
  if (number == kNone) {
    if (queue != context.default_queue(egress, settings_.priority) || !may_be_root_[egress.index()]) return;
    grew(context, egress.index(), root_of(context.id(), egress), frame.ingress);  // [PYRRHA-ROOT-2]
    return;
  }
  // [PYRRHA-TH-2]
  for (std::uint32_t user = first_user_[number]; user != kNone; user = table_[user].next) {
    if (table_[user].state != State::merging) grew(context, anchor_of(user), table_[user].key.root, frame.ingress);
  }
}

void PyrrhaSwitch::on_depart(SwitchContext& context, QueueId queue, Frame& frame) {
  const PortId egress = frame.egress;
  if (!is_root(egress) || queue != context.default_queue(egress, settings_.priority)) return;
  shrank(context, egress.index(), root_of(context.id(), egress), egress, context.queue(queue).bytes);
}

// The frame's place in the order of its flow ends in arrive() or on_drop().
void PyrrhaSwitch::on_withdraw(SwitchContext& context, QueueId queue, Frame& frame) {
  if (!settings_.manages(frame)) return;
  const std::uint32_t number = queues_.number_of(queue);
  if (number != kNone) {
    shrank(context, number);
  } else {
    on_depart(context, queue, frame);
  }
}

// The queue of a lost packet is not known; losses of queued packets are rare. Those with a link: on_link().
void PyrrhaSwitch::on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) {
  if (settings_.manages(frame)) order_.forget(frame);
  if (frame.charged_bytes == 0 || reason == DropReason::link_down || reason == DropReason::corrupt) return;
  const PortId egress = frame.egress;
  const std::int64_t bytes = context.queue(context.default_queue(egress, settings_.priority)).bytes;
  shrank(context, egress.index(), root_of(context.id(), egress), egress, bytes);
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    if (queues_[number].port == egress) shrank(context, number);
  }
}

bool PyrrhaSwitch::paused_elsewhere(Root root, PortId ingress, std::size_t anchor) const {
  for (std::size_t port = 0; port < known_.size(); ++port) {
    if (known_[port] == 0) continue;
    const std::uint32_t number = table_.find({PortId(port), root});
    if (number != kNone && anchor_of(number) != anchor && upstream_.has_paused(anchor_of(number), ingress)) return true;
  }
  return false;
}

void PyrrhaSwitch::grew(SwitchContext& context, std::size_t anchor, Root root, PortId ingress) {
  if (upstream_.has_paused(anchor, ingress) || !pausable_[ingress.index()]) return;
  if (anchor < known_.size() && !upstream_.has_paused_any(anchor)) roots_.add(1);
  upstream_.pause(context, anchor, root, ingress, paused_elsewhere(root, ingress, anchor));
}

// [PYRRHA-TH-3]
void PyrrhaSwitch::shrank(SwitchContext& context, std::size_t anchor, Root root, PortId egress, std::int64_t bytes) {
  if (!upstream_.has_paused_any(anchor)) return;
  upstream_.for_each_paused(anchor, [&](PortId ingress) {
    if (bytes != 0 && bytes >= resume_below(egress, ingress)) return;
    upstream_.resume(context, anchor, root, ingress, paused_elsewhere(root, ingress, anchor));
  });
  if (anchor < known_.size() && !upstream_.has_paused_any(anchor)) roots_.add(-1);
}

void PyrrhaSwitch::shrank(SwitchContext& context, std::uint32_t queue) {
  const std::int64_t bytes = context.queue(queues_[queue].queue).bytes;
  for (std::uint32_t user = first_user_[queue], next = kNone; user != kNone; user = next) {
    next = table_[user].next;
    shrank(context, anchor_of(user), table_[user].key.root, table_[user].key.port, bytes);
    forget_if_done(queue_context(context), user);
  }
}

// ---- control frames ----

bool PyrrhaSwitch::on_control(SwitchContext& context, PortId port, const Frame& frame) {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return false;
  const std::optional<Message> message = read_message(frame);
  if (!message || !context.port(port).peer.protocols.has(kProtocol)) return true;
  QueueContext& actions = queue_context(context);
  if (message->kind == Kind::deallocate) {
    heard_deallocate(actions, port, message->root);
  } else if (context.port(port).peer.is_host()) {
    // [PYRRHA-FRAME-2] Hosts are no roots.
  } else if (message->kind == Kind::pause) {
    heard_pause(actions, port, message->root);
  } else if (message->kind == Kind::resume) {
    heard_resume(actions, port, message->root);
  } else {
    heard_merge(actions, port, message->root, message->successor);
  }
  return true;
}

void PyrrhaSwitch::heard_pause(QueueContext& context, PortId port, Root root) {
  if (switch_in(root) == context.id().value) {  // [PYRRHA-ROOT-3]
    ++looped_;
    return;
  }
  const std::uint32_t known = table_.find({port, root});
  if (known != kNone) {
    set_state(context, table_[known], State::paused);
    return;
  }
  const std::uint32_t number = table_.insert({port, root});
  if (number == kNone) {  // [PYRRHA-TABLE-2]
    ++unheeded_;
    return;
  }
  Record& record = table_[number];
  record.state = State::paused;
  record.in_use = true;
  record.queue = record.next = kNone;
  ++known_[port.index()];
  records_.add(1);
  // [PYRRHA-MERGE-1]
  if (settings_.merges) give_up(context, port.index(), root_of(context.id(), port), root);
}

void PyrrhaSwitch::heard_resume(QueueContext& context, PortId port, Root root) {
  const std::uint32_t number = table_.find({port, root});
  if (number == kNone || table_[number].state != State::paused) return;
  set_state(context, table_[number], State::resumed);
  forget_if_done(context, number);
}

// [PYRRHA-MERGE-3]
void PyrrhaSwitch::heard_merge(QueueContext& context, PortId port, Root root, Root successor) {
  const std::uint32_t number = table_.find({port, root});
  if (number == kNone) return;
  set_state(context, table_[number], State::merging);
  give_up(context, anchor_of(number), root, successor);
  forget_if_done(context, number);
}

void PyrrhaSwitch::heard_deallocate(QueueContext& context, PortId port, Root root) {
  if (switch_in(root) == context.id().value) {
    if (port_in(root) < known_.size()) upstream_.deallocate(port_in(root), port);
    return;
  }
  for (std::size_t egress = 0; egress < known_.size(); ++egress) {
    const std::uint32_t number = table_.find({PortId(egress), root});
    if (number == kNone) continue;
    upstream_.deallocate(anchor_of(number), port);
    forget_if_done(context, number);
  }
}

void PyrrhaSwitch::set_state(QueueContext& context, Record& record, State state) {
  const bool was_paused = record.state == State::paused;
  record.state = state;
  if (record.queue == kNone || was_paused == (state == State::paused)) return;
  queues_.set_paused(context, record.queue, !was_paused);
}

// [PYRRHA-MERGE-2] All neighbours that belong to the tree of the old root are told.
void PyrrhaSwitch::give_up(SwitchContext& context, std::size_t anchor, Root root, Root successor) {
  if (anchor < known_.size()) {
    if (!upstream_.has_paused_any(anchor)) return;
    roots_.add(-1);
    ++given_up_;
  }
  upstream_.for_each_child(anchor, [&](PortId ingress) {
    upstream_.merge(context, anchor, root, successor, ingress, paused_elsewhere(root, ingress, anchor));
  });
}

void PyrrhaSwitch::forget_if_done(QueueContext& context, std::uint32_t number) {
  const Record& record = table_[number];
  if (record.state == State::paused || bytes_of(context, record) != 0) return;
  if (upstream_.has_children(anchor_of(number))) return;
  const PortId port = record.key.port;
  const Root root = record.key.root;
  forget(context, number);
  upstream_.say_deallocated(context, port, root);  // [PYRRHA-FRAME-3]
}

void PyrrhaSwitch::forget(QueueContext& context, std::uint32_t number) {
  Record& record = table_[number];
  if (record.queue != kNone) {
    if (record.state == State::paused) queues_.set_paused(context, record.queue, false);
    std::uint32_t* link = &first_user_[record.queue];
    while (*link != number) link = &table_[*link].next;
    *link = record.next;
    queues_.give_up(context, record.queue);
  }
  record.in_use = false;
  --known_[record.key.port.index()];
  records_.add(-1);
  table_.erase(number);
}

std::int64_t PyrrhaSwitch::bytes_of(const SwitchContext& context, const Record& record) const {
  return record.queue == kNone ? 0 : context.queue(queues_[record.queue].queue).bytes;
}

// ---- links ----

void PyrrhaSwitch::on_link(SwitchContext& context, PortId port, bool /*up*/) {
  QueueContext& actions = queue_context(context);
  // [PYRRHA-LINK-1] As an egress: its queues are empty, and what it was a root of or knew of roots is void.
  shrank(context, port.index(), root_of(context.id(), port), port, 0);
  upstream_.clear_children(port.index());
  for (std::uint32_t number = 0; number < table_.size(); ++number) {
    if (!table_[number].in_use || table_[number].key.port != port) continue;
    shrank(context, anchor_of(number), table_[number].key.root, port, 0);
    upstream_.clear_children(anchor_of(number));
    forget(actions, number);
  }
  // [PYRRHA-LINK-2] As an ingress: its neighbour has forgotten what it was told.
  for (std::size_t egress = 0; egress < known_.size(); ++egress) {
    if (!upstream_.forget(egress, port)) continue;
    context.note_hop_pause(port, root_of(context.id(), PortId(egress)), false);
    if (!upstream_.has_paused_any(egress)) roots_.add(-1);
  }
  for (std::uint32_t number = 0; number < table_.size(); ++number) {
    if (!table_[number].in_use) continue;
    const Root root = table_[number].key.root;
    if (upstream_.forget(anchor_of(number), port) && !paused_elsewhere(root, port, anchor_of(number))) {
      context.note_hop_pause(port, root, false);
    }
    forget_if_done(actions, number);
  }
}

}  // namespace weir::pyrrha
