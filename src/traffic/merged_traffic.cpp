// SPDX-License-Identifier: Apache-2.0
#include "traffic/merged_traffic.h"

#include <cassert>
#include <utility>

namespace weir {

MergedTraffic::MergedTraffic(std::vector<std::unique_ptr<TrafficSource>> sources) {
  heap_.resize(sources.size());
  sources_.reserve(sources.size());
  for (auto& source : sources) {
    const std::uint64_t first = connections_;
    connections_ += source->connections();
    follows_completions_ = follows_completions_ || source->follows_completions();
    sources_.push_back({std::move(source), first});
    schedule(static_cast<std::uint32_t>(sources_.size() - 1));
  }
  assert(connections_ <= 0xffff'ffffu);
}

void MergedTraffic::schedule(std::uint32_t source) {
  const Time next = sources_[source].source->next_start();
  if (next == Time::never()) {
    heap_.cancel(source);
  } else {
    heap_.arm(source, next);
  }
}

FlowSpec MergedTraffic::take() {
  const std::uint32_t number = heap_.first();
  Entry& entry = sources_[number];
  FlowSpec flow = entry.source->take();
  assert(flow.start == heap_.earliest());
  flow.id = FlowId(flows_taken_++);
  flow.traffic_source = number;
  if (flow.connection.exists()) flow.connection = ConnectionId(flow.connection.index() + entry.first_connection);
  schedule(number);
  return flow;
}

void MergedTraffic::on_completed(const FlowSpec& flow, Time now) {
  Entry& entry = sources_[flow.traffic_source];
  FlowSpec own = flow;
  if (own.connection.exists()) own.connection = ConnectionId(own.connection.index() - entry.first_connection);
  entry.source->on_completed(own, now);
  schedule(flow.traffic_source);
}

void MergedTraffic::offered(const OfferedRate& visit) const {
  for (const Entry& entry : sources_) entry.source->offered(visit);
}

}  // namespace weir
