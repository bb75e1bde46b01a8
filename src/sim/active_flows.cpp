// SPDX-License-Identifier: Apache-2.0
#include "sim/active_flows.h"

#include <algorithm>
#include <array>

namespace weir {
namespace {

constexpr std::size_t kLookBack = 4;

}  // namespace

void ActiveFlows::count(const SwitchContext& at, Histogram& counts) {
  seen_.clear();
  // Most queues hold frames of few flows: comparing a frame with the last new ones keeps the list to be sorted short.
  std::array<Entry, kLookBack> last{};
  for (std::size_t i = 0; i < at.queues(); ++i) {
    const QueueState& queue = at.queue(QueueId(i));
    if (queue.empty()) continue;
    last.fill({});
    for (FrameId id = queue.head; id.exists();) {
      const Frame& frame = at.frames()[id];
      id = id == queue.tail ? FrameId::none() : frame.next;
      if (frame.kind != FrameKind::data) continue;
      const PortId egress = queue.port.exists() ? queue.port : frame.egress;
      // A queue pair is identified by the receiver's number at the receiving host.
      const Entry entry{egress.value, std::uint64_t{frame.destination.value} << 32 | frame.queue_pair.value};
      const bool known = std::any_of(last.begin(), last.end(), [&](const Entry& each) {
        return each.queue_pair == entry.queue_pair && each.egress == entry.egress;
      });
      if (known) continue;
      last[seen_.size() % kLookBack] = entry;
      seen_.push_back(entry);
    }
  }
  std::sort(seen_.begin(), seen_.end());
  seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
  std::size_t next = 0;
  for (std::size_t port = 0; port < at.ports(); ++port) {
    const std::size_t first = next;
    while (next < seen_.size() && seen_[next].egress == port) ++next;
    counts.add(static_cast<std::int64_t>(next - first));
  }
}

}  // namespace weir
