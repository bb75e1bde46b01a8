// SPDX-License-Identifier: Apache-2.0
#include "scenario/run_sections.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "config/quantity.h"
#include "scenario/section_meanings.h"
#include "scenario/seeds.h"

namespace weir {

About read_about_section(Reader section) {
  About about;
  section.required("title", about.title, "what the scenario is called");
  section.optional("question", about.question, "what it is to answer");
  section.list("assumed", about.assumed, "what the source of the scenario does not state: our choice and its reason");
  section.finish();
  return about;
}

Duration read_routing_section(Reader section) {
  Duration failure_detection = NetworkSettings().failure_detection;
  section.optional("failure_detection", failure_detection, "from a change of a link to new routes");
  section.finish();
  return failure_detection;
}

namespace {

/// Reports errors in run.seeds. The key is not part of a run's effective configuration, which contains the run's own
/// seed: additional replicates leave the others unchanged.
void declare_seeds(Reader& section) {
  const Value::Member* given =
      section.custom("seeds", "an integer N, or a list of integers",
                     "replicates: one run with each seed from 1 to N, or with those of the list", "");
  if (section.describing()) return;
  section.withdraw("seeds");
  if (given == nullptr) return;
  if (section.has("seed")) {
    section.refuse(*given, "stands beside run.seed, expected one of them");
  } else if (!seeds_of(given->value)) {
    section.refuse(*given, fmt::format("is {}, expected {}", description(given->value), kSeedsExpected));
  }
}

}  // namespace

RunSettings read_run_section(Reader section, std::vector<std::uint64_t>& seeds) {
  RunSettings run;
  seeds.clear();
  if (const Value::Member* given = section.has("seeds") ? section.value()->find("seeds") : nullptr) {
    seeds = seeds_of(given->value).value_or(seeds);
  }
  if (!seeds.empty()) run.seed = seeds.front();
  section.optional("seed", run.seed, "of all random numbers");
  declare_seeds(section);
  if (seeds.empty()) seeds = {run.seed};
  std::optional<Time> stop;
  section.optional("stop", stop, "no flow starts at or after it; without drain, the end", above(Time()));
  run.stop = stop.value_or(Time::never());
  section.optional("drain", run.drain, "run on until the flows that have started are complete");
  section.optional("drain_limit", run.drain_limit, "for at most this long after stop");
  section.optional("frame_capacity", run.frame_capacity,
                   "frames that exist at once, at most; by default a bound of what the network is taken to need",
                   Range<std::size_t>{std::size_t{1'024}, std::size_t{1} << 28, false});
  section.finish();
  return run;
}

MeasurementSettings read_measure_section(Reader section, const NodeNames& names) {
  MeasurementSettings measurement;
  section.optional("occupancy", measurement.occupancy, "the distribution of each switch's used buffer, sampled");
  section.optional("sample_interval", measurement.sample_interval, "between samples", above(Duration()));
  section.optional("throughput", measurement.throughput,
                   "over time: payload delivered by class of flow, bytes on links by kind of frame");
  section.optional("queueing", measurement.queueing, "how long data frames wait in a switch, by its tier");
  section.optional("innocent_pause", measurement.innocent_pause,
                   "how long packets are held by pauses whose root is not on their path");
  section.optional("active", measurement.active,
                   "of each port of a switch, sampled: flows with data queued, and queues that may be served");
  section.optional("sender_rates", measurement.sender_rates,
                   "over time: number, and sum and sum of squares of the rates, of queue pairs that send");
  section.optional("egress_kinds", measurement.egress_kinds, "frames and bytes that each port sent, by kind of frame");
  section.optional("hops", measurement.hops,
                   "what switches hold, and how long, by class of flow, hop and direction; maxima are exact");
  section.optional("policies", measurement.policies,
                   "counters and gauges of schemes, by port and queue group: final values and exact maxima");
  section.optional("held_links", measurement.held_links,
                   "how long links stood still because all that waited for them was held, whatever held it");
  // The next two cost less than 1 % of a run each. Without them a report can neither explain why flows are slow nor
  // show the network.
  measurement.slowdown_split = true;
  section.optional("slowdown_split", measurement.slowdown_split,
                   "what made flows slower than ideal, for the report: queueing, pause, pacing, timeout");
  measurement.timeline = true;
  section.optional("timeline", measurement.timeline, "load, queue and pauses of every link over time, for the report");
  if (std::optional<Reader> port =
          section.optional_table("watched_port", "whose queued bytes, and gauges of schemes, are kept over time")) {
    measurement.watched_port = names.port(*port);
    port->finish();
  }
  section.finish();
  return measurement;
}

std::vector<LinkFailure> read_failures(Reader& root, const NodeNames& names) {
  std::vector<LinkFailure> out;
  for (Reader& entry : root.tables("failure", kFailureMeaning)) {
    const std::optional<LinkId> link = names.link(entry);
    LinkFailure failure;
    const bool timed = entry.required("down", failure.down, "when it fails");
    std::optional<Time> up;
    entry.optional("up", up, "when it is back; when left out, never");
    entry.finish();
    if (up && timed && *up <= failure.down) {
      entry.refuse(fmt::format("up is {}, expected after down, which is {}", to_text(up->since_start()),
                               to_text(failure.down.since_start())));
    }
    if (!link || !timed) continue;
    failure.link = *link;
    failure.up = up.value_or(Time::never());
    out.push_back(failure);
  }
  return out;
}

std::vector<PortWeight> read_weights(Reader& root, const NodeNames& names) {
  std::vector<PortWeight> out;
  for (Reader& entry : root.tables("weight", kWeightMeaning)) {
    const auto port = names.port(entry);
    PortWeight weight;
    const bool given = entry.required("weight", weight.weight, "ports that are not named have 1");
    entry.finish();
    if (!port || !given) continue;
    weight.node = port->first;
    weight.port = port->second;
    out.push_back(weight);
  }
  return out;
}

}  // namespace weir
