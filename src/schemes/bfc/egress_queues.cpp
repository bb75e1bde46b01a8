// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/egress_queues.h"

namespace weir::bfc {

namespace {
/// No switch has more queues than this; a scenario's own limit on queues does not apply to these.
constexpr std::size_t kMostOfHardware = 1'024;
}  // namespace

EgressQueues::EgressQueues(QueueContext& context, const Settings& settings)
    : first_(context.queues()),
      classes_(settings.classes),
      of_class_(settings.queues),
      of_port_(settings.queues_of_port()),
      for_flows_(settings.queues - (settings.incast_label ? 1 : 0)),
      assign_paused_(settings.assign_paused) {
  for (std::size_t port = 0; port < context.ports(); ++port) {
    for (std::size_t number = 0; number < of_port_; ++number) {
      const auto priority = static_cast<Priority>(settings.highest - number / of_class_);
      const bool ideal = of_port_ > kMostOfHardware;
      if (settings.gate_fifo > Bytes()) {
        context.new_queue(
            {.port = PortId(port), .priority = priority, .stage = 1, .service = Service::released, .ideal = ideal});
      } else {
        context.new_queue({.port = PortId(port), .priority = priority, .ideal = ideal});  // [BFC-P-1]
      }
    }
  }
  groups_ = context.ports() * classes_;
  free_ = FreeQueues(groups_, for_flows_);
  if (settings.empty_refresh > Duration()) seen_.assign(settings.pipelines, free_);
  choice_ = QueueChoice(settings, for_flows_, groups_, settings.pipelines);
  counts_.resize(context.ports());
  plain_ = context.keeps_statistics() ? 0 : for_flows_;
  if (context.keeps_statistics()) counted_.resize(context.ports() * of_port_);
}

[[gnu::noinline]] void EgressQueues::count(PortId port, std::size_t number, bool is_free) {
  std::uint8_t& counted = counted_[port.index() * of_port_ + number];
  const std::uint8_t used = is_free ? 0 : 1;
  counts_[port.index()].in_use.add(used - counted);
  counted = used;
}

void EgressQueues::forget(PortId port) {
  if (!counted_.empty()) {
    for (std::size_t number = 0; number < of_port_; ++number) count(port, number, true);
  }
  for (std::size_t of_class = 0; of_class < classes_; ++of_class) free_.set_all(group_of(port, of_class));
}

void EgressQueues::look() {
  for (FreeQueues& seen : seen_) seen = free_;
}

}  // namespace weir::bfc
