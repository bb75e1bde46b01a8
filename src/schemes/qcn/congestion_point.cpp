// SPDX-License-Identifier: Apache-2.0
#include "schemes/qcn/congestion_point.h"

#include <array>

#include "schemes/qcn/qcn.h"

namespace weir::qcn {

namespace {

/// Bytes of a notification on tagged Ethernet: 14 Ethernet, 4 802.1Q, 20 IPv4, 24 control header, 4 FCS.
constexpr std::uint16_t kNotificationBytes = 66;

/// In the order of the cases in statistic(). Groups are priorities.
constexpr auto kStatistics = std::to_array<StatisticSpec>({
    {.name = "qcn.samples", .unit = "frames", .scope = StatisticSpec::Scope::queue_group, .groups = kPriorities},
    {.name = "qcn.notifications", .unit = "frames", .scope = StatisticSpec::Scope::queue_group, .groups = kPriorities},
    {.name = "qcn.feedback",
     .unit = "",
     .kind = StatisticSpec::Kind::gauge,
     .scope = StatisticSpec::Scope::queue_group,
     .groups = kPriorities},
});

}  // namespace

std::uint32_t quantised_feedback(const CongestionPointSettings& settings, std::int64_t length, std::int64_t previous) {
  const auto offset = static_cast<double>(length - settings.set_point);
  const auto change = static_cast<double>(length - previous);
  const double congestion = offset + settings.weight * change;
  const double maximum = static_cast<double>(settings.set_point) * (2 * settings.weight + 1);
  return static_cast<std::uint32_t>(std::clamp(congestion / maximum, 0.0, 1.0) * kMaximumFeedback);
}

Hooks SamplingPoint::hooks() const {
  Hooks hooks;
  hooks.enter = true;
  return hooks;
}

void SamplingPoint::attach(SwitchContext& context) {
  points_.resize(context.ports() * kPriorities);
  for (Point& point : points_) point.bytes_left = next_sample(context, 0);
}

void SamplingPoint::on_enter(SwitchContext& context, QueueId queue, Frame& frame) {
  // Once per hop: at the queue from which the frame goes onto the wire, not at the stages before it.
  if (frame.is_control() || context.queue(queue).service != Service::scheduled) return;
  Point& point = points_[frame.egress.index() * kPriorities + frame.priority];
  point.bytes_left -= frame.frame_bytes;
  if (point.bytes_left > 0) return;
  const std::int64_t length = context.signalled_length(queue, frame);
  const std::uint32_t feedback = quantised_feedback(settings_, length, point.previous);
  point.previous = length;
  point.bytes_left = next_sample(context, feedback);
  ++point.samples;
  point.congested += feedback > 0 ? 1 : 0;
  point.feedback.set(feedback);
  if (feedback > 0) notify(context, frame, feedback);
}

std::span<const StatisticSpec> SamplingPoint::statistics() const {
  return kStatistics;
}

Statistic SamplingPoint::statistic(std::size_t which, PortId port, std::size_t priority) const {
  const Point& point = points_[port.index() * kPriorities + priority];
  if (which == 2) return point.feedback.statistic();
  return Statistic::of_counter(which == 0 ? point.samples : point.congested);
}

// [QCN-CP-3] The stronger the congestion, the more often: up to eight times.
std::int64_t SamplingPoint::next_sample(SwitchContext& context, std::uint32_t feedback) const {
  const double base = static_cast<double>(settings_.sample_base) / (1 + feedback / 8);
  const double stretch = 1 + settings_.jitter * (2 * context.random().uniform() - 1);
  return static_cast<std::int64_t>(base * stretch);
}

// [QCN-CP-4] If the pool has no frame, a later sample is reported.
void SamplingPoint::notify(SwitchContext& context, const Frame& sampled, std::uint32_t feedback) const {
  const FrameId id = context.frames().allocate();
  if (!id.exists()) return;
  Frame& notification = context.frames()[id];
  notification.kind = FrameKind::host_control;
  notification.protocol = kProtocol;
  notification.priority = settings_.priority;
  notification.frame_bytes = context.framing().padded(kNotificationBytes);
  notification.source = sampled.destination;  // with the queue pair, identifies the flow at its source
  notification.destination = sampled.source;
  notification.queue_pair = sampled.queue_pair;
  notification.entropy = sampled.entropy;
  notification.tag = static_cast<std::uint16_t>(feedback);
  notification.set_ecn(Ecn::not_capable);
  context.send_to_host(id);
}

}  // namespace weir::qcn
