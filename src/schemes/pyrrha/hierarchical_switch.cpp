// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/hierarchical_switch.h"

#include <algorithm>
#include <utility>

#include "schemes/pyrrha/path_finder.h"

namespace weir::pyrrha {

void HierarchicalSwitch::attach_queues(QueueContext& context) {
  std::vector<std::uint8_t> levels;
  for (std::size_t port = 0; port < context.ports(); ++port) {
    levels.push_back(static_cast<std::uint8_t>(levels_of(context, PortId(port), settings_.last_hop_only)));
  }
  queues_.attach(context, std::move(levels));
  first_user_.assign(queues_.size(), kNone);
  order_ = FlowOrder(settings_.flows);
}

// [PYRRHA-IQ-3] Of the roots on the packet's path, the one whose queue comes first. [PYRRHA-MERGE-4] A root in soft
// merging counts, too, until its queue is empty, so packets stay behind their predecessors.
std::uint32_t HierarchicalSwitch::next_queue(QueueContext& context, const Frame& frame, Position from) {
  if (known_[frame.egress.index()] == 0) return kNone;
  // The hosts' level is the last one.
  const std::size_t levels = queues_.levels(frame.egress) - (knows_hosts_ ? 1u : 0u);
  std::uint32_t nearest = kNone;
  Position first = ~Position{0};
  const auto consider = [&](std::uint32_t queue) {
    const Position at = position_of(queue);
    if (at < from || at >= first) return;
    nearest = queue;
    first = at;
  };
  const auto meet = [&](Root root, std::size_t level) {
    const std::uint32_t number = table_.find({frame.egress, root});
    if (number == kNone) return;
    if (table_[number].queue == kNone) assign_queue(context, number, level);
    consider(table_[number].queue);
  };
  const bool leaves = for_each_hop(context, frame, settings_.last_hop_only, [&](const Hop& hop, std::size_t distance) {
    meet(root_of(hop), std::min(distance, levels - 1));
    return false;
  });
  // [PYRRHA-ROOT-4] at the last level of the port; [PYRRHA-PATH-4]
  if (knows_hosts_ && leaves) meet(root_of(frame.destination), kMostLevels);
  // [PYRRHA-ORDER-1] Not past its predecessors, if routes have changed since these came.
  if (keeps_order_) order_.for_each_queue(frame, consider);
  return nearest;
}

QueueId HierarchicalSwitch::join(const SwitchContext& context, Frame& frame, std::uint32_t queue) {
  if (queue == kNone) return context.default_queue(frame.egress, frame.priority);
  if (keeps_order_) {
    order_.enter(frame, queue);
  } else {
    FlowOrder::note(frame, queue);
  }
  if (context.keeps_statistics()) note_held(context, frame, queue);
  return queues_[queue].queue;
}

void HierarchicalSwitch::note_held(const SwitchContext& context, const Frame& frame, std::uint32_t queue) {
  for (std::uint32_t user = first_user_[queue]; user != kNone; user = table_[user].next) {
    if (meets(context, frame, table_[user].key.root)) continue;
    ++off_path_;
    return;
  }
}

void HierarchicalSwitch::follow_routes(const SwitchContext& context) {
  if (keeps_order_ && order_.flows() == 0) keeps_order_ = false;
  const std::uint64_t version = context.paths() == nullptr ? 0 : context.paths()->version();
  if (std::exchange(version_, version) == version || keeps_order_) return;
  keeps_order_ = true;
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    if (queues_[number].users == 0) continue;
    const QueueState& queue = context.queue(queues_[number].queue);
    FrameId id = queue.head;
    for (std::uint32_t i = 0; i < queue.frames; ++i, id = context.frames()[id].next) {
      order_.enter(context.frames()[id], number);
    }
  }
}

QueueId HierarchicalSwitch::arrive(QueueContext& context, Frame& frame) {
  follow_routes(context);
  order_.leave(frame);  // if it was trimmed in a queue
  frame.own = 0;
  return join(context, frame, next_queue(context, frame, 0));
}

void HierarchicalSwitch::assign_queue(QueueContext& context, std::uint32_t number, std::size_t level) {
  Record& record = table_[number];
  record.queue = queues_.assign(context, record.key.port, record.key.root, level);
  record.next = std::exchange(first_user_[record.queue], number);
  if (record.state == State::paused) queues_.set_closed(context, record.queue, true);
  if (context.keeps_statistics() && record.next != kNone) {
    off_path_ += packets_off_path(context, queues_[record.queue].queue, record.key.root);
  }
}

