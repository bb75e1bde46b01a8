// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/isolation_queues.h"

#include <algorithm>

#include "units/random.h"

namespace weir::pyrrha {

void IsolationQueues::attach(QueueContext& context, std::vector<std::uint8_t> levels) {
  owner_ = context.new_gate_owner();
  first_ = context.queues();
  ports_.resize(context.ports());
  queues_.resize(context.ports() * settings_.queues);
  for (Queue& queue : queues_) {
    queue.queue = context.new_queue({.priority = settings_.priority, .service = Service::released});
  }
  if (settings_.single_tier) context.set_discipline(settings_.priority, Discipline::round_robin);
  // The stages exist from now on.
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    ports_[port].levels = levels[port];
    for (std::size_t level = 0; level < levels[port]; ++level) {
      context.bind(queues_.front().queue, spec_of(PortId(port), level));
      context.unbind(queues_.front().queue);
    }
  }
  for (std::size_t i = queues_.size(); i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
}

QueueSpec IsolationQueues::spec_of(PortId port, std::size_t level) const {
  if (settings_.single_tier) return {.port = port, .priority = settings_.priority};
  return {.port = port, .priority = settings_.priority, .stage = stage_of(level), .service = Service::at_rate};
}

// A level without queues can always take one: the others leave as many as there are such levels.
bool IsolationQueues::may_take(const Port& port, std::size_t level) const {
  std::size_t kept = 0;
  for (std::size_t other = 0; other < port.levels; ++other) {
    kept += other != level && port.of_level[other] == 0 ? 1 : 0;
  }
  return port.in_use + (port.of_level[level] == 0 ? 0 : kept) < settings_.queues;
}

std::uint32_t IsolationQueues::pick(PortId port, Root root, std::size_t level) const {
  const auto is_candidate = [&](const Queue& queue) { return queue.port == port && queue.level == level; };
  std::size_t which = mix(root, level) % ports_[port.index()].of_level[level];
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    if (is_candidate(queues_[number]) && which-- == 0) return number;
  }
  return kNone;  // of_level counts them
}

std::uint32_t IsolationQueues::assign(QueueContext& context, PortId port, Root root, std::size_t level) {
  Port& at = ports_[port.index()];
  level = std::min<std::size_t>(level, at.levels - 1u);
  if (!may_take(at, level)) return share(pick(port, root, level));
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Queue& queue = queues_[number];
  queue.port = port;
  queue.level = static_cast<std::uint8_t>(level);
  queue.users = 1;
  queue.closers = 0;
  ++at.in_use;
  ++at.of_level[level];
  at.most = std::max(at.most, at.in_use);
  context.bind(queue.queue, spec_of(port, level));
  return number;
}

void IsolationQueues::give_up(QueueContext& context, std::uint32_t number) {
  Queue& queue = queues_[number];
  if (--queue.users > 0) return;
  Port& at = ports_[queue.port.index()];
  --at.in_use;
  --at.of_level[queue.level];
  queue.port = PortId::none();
  context.unbind(queue.queue);
  free_.push_back(number);
}

void IsolationQueues::set_closed(QueueContext& context, std::uint32_t number, bool closed) {
  Queue& queue = queues_[number];
  queue.closers += closed ? 1u : ~0u;
  context.set_gate(queue.queue, owner_, queue.closers == 0);
}

}  // namespace weir::pyrrha
