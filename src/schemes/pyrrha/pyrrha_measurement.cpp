// SPDX-License-Identifier: Apache-2.0
// What Pyrrha's switches report to measurement and tests.
#include <algorithm>
#include <array>

#include "schemes/pyrrha/pyrrha_switch.h"

namespace weir::pyrrha {
namespace {

/// In the order of the cases of statistic().
constexpr auto kStatistics = std::to_array<StatisticSpec>({
    {.name = "pyrrha.queues", .unit = "", .kind = StatisticSpec::Kind::gauge, .scope = StatisticSpec::Scope::port},
    {.name = "pyrrha.roots", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "pyrrha.known_roots", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "pyrrha.isolated", .unit = "frames"},
    {.name = "pyrrha.given_up", .unit = ""},
    {.name = "pyrrha.shared", .unit = ""},
    {.name = "pyrrha.unheeded", .unit = "frames"},
    {.name = "pyrrha.looped", .unit = "frames"},
    {.name = "pyrrha.untracked", .unit = "frames"},
    {.name = "pyrrha.pauses", .unit = "frames"},
    {.name = "pyrrha.resumes", .unit = "frames"},
    {.name = "pyrrha.merges", .unit = "frames"},
    {.name = "pyrrha.deallocations", .unit = "frames"},
});

}  // namespace

void PyrrhaSwitch::keeps(const SwitchContext& context, QueueId queue, const Frame& frame,
                         std::vector<HopPause>& out) const {
  const auto list = [&](std::size_t anchor, Root root) {
    upstream_.for_each_paused(anchor, [&](PortId ingress) { out.push_back({ingress, root, false}); });
  };
  const std::uint32_t number = queues_.number_of(queue);
  if (number == kNone) {
    if (queue != context.default_queue(frame.egress, settings_.priority)) return;
    list(frame.egress.index(), root_of(context.id(), frame.egress));
    return;
  }
  for (std::uint32_t user = first_user_[number]; user != kNone; user = table_[user].next) {
    list(anchor_of(user), table_[user].key.root);
  }
}

void PyrrhaSwitch::held_by(const SwitchContext&, QueueId queue, std::vector<HeldBy>& out) const {
  const std::uint32_t number = queues_.number_of(queue);
  if (number == kNone) return;
  for (std::uint32_t user = first_user_[number]; user != kNone; user = table_[user].next) {
    const Record& record = table_[user];
    if (record.state == State::paused) out.push_back({record.key.port, record.key.root, QueueId::none()});
  }
}

// [PYRRHA-SIGNAL-1]
std::int64_t PyrrhaSwitch::signalled_length(const SwitchContext& context, QueueId queue, const Frame& frame) const {
  const std::uint32_t stood_in = settings_.manages(frame) ? FlowOrder::last_queue(frame) : kNone;
  if (stood_in == kNone || settings_.signals_output || queues_.number_of(queue) != kNone)
    return context.queue(queue).bytes;
  const QueueState& state = context.queue(queues_[stood_in].queue);
  return state.port == frame.egress ? state.bytes : 0;
}

std::span<const StatisticSpec> PyrrhaSwitch::statistics() const {
  return kStatistics;
}

Statistic PyrrhaSwitch::statistic(std::size_t which, PortId port, std::size_t) const {
  switch (which) {
    case 0:
      return {static_cast<double>(queues_.in_use(port)), static_cast<double>(queues_.most(port))};
    case 1:
      return roots_.statistic();
    case 2:
      return records_.statistic();
    case 3:
      return Statistic::of_counter(isolated_);
    case 4:
      return Statistic::of_counter(given_up_);
    case 5:
      return Statistic::of_counter(queues_.shared());
    case 6:
      return Statistic::of_counter(unheeded_);
    case 7:
      return Statistic::of_counter(looped_);
    case 8:
      return Statistic::of_counter(order_.untracked());
    case 9:
      return Statistic::of_counter(upstream_.pauses());
    case 10:
      return Statistic::of_counter(upstream_.resumes());
    case 11:
      return Statistic::of_counter(upstream_.merges());
    default:
      return Statistic::of_counter(upstream_.deallocations());
  }
}

std::optional<PyrrhaSwitch::State> PyrrhaSwitch::state_of(PortId port, Root root) const {
  const std::uint32_t number = table_.find({port, root});
  return number == kNone ? std::nullopt : std::optional(table_[number].state);
}

QueueId PyrrhaSwitch::queue_of(PortId port, Root root) const {
  const std::uint32_t number = table_.find({port, root});
  if (number == kNone || table_[number].queue == kNone) return QueueId::none();
  return queues_[table_[number].queue].queue;
}

std::string PyrrhaSwitch::audit(const SwitchContext& context) const {
  std::vector<std::uint32_t> known(known_.size());
  for (std::uint32_t number = 0; number < table_.size(); ++number) {
    const Record& record = table_[number];
    if (!record.in_use) {
      if (upstream_.has_paused_any(anchor_of(number))) return "an unknown root holds a neighbour paused";
      continue;
    }
    ++known[record.key.port.index()];
    if (table_.find({record.key.port, record.key.root}) != number) return text_of(record.key.root) + " is not found";
    if (switch_in(record.key.root) == context.id().value) return text_of(record.key.root) + " is of this switch";
    if (record.queue != kNone && queues_[record.queue].port != record.key.port) return "a queue of another port";
  }
  if (known != known_) return "the roots of a port are miscounted";
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    const IsolationQueues::Queue& queue = queues_[number];
    const QueueState& state = context.queue(queue.queue);
    if (!queue.port.exists()) {
      if (!state.empty() || first_user_[number] != kNone) return "an unassigned queue is in use";
      continue;
    }
    std::uint32_t users = 0;
    std::uint32_t paused = 0;
    for (std::uint32_t user = first_user_[number]; user != kNone; user = table_[user].next) {
      ++users;
      paused += table_[user].state == State::paused ? 1 : 0;
    }
    if (users != queue.users || paused != queue.paused) return "the roots of a queue are miscounted";
    if ((state.closed_by != 0) != (paused != 0)) return "a gate is not as the roots of its queue say";
  }
  return {};
}

}  // namespace weir::pyrrha