QueueId HierarchicalSwitch::on_leave(QueueContext& context, QueueId queue, Frame& frame) {
  ++isolated_;
  follow_routes(context);
  const std::uint32_t number = queues_.number_of(queue);
  const Position from = position_of(number) + 1;
  order_.leave(frame);
  shrank(context, number);
  return join(context, frame, next_queue(context, frame, from));
}

void HierarchicalSwitch::grew_long(SwitchContext& context, std::uint32_t queue, PortId ingress) {
  for (std::uint32_t user = first_user_[queue]; user != kNone; user = table_[user].next) {
    if (table_[user].state != State::merging) grew(context, anchor_of(user), table_[user].key.root, ingress);
  }
}

void HierarchicalSwitch::shrank(SwitchContext& context, std::uint32_t queue) {
  const std::int64_t bytes = context.queue(queues_[queue].queue).bytes;
  for (std::uint32_t user = first_user_[queue], next = kNone; user != kNone; user = next) {
    next = table_[user].next;
    shrank(context, anchor_of(user), table_[user].key.root, table_[user].key.port, bytes);
    forget_if_done(queue_context(context), user);
  }
}

void HierarchicalSwitch::changed(QueueContext& context, std::uint32_t number, State before) {
  const Record& record = table_[number];
  if (record.queue == kNone || (before == State::paused) == (record.state == State::paused)) return;
  queues_.set_closed(context, record.queue, record.state == State::paused);
}

bool HierarchicalSwitch::is_empty(const SwitchContext& context, const Record& record) const {
  return record.queue == kNone || context.queue(queues_[record.queue].queue).bytes == 0;
}

void HierarchicalSwitch::unassign(QueueContext& context, std::uint32_t number) {
  const Record& record = table_[number];
  if (record.queue == kNone) return;
  if (record.state == State::paused) queues_.set_closed(context, record.queue, false);
  std::uint32_t* link = &first_user_[record.queue];
  while (*link != number) link = &table_[*link].next;
  *link = record.next;
  queues_.give_up(context, record.queue);
}

void HierarchicalSwitch::list_pauses(std::uint32_t queue, std::vector<HopPause>& out) const {
  for (std::uint32_t user = first_user_[queue]; user != kNone; user = table_[user].next) {
    list_pauses_of(anchor_of(user), table_[user].key.root, out);
  }
}

void HierarchicalSwitch::held_by(const SwitchContext&, QueueId queue, std::vector<HeldBy>& out) const {
  const std::uint32_t number = queues_.number_of(queue);
  if (number == kNone) return;
  for (std::uint32_t user = first_user_[number]; user != kNone; user = table_[user].next) {
    const Record& record = table_[user];
    if (record.state == State::paused) out.push_back({record.key.port, record.key.root, QueueId::none()});
  }
}

// [PYRRHA-SIGNAL-1]
std::int64_t HierarchicalSwitch::signalled_length(const SwitchContext& context, QueueId queue,
                                                  const Frame& frame) const {
  const std::uint32_t stood_in = settings_.manages(frame) ? FlowOrder::last_queue(frame) : kNone;
  if (stood_in == kNone || settings_.signals_output || queues_.number_of(queue) != kNone)
    return context.queue(queue).bytes;
  const QueueState& state = context.queue(queues_[stood_in].queue);
  return state.port == frame.egress ? state.bytes : 0;
}

QueueId HierarchicalSwitch::queue_of(PortId port, Root root) const {
  const std::uint32_t number = table_.find({port, root});
  if (number == kNone || table_[number].queue == kNone) return QueueId::none();
  return queues_[table_[number].queue].queue;
}

std::string HierarchicalSwitch::audit_queue(const SwitchContext&, std::uint32_t queue) const {
  std::uint32_t users = 0;
  std::uint32_t paused = 0;
  for (std::uint32_t user = first_user_[queue]; user != kNone; user = table_[user].next) {
    ++users;
    paused += table_[user].state == State::paused ? 1 : 0;
    if (table_[user].key.port != queues_[queue].port) return "a queue of another port";
  }
  return users == queues_[queue].users && paused == queues_[queue].closers ? "" : "the roots of a queue are miscounted";
}

}  // namespace weir::pyrrha
