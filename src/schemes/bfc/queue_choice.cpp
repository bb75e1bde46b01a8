// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/queue_choice.h"

namespace weir::bfc {

QueueChoice::QueueChoice(const Settings& settings, std::size_t queues, std::size_t groups, std::size_t pipelines)
    : choice_(settings.empty_queue), queues_(queues), beside_(settings.scan_beside) {
  if (choice_ != EmptyQueue::rotating) return;
  // [BFC-Q-6] Pipelines that read the same queues as empty start their searches at different queues.
  for (std::size_t pipeline = 0; pipeline < pipelines; ++pipeline) {
    start_.insert(start_.end(), groups, static_cast<std::uint16_t>(pipeline * queues / pipelines));
  }
}

}  // namespace weir::bfc
