// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "criteria/measure_tables.h"
#include "criteria/selection.h"
#include "results/distribution.h"
#include "results/rank.h"

namespace weir::measures {
namespace {

std::vector<double> slowdowns(const RunView& run, const Arguments& arguments) {
  std::vector<double> out;
  for (const FlowRecord* flow : selection::flows(run, arguments)) {
    if (flow->completed() && flow->ideal_fct > Duration()) out.push_back(slowdown_of(*flow));
  }
  return out;
}

std::vector<double> completion_times(const RunView& run, const Arguments& arguments) {
  std::vector<double> out;
  for (const FlowRecord* flow : selection::flows(run, arguments)) {
    if (flow->completed()) out.push_back(static_cast<double>(flow->sender_completion.picoseconds()));
  }
  return out;
}

std::vector<double> flow_rates(const RunView& run, const Arguments& arguments) {
  std::vector<double> out;
  for (const FlowRecord* flow : selection::flows(run, arguments)) {
    if (!flow->completed()) continue;
    out.push_back(static_cast<double>(flow->size.count()) / static_cast<double>(flow->sender_completion.picoseconds()));
  }
  return out;
}

using Values = std::vector<double> (*)(const RunView&, const Arguments&);
using Reduce = double (*)(const Distribution&);

template <Values values, Reduce reduce>
Figure reduced(const RunView& run, const Arguments& arguments) {
  const Distribution distribution = distribution_of(values(run, arguments));
  return Figure::number(distribution.empty() ? kNone : reduce(distribution));
}

double mean(const Distribution& d) {
  return d.mean;
}
double p50(const Distribution& d) {
  return d.p50;
}
double p90(const Distribution& d) {
  return d.p90;
}
double p95(const Distribution& d) {
  return d.p95;
}
double p99(const Distribution& d) {
  return d.p99;
}
double maximum(const Distribution& d) {
  return d.maximum;
}

template <Values values>
Figure all(const RunView& run, const Arguments& arguments) {
  return Figure::numbers(values(run, arguments));
}

Figure flows_started(const RunView& run, const Arguments& arguments) {
  return Figure::number(static_cast<double>(selection::flows(run, arguments).size()));
}

Figure flows_unfinished(const RunView& run, const Arguments& arguments) {
  const auto flows = selection::flows(run, arguments);
  return Figure::number(static_cast<double>(
      std::count_if(flows.begin(), flows.end(), [](const FlowRecord* f) { return !f->completed() && !f->stopped; })));
}

Figure flows_outstanding(const RunView& run, const Arguments& arguments) {
  const double at = selection::number(arguments, "at", 0);
  double count = 0;
  for (const FlowRecord* flow : selection::flows(run, arguments)) {
    const auto start = static_cast<double>(flow->start.since_start().picoseconds());
    const double end = start + static_cast<double>(flow->sender_completion.picoseconds());
    if (start <= at && (!flow->completed() || at < end)) ++count;
  }
  return Figure::number(count);
}

}  // namespace

std::vector<RunMeasure> of_flows() {
  const std::vector<Argument>& flows = selection::flow_arguments();
  return {
      {{"mean_slowdown", "mean slowdown: completion time divided by ideal FCT", kPlain, false, flows},
       nullptr,
       reduced<slowdowns, mean>},
      {{"median_slowdown", "median slowdown", kPlain, false, flows}, nullptr, reduced<slowdowns, p50>},
      {{"p95_slowdown", "95th percentile of the slowdown", kPlain, false, flows}, nullptr, reduced<slowdowns, p95>},
      {{"p99_slowdown", "99th percentile of the slowdown", kPlain, false, flows}, nullptr, reduced<slowdowns, p99>},
      {{"slowdowns", "list of the slowdowns, one per completed flow", kPlain, true, flows}, nullptr, all<slowdowns>},
      {{"mean_fct", "mean flow completion time at the sender", kTime, false, flows},
       nullptr,
       reduced<completion_times, mean>},
      {{"median_fct", "median flow completion time", kTime, false, flows}, nullptr, reduced<completion_times, p50>},
      {{"p90_fct", "90th percentile of the flow completion time", kTime, false, flows},
       nullptr,
       reduced<completion_times, p90>},
      {{"p95_fct", "95th percentile of the flow completion time", kTime, false, flows},
       nullptr,
       reduced<completion_times, p95>},
      {{"p99_fct", "99th percentile of the flow completion time", kTime, false, flows},
       nullptr,
       reduced<completion_times, p99>},
      {{"max_fct", "maximum flow completion time", kTime, false, flows}, nullptr, reduced<completion_times, maximum>},
      {{"fcts", "list of the completion times, one per completed flow", kTime, true, flows},
       nullptr,
       all<completion_times>},
      {{"flow_rates", "list of size divided by completion time, per completed flow", kRate, true, flows},
       nullptr,
       all<flow_rates>},
      {{"flows", "flows that started", kPlain, false, flows}, nullptr, flows_started},
      {{"unfinished", "flows not completed at the end", kPlain, false, flows}, nullptr, flows_unfinished},
      {{"outstanding", "flows started and not completed at a given time", kPlain, false,
        joined(flows, {{"at", false, kTime, true, "the time"}})},
       nullptr,
       flows_outstanding},
  };
}

}  // namespace weir::measures
