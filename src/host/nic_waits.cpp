// SPDX-License-Identifier: Apache-2.0
// What blocks queue pairs: measured on request, never used for a decision.
#include <algorithm>

#include "host/nic.h"

namespace weir {

/// Total time for which pauses have blocked a priority until now.
Duration Nic::closed_time(Priority priority) const {
  const bool closed = priority_closed_by_[priority] != 0;
  return waits_->closed[priority] + (closed ? now_ - waits_->closed_at[priority] : Duration());
}

/// The set of owners that close the gate of a priority is about to become `closed_by`.
void Nic::note_priority(Priority priority, unsigned closed_by) {
  const bool closed = priority_closed_by_[priority] != 0;
  if (closed == (closed_by != 0)) return;
  if (closed) {
    waits_->closed[priority] += now_ - waits_->closed_at[priority];
  } else {
    waits_->closed_at[priority] = now_;
  }
}

/// Accounts the time since the last update of a sender to its state.
void Nic::note_wait(const Sender& sender) {
  WaitClock& clock = waits_->clocks[index(sender)];
  const Duration elapsed = now_ - clock.since;
  switch (sender.standing) {
    case Standing::idle:
      // If a retransmission ends the wait, there was nothing to send before.
      if (clock.unsent) clock.sum.paced += elapsed;
      break;
    case Standing::waiting:
      // At line rate a single flow would also wait.
      if (sender.rate < sender.line_rate) clock.sum.paced += elapsed;
      break;
    case Standing::ready:
      clock.sum.paused += closed_time(sender.priority) - clock.closed_before;
      break;
    case Standing::held:
      clock.sum.paused += elapsed;
      break;
  }
  restart_wait(sender);
}

void Nic::restart_wait(const Sender& sender) {
  WaitClock& clock = waits_->clocks[index(sender)];
  clock.since = now_;
  clock.closed_before = closed_time(sender.priority);
  clock.unsent = sender.next != sender.end;
}

/// A retransmission timeout is about to let a sender continue. A sender that could send, or that a pause blocks, did
/// not wait for it.
void Nic::note_timeout(const Sender& sender) {
  if (sender.standing != Standing::idle) return;
  WaitClock& clock = waits_->clocks[index(sender)];
  const Time from = std::max(clock.since, sender.progress_at);
  if (clock.unsent) clock.sum.paced += from - clock.since;
  clock.sum.timed_out += now_ - from;
  restart_wait(sender);
}

std::optional<SenderWaits> Nic::sender_waits(QueuePairId number) {
  const Sender* sender = waits_ == nullptr ? nullptr : senders_.find(number);
  if (sender == nullptr) return std::nullopt;
  note_wait(*sender);
  return waits_->clocks[index(*sender)].sum;
}

}  // namespace weir
