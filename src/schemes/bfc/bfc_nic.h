// SPDX-License-Identifier: Apache-2.0
// BFC in a NIC: queue pairs are assigned to queues that the switch can pause. A NIC never pauses its switch, because it
// accepts all frames.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/nic_policy.h"
#include "schemes/bfc/free_queues.h"
#include "schemes/bfc/message.h"
#include "schemes/bfc/queue_choice.h"
#include "schemes/bfc/settings.h"

namespace weir::bfc {

class BfcNic final : public NicFlowControl {
 public:
  explicit BfcNic(const Settings& settings) : settings_(settings) {}

  void attach(NicContext& context) override;
  GateId gate_of(NicContext& context, SendState& sender) override;
  [[nodiscard]] bool serves_by_gate() const override { return settings_.nic_backpressure; }  // [BFC-N-4]
  void on_close(NicContext& context, const SendState& sender, GateId gate) override;
  [[nodiscard]] bool marks_sent() const override {
    return settings_.nic_backpressure || settings_.shortest_remaining() || settings_.incast_label;
  }
  void on_sent(NicContext& context, SendState& sender, GateId gate, Frame& frame) override;
  bool on_control(NicContext& context, const Frame& frame) override;
  void on_link(NicContext& context, bool up) override;
  void held_by(const NicContext& context, GateId gate, std::vector<HeldBy>& out) const override;
  using NicFlowControl::held_by;
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override;
  [[nodiscard]] Statistic statistic(std::size_t which, std::size_t group) const override;

  /// Queue pairs of this queue that have data to send.
  [[nodiscard]] std::uint32_t users(std::size_t queue) const { return queues_[queue].users; }
  [[nodiscard]] bool paused(std::size_t queue) const { return queues_[queue].paused; }

 private:
  struct Queue {
    GateId gate;
    std::uint32_t users = 0;
    bool paused = false;
  };

  [[nodiscard]] std::size_t number_of(GateId gate) const { return gate.index() - queues_.front().gate.index(); }
  std::size_t choose(NicContext& context, const SendState& sender);
  std::size_t begin(NicContext& context, SendState& sender, std::size_t queue);
  void end(const SendState& sender, std::size_t queue);
  void set_gate(NicContext& context, std::size_t queue, bool open);
  void note(std::size_t queue);

  Settings settings_;
  FrameFields fields_;
  Duration sticky_;
  std::vector<Queue> queues_;
  std::size_t for_flows_ = 0;  // queues of a class for flows that are not incasts; the incast queue follows them
  FreeQueues free_;            // by class: queues that have no users and are open
  QueueChoice choice_;         // by class
  std::vector<bool> busy_;     // by place_of(): counted among its queue's users
  std::uint64_t obeyed_ = 0;   // pauses that closed a queue
  std::uint64_t given_ = 0;    // assignments of queues to queue pairs
  std::uint64_t shared_ = 0;   // of these, to queues in use because none was free
};

}  // namespace weir::bfc
