// SPDX-License-Identifier: Apache-2.0
// Hand-made records for tests.
#pragma once

#include <string>
#include <vector>

#include "results/run_record.h"

namespace weir {

/// A flow of `class_` that took `fct_us` microseconds at its sender, one less at its receiver, and 10 without other
/// traffic; zero: it did not complete.
inline FlowRecord flow_of(FlowClass flow_class, std::int64_t size, std::int64_t fct_us) {
  constexpr std::int64_t kMicrosecond = 1'000'000;
  FlowRecord flow;
  flow.source = HostId(1);
  flow.destination = HostId(2);
  flow.size = Bytes(size);
  flow.flow_class = flow_class;
  flow.ideal_fct = Duration::picoseconds(10 * kMicrosecond);
  if (fct_us > 0) {
    flow.sender_completion = Duration::picoseconds(fct_us * kMicrosecond);
    flow.receiver_completion = Duration::picoseconds((fct_us - 1) * kMicrosecond);
  }
  return flow;
}

inline SwitchRecord switch_of(std::string name, int tier, std::int64_t buffer_maximum, std::uint64_t pauses_sent) {
  SwitchRecord record;
  record.name = std::move(name);
  record.tier = tier;
  record.buffer_maximum = buffer_maximum;
  record.pauses_sent = pauses_sent;
  return record;
}

/// A link from tier to tier, paused for `paused_us` microseconds in total.
inline LinkRecord link_of(std::string from, int from_tier, std::string to, int to_tier, std::int64_t paused_us,
                          std::uint64_t pauses) {
  LinkRecord link;
  link.from = std::move(from);
  link.to = std::move(to);
  link.from_tier = from_tier;
  link.to_tier = to_tier;
  link.paused = Duration::picoseconds(paused_us * 1'000'000);
  link.pauses = pauses;
  link.rate = BitRate(100'000'000'000);
  return link;
}

/// Two ToRs under a core, for 1 ms: an incast of four flows, four victims that take `victim_us` microseconds, and four
/// background flows. If `pauses`, the core is paused by the first ToR, and the second ToR by the core.
inline RunRecord record_of(std::string variant, std::int64_t victim_us, std::uint64_t pauses) {
  RunRecord record;
  record.scenario = "incast";
  record.variant = std::move(variant);
  record.seed = 1;
  record.version = "0.1.0";
  record.digest = "0123456789abcdef";
  record.simulated = Time::picoseconds(1'000'000'000);
  for (int i = 0; i < 4; ++i) {
    record.flows.push_back(flow_of(FlowClass::incast, 50'000, 400 + 20 * i));
    record.flows.push_back(flow_of(FlowClass::victim, 2'000, victim_us + i));
    record.flows.push_back(flow_of(FlowClass::background, 5'000'000, 8 + 4 * i));
  }
  for (std::size_t i = 0; i < record.flows.size(); ++i) record.flows[i].id = FlowId(i);
  record.switches = {switch_of("tor0", 1, 9'200'000, pauses), switch_of("tor1", 1, 300'000, 0),
                     switch_of("core0", 2, 1'250'000, pauses / 2)};
  const std::int64_t paused_us = pauses == 0 ? 0 : 200;
  record.links = {link_of("host1", 0, "tor0", 1, 0, 0), link_of("core0", 2, "tor0", 1, paused_us, pauses),
                  link_of("core0", 2, "tor1", 1, 0, 0), link_of("tor1", 1, "core0", 2, paused_us / 2, pauses / 2)};
  record.data_frames = 10'000;
  return record;
}

}  // namespace weir
