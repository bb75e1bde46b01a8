// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/settings.h"

namespace weir::bfc {
namespace {

std::size_t count(const Parameters& parameters, std::string_view name) {
  return static_cast<std::size_t>(parameters.get<std::int64_t>(name));
}

Assignment assignment_of(const Parameters& parameters) {
  const auto& name = parameters.get<std::string>("assignment");
  if (name == "single") return Assignment::single;
  return name == "stochastic" ? Assignment::stochastic : Assignment::dynamic;
}

EmptyQueue empty_queue_of(const std::string& name) {
  if (name == "random") return EmptyQueue::random;
  if (name == "lowest") return EmptyQueue::lowest;
  return name == "rotating" ? EmptyQueue::rotating : EmptyQueue::scan;
}

Order order_of(const std::string& name) {
  if (name == "shortest_remaining") return Order::shortest_remaining;
  return name == "by_frames" ? Order::by_frames : Order::fair;
}

ExemptTurns exempt_turns_of(const std::string& name) {
  if (name == "valleys") return ExemptTurns::down_up;
  return name == "cycles" ? ExemptTurns::cycle_breaking : ExemptTurns::none;
}

}  // namespace

Settings::Settings(const Parameters& parameters)
    : classes(count(parameters, "classes")),
      highest(static_cast<Priority>(parameters.get<std::int64_t>("priority"))),
      queues_acks(parameters.get<std::string>("acknowledgements") == "flows"),
      assignment(assignment_of(parameters)),
      table_factor(count(parameters, "flow_table_factor")),
      table_entries(count(parameters, "flow_table_entries")),
      pipelines(count(parameters, "pipelines")),
      sticky(parameters.get<double>("sticky")),
      hop_round_trip(parameters.get<Duration>("hop_round_trip")),
      threshold(parameters.get<Duration>("threshold")),
      refresh(parameters.get<Duration>("refresh")),
      pause_at_once(parameters.get<std::string>("pauses") == "at_once"),
      empty_refresh(parameters.get<Duration>("empty_refresh")),
      assign_paused(parameters.get<bool>("assign_paused")),
      empty_queue(empty_queue_of(parameters.get<std::string>("empty_queue"))),
      scan_beside(count(parameters, "scan_beside")),
      pause_from(count(parameters, "pause_from")),
      keeps_table(assignment == Assignment::dynamic || pause_from > 1),
      sampling(parameters.get<double>("sampling")),
      nic_queues(count(parameters, "nic_queues")),
      nic_backpressure(parameters.get<bool>("nic_backpressure")),
      order(order_of(parameters.get<std::string>("order"))),
      incast_label(parameters.get<bool>("incast_label")),
      exempt(exempt_turns_of(parameters.get<std::string>("elide"))),
      gate_fifo(parameters.get<Bytes>("gate_fifo")) {
  const bool of_class = parameters.get<std::string>("queues_of") == "class";
  const bool inside = parameters.get<std::string>("control_queue") == "inside";
  table_queues = count(parameters, "queues") * (of_class ? classes : 1);
  queues = (table_queues - (inside ? 1 : 0)) / classes;  // [BFC-P-3] [BFC-V-4]
  if (nic_queues == 0) nic_queues = queues;
}

}  // namespace weir::bfc
