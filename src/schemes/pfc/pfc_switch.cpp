// SPDX-License-Identifier: Apache-2.0
#include "schemes/pfc/pfc_switch.h"

#include <array>
#include <bit>

namespace weir::pfc {
namespace {

/// In the order of the cases in statistic().
constexpr auto kStatistics = std::to_array<StatisticSpec>({
    {.name = "pfc.pauses_sent", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "pfc.resumes_sent", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "pfc.pauses_repeated", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "pfc.pauses_obeyed", .unit = "", .scope = StatisticSpec::Scope::port},
});

/// Whether the neighbour of `port` must be paused and is not yet.
bool must_pause(const SwitchContext& context, PortId port, Priority priority) {
  const IngressState& ingress = context.ingress(port, priority);
  if (ingress.paused || !context.buffer().lossless[priority]) return false;  // [PFC-S-7]
  return is_crowded(ingress, context.xoff(port, priority));                  // [PFC-S-1]
}

/// Whether the neighbour of `port` is paused and may be resumed. Always true without shared bytes, whatever xon, so
/// that every pause ends with the ingress's last departure at the latest.
bool may_resume(const SwitchContext& context, PortId port, Priority priority) {
  const IngressState& ingress = context.ingress(port, priority);
  if (!ingress.paused || ingress.headroom > 0) return false;
  return ingress.shared == 0 || ingress.shared <= context.xon(port, priority);  // [PFC-S-3]
}

/// The PFC frame that waits at `port` for the wire, or nullptr.
Frame* waiting_pfc(const SwitchContext& context, PortId port) {
  FramePool& frames = context.frames();
  for (FrameId id = context.port(port).control_head; id.exists(); id = frames[id].next) {
    if (frames[id].kind == FrameKind::pfc) return &frames[id];
  }
  return nullptr;
}

/// False if the pool has no frame.
bool send(SwitchContext& context, PortId port, const PfcQuanta& message) {
  // [PFC-S-8] Short frames may arrive faster than one PAUSE and RESUME each could be sent, and a PAUSE queued behind
  // these would be later than headroom allows.
  if (Frame* waiting = waiting_pfc(context, port); waiting != nullptr) {
    PfcQuanta said = read_pfc(context.frames(), *waiting);
    for (Priority priority = 0; priority < kPriorities; ++priority) {
      if (message.names(priority)) said.set(priority, message.quanta[priority]);
    }
    if (write_pfc(context.frames(), *waiting, said)) return true;
  }
  const FrameId frame = make_pfc(context.frames(), message, context.framing());
  if (!frame.exists()) return false;
  context.send(port, frame);
  return true;
}

}  // namespace

void PfcSwitch::attach(SwitchContext& context) {
  owner_ = context.new_gate_owner();
  ports_.resize(context.ports());
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Port& port = ports_[i];
    const BitRate rate = context.port(PortId(i)).rate;
    port.refresh = context.new_timer(*this);
    port.refresh_interval = pause_of(settings_.quanta, rate) / 2;  // [PFC-S-4]
    port.retry_interval = time_to_send(Bytes(context.framing().pfc + context.maximum_frame()), rate);
    if (settings_.response > Duration()) {
      port.respond = context.new_timer(*this);
      port.pending = PendingPauses(settings_.response, rate, context.framing());
    }
  }
}

void PfcSwitch::on_enter(SwitchContext& context, QueueId, Frame& frame) {
  // A frame that moves on to a further queue was counted on arrival.
  if (!frame.ingress.exists() || frame.arrival != context.now()) return;
  if (must_pause(context, frame.ingress, frame.ingress_priority)) pause(context, frame.ingress, frame.ingress_priority);
}

void PfcSwitch::on_depart(SwitchContext& context, QueueId, Frame& frame) {
  if (frame.ingress.exists()) resume_if_due(context, frame.ingress, frame.ingress_priority);
}

void PfcSwitch::on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) {
  if (!frame.ingress.exists()) return;
  const PortId port = frame.ingress;
  const Priority priority = frame.ingress_priority;
  if (frame.charged_bytes > 0) return resume_if_due(context, port, priority);
  // [PFC-S-2] A frame that finds no room causes a pause as an admitted one would; but only if the ingress has queued
  // frames, whose departure ends the pause.
  const IngressState& ingress = context.ingress(port, priority);
  if (reason == DropReason::buffer_full && context.buffer().lossless[priority] && !ingress.paused && ingress.used > 0) {
    pause(context, port, priority);
  }
}

void PfcSwitch::pause(SwitchContext& context, PortId port, Priority priority) {
  if (!context.port(port).peer.protocols.pfc) return;  // [PFC-S-9]
  PfcQuanta message;
  message.set(priority, settings_.quanta);
  if (!settings_.binary) {
    // [PFC-S-5] Restate the port's other pauses, so that one timer suffices for all.
    for (Priority other = 0; other < kPriorities; ++other) {
      if (context.ingress(port, other).paused) message.set(other, settings_.quanta);
    }
  }
  if (!send(context, port, message)) return;  // not recorded as paused, so the next arrival retries
  context.note_pause(port, priority, true);
  Port& state = ports_[port.index()];
  ++state.paused;
  if (!settings_.binary) {
    context.arm(state.refresh, context.now() + state.refresh_interval);
  }
}

