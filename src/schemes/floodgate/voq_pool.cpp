// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/voq_pool.h"

#include <algorithm>

#include "policy/flow_hash.h"

namespace weir::floodgate {

void VoqPool::attach(QueueContext& context, const Settings& settings, std::size_t groups, std::size_t ports) {
  pipeline_ = settings.pipeline;
  priority_ = settings.priority;
  std::size_t number = settings.queues;
  if (pipeline_ == Pipeline::port) {
    number = std::max(number, ports);  // [FLOODGATE-V-6]
    ports_without_ = ports;
    bound_.resize(context.ports());
    for (std::vector<std::uint16_t>& of_port : bound_) of_port.reserve(number);
    groups = 1;  // a VOQ of a port is of one direction anyway
    // Among themselves VOQs take turns by packets.
    context.set_discipline(priority_, Discipline::round_robin);
  }
  free_.resize(groups);
  members_.resize(groups);
  first_queue_ = static_cast<std::uint32_t>(context.queues());
  for (std::size_t i = 0; i < number; ++i) {
    // [FLOODGATE-V-4] The first half is the first group's.
    const std::size_t group = i * groups / number;
    voqs_.push_back({.queue = context.new_queue({.priority = priority_, .service = Service::released}),
                     .port = PortId::none(),
                     .group = static_cast<std::uint16_t>(group)});
    members_[group].push_back(static_cast<std::uint16_t>(i));
  }
  // The lowest is taken first.
  for (std::size_t group = 0; group < groups; ++group)
    free_[group].assign(members_[group].rbegin(), members_[group].rend());
}

bool VoqPool::may_take(std::size_t group, PortId port) const {
  if (free_[group].empty()) return false;
  return pipeline_ == Pipeline::egress || bound_[port.index()].empty() || free_[group].size() > ports_without_;
}

std::uint16_t VoqPool::share(std::size_t group, std::uint32_t name, PortId port) const {
  const std::vector<std::uint16_t>& among = pipeline_ == Pipeline::port ? bound_[port.index()] : members_[group];
  return among[~detail::crc32(~0u, name, 4) % among.size()];
}

std::uint16_t VoqPool::take(QueueContext& context, std::size_t group, std::uint32_t name, PortId port) {
  if (pipeline_ == Pipeline::port) group = 0;
  std::uint16_t number = kNone;
  if (may_take(group, port)) {
    number = free_[group].back();
    free_[group].pop_back();
    used_.set(static_cast<double>(++in_use_));
    if (pipeline_ == Pipeline::port) {
      std::vector<std::uint16_t>& bound = bound_[port.index()];
      if (bound.empty()) --ports_without_;
      bound.push_back(number);
      voqs_[number].port = port;
      context.bind(voqs_[number].queue, {.port = port, .priority = priority_, .behind = true});
    }
  } else {
    number = share(group, name, port);
    ++shared_;
  }
  ++voqs_[number].users;
  users_.add(1);
  return number;
}

void VoqPool::leave(QueueContext& context, std::uint16_t number) {
  Voq& voq = voqs_[number];
  users_.add(-1);
  if (--voq.users > 0) return;
  used_.set(static_cast<double>(--in_use_));
  free_[voq.group].push_back(number);
  if (!voq.port.exists()) return;
  std::vector<std::uint16_t>& bound = bound_[voq.port.index()];
  *std::find(bound.begin(), bound.end(), number) = bound.back();
  bound.pop_back();
  if (bound.empty()) ++ports_without_;
  voq.port = PortId::none();
  context.unbind(voq.queue);
}

std::uint16_t VoqPool::of(QueueId queue) const {
  const std::uint32_t number = queue.value - first_queue_;
  return number < voqs_.size() ? static_cast<std::uint16_t>(number) : kNone;
}

}  // namespace weir::floodgate
