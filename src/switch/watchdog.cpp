// SPDX-License-Identifier: Apache-2.0
// The pause watchdog: when a gate has been closed for too long, and what the switch does then.
#include <algorithm>

#include "switch/switch.h"

namespace weir {

void PauseWatchdog::on_enter(SwitchContext& context, QueueId queue, Frame&) {
  // The frame is still on its way: others may be told of it. It is dropped before the call of the driver ends.
  if (drops_from(context, queue)) context.arm(discard, context.now());
}

bool PauseWatchdog::drops_from(const SwitchContext& context, QueueId queue) const {
  const auto drops = [this](std::uint32_t gate) {
    return std::find(dropping.begin(), dropping.end(), gate) != dropping.end();
  };
  const QueueState& state = context.queue(queue);
  return state.port.exists() && (drops(gate_of(queue)) || drops(gate_of(state.port, state.priority)));
}

void Switch::start_watchdog(const PauseWatchdogConfig& config) {
  watchdog_ = std::make_unique<PauseWatchdog>(config);
  watchdog_->first_queue = static_cast<std::uint32_t>(egress_.size());
  watchdog_->discard = TimerId(add_timer({TimerSlot::Kind::discard, 0, 0}));
  const std::size_t gates = egress_.size() + queues_.size();
  watchdog_->dropping.reserve(gates);
  on_enter_.reserve(on_enter_.size() + 1);
  for (std::size_t gate = 0; gate < gates; ++gate) watch_another();
  note_extras();
  // Some gates are closed from the start.
  for (std::uint32_t gate = 0; gate < gates; ++gate) {
    const bool closed = watchdog_->is_queue(gate) ? queues_[gate - watchdog_->first_queue].closed_by != 0
                                                  : egress_[gate].closed_by != 0;
    if (closed) watch_gate(gate, false);
  }
}

void Switch::watch_another() {
  const auto gate = static_cast<std::uint32_t>(watchdog_->watches.size());
  watchdog_->watches.emplace_back();
  watchdog_->watches.back().timer = add_timer({TimerSlot::Kind::watchdog, 0, gate});
}

void Switch::watch_gate(std::uint32_t gate, bool open) {
  PauseWatchdog::Watch& watch = watchdog_->watches[gate];
  watch.closed = !open;
  watch.since = now_;
  if (watch.storm) return;  // its timer looks at this
  if (open) {
    timers_.cancel(watch.timer);
  } else {
    timers_.arm(watch.timer, now_ + watchdog_->config.detection);
  }
}

bool Switch::is_forced_open(std::uint32_t gate) const {
  return watchdog_->watches[gate].forced_open;
}

// The gate itself stays open, and nobody is told.
void Switch::note_forced_open(std::uint32_t gate, GateOwner owner, bool open) {
  PauseWatchdog::Watch& watch = watchdog_->watches[gate];
  const bool was_open = watch.closed_by == 0;
  const auto bit = static_cast<std::uint8_t>(1u << owner);
  watch.closed_by = static_cast<std::uint8_t>(open ? watch.closed_by & ~bit : watch.closed_by | bit);
  if (was_open != (watch.closed_by == 0)) watch_gate(gate, !was_open);
}

template <class Visit>
void Switch::for_each_queue_behind(std::uint32_t gate, Visit visit) {
  if (watchdog_->is_queue(gate)) {
    const QueueId queue(gate - watchdog_->first_queue);
    if (queues_[queue.index()].port.exists()) visit(queue);
    return;
  }
  scheduler_.for_each_queue_of(PortId(gate / kPriorities), static_cast<Priority>(gate % kPriorities), visit);
}

void Switch::run_watchdog(std::uint32_t gate) {
  PauseWatchdog::Watch& watch = watchdog_->watches[gate];
  if (watch.storm) {
    const Time ends = (watch.closed ? now_ : watch.since) + watchdog_->config.restoration;
    if (ends <= now_) return end_storm(gate);
    timers_.arm(watch.timer, ends);
    return;
  }
  // Without frames nothing is held. A frame that comes before this runs again is seen then, with the time it came.
  Time first = Time::never();
  for_each_queue_behind(gate, [&](QueueId queue) {
    const QueueState& state = queues_[queue.index()];
    if (state.service == Service::scheduled || watchdog_->is_queue(gate)) {
      if (!state.empty()) first = std::min(first, frames_[state.head].arrival);
    }
  });
  const Time since = first == Time::never() ? now_ : std::max(watch.since, first);
  if (now_ - since >= watchdog_->config.detection) return begin_storm(gate);
  timers_.arm(watch.timer, since + watchdog_->config.detection);
}

void Switch::begin_storm(std::uint32_t gate) {
  PauseWatchdog::Watch& watch = watchdog_->watches[gate];
  watch.storm = true;
  timers_.arm(watch.timer, now_ + watchdog_->config.restoration);
  tell_storm(gate, true);
  switch (watchdog_->config.action) {
    case WatchdogAction::drop:
      if (watchdog_->dropping.empty()) {
        on_enter_.push_back(watchdog_.get());
        note_extras();
      }
      watchdog_->dropping.push_back(gate);
      discard(gate);
      break;
    case WatchdogAction::forward:
      force_open(gate);
      break;
    case WatchdogAction::alert:
      break;
  }
}

void Switch::force_open(std::uint32_t gate) {
  const bool is_queue = watchdog_->is_queue(gate);
  const QueueId queue = is_queue ? QueueId(gate - watchdog_->first_queue) : QueueId::none();
  const PortId port = is_queue ? queues_[queue.index()].port : PortId(gate / kPriorities);
  const auto priority = is_queue ? queues_[queue.index()].priority : static_cast<Priority>(gate % kPriorities);
  PauseWatchdog::Watch& watch = watchdog_->watches[gate];
  watch.closed_by = is_queue ? queues_[queue.index()].closed_by : egress_[gate].closed_by;
  watch.forced_open = true;
  bool active = false;
  for (GateOwner owner = 0; owner < gate_owners_; ++owner) {
    active |=
        is_queue ? scheduler_.set_gate(queue, owner, true) : scheduler_.set_priority_gate(port, priority, owner, true);
  }
  if (active && is_queue) wake(queue);
  if (active && !is_queue) report_ready(port);
  tell_gate(port, priority, queue, true);
}

void Switch::end_storm(std::uint32_t gate) {
  PauseWatchdog::Watch& watch = watchdog_->watches[gate];
  watch.storm = false;
  watch.forced_open = false;  // flow controls have opened it as well
  std::vector<std::uint32_t>& dropping = watchdog_->dropping;
  if (std::erase(dropping, gate) != 0 && dropping.empty()) {
    std::erase(on_enter_, watchdog_.get());
    note_extras();
  }
  tell_storm(gate, false);
}

void Switch::end_storms_of(PortId port) {
  for (std::uint32_t gate = 0; gate < watchdog_->watches.size(); ++gate) {
    const bool is_here = watchdog_->is_queue(gate) ? queues_[gate - watchdog_->first_queue].port == port
                                                   : PortId(gate / kPriorities) == port;
    if (is_here) end_storm_now(gate);
  }
}

void Switch::end_storm_now(std::uint32_t gate) {
  if (!watchdog_->watches[gate].storm) return;
  timers_.cancel(watchdog_->watches[gate].timer);
  end_storm(gate);
}

void Switch::discard(std::uint32_t gate) {
  for_each_queue_behind(gate, [&](QueueId queue) { empty_queue(queue, DropReason::watchdog); });
}

void Switch::discard_all() {
  // Told of a drop, a policy may unbind the queue, which ends its storm.
  for (std::size_t i = 0; i < watchdog_->dropping.size(); ++i) discard(watchdog_->dropping[i]);
}

void Switch::tell_storm(std::uint32_t gate, bool begins) {
  if (observer_ == nullptr) return;
  if (watchdog_->is_queue(gate)) {
    const QueueId queue(gate - watchdog_->first_queue);
    const QueueState& state = queues_[queue.index()];
    observer_->on_storm(*this, state.port, state.priority, queue, begins);
  } else {
    observer_->on_storm(*this, PortId(gate / kPriorities), static_cast<Priority>(gate % kPriorities), QueueId::none(),
                        begins);
  }
}

}  // namespace weir
