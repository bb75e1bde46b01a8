// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/floodgate_switch.h"

#include <array>

#include "schemes/floodgate/message.h"

namespace weir::floodgate {
namespace {

/// In the order of the cases of statistic().
constexpr auto kSwitchStatistics = std::to_array<StatisticSpec>({
    {.name = "floodgate.voqs", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "floodgate.voq_users", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "floodgate.voq_bytes", .unit = "bytes", .kind = StatisticSpec::Kind::gauge},
    {.name = "floodgate.uncredited", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "floodgate.fullest_window", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "floodgate.voq_packets", .unit = "frames"},
    {.name = "floodgate.shared", .unit = ""},
    {.name = "floodgate.credit_frames", .unit = "frames"},
    {.name = "floodgate.credits", .unit = ""},
    {.name = "floodgate.credited", .unit = ""},
    {.name = "floodgate.delayed", .unit = ""},
    {.name = "floodgate.syns", .unit = "frames"},
    {.name = "floodgate.recovered", .unit = ""},
    {.name = "floodgate.ignored", .unit = ""},
    {.name = "floodgate.untracked", .unit = "frames"},
    {.name = "floodgate.dst_pauses", .unit = "frames"},
    {.name = "floodgate.dst_resumes", .unit = "frames"},
});

}  // namespace

void FloodgateSwitch::attach(SwitchContext& context) {
  sequence_ = context.headers().place<std::uint32_t>(kSequence);
  // [FLOODGATE-C-7] Switches that take part are upstream and downstream of each other; hosts are neither.
  std::vector<bool> switches(context.ports());
  for (std::size_t port = 0; port < switches.size(); ++port) {
    switches[port] =
        !context.port(PortId(port)).peer.is_host() && takes_part(context, PortId(port), settings_.announced());
  }
  accounts_.attach(context, *this, switches);
  windows_.attach(queue_context(context), *this, switches);
}

QueueId FloodgateSwitch::classify(QueueContext& context, Frame& frame) {
  if (!settings_.manages(frame)) return context.default_queue(frame.egress, frame.priority);
  if (frame.trimmed()) {  // [FLOODGATE-U-3]
    forget(context, frame);
    return context.default_queue(frame.egress, frame.priority);
  }
  Note note;
  note.set_weight(settings_.weight(context.framing(), frame));
  accounts_.enter(context, frame, sequence_.read(frame), note);
  if (!windows_.has_window(frame.egress)) {  // [FLOODGATE-W-4]
    note.write(frame);
    return context.default_queue(frame.egress, frame.priority);
  }
  const QueueId queue = windows_.enter(context, frame, note);
  // [FLOODGATE-C-2]
  if (settings_.earned_in_queue && note.charged()) accounts_.earn(context, windows_, note, frame.charged_bytes);
  note.write(frame);
  return queue;
}

QueueId FloodgateSwitch::on_leave(QueueContext& context, QueueId queue, Frame& frame) {
  Note note(frame);
  windows_.leave(context, queue, frame, note);
  if (settings_.earned_in_queue) accounts_.earn(context, windows_, note, frame.charged_bytes);
  note.write(frame);
  return context.default_queue(frame.egress, frame.priority);
}

void FloodgateSwitch::on_depart(SwitchContext& context, QueueId queue, Frame& frame) {
  if (frame.kind != FrameKind::data || frame.priority != settings_.priority) return;
  Note note(frame);
  sequence_.write(frame, windows_.depart(queue_context(context), queue, frame, note));
  accounts_.earn(context, windows_, note, frame.charged_bytes);  // [FLOODGATE-C-1]
}

/// It counts no more, though it may still be here.
void FloodgateSwitch::forget(SwitchContext& context, Frame& frame) {
  Note note(frame);
  windows_.lose(queue_context(context), frame, note);
  accounts_.lose(context, note);
  frame.own = 0;
  if (windows_.voqs().in_use() > 0) context.more(*this);
}

void FloodgateSwitch::on_withdraw(SwitchContext& context, QueueId, Frame& frame) {
  if (!settings_.manages(frame)) return;
  forget(context, frame);  // [FLOODGATE-U-3]
  sequence_.write(frame, 0);
}

void FloodgateSwitch::on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) {
  if (reason == DropReason::corrupt || !settings_.manages(frame)) return;
  if (frame.own == 0) return accounts_.refuse(context, frame, sequence_.read(frame));
  Note note(frame);
  windows_.lose(queue_context(context), frame, note);
  accounts_.lose(context, note);
  if (windows_.voqs().in_use() > 0) context.more(*this);
}

void FloodgateSwitch::on_timer(SwitchContext& context, TimerId timer) {
  if (!accounts_.on_timer(context, windows_, timer)) windows_.on_timer(context, timer);
}

