// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/tag_switch.h"

#include <algorithm>
#include <array>

#include "schemes/floodgate/message.h"
#include "schemes/floodgate/note.h"

namespace weir::floodgate {
namespace {

/// In the order of the cases of statistic().
constexpr auto kTagStatistics = std::to_array<StatisticSpec>({
    {.name = "floodgate.voqs", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "floodgate.voq_users", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "floodgate.voq_bytes", .unit = "bytes", .kind = StatisticSpec::Kind::gauge},
    {.name = "floodgate.shared", .unit = ""},
    {.name = "floodgate.dst_pauses", .unit = "frames"},
    {.name = "floodgate.dst_resumes", .unit = "frames"},
    {.name = "floodgate.pauses_obeyed", .unit = ""},
    {.name = "floodgate.pauses_expired", .unit = ""},
    {.name = "floodgate.untracked", .unit = ""},
});

/// VOQs of a paused destination stay at their port, where they can be closed. [FLOODGATE-TAG-2]
Settings at_ports(Settings settings) {
  settings.pipeline = Pipeline::port;
  return settings;
}

}  // namespace

TagSwitch::TagSwitch(const Settings& settings) : settings_(at_ports(settings)), pauses_(settings_) {}

void TagSwitch::attach(SwitchContext& context) {
  const std::size_t ports = context.ports();
  neighbours_.resize(ports);
  last_hop_.resize(ports);
  std::vector<bool> pausable(ports);
  std::size_t downstream = 0;
  for (std::size_t i = 0; i < ports; ++i) {
    last_hop_[i] = context.port(PortId(i)).peer.is_host();
    const bool takes = takes_part(context, PortId(i), settings_.announced());
    neighbours_[i] = takes && !last_hop_[i];
    pausable[i] = takes && (!last_hop_[i] || settings_.pauses_hosts);
    downstream += neighbours_[i] ? 1 : 0;
  }
  if (downstream > 0) {
    voqs_.attach(queue_context(context), settings_, 1, downstream);
    ways_ = RecordTable<Way>(table_size(settings_, context, downstream));
    owner_ = context.new_gate_owner();
    timer_ = context.new_timer(*this);
  }
  pauses_.attach(context, std::move(pausable), voqs_.size() + ports);
  const std::int64_t product = largest_hop_product(context);
  const auto limits = [&](Bytes threshold, std::int64_t otherwise) -> PauseLimits {
    const std::int64_t pause = threshold > Bytes() ? threshold.count() : otherwise;
    return {pause, static_cast<std::int64_t>(settings_.tag_resume * static_cast<double>(pause))};
  };
  of_egress_ = limits(settings_.tag_threshold, product);
  of_voq_ = limits(settings_.tag_queue_threshold, of_egress_.pause);
}

// ---- packets ----

QueueId TagSwitch::classify(QueueContext& context, Frame& frame) {
  const QueueId fifo = context.default_queue(frame.egress, frame.priority);
  if (!settings_.manages(frame) || ways_.size() == 0) return fifo;
  const std::uint32_t number = ways_.find(key_of(frame.egress.index(), settings_.name_of(frame.destination)));
  if (number == kNone) return fifo;
  Way& way = ways_[number];
  if (!way.paused && way.waiting == 0) return fifo;
  if (way.voq == VoqPool::kNone) way.voq = voqs_.take(context, 0, name_in(way.key), frame.egress);
  Note note;
  note.set_way(number);
  note.write(frame);
  ++way.waiting;
  voq_bytes_.add(frame.charged_bytes);
  return voqs_[way.voq].queue;
}

void TagSwitch::on_enter(SwitchContext& context, QueueId queue, Frame& frame) {
  if (!settings_.manages(frame)) return;
  const std::int64_t bytes = context.queue(queue).bytes;
  const std::uint16_t voq = voqs_.of(queue);
  if (voq != VoqPool::kNone) {
    set_gate(context, voq);
    if (frame.ingress.exists()) pauses_.enter(context, frame, voq, of_voq_, bytes);  // [FLOODGATE-TAG-3]
  } else if (last_hop_[frame.egress.index()] && frame.ingress.exists()) {
    pauses_.enter(context, frame, anchor_of(frame.egress), of_egress_, bytes);  // [FLOODGATE-TAG-1]
  }
}

void TagSwitch::on_depart(SwitchContext& context, QueueId, Frame& frame) {
  leave(context, frame);
}

void TagSwitch::on_withdraw(SwitchContext& context, QueueId, Frame& frame) {
  leave(context, frame);
  frame.own = 0;
}

void TagSwitch::on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason reason) {
  if (reason != DropReason::corrupt && frame.charged_bytes != 0) leave(context, frame);
}

/// A frame has left its queue. [FLOODGATE-TAG-1] Frames of other kinds, which are in the egress queue too, may be the
/// last ones to leave it.
void TagSwitch::leave(SwitchContext& context, const Frame& frame) {
  if (frame.priority != settings_.priority) return;
  if (settings_.manages(frame) && frame.own != 0) {
    left(queue_context(context), Note(frame).way(), frame.charged_bytes);
  } else if (frame.egress.exists() && last_hop_[frame.egress.index()]) {
    const QueueId fifo = context.default_queue(frame.egress, frame.priority);
    pauses_.leave(context, anchor_of(frame.egress), of_egress_, context.queue(fifo).bytes);
  }
}

/// A packet of this way has left its VOQ, and the switch.
void TagSwitch::left(QueueContext& context, std::uint32_t number, std::int64_t bytes) {
  Way& way = ways_[number];
  --way.waiting;
  voq_bytes_.add(-static_cast<double>(bytes));
  const std::uint16_t voq = way.voq;
  pauses_.leave(context, voq, of_voq_, context.queue(voqs_[voq].queue).bytes);
  set_gate(context, voq);
  if (way.waiting > 0) return;
  voqs_.leave(context, voq);
  way.voq = VoqPool::kNone;
  close_if_over(number);
}

