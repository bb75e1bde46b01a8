// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/credit_switch.h"

#include "schemes/expresspass/message.h"

namespace weir::expresspass {
namespace {

constexpr StatisticSpec kSwitchStatistics[] = {
    {.name = "expresspass.credits_dropped", .unit = "frames", .scope = StatisticSpec::Scope::port}};

}  // namespace

// [XPASS-Q-2] Credits go before data, as far as the bucket permits.
void CreditSwitch::attach(SwitchContext& context) {
  const std::int64_t data_wire = context.maximum_frame() + context.framing().wire_overhead;
  for (std::size_t port = 0; port < context.ports(); ++port) {
    credits_.push_back(
        queue_context(context).new_queue({.port = PortId(port),
                                          .priority = kCreditPriority,
                                          .level = 0,
                                          .rate = credit_rate(context.port(PortId(port)).rate, data_wire),
                                          .burst = settings_.credit_burst * kControlWire,
                                          .starts_full = false}));
  }
  dropped_.resize(context.ports());
}

// [XPASS-Q-3]
bool CreditSwitch::admit(const SwitchContext& context, const Frame& frame) const {
  return !is_credit(frame) || context.queue(credits_[frame.egress.index()]).frames < settings_.credit_buffer;
}

QueueId CreditSwitch::classify(QueueContext& context, Frame& frame) {
  return is_credit(frame) ? credits_[frame.egress.index()] : Classifier::classify(context, frame);
}

// A damaged credit, or one without a route, has no egress.
void CreditSwitch::on_drop(SwitchContext&, QueueId, const Frame& frame, DropReason) {
  if (is_credit(frame) && frame.egress.exists()) ++dropped_[frame.egress.index()];
}

std::span<const StatisticSpec> CreditSwitch::statistics() const {
  return kSwitchStatistics;
}

Statistic CreditSwitch::statistic(std::size_t /*which*/, PortId port, std::size_t /*group*/) const {
  return Statistic::of_counter(dropped_[port.index()]);
}

}  // namespace weir::expresspass