bool FloodgateSwitch::on_control(SwitchContext& context, PortId port, const Frame& frame) {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return false;
  const std::optional<Message> message = read_message(context.frames(), frame);
  if (!message || !accounts_.is_upstream(port)) return true;  // [FLOODGATE-C-9]
  switch (message->say) {
    case Say::credit:
      windows_.credit(queue_context(context), port, message->credit);
      break;
    case Say::credits:
      for (std::size_t i = 0; i < message->listed; ++i) windows_.credit(queue_context(context), port, message->at(i));
      break;
    case Say::syn:
      accounts_.answer(context, windows_, port, message->credit.name, message->credit.psn);
      break;
    case Say::pause:
    case Say::resume:
      break;  // for hosts
  }
  return true;
}

// [FLOODGATE-C-10]
std::optional<ControlVerdict> FloodgateSwitch::judge(const SwitchContext& context, PortId port,
                                                     const Frame& frame) const {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return std::nullopt;
  if (context.port(port).peer.is_host()) return ControlVerdict::wrong_neighbour;
  if (!accounts_.is_upstream(port)) return ControlVerdict::not_spoken;
  const std::optional<Message> message = read_message(context.frames(), frame);
  if (!message) return ControlVerdict::malformed;
  if (message->say == Say::pause || message->say == Say::resume) return ControlVerdict::wrong_neighbour;
  const auto exists = [&](std::uint32_t name) {
    return name < (settings_.hashed != 0 ? settings_.hashed : context.hosts());
  };
  if (message->say != Say::credits) {
    return exists(message->credit.name) ? ControlVerdict::accepted : ControlVerdict::no_target;
  }
  for (std::size_t i = 0; i < message->listed; ++i) {
    if (exists(message->at(i).name)) return ControlVerdict::accepted;
  }
  return ControlVerdict::no_target;
}

void FloodgateSwitch::on_link(SwitchContext& context, PortId port, bool) {
  accounts_.reset(context, port);
  windows_.reset(queue_context(context), port);
}

// ---- for those who measure ----

void FloodgateSwitch::keeps(const SwitchContext& context, QueueId queue, const Frame& frame,
                            std::vector<HopPause>& out) const {
  if (!settings_.manages(frame)) return;
  const Note note(frame);
  const std::uint32_t name = settings_.name_of(frame.destination);
  const bool has_account = note.account() != Note::kNone;
  if (has_account) out.push_back({frame.ingress, name, !settings_.earned_in_queue});
  // In a VOQ it may also delay credit for what has gone, and keep hosts paused.
  const std::uint16_t voq = windows_.voq_of(queue);
  if (voq == VoqPool::kNone) return;
  accounts_.for_each_delayed(
      [&](PortId ingress, std::uint32_t of) {
        const bool is_own = has_account && of == name && ingress == frame.ingress;
        return !is_own && windows_.waits_in(ingress, of, voq) && windows_.delays(context, ingress, of);
      },
      out);
  windows_.pauses().list(voq, out);
}

void FloodgateSwitch::held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const {
  if (windows_.voq_of(queue) != VoqPool::kNone) windows_.held_by(context, queue, out);
}

std::span<const StatisticSpec> FloodgateSwitch::statistics() const {
  return kSwitchStatistics;
}

Statistic FloodgateSwitch::statistic(std::size_t which, PortId, std::size_t) const {
  const Accounts::Counts& credits = accounts_.counts();
  const Windows::Counts& windows = windows_.counts();
  switch (which) {
    case 0:
      return windows_.voqs().used().statistic();
    case 1:
      return windows_.voqs().users().statistic();
    case 2:
      return windows_.voq_bytes().statistic();
    case 3:
      return windows_.uncredited().statistic();
    case 4:
      return windows_.fullest().statistic();
    case 5:
      return Statistic::of_counter(windows.delayed_packets);
    case 6:
      return Statistic::of_counter(windows_.voqs().shared());
    case 7:
      return Statistic::of_counter(credits.frames);
    case 8:
      return Statistic::of_counter(credits.credits);
    case 9:
      return Statistic::of_counter(credits.units);
    case 10:
      return Statistic::of_counter(credits.delayed);
    case 11:
      return Statistic::of_counter(windows.syns);
    case 12:
      return Statistic::of_counter(windows.recovered);
    case 13:
      return Statistic::of_counter(windows.ignored);
    case 14:
      return Statistic::of_counter(windows.untracked + credits.untracked);
    case 15:
      return Statistic::of_counter(windows_.pauses().pauses());
    case 16:
      return Statistic::of_counter(windows_.pauses().resumes());
    default:
      return {};
  }
}

std::string FloodgateSwitch::audit() const {
  std::string wrong = windows_.audit();
  return wrong.empty() ? accounts_.audit() : wrong;
}

}  // namespace weir::floodgate
