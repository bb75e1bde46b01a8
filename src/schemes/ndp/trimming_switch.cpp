// SPDX-License-Identifier: Apache-2.0
#include "schemes/ndp/trimming_switch.h"

#include <algorithm>
#include <array>

#include "schemes/ndp/ndp.h"

namespace weir::ndp {
namespace {

/// The interval over which `ndp.trimmed_share` is measured.
constexpr Duration kInterval = Duration::picoseconds(10'000'000);

constexpr auto kGauges = std::to_array<GaugeSpec>({{.name = "ndp.trimmed_share", .unit = ""}});

/// In the order of the cases in statistic().
constexpr auto kSwitchStatistics = std::to_array<StatisticSpec>({
    {.name = "ndp.trimmed", .unit = "frames", .scope = StatisticSpec::Scope::port},
    {.name = "ndp.returned", .unit = "frames", .scope = StatisticSpec::Scope::port},
});

bool is_data(const Frame& frame) {
  return frame.kind == FrameKind::data || frame.kind == FrameKind::datagram;
}

std::int64_t header_bytes(const Framing& framing) {
  return std::max<std::int64_t>(framing.data(0), framing.minimum_frame);
}

}  // namespace

// [NDP-SW-1] [NDP-SW-4]
void TrimmingSwitch::attach(SwitchContext& context) {
  QueueContext& queues = queue_context(context);
  header_limit_ = header_limit(context.framing(), context.maximum_frame());
  coin_ = RandomStream(context.random().next(), context.id().value, kProtocol);
  ports_.resize(context.ports());
  next_header_.resize(context.ports());
  headers_.resize(context.ports() * kPriorities);
  for (Priority priority = 0; priority < kPriorities; ++priority) {
    if (context.buffer().lossless[priority]) continue;
    for (std::size_t port = 0; port < context.ports(); ++port) {
      headers_[port * kPriorities + priority] = queues.new_queue({.port = PortId(port), .priority = priority});
    }
    queues.set_discipline(priority, Discipline::rank);
  }
  timer_ = context.new_timer(*this);
}

std::uint32_t TrimmingSwitch::header_limit(const Framing& framing, std::int64_t maximum_frame) const {
  if (settings_.header_queue != 0) return settings_.header_queue;
  return static_cast<std::uint32_t>(settings_.queue * maximum_frame / header_bytes(framing));
}

// [NDP-SW-1] [NDP-SW-6] All ports may have full queues at the same time.
std::vector<std::string> TrimmingSwitch::warnings(const PartPlace& place) const {
  std::vector<std::string> out;
  const std::int64_t queues =
      settings_.queue * place.maximum_frame +
      std::int64_t{header_limit(place.framing, place.maximum_frame)} * header_bytes(place.framing);
  for (const SwitchSpace& space : place.of_switches) {
    std::int64_t lossy = 0;
    for (const Priority priority : place.offered) lossy += space.at->lossless[priority] ? 0 : 1;
    if (lossy > 0 && space.egress_limit && space.egress_limit->count() < queues) {
      out.push_back("the buffer policy of " + space.name + " limits the frames of a priority at a port to " +
                    std::to_string(space.egress_limit->count()) + " B, but the data and header queues hold up to " +
                    std::to_string(queues) +
                    " B, so that it refuses frames before these are full; expected a limit of at least that, or a "
                    "smaller queue and header_queue");
    }
    const std::int64_t needed = lossy * static_cast<std::int64_t>(space.ports) * queues;
    if (space.shared.count() >= needed) continue;
    out.push_back("the buffer of " + space.name + " has " + std::to_string(space.shared.count()) +
                  " B for data and header queues, but those of " + std::to_string(space.ports) + " ports hold up to " +
                  std::to_string(needed) +
                  " B, so that a header that finds no space is lost or returned; expected a larger switch.buffer, or a "
                  "smaller queue and header_queue");
  }
  return out;
}

QueueId TrimmingSwitch::header_queue(const Frame& frame) const {
  return headers_[frame.egress.index() * kPriorities + frame.priority];
}

// [NDP-SW-1] [NDP-SW-5]
QueueId TrimmingSwitch::queue_of(const SwitchContext& context, const Frame& frame) const {
  const QueueId headers = header_queue(frame);
  const bool small = frame.trimmed() || !is_data(frame);
  return small && headers.exists() ? headers : context.default_queue(frame.egress, frame.priority);
}

// [NDP-SW-1] [NDP-SW-6]
bool TrimmingSwitch::admit(const SwitchContext& context, const Frame& frame) const {
  const QueueId headers = header_queue(frame);
  if (!headers.exists()) return true;
  if (frame.trimmed() || !is_data(frame)) return context.queue(headers).frames < header_limit_;
  return context.queue(context.default_queue(frame.egress, frame.priority)).frames < settings_.queue;
}

QueueId TrimmingSwitch::classify(QueueContext& context, Frame& frame) {
  return queue_of(context, frame);
}

// [NDP-SW-4] Headers are numbered as they reach the head of their queue. A data frame at the head of its queue ranks
// behind the header that waits then, or the next one, and those after it, `headers_per_packet` in all. Of equals the
// switch serves the default queue, which has data.
std::uint64_t TrimmingSwitch::rank(const SwitchContext& context, const Frame& frame) const {
  std::uint64_t& next = next_header_[frame.egress.index()];
  if (frame.trimmed() || !is_data(frame)) return next++;
  const QueueId headers = header_queue(frame);
  const bool waits = headers.exists() && !context.queue(headers).empty();
  return next + settings_.headers_per_packet - (waits ? 1 : 0);
}

bool TrimmingSwitch::can_trim_tail(const SwitchContext& context, QueueId queue) const {
  const QueueState& state = context.queue(queue);
  return !state.empty() && context.frames()[state.tail].kind == FrameKind::data;
}

// [NDP-SW-2] [NDP-SW-3] [NDP-SW-6]
Rescue TrimmingSwitch::rescue(SwitchContext& context, const Frame& frame, DropReason) {
  if (!header_queue(frame).exists()) return {};
  if (frame.trimmed()) {
    const bool returns = settings_.return_to_sender && !frame.returned();
    if (returns) ++ports_[frame.egress.index()].returned;
    return {.kind = returns ? Rescue::Kind::to_sender : Rescue::Kind::none, .priority = frame.priority};
  }
  const QueueId queue = context.default_queue(frame.egress, frame.priority);
  const bool tail = coin_.next() % 2 == 0 && can_trim_tail(context, queue);
  return {.kind = tail ? Rescue::Kind::trim_tail : Rescue::Kind::trim, .priority = frame.priority, .queue = queue};
}

void TrimmingSwitch::on_trim(SwitchContext&, QueueId, Frame& frame, std::int64_t) {
  ++ports_[frame.egress.index()].trimmed;
}

// ---- measurement ----

void TrimmingSwitch::count_header(SwitchContext& context, const Frame& frame) {
  ports_[frame.egress.index()].header_bytes += frame.frame_bytes + context.framing().wire_overhead;
  if (timing_) return;
  timing_ = true;
  const std::int64_t passed = (context.now() - Time()).picoseconds() / kInterval.picoseconds();
  context.arm(timer_, Time() + (passed + 1) * kInterval);
}

// An interval ends, and another one begins if a port has trimmed frames in it.
void TrimmingSwitch::on_timer(SwitchContext& context, TimerId) {
  timing_ = false;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Port& port = ports_[i];
    const Bytes capacity = bytes_in(kInterval, context.port(PortId(i)).rate);
    port.share = static_cast<double>(port.header_bytes) / static_cast<double>(capacity.count());
    timing_ = timing_ || port.header_bytes != 0;
    port.header_bytes = 0;
  }
  if (timing_) context.arm(timer_, context.now() + kInterval);
}

std::span<const GaugeSpec> TrimmingSwitch::gauges() const {
  return kGauges;
}
double TrimmingSwitch::gauge(std::size_t, PortId port) const {
  return ports_[port.index()].share;
}

std::span<const StatisticSpec> TrimmingSwitch::statistics() const {
  return kSwitchStatistics;
}
Statistic TrimmingSwitch::statistic(std::size_t which, PortId port, std::size_t) const {
  const Port& at = ports_[port.index()];
  return Statistic::of_counter(which == 0 ? at.trimmed : at.returned);
}

}  // namespace weir::ndp
