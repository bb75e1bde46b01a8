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
  section.required("title", about.title, "title of the scenario");
  section.optional("question", about.question, "question that the scenario answers");
  section.list("assumed", about.assumed,
               "assumptions: choices that the source of the scenario leaves open, with reasons");
  section.finish();
  return about;
}

Duration read_routing_section(Reader section) {
  Duration failure_detection = NetworkSettings().failure_detection;
  section.optional("failure_detection", failure_detection,
                   "time from a link's failure or recovery until the routes change");
  section.finish();
  return failure_detection;
}

namespace {

/// Reports errors in run.seeds. The key is not part of a run's effective configuration, which contains the run's own
/// seed: additional replicates leave the others unchanged.
void declare_seeds(Reader& section) {
  const Value::Member* given =
      section.custom("seeds", "an integer N, or a list of integers",
                     "replicates: one run per seed, with the seeds 1 to N or those of the list", "");
  if (section.describing()) return;
  section.withdraw("seeds");
  if (given == nullptr) return;
  if (section.has("seed")) {
    section.refuse(*given, "is given together with run.seed, expected only one of the two");
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
  section.optional("seed", run.seed, "seed of all random numbers");
  declare_seeds(section);
  if (seeds.empty()) seeds = {run.seed};
  std::optional<Time> stop;
  section.optional("stop", stop, "no flow starts at or after this time; without drain, the run ends at this time",
                   above(Time()));
  run.stop = stop.value_or(Time::never());
  section.optional("drain", run.drain, "continue after stop until all started flows are complete");
  section.optional("drain_limit", run.drain_limit, "maximum duration of the drain after stop");
  section.optional("frame_capacity", run.frame_capacity,
                   "maximum number of frames in use at once; the default is an upper bound for the network",
                   Range<std::size_t>{std::size_t{1'024}, std::size_t{1} << 28, false});
  section.finish();
  return run;
}

MeasurementSettings read_measure_section(Reader section, const NodeNames& names) {
  MeasurementSettings measurement;
  section.optional("occupancy", measurement.occupancy, "distribution of each switch's buffer use, sampled");
  section.optional("sample_interval", measurement.sample_interval, "interval between samples", above(Duration()));
  section.optional("throughput", measurement.throughput,
                   "over time: delivered payload per flow class, and bytes on links per kind of frame");
  section.optional("queueing", measurement.queueing, "queueing time of data frames per switch tier");
  section.optional("innocent_pause", measurement.innocent_pause,
                   "time for which pauses block packets although the congestion root is not on their path");
  section.optional("active", measurement.active,
                   "per switch port, sampled: number of flows with queued data, and of active queues");
  section.optional("sender_rates", measurement.sender_rates,
                   "over time: number of sending queue pairs, and sum and sum of squares of their rates");
  section.optional("egress_kinds", measurement.egress_kinds, "frames and bytes sent per port and kind of frame");
  section.optional(
      "hops", measurement.hops,
      "bytes queued in switches and their queueing time, per flow class, hop and direction; maxima are exact");
  section.optional("policies", measurement.policies,
                   "counters and gauges of schemes per port and queue group: final values and exact maxima");
  section.optional("congestion_trees", measurement.congestion_trees,
                   "congestion trees over time, of a flow control that pauses by congestion root: roots, members, who "
                   "pauses whom, merges");
  section.optional("held_links", measurement.held_links,
                   "time for which links were idle because all frames waiting for them were blocked, for any reason");
  // The next two cost less than 1 % of a run each. Without them a report can neither explain why flows are slow nor
  // show the network.
  measurement.slowdown_split = true;
  section.optional("slowdown_split", measurement.slowdown_split,
                   "causes of slowdown for the report: queueing, pause, pacing, timeout");
  measurement.timeline = true;
  section.optional("timeline", measurement.timeline,
                   "load, queue length and pauses of every link over time, for the report");
  if (std::optional<Reader> port = section.optional_table(
          "watched_port", "a port whose queued bytes and scheme gauges are recorded over time")) {
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
    const bool timed = entry.required("down", failure.down, "time of the failure");
    std::optional<Time> up;
    entry.optional("up", up, "time of the recovery; if omitted, the link stays down");
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
    const bool given = entry.required("weight", weight.weight, "weight of the port; other ports have weight 1");
    entry.finish();
    if (!port || !given) continue;
    weight.node = port->first;
    weight.port = port->second;
    out.push_back(weight);
  }
  return out;
}

}  // namespace weir
