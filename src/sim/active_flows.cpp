// SPDX-License-Identifier: Apache-2.0
#include "sim/active_flows.h"

#include <algorithm>

namespace weir {
namespace {

constexpr std::size_t kLookBack = 4;

}  // namespace

void ActiveFlows::count(const SwitchContext& at, Histogram& counts) {
  seen_.clear();
  for (std::size_t i = 0; i < at.queues(); ++i) {
    const QueueState& queue = at.queue(QueueId(i));
    FrameId id = queue.head;
    while (id.exists()) {
      const Frame& frame = at.frames()[id];
      if (frame.kind == FrameKind::data) {
        const PortId egress = queue.port.exists() ? queue.port : frame.egress;
        // A queue pair is identified by the receiver's number at the receiving host.
        const std::pair entry(std::uint32_t{egress.value},
                              std::uint64_t{frame.destination.value} << 32 | frame.queue_pair.value);
        // Most queues hold frames of few flows: looking back over the last entries keeps the list to be sorted short.
        const auto last = seen_.end() - static_cast<std::ptrdiff_t>(std::min(seen_.size(), kLookBack));
        if (std::find(last, seen_.end(), entry) == seen_.end()) seen_.push_back(entry);
      }
      id = id == queue.tail ? FrameId::none() : frame.next;
    }
  }
  std::sort(seen_.begin(), seen_.end());
  seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
  std::size_t next = 0;
  for (std::size_t port = 0; port < at.ports(); ++port) {
    const std::size_t first = next;
    while (next < seen_.size() && seen_[next].first == port) ++next;
    counts.add(static_cast<std::int64_t>(next - first));
  }
}

}  // namespace weir
