// SPDX-License-Identifier: Apache-2.0
#include "apps/testbed_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace weir::apps {
namespace {

/// The number of whole intervals that are nearest to a time.
std::size_t intervals_in(Duration time, Duration interval) {
  const std::int64_t count = (time.picoseconds() + interval.picoseconds() / 2) / interval.picoseconds();
  return static_cast<std::size_t>(std::max<std::int64_t>(0, count));
}

/// By the names of both ends, and by the number among parallel links in the order of ports.
using LinkName = std::pair<std::pair<std::string, std::string>, std::size_t>;

class Join {
 public:
  explicit Join(RunRecord& out) : out_(out) {}

  /// Returns, for each link of the record, its index in the result.
  std::vector<std::size_t> add_links(const RunRecord& from) {
    std::map<std::pair<std::string, std::string>, std::size_t> seen;
    std::vector<std::size_t> places;
    for (const LinkRecord& link : from.links) {
      const std::pair ends(link.from, link.to);
      const auto [at, is_new] = places_.try_emplace(LinkName(ends, seen[ends]++), out_.links.size());
      places.push_back(at->second);
      if (is_new) {
        out_.links.push_back(link);
        continue;
      }
      LinkRecord& known = out_.links[at->second];
      known.frames = std::max(known.frames, link.frames);
      known.bytes = std::max(known.bytes, link.bytes);
      known.lost += link.lost;
      known.pauses += link.pauses;
      known.paused += link.paused;
    }
    return places;
  }

 private:
  RunRecord& out_;
  std::map<LinkName, std::size_t> places_;
};

void add_timeline(Timeline& out, const Timeline& from, Duration lead, const std::vector<std::size_t>& places) {
  const std::size_t joined = intervals_in(out.interval, from.interval);
  const std::size_t skipped = intervals_in(lead, from.interval);
  for (std::size_t link = 0; link < places.size(); ++link) {
    for (std::size_t i = skipped; i < from.intervals; ++i) {
      const std::size_t interval = (i - skipped) / joined;
      if (interval >= out.intervals) break;
      const std::size_t cell = places[link] * out.intervals + interval;
      out.queued[cell] = std::max(out.queued[cell], from.queued[link * from.intervals + i]);
    }
  }
  // Carried bytes are added within an interval, but both ends of a link count the same bytes.
  for (std::size_t link = 0; link < places.size(); ++link) {
    std::vector<std::uint64_t> carried(out.intervals);
    for (std::size_t i = skipped; i < from.intervals; ++i) {
      const std::size_t interval = (i - skipped) / joined;
      if (interval >= out.intervals) break;
      carried[interval] += from.carried[link * from.intervals + i];
    }
    for (std::size_t i = 0; i < out.intervals; ++i) {
      std::uint32_t& cell = out.carried[places[link] * out.intervals + i];
      cell = std::max(cell, static_cast<std::uint32_t>(std::min<std::uint64_t>(carried[i], ~std::uint32_t{0})));
    }
  }
  for (PauseSpan pause : from.pauses) {
    pause.link = static_cast<std::uint32_t>(places[pause.link]);
    pause.begin = std::max(Time(), pause.begin + -lead);
    pause.end = std::max(Time(), pause.end + -lead);
    if (pause.begin < pause.end) out.pauses.push_back(pause);
  }
  out.pauses_left_out += from.pauses_left_out;
}

Timeline joined_timeline(const std::vector<ProcessRecord>& switches,
                         const std::vector<std::vector<std::size_t>>& places, std::size_t links, Time end) {
  Timeline out;
  for (const ProcessRecord& process : switches) {
    out.interval = std::max(out.interval, process.record.timeline.interval);
  }
  if (out.interval == Duration()) return out;
  const Duration length = end - Time();
  out.intervals =
      static_cast<std::size_t>((length.picoseconds() + out.interval.picoseconds() - 1) / out.interval.picoseconds());
  out.carried.resize(links * out.intervals);
  out.queued.resize(links * out.intervals);
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const Timeline& from = switches[i].record.timeline;
    if (from.recorded()) add_timeline(out, from, switches[i].lead, places[i]);
  }
  std::stable_sort(out.pauses.begin(), out.pauses.end(),
                   [](const PauseSpan& a, const PauseSpan& b) { return a.begin < b.begin; });
  return out;
}

/// "queued.h3 bytes" of the port to h3 becomes "port.queued bytes", and "rocc.fair_rate.h3 bit/s" "rocc.fair_rate
/// bit/s". Others: nullopt.
std::optional<std::string> watched_name(const std::string& name, const std::string& peer) {
  const std::size_t space = name.find(' ');
  const std::string unit = space == std::string::npos ? std::string() : name.substr(space);
  const std::string quantity = name.substr(0, space);
  if (!quantity.ends_with("." + peer)) return std::nullopt;
  const std::string of = quantity.substr(0, quantity.size() - peer.size() - 1);
  return (of == "queued" ? "port.queued" : of) + unit;
}

void add_series(RunRecord& out, const ProcessRecord& from, const std::string& peer) {
  for (const Series& series : from.record.series) {
    const std::optional<std::string> name = watched_name(series.name, peer);
    if (!name) continue;
    Series cut{*name, series.interval, {}};
    const std::size_t skipped = std::min(series.values.size(), intervals_in(from.lead, series.interval));
    const std::size_t length = intervals_in(out.simulated - Time(), series.interval);
    const std::size_t end = std::min(series.values.size(), skipped + length);
    cut.values.assign(series.values.begin() + static_cast<std::ptrdiff_t>(skipped),
                      series.values.begin() + static_cast<std::ptrdiff_t>(end));
    out.series.push_back(std::move(cut));
  }
}

}  // namespace

RunRecord joined(const std::vector<ProcessRecord>& switches, const ProcessRecord& nics,
                 const std::optional<WatchedPort>& watched) {
  RunRecord out;
  out.version = nics.record.version;
  out.simulated = nics.record.simulated + -nics.lead;
  out.wall_seconds = nics.record.wall_seconds;
  out.data_frames = nics.record.data_frames;
  out.retransmitted_frames = nics.record.retransmitted_frames;
  out.strays = nics.record.strays;
  out.datagrams_dropped = nics.record.datagrams_dropped;
  out.flows = nics.record.flows;
  for (FlowRecord& flow : out.flows) flow.start = std::max(Time(), flow.start + -nics.lead);
  Join join(out);
  std::vector<std::vector<std::size_t>> places;
  for (const ProcessRecord& process : switches) {
    out.switches.insert(out.switches.end(), process.record.switches.begin(), process.record.switches.end());
    places.push_back(join.add_links(process.record));
    if (out.failure.empty()) out.failure = process.record.failure;
    const bool is_watched =
        watched && !process.record.switches.empty() && process.record.switches.front().name == watched->node;
    if (is_watched) add_series(out, process, watched->peer);
  }
  join.add_links(nics.record);
  for (const LinkRecord& link : out.links) out.packet_hops += link.frames;
  out.timeline = joined_timeline(switches, places, out.links.size(), out.simulated);
  return out;
}

}  // namespace weir::apps
