// SPDX-License-Identifier: Apache-2.0
#include "traffic/source.h"

namespace weir {

void TrafficSource::on_completed(const FlowSpec& /*flow*/, Time /*now*/) {}

FlowSpec SourceSettings::flow(Time at) const {
  FlowSpec flow;
  flow.start = at;
  flow.priority = priority;
  flow.label = label;
  flow.rate_limit = rate_limit;
  flow.stop = end_flows;
  return flow;
}

}  // namespace weir
