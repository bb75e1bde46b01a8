#include "results/hpcc_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
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
    if (port == kPorts) {
      return fmt::format("{}: hosts {} and {} have more flows than source ports", path.string(), flow.source.value,
                         flow.destination.value);
    }
    const std::uint32_t source_port = port++;
    if (flow.completed()) lines.push_back({&flow, source_port});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.flow->start + a.flow->sender_completion < b.flow->start + b.flow->sender_completion;
  });
  OutputFile file(path);
  for (const auto& [flow, source_port] : lines) {
    file.write(fmt::format("{:08x} {:08x} {} {} {} {} {} {}\n", address_of(flow->source), address_of(flow->destination),
                           source_port, flow->flow_class == FlowClass::incast ? kPortOfIncast : kPortOfOthers,
                           flow->size.count(), nanoseconds(flow->start.since_start()),
                           nanoseconds(flow->sender_completion), nanoseconds(flow->alone)));
  }
  return file.commit();
}

}  // namespace weir