void PfcSwitch::resume_if_due(SwitchContext& context, PortId port, Priority priority) {
  if (may_resume(context, port, priority)) resume(context, port, priority);
}

void PfcSwitch::resume(SwitchContext& context, PortId port, Priority priority) {
  Port& state = ports_[port.index()];
  PfcQuanta message;
  message.set(priority, 0);
  if (!send(context, port, message)) {
    // This ingress may have no further event.
    context.arm(state.refresh, context.now() + state.retry_interval);
    return;
  }
  context.note_pause(port, priority, false);
  ++state.resumed;
  for (Priority other = 0; other < kPriorities; ++other) {
    if (context.ingress(port, other).paused) return;
  }
  context.cancel(state.refresh);
}

void PfcSwitch::refresh(SwitchContext& context, PortId port) {
  PfcQuanta message;
  for (Priority priority = 0; priority < kPriorities; ++priority) {
    resume_if_due(context, port, priority);  // [PFC-S-6]
    if (context.ingress(port, priority).paused) message.set(priority, settings_.quanta);
  }
  if (settings_.binary || message.enabled == 0) return;
  Port& state = ports_[port.index()];
  const bool sent = send(context, port, message);  // [PFC-S-4]
  if (sent) state.repeated += static_cast<std::uint64_t>(std::popcount(message.enabled));
  context.arm(state.refresh, context.now() + (sent ? state.refresh_interval : state.retry_interval));
}

void PfcSwitch::on_timer(SwitchContext& context, TimerId timer) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (ports_[i].refresh == timer) return refresh(context, PortId(i));
    if (ports_[i].respond == timer) return respond(context, PortId(i));
  }
}

bool PfcSwitch::on_control(SwitchContext& context, PortId port, const Frame& frame) {
  if (frame.kind != FrameKind::pfc) return false;
  const PfcQuanta said = read_pfc(context.frames(), frame);
  if (settings_.response == Duration()) {
    obey(context, port, said);
    return true;
  }
  Port& state = ports_[port.index()];
  if (state.pending.full()) obey(context, port, state.pending.pop());
  state.pending.push(context.now() + settings_.response, said);  // [PFC-R-4]
  context.arm(state.respond, state.pending.due());
  return true;
}

std::optional<ControlVerdict> PfcSwitch::judge(const SwitchContext& context, PortId port, const Frame& frame) const {
  if (frame.kind != FrameKind::pfc) return std::nullopt;
  if (!context.port(port).peer.protocols.pfc) return ControlVerdict::not_spoken;
  const PfcQuanta said = read_pfc(context.frames(), frame);
  for (Priority priority = 0; priority < kPriorities; ++priority) {
    if (said.names(priority) && context.buffer().lossless[priority]) return ControlVerdict::accepted;  // [PFC-R-5]
  }
  return ControlVerdict::no_target;
}

void PfcSwitch::respond(SwitchContext& context, PortId port) {
  PendingPauses& pending = ports_[port.index()].pending;
  while (!pending.empty() && pending.due() <= context.now()) obey(context, port, pending.pop());
  if (!pending.empty()) context.arm(ports_[port.index()].respond, pending.due());
}

void PfcSwitch::obey(SwitchContext& context, PortId port, const PfcQuanta& said) {
  for (Priority priority = 0; priority < kPriorities; ++priority) {
    if (!said.names(priority) || !context.buffer().lossless[priority]) continue;  // [PFC-R-3]
    const std::uint16_t quanta = said.quanta[priority];
    ports_[port.index()].obeyed += quanta == 0 ? 0 : 1;
    if (quanta == 0 || settings_.binary) {
      context.set_priority_gate(port, priority, owner_, quanta == 0);  // [PFC-R-2] [PFC-B-1]
    } else {
      const Time until = context.now() + pause_of(quanta, context.port(port).rate);
      context.close_priority_gate_until(port, priority, owner_, until);  // [PFC-R-1]
    }
  }
}

void PfcSwitch::on_link(SwitchContext& context, PortId port, bool) {
  // [PFC-L-1] The core has opened the gates and recorded the end of the pauses.
  Port& state = ports_[port.index()];
  context.cancel(state.refresh);
  if (!state.respond.exists()) return;
  context.cancel(state.respond);
  state.pending.clear();
}

std::span<const StatisticSpec> PfcSwitch::statistics() const {
  return kStatistics;
}

Statistic PfcSwitch::statistic(std::size_t which, PortId port, std::size_t) const {
  const Port& state = ports_[port.index()];
  switch (which) {
    case 0:
      return Statistic::of_counter(state.paused);
    case 1:
      return Statistic::of_counter(state.resumed);
    case 2:
      return Statistic::of_counter(state.repeated);
    default:
      return Statistic::of_counter(state.obeyed);
  }
}

}  // namespace weir::pfc
