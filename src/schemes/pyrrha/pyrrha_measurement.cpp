// SPDX-License-Identifier: Apache-2.0
// What Pyrrha's switches report to measurement and tests.
#include <algorithm>
#include <array>

#include "schemes/pyrrha/path_finder.h"
#include "schemes/pyrrha/pyrrha_switch.h"

namespace weir::pyrrha {
namespace {

/// In the order of the cases of statistic().
constexpr auto kStatistics = std::to_array<StatisticSpec>({
    {.name = "pyrrha.queues", .unit = "", .kind = StatisticSpec::Kind::gauge, .scope = StatisticSpec::Scope::port},
    {.name = "pyrrha.roots", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "pyrrha.known_roots", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "pyrrha.port_roots", .unit = "", .kind = StatisticSpec::Kind::gauge, .scope = StatisticSpec::Scope::port},
    {.name = "pyrrha.held_off_path", .unit = "frames"},
    {.name = "pyrrha.isolated", .unit = "frames"},
    {.name = "pyrrha.given_up", .unit = ""},
    {.name = "pyrrha.shared", .unit = ""},
    {.name = "pyrrha.unheeded", .unit = "frames"},
    {.name = "pyrrha.looped", .unit = "frames"},
    {.name = "pyrrha.untracked", .unit = "frames"},
    {.name = "pyrrha.order_markers", .unit = ""},
    {.name = "pyrrha.pauses", .unit = "frames"},
    {.name = "pyrrha.resumes", .unit = "frames"},
    {.name = "pyrrha.merges", .unit = "frames"},
    {.name = "pyrrha.deallocations", .unit = "frames"},
    {.name = "pyrrha.refused", .unit = "frames"},
});

}  // namespace

void PyrrhaSwitch::keeps(const SwitchContext& context, QueueId queue, const Frame& frame,
                         std::vector<HopPause>& out) const {
  const std::uint32_t number = queues_.number_of(queue);
  if (number == kNone) {
    if (queue != context.default_queue(frame.egress, settings_.priority)) return;
    list_pauses_of(frame.egress.index(), root_of(context.id(), frame.egress), out);
    return;
  }
  list_pauses(number, out);
}

void PyrrhaSwitch::list_pauses_of(std::size_t anchor, Root root, std::vector<HopPause>& out) const {
  upstream_.for_each_paused(anchor, [&](PortId ingress) { out.push_back({ingress, root, false}); });
}

bool PyrrhaSwitch::meets(const SwitchContext& context, const Frame& frame, Root root) const {
  bool found = false;
  const bool leaves = for_each_hop(context, frame, settings_.last_hop_only, [&](const Hop& hop, std::size_t) {
    found = root_of(hop) == root;
    return found;
  });
  return is_host(root) ? leaves && host_in(root) == frame.destination : found;
}

std::uint64_t PyrrhaSwitch::packets_off_path(const SwitchContext& context, QueueId queue, Root root) const {
  std::uint64_t count = 0;
  const QueueState& state = context.queue(queue);
  for (FrameId id = state.head; id.exists(); id = id == state.tail ? FrameId::none() : context.frames()[id].next) {
    const Frame& frame = context.frames()[id];
    count += frame.kind == FrameKind::data && !meets(context, frame, root) ? 1 : 0;
  }
  return count;
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
      return at_port_[port.index()].statistic();
    case 4:
      return Statistic::of_counter(off_path_);
    case 5:
      return Statistic::of_counter(isolated_);
    case 6:
      return Statistic::of_counter(given_up_);
    case 7:
      return Statistic::of_counter(queues_.shared());
    case 8:
      return Statistic::of_counter(unheeded_);
    case 9:
      return Statistic::of_counter(looped_);
    case 10:
      return Statistic::of_counter(untracked());
    case 11:
      return Statistic::of_counter(markers());
    case 12:
      return Statistic::of_counter(upstream_.pauses());
    case 13:
      return Statistic::of_counter(upstream_.resumes());
    case 14:
      return Statistic::of_counter(upstream_.merges());
    case 15:
      return Statistic::of_counter(upstream_.deallocations());
    default:
      return Statistic::of_counter(refused_);
  }
}

std::optional<PyrrhaSwitch::State> PyrrhaSwitch::state_of(PortId port, Root root) const {
  const std::uint32_t number = table_.find({port, root});
  return number == kNone ? std::nullopt : std::optional(table_[number].state);
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
  }
  if (known != known_) return "the roots of a port are miscounted";
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    const IsolationQueues::Queue& queue = queues_[number];
    const QueueState& state = context.queue(queue.queue);
    if (!queue.port.exists()) {
      if (!state.empty() || queue.users != 0) return "an unassigned queue is in use";
      continue;
    }
    if (const std::string mistake = audit_queue(context, number); !mistake.empty()) return mistake;
    if ((state.closed_by != 0) != (queue.closers != 0)) return "a gate is not as the roots of its queue say";
  }
  return {};
}

}  // namespace weir::pyrrha
