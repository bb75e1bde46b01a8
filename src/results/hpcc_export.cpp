// SPDX-License-Identifier: Apache-2.0
#include "results/hpcc_export.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "results/output_file.h"

namespace weir {
namespace {

constexpr std::uint32_t kHosts = 65'536;
constexpr std::uint32_t kFirstPort = 10'000;
constexpr std::uint32_t kPorts = 65'536;
constexpr int kPortOfIncast = 200;
constexpr int kPortOfOthers = 100;

struct Line {
  const FlowRecord* flow = nullptr;
  std::uint32_t source_port = 0;
};

std::uint32_t address_of(HostId host) {
  return 0x0b000001U + ((host.value / 256) << 16) + ((host.value % 256) << 8);
}

std::int64_t nanoseconds(Duration time) {
  return time.picoseconds() / 1'000;
}

/// The near end of a direction of a link, as named in the format.
struct Interface {
  std::size_t node = 0;
  bool at_switch = false;
  std::size_t index = 0;  ///< counted from 1
};

/// The interfaces of every link of the record. The directions that leave a node are in the order of its ports, and
/// hosts in the order of their numbers.
std::vector<Interface> interfaces_of(const RunRecord& record) {
  std::map<std::string_view, std::size_t> switches;
  for (const SwitchRecord& at : record.switches) switches.emplace(at.name, at.id.index());
  std::map<std::string_view, std::size_t> hosts;
  for (const LinkRecord& link : record.links) {
    if (!switches.contains(link.from)) hosts.try_emplace(link.from, hosts.size());
  }
  std::map<std::string_view, std::size_t> ports;
  std::vector<Interface> interfaces;
  for (const LinkRecord& link : record.links) {
    const auto at = switches.find(link.from);
    const bool at_switch = at != switches.end();
    interfaces.push_back({.node = at_switch ? hosts.size() + at->second : hosts.at(link.from),
                          .at_switch = at_switch,
                          .index = ++ports[link.from]});
  }
  return interfaces;
}

/// One end of a pause. At one instant, the beginning of a pause precedes its end, and both precede later pauses.
struct PauseChange {
  Time time;
  std::size_t pause = 0;
  bool resumed = false;
  auto operator<=>(const PauseChange&) const = default;
};

std::vector<PauseChange> pause_changes_of(const RunRecord& record) {
  std::vector<PauseChange> changes;
  for (std::size_t i = 0; i < record.timeline.pauses.size(); ++i) {
    const PauseSpan& pause = record.timeline.pauses[i];
    changes.push_back({pause.begin, i, false});
    if (pause.end < record.simulated) changes.push_back({pause.end, i, true});
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

}  // namespace

std::optional<std::string> write_hpcc_fct(const RunRecord& record, const std::filesystem::path& path) {
  std::vector<Line> lines;
  std::map<std::pair<HostId, HostId>, std::uint32_t> next_port;
  for (const FlowRecord& flow : record.flows) {
    if (flow.source.value >= kHosts || flow.destination.value >= kHosts) {
      return fmt::format("{}: host {} has no address in this format, which ends at {}", path.string(),
                         std::max(flow.source.value, flow.destination.value), kHosts - 1);
    }
    std::uint32_t& port = next_port.try_emplace({flow.source, flow.destination}, kFirstPort).first->second;
    const std::uint32_t source_port = port;
    port = port + 1 < kPorts ? port + 1 : kFirstPort;
    if (flow.completed()) lines.push_back({&flow, source_port});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.flow->start + a.flow->sender_completion < b.flow->start + b.flow->sender_completion;
  });
  OutputFile file(path);
  fmt::memory_buffer row;
  for (const auto& [flow, source_port] : lines) {
    row.clear();
    fmt::format_to(fmt::appender(row), FMT_COMPILE("{:08x} {:08x} {} {} {} {} {} {}\n"), address_of(flow->source),
                   address_of(flow->destination), source_port,
                   flow->flow_class == FlowClass::incast ? kPortOfIncast : kPortOfOthers, flow->size.count(),
                   nanoseconds(flow->start.since_start()), nanoseconds(flow->sender_completion),
                   nanoseconds(flow->ideal_fct));
    file.write({row.data(), row.size()});
  }
  return file.commit();
}

std::optional<std::string> why_no_hpcc_pfc(const RunRecord& record) {
  if (!record.timeline.recorded()) return "the run did not record its pauses (measure.timeline = true does)";
  if (record.timeline.pauses_left_out == 0) return std::nullopt;
  return fmt::format("the run recorded only its first {} pauses and omitted {} more", record.timeline.pauses.size(),
                     record.timeline.pauses_left_out);
}

std::optional<std::string> write_hpcc_pfc(const RunRecord& record, const std::filesystem::path& path) {
  if (const auto why = why_no_hpcc_pfc(record)) return fmt::format("{}: {}", path.string(), *why);
  const std::vector<Interface> interfaces = interfaces_of(record);
  OutputFile file(path);
  for (const PauseChange& change : pause_changes_of(record)) {
    const Interface& at = interfaces.at(record.timeline.pauses[change.pause].link);
    file.write(fmt::format("{} {} {} {} {}\n", nanoseconds(change.time.since_start()), at.node, int{at.at_switch},
                           at.index, int{!change.resumed}));
  }
  return file.commit();
}

}  // namespace weir
