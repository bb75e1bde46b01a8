// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "criteria/measure_tables.h"
#include "criteria/selection.h"
#include "wire/frame.h"

namespace weir::measures {
namespace {

Figure retransmitted_fraction(const RunView& run, const Arguments&) {
  const auto frames = static_cast<double>(run.record.data_frames);
  return Figure::number(frames == 0 ? kNone : static_cast<double>(run.record.retransmitted_frames) / frames);
}

Histogram queueing_of(const RunView& run, const Arguments& arguments) {
  Histogram out;
  for (std::size_t tier = 0; tier < run.record.queueing_by_tier.size(); ++tier) {
    if (selection::number(arguments, "tier", static_cast<double>(tier)) != static_cast<double>(tier)) continue;
    out.merge(run.record.queueing_by_tier[tier]);
  }
  return out;
}
Figure queueing(const RunView& run, const Arguments& arguments) {
  return Figure::number(quantile_of(queueing_of(run, arguments), arguments));
}
Figure queueing_mean(const RunView& run, const Arguments& arguments) {
  return Figure::number(mean_of(queueing_of(run, arguments)));
}

Figure active_flows(const RunView& run, const Arguments& arguments) {
  return Figure::number(quantile_of(run.record.active_flows, arguments));
}
Figure active_queues(const RunView& run, const Arguments& arguments) {
  return Figure::number(quantile_of(run.record.active_queues, arguments));
}

Figure kind_fraction(const RunView& run, const Arguments& arguments) {
  static constexpr std::array<std::string_view, 7> kKinds = {"data", "ack",         "nack",        "cnp",
                                                             "pfc",  "hop control", "host control"};
  const std::string& wanted = *selection::text(arguments, "kind");
  double sum = 0;
  double of_kind = kNone;
  for (std::size_t i = 0; i < run.record.bytes_by_kind.size(); ++i) {
    const auto bytes = static_cast<double>(run.record.bytes_by_kind[i]);
    sum += bytes;
    if (i < kKinds.size() && kKinds[i] == wanted) of_kind = bytes;
  }
  if (std::isnan(of_kind)) throw Unavailable(fmt::format("unknown kind of frame \"{}\"", wanted));
  return Figure::number(of_kind / sum);
}

PauseHold hold_of(const RunView& run, const Arguments& arguments) {
  PauseHold out;
  for (const FlowClass flow_class : classes_of(arguments)) {
    const PauseHold& of = run.record.pause_hold[static_cast<std::size_t>(flow_class)];
    out.held += of.held;
    out.innocent += of.innocent;
    out.packets += of.packets;
  }
  return out;
}
Figure innocent_time(const RunView& run, const Arguments& arguments) {
  return Figure::number(static_cast<double>(hold_of(run, arguments).innocent.picoseconds()));
}
Figure held_time(const RunView& run, const Arguments& arguments) {
  return Figure::number(static_cast<double>(hold_of(run, arguments).held.picoseconds()));
}

Figure simulated_time(const RunView& run, const Arguments&) {
  return Figure::number(static_cast<double>(run.record.simulated.since_start().picoseconds()));
}

Figure deadlocks(const RunView& run, const Arguments&) {
  return Figure::number(run.record.deadlock ? 1 : 0);
}

}  // namespace

std::vector<RunMeasure> of_frames() {
  using M = MeasurementSettings;
  return {
      {{"retransmitted_fraction", "retransmitted frames divided by data frames sent", kPlain, false, {}},
       nullptr,
       retransmitted_fraction},
      {{"queueing",
        "quantile of the waiting time of a data frame in a switch",
        kTime,
        false,
        {{"tier", false, kPlain, false, "tier of the switch"}, kShareArgument}},
       &M::queueing,
       queueing},
      {{"queueing_mean",
        "mean waiting time of a data frame in a switch",
        kTime,
        false,
        {{"tier", false, kPlain, false, "tier of the switch"}}},
       &M::queueing,
       queueing_mean},
      {{"active_flows",
        "quantile of the number of queue pairs with queued data per port",
        kPlain,
        false,
        {kShareArgument}},
       &M::active,
       active_flows},
      {{"active_queues", "quantile of the number of active queues per port", kPlain, false, {kShareArgument}},
       &M::active,
       active_queues},
      {{"kind_fraction",
        "fraction of the frame bytes sent on links",
        kPlain,
        false,
        {{"kind", true, kPlain, true, "kind of frame: data, ack, nack, cnp, pfc, hop control, host control"}}},
       nullptr,
       kind_fraction},
      {{"innocent_time",
        "total time for which pauses blocked packets although the congestion root was not on their path",
        kTime,
        false,
        {kClassArgument}},
       &M::innocent_pause,
       innocent_time},
      {{"held_time", "total time for which pauses blocked packets", kTime, false, {kClassArgument}},
       &M::innocent_pause,
       held_time},
      {{"simulated_time", "end time of the run", kTime, false, {}}, nullptr, simulated_time},
      {{"deadlocks", "1 if a deadlock of pauses ended the run, otherwise 0", kPlain, false, {}}, nullptr, deadlocks},
  };
}

}  // namespace weir::measures
