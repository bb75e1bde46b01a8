// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/gate_fifo.h"

namespace weir::bfc {

GateFifo::GateFifo(QueueContext& context, const Settings& settings)
    : bytes_(settings.gate_fifo.count()),
      quantum_(context.maximum_frame()),
      first_(context.queues()),
      classes_(settings.classes),
      of_class_(settings.queues),
      of_port_(settings.queues_of_port()),
      ports_(context.ports()),
      groups_(ports_ * classes_),
      queues_(ports_ * of_port_) {
  for (std::size_t port = 0; port < ports_; ++port) {
    for (std::size_t of_class = 0; of_class < classes_; ++of_class) {
      context.new_queue({.port = PortId(port), .priority = static_cast<Priority>(settings.highest - of_class)});
    }
  }
}

void GateFifo::set_ready(PortId port, std::size_t number, bool ready) {
  Queue& queue = at(port.index(), number);
  if (queue.ready == ready) return;
  queue.ready = ready;
  Group& group = groups_[this->group(port, number / of_class_)];
  const auto self = static_cast<std::uint16_t>(number);
  if (ready) {
    ++group.ready;
    if (group.turn == kNone) {
      queue.next = queue.previous = self;
      group.turn = self;
      group.granted = false;
    } else {
      // Last in the order: before the queue whose turn it is.
      Queue& turn = at(port.index(), group.turn);
      queue.next = group.turn;
      queue.previous = turn.previous;
      at(port.index(), turn.previous).next = self;
      turn.previous = self;
    }
    return;
  }
  --group.ready;
  queue.deficit = 0;
  at(port.index(), queue.previous).next = queue.next;
  at(port.index(), queue.next).previous = queue.previous;
  if (group.turn != self) return;
  group.turn = queue.next == self ? kNone : queue.next;
  group.granted = false;
}

void GateFifo::fill(QueueContext& context, const EgressQueues& queues, PortId port, std::size_t of_class) {
  Group& group = groups_[this->group(port, of_class)];
  const QueueId fifo = id(port, of_class);
  while (group.turn != kNone) {
    const QueueId id = queues.id(port, group.turn);
    Queue& queue = at(port.index(), group.turn);
    const std::int64_t head = context.peek(id)->charged_bytes;
    const std::int64_t held = context.queue(fifo).bytes;
    if (held > 0 && held + head > bytes_) return;
    if (!group.granted) {
      group.granted = true;
      queue.deficit += quantum_;
    }
    if (queue.deficit < head) {
      group.turn = queue.next;
      group.granted = false;
      continue;
    }
    queue.deficit -= head;
    if (!context.release(id)) return;
  }
}

void GateFifo::fill(QueueContext& context, const EgressQueues& queues) {
  for (std::size_t port = 0; port < ports_; ++port) {
    for (std::size_t of_class = 0; of_class < classes_; ++of_class) fill(context, queues, PortId(port), of_class);
  }
}

void GateFifo::forget(PortId port) {
  for (std::size_t of_class = 0; of_class < classes_; ++of_class) groups_[group(port, of_class)] = Group();
  for (std::size_t number = 0; number < of_port_; ++number) at(port.index(), number) = Queue();
}

}  // namespace weir::bfc
