// SPDX-License-Identifier: Apache-2.0
#include "schemes/ideal_srf/ideal_srf.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "policy/flow_queues.h"

namespace weir::ideal_srf {
namespace {

class IdealSrf final : public Classifier {
 public:
  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = hooks.drop = hooks.withdraw = true;
    return hooks;
  }
  void attach(SwitchContext& context) override {
    queues_.attach(context);
    remaining_ = context.headers().place<std::uint32_t>(kRemaining);
    for (int priority = 0; priority < kPriorities; ++priority) {
      queue_context(context).set_discipline(static_cast<Priority>(priority), Discipline::rank);  // [ISRF-1]
    }
  }

  // [ISRF-1]
  QueueId classify(QueueContext& context, Frame& frame) override { return queues_.queue_of(context, frame); }
  [[nodiscard]] std::uint64_t rank(const SwitchContext&, const Frame& frame) const override {
    constexpr std::uint64_t kNoSize = std::uint64_t{1} << 63;
    if (frame.is_control()) return 0;  // [ISRF-3]
    const std::uint32_t remaining = remaining_.read(frame);
    return remaining != 0 ? remaining : kNoSize | static_cast<std::uint64_t>(frame.arrival.picoseconds());  // [ISRF-4]
  }

  void on_depart(SwitchContext& context, QueueId, Frame& frame) override { queues_.leave(context, frame); }
  void on_withdraw(SwitchContext& context, QueueId, Frame& frame) override { queues_.leave(context, frame); }
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason) override {
    if (frame.charged_bytes != 0) queues_.leave(context, frame);  // it had been admitted, and therefore classified
  }

 private:
  FlowQueues queues_;
  InlineField<std::uint32_t> remaining_;
};

class IdealSrfNic final : public NicFlowControl {
 public:
  void attach(NicContext& context) override { remaining_ = context.headers().place<std::uint32_t>(kRemaining); }
  [[nodiscard]] bool marks_sent() const override { return true; }
  // [ISRF-2]
  void on_sent(NicContext&, SendState& sender, GateId, Frame& frame) override {
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    remaining_.write(frame, static_cast<std::uint32_t>(std::clamp(sender.remaining(), std::int64_t{1}, kMost)));
  }

 private:
  InlineField<std::uint32_t> remaining_;
};

// [ISRF-5]
std::vector<std::string> warnings(const Parameters&, const SchemeSurroundings& around) {
  if (around.hosts.shortest_remaining_first) return {};
  return {
      "NICs serve queue pairs in round robin, and only switches send the shortest flow first; expected "
      "host.shortest_remaining_first = true"};
}

}  // namespace

const Scheme scheme = {
    .name = "ideal_srf",
    .summary =
        "ideal shortest remaining flow first: one queue per flow and port, the one with the least remaining bytes "
        "first",
    .traits = {.ideal = true},
    .fields = {&kRemaining},
    .parameters = {},
    .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<IdealSrf>(); },
    .nic_flow_control = [](const Parameters&) -> std::unique_ptr<NicFlowControl> {
      return std::make_unique<IdealSrfNic>();
    },
    .warnings = warnings,
};

}  // namespace weir::ideal_srf
