// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/floodgate_nic.h"

#include <algorithm>
#include <array>
#include <optional>

#include "schemes/floodgate/message.h"

namespace weir::floodgate {
namespace {

/// In the order of the cases of statistic().
constexpr auto kNicStatistics = std::to_array<StatisticSpec>({
    {.name = "floodgate.pauses_obeyed", .unit = ""},
    {.name = "floodgate.pauses_unheeded", .unit = ""},
    {.name = "floodgate.pauses_expired", .unit = ""},
});

}  // namespace

void FloodgateNic::attach(NicContext& context) {
  if (!in_use()) return;
  timer_ = context.new_timer(*this);
  const std::size_t most = std::min(context.hosts(), kMostPaused);
  context.reserve_gates(most);
  paused_.reserve(most);
}

FloodgateNic::Paused* FloodgateNic::find(std::uint32_t name) {
  const auto found = std::find_if(paused_.begin(), paused_.end(), [name](const Paused& at) { return at.name == name; });
  return found == paused_.end() ? nullptr : &*found;
}

GateId FloodgateNic::gate_of(NicContext&, SendState& sender) {
  if (paused_.empty() || sender.priority != settings_.priority) return GateId::none();
  const Paused* paused = find(settings_.name_of(sender.remote));
  return paused == nullptr ? GateId::none() : paused->gate;
}

bool FloodgateNic::on_control(NicContext& context, const Frame& frame) {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return false;
  const std::optional<Message> message = read_message(context.frames(), frame);
  if (!message || !in_use()) return true;
  if (settings_.hashed == 0 && message->credit.name >= context.hosts()) return true;
  if (message->say == Say::pause) pause(context, message->credit.name);
  if (message->say == Say::resume) {
    if (Paused* paused = find(message->credit.name)) resume(context, *paused);
  }
  return true;
}

void FloodgateNic::pause(NicContext& context, std::uint32_t name) {
  Paused* paused = find(name);
  if (paused == nullptr) {
    const GateId gate = paused_.size() < paused_.capacity() ? context.take_gate() : GateId::none();
    if (!gate.exists()) {
      ++ignored_;
      return;
    }
    ++obeyed_;
    context.set_gate(gate, false);
    paused_.push_back({name, gate, Time()});
    paused = &paused_.back();
    move(context, name, gate);
  }
  paused->until = context.now() + settings_.pause_timeout;  // [FLOODGATE-D-5]
  if (paused_.size() == 1) context.arm(timer_, paused->until);
}

void FloodgateNic::resume(NicContext& context, Paused& paused) {
  context.return_gate(*this, paused.gate);
  paused = paused_.back();
  paused_.pop_back();
}

void FloodgateNic::move(NicContext& context, std::uint32_t name, GateId gate) {
  struct Move {
    FloodgateNic& nic;
    NicContext& context;
    std::uint32_t name;
    GateId gate;
  } move{*this, context, name, gate};
  const auto visit = [](void* with, SendState& sender) {
    Move& wanted = *static_cast<Move*>(with);
    const Settings& settings = wanted.nic.settings_;
    if (sender.priority != settings.priority || settings.name_of(sender.remote) != wanted.name) return;
    wanted.context.move_to_gate(sender, wanted.nic, wanted.gate);
  };
  if (settings_.hashed == 0) {
    context.for_each_sender_to(HostId(name), visit, &move);
  } else {
    context.for_each_sender(visit, &move);
  }
}

void FloodgateNic::on_timer(NicContext& context, TimerId) {
  Time next = Time::never();
  for (std::size_t i = 0; i < paused_.size();) {
    if (paused_[i].until <= context.now()) {
      ++expired_;
      resume(context, paused_[i]);
    } else {
      next = std::min(next, paused_[i++].until);
    }
  }
  if (next != Time::never()) context.arm(timer_, next);
}

void FloodgateNic::on_link(NicContext& context, bool) {
  if (!in_use()) return;  // [FLOODGATE-D-6]
  while (!paused_.empty()) resume(context, paused_.back());
  context.cancel(timer_);
}

void FloodgateNic::held_by(const NicContext&, GateId gate, std::vector<HeldBy>& out) const {
  for (const Paused& paused : paused_) {
    if (paused.gate == gate) out.push_back({PortId(0), paused.name, QueueId::none()});
  }
}

std::span<const StatisticSpec> FloodgateNic::statistics() const {
  return kNicStatistics;
}

Statistic FloodgateNic::statistic(std::size_t which, std::size_t) const {
  return Statistic::of_counter(which == 0 ? obeyed_ : which == 1 ? ignored_ : expired_);
}

}  // namespace weir::floodgate