void TagSwitch::close_if_over(std::uint32_t number) {
  if (!ways_[number].paused && ways_[number].waiting == 0) ways_.erase(number);
}

void TagSwitch::set_gate(SwitchContext& context, std::uint16_t voq) {
  const QueueId queue = voqs_[voq].queue;
  const Frame* head = context.peek(queue);
  if (head != nullptr && head->own != 0) context.set_gate(queue, owner_, !ways_[Note(*head).way()].paused);
}

// ---- pauses of neighbours ----

void TagSwitch::hear_pause(SwitchContext& context, PortId port, std::uint32_t name) {
  const std::uint64_t key = key_of(port.index(), name);
  std::uint32_t number = ways_.find(key);
  if (number == kNone) number = ways_.insert(key, [](std::uint32_t) {});
  if (number == kNone) {
    ++untracked_;
    return;
  }
  Way& way = ways_[number];
  obeyed_ += way.paused ? 0 : 1;
  way.paused = true;
  way.until = context.now() + settings_.pause_timeout;
  if (way.voq != VoqPool::kNone) set_gate(context, way.voq);
  if (ways_.size() == 1) context.arm(timer_, way.until);
}

void TagSwitch::resume(SwitchContext& context, std::uint32_t number) {
  ways_[number].paused = false;
  if (ways_[number].voq != VoqPool::kNone) set_gate(context, ways_[number].voq);
  close_if_over(number);
}

/// [FLOODGATE-TAG-4]
void TagSwitch::on_timer(SwitchContext& context, TimerId) {
  Time next = Time::never();
  for (std::uint32_t number = 0; number < ways_.touched(); ++number) {
    if (!ways_[number].in_use || !ways_[number].paused) continue;
    if (ways_[number].until > context.now()) {
      next = std::min(next, ways_[number].until);
    } else {
      ++expired_;
      resume(context, number);
    }
  }
  // What waits without a pause is there still: the table is not empty, and the next pause would not arm the timer.
  if (next == Time::never() && ways_.size() > 0) next = context.now() + settings_.pause_timeout;
  if (next != Time::never()) context.arm(timer_, next);
}

bool TagSwitch::on_control(SwitchContext& context, PortId port, const Frame& frame) {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return false;
  const std::optional<Message> message = read_message(context.frames(), frame);
  if (!message || !neighbours_[port.index()]) return true;
  if (settings_.hashed == 0 && message->credit.name >= context.hosts()) return true;
  if (message->say == Say::pause) hear_pause(context, port, message->credit.name);
  if (message->say == Say::resume) {
    const std::uint32_t number = ways_.find(key_of(port.index(), message->credit.name));
    if (number != kNone) resume(context, number);
  }
  return true;
}

// [FLOODGATE-C-10]
std::optional<ControlVerdict> TagSwitch::judge(const SwitchContext& context, PortId port, const Frame& frame) const {
  if (frame.kind != FrameKind::hop_control || frame.protocol != kProtocol) return std::nullopt;
  if (context.port(port).peer.is_host()) return ControlVerdict::wrong_neighbour;
  if (!neighbours_[port.index()]) return ControlVerdict::not_spoken;
  const std::optional<Message> message = read_message(context.frames(), frame);
  if (!message) return ControlVerdict::malformed;
  if (message->say != Say::pause && message->say != Say::resume) return ControlVerdict::not_spoken;
  const std::size_t names = settings_.hashed != 0 ? settings_.hashed : context.hosts();
  return message->credit.name < names ? ControlVerdict::accepted : ControlVerdict::no_target;
}

void TagSwitch::on_link(SwitchContext& context, PortId port, bool) {
  pauses_.reset(context, port);
  for (std::uint32_t number = 0; number < ways_.touched(); ++number) {
    const Way& way = ways_[number];
    if (way.in_use && way.paused && port_in(way.key) == port.index()) resume(context, number);
  }
}

// ---- for those who measure ----

void TagSwitch::keeps(const SwitchContext&, QueueId queue, const Frame& frame, std::vector<HopPause>& out) const {
  if (!settings_.manages(frame) || !frame.egress.exists()) return;
  const std::uint16_t voq = voqs_.of(queue);
  if (voq != VoqPool::kNone) {
    pauses_.list(voq, out);
  } else if (last_hop_[frame.egress.index()]) {
    pauses_.list(anchor_of(frame.egress), out);
  }
}

void TagSwitch::held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const {
  const Frame* head = context.peek(queue);
  if (voqs_.of(queue) == VoqPool::kNone || head == nullptr || head->own == 0) return;
  const Way& way = ways_[Note(*head).way()];
  if (way.paused) out.push_back({PortId(port_in(way.key)), name_in(way.key), QueueId::none()});
}

std::span<const StatisticSpec> TagSwitch::statistics() const {
  return kTagStatistics;
}

Statistic TagSwitch::statistic(std::size_t which, PortId, std::size_t) const {
  switch (which) {
    case 0:
      return voqs_.used().statistic();
    case 1:
      return voqs_.users().statistic();
    case 2:
      return voq_bytes_.statistic();
    case 3:
      return Statistic::of_counter(voqs_.shared());
    case 4:
      return Statistic::of_counter(pauses_.pauses());
    case 5:
      return Statistic::of_counter(pauses_.resumes());
    case 6:
      return Statistic::of_counter(obeyed_);
    case 7:
      return Statistic::of_counter(expired_);
    case 8:
      return Statistic::of_counter(untracked_);
    default:
      return {};
  }
}

}  // namespace weir::floodgate
