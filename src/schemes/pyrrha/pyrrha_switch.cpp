// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/pyrrha_switch.h"

#include <algorithm>
#include <utility>

#include "schemes/pyrrha/hierarchical_switch.h"
#include "schemes/pyrrha/path_finder.h"
#include "schemes/pyrrha/single_tier_switch.h"

namespace weir::pyrrha {

std::unique_ptr<PyrrhaSwitch> PyrrhaSwitch::make(const Settings& settings) {
  if (settings.single_tier) return std::make_unique<SingleTierSwitch>(settings);
  return std::make_unique<HierarchicalSwitch>(settings);
}

void PyrrhaSwitch::attach(SwitchContext& context) {
  const std::size_t ports = context.ports();
  known_.resize(ports);
  at_port_.resize(ports);
  may_be_root_.resize(ports);
  pausable_.resize(ports);
  knows_hosts_ = !settings_.single_tier && context.paths() != nullptr && context.paths()->any_drains_slowly();
  const std::vector<bool> may_be_root = possible_roots(context, settings_);
  for (std::size_t egress = 0; egress < ports; ++egress) {
    const PortState& out = context.port(PortId(egress));
    may_be_root_[egress] = may_be_root[egress];
    pausable_[egress] = out.peer.protocols.has(kProtocol) && (!out.peer.is_host() || settings_.pauses_hosts);
  }
  note_thresholds(context);
  table_ = ActiveTable<Record>(settings_.roots);
  upstream_.attach(ports, ports + settings_.roots);
  attach_queues(queue_context(context));
}

void PyrrhaSwitch::note_thresholds(const SwitchContext& context) {
  std::vector<BitRate> rates;
  std::vector<Duration> delays;
  const auto class_of = [](auto& known, auto value) {
    const auto number = static_cast<std::uint16_t>(std::find(known.begin(), known.end(), value) - known.begin());
    if (number == known.size()) known.push_back(value);
    return number;
  };
  for (std::size_t port = 0; port < context.ports(); ++port) {
    rate_class_.push_back(class_of(rates, context.port(PortId(port)).rate));
    delay_class_.push_back(class_of(delays, context.port(PortId(port)).delay));
  }
  delay_classes_ = delays.size();
  for (const BitRate rate : rates) {
    for (const Duration delay : delays) {
      const auto product = static_cast<double>(hop_product(rate, delay));
      thresholds_.push_back({static_cast<std::int64_t>(settings_.pause_factor * product),
                             static_cast<std::int64_t>(settings_.resume_factor * product)});
    }
  }
}

// ---- packets ----

void PyrrhaSwitch::on_enter(SwitchContext& context, QueueId queue, Frame& frame) {
  if (!settings_.manages(frame) || !frame.ingress.exists()) return;
  const PortId egress = frame.egress;
  if (egress == frame.ingress || context.queue(queue).bytes <= pause_above(egress, frame.ingress)) {
    return;  // [PYRRHA-PATH-5]
  }
  const std::uint32_t number = queues_.number_of(queue);
  if (number == kNone) {
    if (queue != context.default_queue(egress, settings_.priority) || !may_be_root_[egress.index()]) return;
    grew(context, egress.index(), root_of(context.id(), egress), frame.ingress);  // [PYRRHA-ROOT-2]
    return;
  }
  grew_long(context, number, frame.ingress);  // [PYRRHA-TH-2]
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
  if (settings_.manages(frame)) lost(frame);
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

// ---- control frames ----

bool PyrrhaSwitch::on_control(SwitchContext& context, PortId port, const Frame& frame) {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return false;
  const std::optional<Message> message = read_message(frame);
  const Peer& peer = context.port(port).peer;
  if (!message || !peer.protocols.has(kProtocol) || !may_send(context, peer, *message)) {
    ++refused_;
    return true;
  }
  QueueContext& actions = queue_context(context);
  if (message->kind == Kind::deallocate) {
    heard_deallocate(actions, port, message->root);
  } else if (message->kind == Kind::pause) {
    heard_pause(actions, port, message->root);
  } else if (message->kind == Kind::resume) {
    heard_resume(actions, port, message->root);
  } else {
    heard_merge(actions, port, message->root, message->successor);
  }
  return true;
}

// Hosts deallocate, and are roots if they drain slowly; then they speak of themselves, and switches speak of them. With
// one tier hosts are no roots, but what ends pauses is heard: neighbours with levels know them. [PYRRHA-ONE-9]
bool PyrrhaSwitch::may_send(const SwitchContext& context, const Peer& peer, const Message& message) const {
  if (message.kind == Kind::deallocate) return true;
  const auto is_slow = [&](Root root) {
    return context.paths() != nullptr && context.paths()->drains_slowly(host_in(root));
  };
  if (peer.is_host()) {  // read_message() has refused MERGE of it
    return knows_hosts_ && message.root == root_of(peer.host) && is_slow(message.root);
  }
  const Root named = message.kind == Kind::merge ? message.successor : message.root;
  return !is_host(named) || (is_slow(named) && (knows_hosts_ || message.kind != Kind::pause));
}

bool PyrrhaSwitch::is_own(const SwitchContext& context, Root root) {
  if (!is_host(root)) return switch_in(root) == context.id().value;
  for (std::size_t port = 0; port < context.ports(); ++port) {
    const Peer& peer = context.port(PortId(port)).peer;
    if (peer.is_host() && peer.host == host_in(root)) return true;
  }
  return false;
}

// [PYRRHA-FRAME-4]
std::optional<ControlVerdict> PyrrhaSwitch::judge(const SwitchContext& context, PortId port, const Frame& frame) const {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return std::nullopt;
  const Peer& peer = context.port(port).peer;
  if (!peer.protocols.has(kProtocol)) return ControlVerdict::not_spoken;
  const std::optional<Message> message = read_message(frame);
  if (!message) return ControlVerdict::malformed;
  if (peer.is_host() && !may_send(context, peer, *message)) return ControlVerdict::wrong_neighbour;
  const auto exists = [&](Root root) {
    if (is_host(root)) return context.paths() != nullptr && context.paths()->drains_slowly(host_in(root));
    return context.paths() == nullptr || context.paths()->exists({SwitchId(switch_in(root)), PortId(port_in(root))});
  };
  const bool has_target = exists(message->root) && (message->kind != Kind::merge || exists(message->successor));
  return has_target ? ControlVerdict::accepted : ControlVerdict::no_target;
}

void PyrrhaSwitch::heard_pause(QueueContext& context, PortId port, Root root) {
  if (!context.port(port).peer.is_host() && is_own(context, root)) {  // [PYRRHA-ROOT-3]
    ++looped_;
    return;
  }
  const std::uint32_t known = table_.find({port, root});
  if (known != kNone) {
    set_state(context, known, State::paused);
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
  at_port_[port.index()].add(1);
  records_.add(1);
  // [PYRRHA-MERGE-1]
  if (settings_.merges) give_up(context, port.index(), root_of(context.id(), port), root);
}

void PyrrhaSwitch::heard_resume(QueueContext& context, PortId port, Root root) {
  const std::uint32_t number = table_.find({port, root});
  if (number == kNone) return upstream_.say_deallocated(context, port, root);  // [PYRRHA-FRAME-5]
  if (table_[number].state != State::paused) return;
  set_state(context, number, State::resumed);
  forget_if_done(context, number);
}

// [PYRRHA-MERGE-3]
void PyrrhaSwitch::heard_merge(QueueContext& context, PortId port, Root root, Root successor) {
  const std::uint32_t number = table_.find({port, root});
  if (number == kNone) return upstream_.say_deallocated(context, port, root);  // [PYRRHA-FRAME-5]
  set_state(context, number, State::merging);
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

void PyrrhaSwitch::set_state(QueueContext& context, std::uint32_t number, State state) {
  const State before = std::exchange(table_[number].state, state);
  if (before != state) changed(context, number, before);
}

// [PYRRHA-MERGE-2] All neighbours that belong to the tree of the old root are told.
void PyrrhaSwitch::give_up(SwitchContext& context, std::size_t anchor, Root root, Root successor) {
  if (anchor < known_.size()) {
    if (!upstream_.has_paused_any(anchor)) return;
    roots_.add(-1);
    ++given_up_;
    context.note_merge(root, successor);
  }
  upstream_.for_each_child(anchor, [&](PortId ingress) {
    upstream_.merge(context, anchor, root, successor, ingress, paused_elsewhere(root, ingress, anchor));
  });
}

void PyrrhaSwitch::forget_if_done(QueueContext& context, std::uint32_t number) {
  const Record& record = table_[number];
  if (record.state == State::paused || !is_empty(context, record)) return;
  if (upstream_.has_children(anchor_of(number))) return;
  const PortId port = record.key.port;
  const Root root = record.key.root;
  forget(context, number);
  upstream_.say_deallocated(context, port, root);  // [PYRRHA-FRAME-3]
}

void PyrrhaSwitch::forget(QueueContext& context, std::uint32_t number) {
  Record& record = table_[number];
  unassign(context, number);
  record.in_use = false;
  --known_[record.key.port.index()];
  at_port_[record.key.port.index()].add(-1);
  records_.add(-1);
  table_.erase(number);
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
