// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "check/check.h"
#include "criteria/measure_tables.h"
#include "criteria/selection.h"

namespace weir::measures {
namespace {

Figure buffer_max(const RunView& run, const Arguments& arguments) {
  double most = 0;
  for (const SwitchRecord* record : selection::switches(run, arguments)) {
    most = std::max(most, static_cast<double>(record->buffer_maximum));
  }
  return Figure::number(most);
}

template <Histogram SwitchRecord::*histogram>
Histogram merged(const RunView& run, const Arguments& arguments) {
  Histogram out;
  for (const SwitchRecord* record : selection::switches(run, arguments)) out.merge(record->*histogram);
  return out;
}

Figure occupancy(const RunView& run, const Arguments& arguments) {
  return Figure::number(quantile_of(merged<&SwitchRecord::occupancy>(run, arguments), arguments));
}
Figure occupancy_mean(const RunView& run, const Arguments& arguments) {
  return Figure::number(mean_of(merged<&SwitchRecord::occupancy>(run, arguments)));
}
Figure occupancy_at_pause(const RunView& run, const Arguments& arguments) {
  return Figure::number(mean_of(merged<&SwitchRecord::occupancy_at_pause>(run, arguments)));
}

Figure drops(const RunView& run, const Arguments& arguments) {
  const std::string* reason = selection::text(arguments, "reason");
  double count = 0;
  bool known = reason == nullptr;
  for (const SwitchRecord* record : selection::switches(run, arguments)) {
    for (std::size_t i = 0; i < record->drops.size(); ++i) {
      if (reason != nullptr ? kDropReasonNames[i] != *reason : i == kDroppedOnPurpose) continue;
      known = true;
      count += static_cast<double>(record->drops[i]);
    }
  }
  if (!known) throw Unavailable(fmt::format("unknown reason for drops \"{}\"", *reason));
  return Figure::number(count);
}

Figure drop_fraction(const RunView& run, const Arguments& arguments) {
  const double frames = static_cast<double>(run.record.data_frames);
  return Figure::number(frames == 0 ? kNone : *drops(run, arguments).as_number() / frames);
}

Figure shared_pool(const RunView& run, const Arguments& arguments) {
  const std::vector<const SwitchRecord*> chosen = selection::switches(run, arguments);
  double least = std::numeric_limits<double>::infinity();
  for (const CheckedSwitches& group : check_variant(run.settings, {}).switches) {
    for (const SwitchRecord* record : chosen) {
      if (std::find(group.switches.begin(), group.switches.end(), record->id) == group.switches.end()) continue;
      least = std::min(least, static_cast<double>(group.shared.count()));
    }
  }
  return Figure::number(least);
}

}  // namespace

std::vector<RunMeasure> of_switches() {
  const std::vector<Argument>& switches = selection::switch_arguments();
  return {
      {{"buffer_max", "maximum buffer use of a switch", kSize, false, switches}, nullptr, buffer_max},
      {{"occupancy", "quantile of the sampled buffer use of switches", kSize, false,
        joined(switches, {kShareArgument})},
       nullptr,
       occupancy},
      {{"occupancy_mean", "mean of the sampled buffer use of switches", kSize, false, switches},
       nullptr,
       occupancy_mean},
      {{"occupancy_at_pause", "mean buffer use of a switch when it sent a pause", kSize, false, switches},
       nullptr,
       occupancy_at_pause},
      {{"shared_pool", "minimum over switches of the buffer without headroom and reserves", kSize, false, switches},
       nullptr,
       shared_pool},
      {{"drops", "frames dropped; those that a scheme drops on purpose only with reason=\"on purpose\"", kPlain, false,
        joined(switches, {{"reason", true, kPlain, false, "reason of the drop"}})},
       nullptr,
       drops},
      {{"drop_fraction", "dropped frames divided by data frames sent", kPlain, false,
        joined(switches, {{"reason", true, kPlain, false, "reason of the drop"}})},
       nullptr,
       drop_fraction},
  };
}

}  // namespace weir::measures
